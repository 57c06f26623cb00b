package markov_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// drawnRegimes is a process with random rates: level 0 has a regime of its own, levels 1..b three, the first two of
// which lead to each other there and to the last everywhere. Each is in three parts, of which above level b all lead to the
// first and to themselves.
type drawnRegimes struct {
	of    [][]drawnPhase
	rates [][][3][]float64 // by level 0..b+1 and phase, by −1, 0, +1 levels
}

// drawnPhase is where a phase belongs.
type drawnPhase struct{ Number, Part int }

// newDrawnRegimes draws a process of levels 0..b and above; a part has so many phases, or one more.
func newDrawnRegimes(seed uint64, b, phasesOfPart int) *drawnRegimes {
	r := rand.New(rand.NewPCG(seed, 1))
	d := &drawnRegimes{of: [][]drawnPhase{{{}, {}}}}
	for range b {
		var phases []drawnPhase
		for number := 1; number <= 3; number++ {
			for part := range 3 {
				for range phasesOfPart + r.IntN(2) {
					phases = append(phases, drawnPhase{Number: number, Part: part})
				}
			}
		}
		if b := d.of[len(d.of)-1]; len(b) > 2 { // levels from 1 on are alike in their phases
			phases = b
		}
		d.of = append(d.of, phases)
	}
	for l := range b + 2 {
		var rows [][3][]float64
		for _, from := range d.phases(l) {
			var row [3][]float64
			for k := range row {
				if l+k-1 < 0 {
					continue
				}
				for _, to := range d.phases(l + k - 1) {
					rate := 0.0
					above := l+max(k-1, 0) > b && from.Number != to.Number && to.Number != 3 ||
						l > b && from.Number == to.Number && to.Part != 0 && from.Part != to.Part
					down := k == 0 && from.Part > 0
					if !above && !down && (l > b || r.IntN(4) > 0) {
						rate = r.Float64() * []float64{1, .5, .05}[k]
					}
					row[k] = append(row[k], rate)
				}
			}
			rows = append(rows, row)
		}
		d.rates = append(d.rates, rows)
	}
	if b > 1 && seed%3 == 0 {
		d.rates[b] = d.rates[b+1]
	}
	return d
}

func (d *drawnRegimes) phases(l int) []drawnPhase { return d.of[min(l, len(d.of)-1)] }

func (d *drawnRegimes) regimes() *markov.Regimes {
	var of [][]int
	for _, phases := range d.of {
		var numbers []int
		for _, p := range phases {
			numbers = append(numbers, p.Number)
		}
		of = append(of, numbers)
	}
	return &markov.Regimes{Of: of, Moves: func(l, i int, add func(by, to int, rate float64)) {
		for k, row := range d.rates[l][i] {
			for j, rate := range row {
				if rate > 0 {
					add(k-1, j, rate/2)
					add(k-1, j, rate/2)
				}
			}
		}
	}}
}

// qbd is the process by its blocks.
func (d *drawnRegimes) qbd() *markov.QBD {
	block := func(l, by int) *mat.Dense {
		m := mat.NewDense(len(d.phases(l)), len(d.phases(l+by)), nil)
		for i, row := range d.rates[l] {
			for j, rate := range row[by+1] {
				if by != 0 || i != j {
					m.Set(i, j, rate)
				}
			}
		}
		return m
	}
	q := &markov.QBD{}
	for l := range d.rates {
		level := markov.Level{Up: block(l, 1), Local: block(l, 0)}
		if l > 0 {
			level.Down = block(l, -1)
		}
		if l == len(d.rates)-1 {
			q.Repeating = level
		} else {
			q.Boundary = append(q.Boundary, level)
		}
	}
	return q
}

// Solved regime by regime, or level by level, a process has the solution that it has by its blocks; 1e-12: all are sums
// of a few hundred terms.
func TestRegimesMakeNoDifference(t *testing.T) {
	for seed := range uint64(14) {
		phases := 1
		if seed >= 12 { // blocks of several tiles
			phases = 12
		}
		if testing.Short() && seed != 0 && seed != 12 {
			continue // one process of each kind is enough for the race detector
		}
		d := newDrawnRegimes(seed, 1+int(seed)%4, phases)
		for _, method := range []string{markov.CyclicReduction, markov.SubtractionFree} {
			st := markov.Settings{Method: method}
			whole, err := d.qbd().Solve(t.Context(), st)
			if err != nil {
				t.Fatal(err)
			}
			for _, byLevels := range []bool{false, true} {
				q := d.regimes()
				q.ByLevels = byLevels
				parts, err := q.Solve(t.Context(), st)
				if err != nil {
					t.Fatalf("seed %d, by levels %t: %v", seed, byLevels, err)
				}
				sameRegimes(t, parts, whole, fmt.Sprintf("seed %d, by levels %t, %s", seed, byLevels, method))
			}
		}
	}
}

func sameRegimes(t *testing.T, parts *markov.RegimesSolution, whole *markov.QBDSolution, name string) {
	t.Helper()
	decay, err := parts.DecayRate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s: %s is %v, by blocks %v", name, what, got, want)
		}
	}
	same("mean", parts.Mean(), whole.Mean())
	same("variance", parts.Variance(), whole.Variance())
	same("decay", decay, decayRate(t, whole))
	same("tail", parts.Tail(9), whole.Tail(9))
	for l := range 9 {
		same("probability", parts.Probability(l), whole.Probability(l))
		for i, p := range whole.Level(l) {
			same("phase", parts.Level(l)[i], p)
		}
	}
	for i, p := range whole.RepeatingPhases() {
		same("phase above", parts.RepeatingPhases()[i], p)
	}
}

func TestRegimesAreChecked(t *testing.T) {
	d := newDrawnRegimes(3, 2, 1)
	good := d.regimes()
	wrong := func(from, to int, rate float64) *markov.Regimes { // above level b
		return &markov.Regimes{Of: good.Of, Moves: func(l, i int, add func(by, to int, rate float64)) {
			good.Moves(l, i, add)
			for j, r := range good.Of[2] {
				if l == 3 && good.Of[2][i] == from && r == to {
					add(0, j, rate)
				}
			}
		}}
	}
	for name, q := range map[string]*markov.Regimes{
		"none":                    nil,
		"no levels":               {Moves: good.Moves},
		"no moves":                {Of: good.Of},
		"one regime":              {Of: [][]int{{0}}, Moves: good.Moves},
		"a negative number":       {Of: [][]int{{-1, 1}}, Moves: good.Moves},
		"no last regime":          {Of: [][]int{{1}, {0}}, Moves: good.Moves},
		"from the last regime":    wrong(3, 1, 1),
		"between those it leaves": wrong(1, 2, 1),
		"a negative rate":         wrong(1, 3, -1),
	} {
		var e *markov.BlockError
		if _, err := q.Solve(t.Context(), markov.Settings{}); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := good.Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(1)}); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("one byte: %v", err)
	}
	if _, err := good.Solve(t.Context(), markov.Settings{Method: "none"}); !errors.Is(err, markov.ErrMethod) {
		t.Errorf("no method: %v", err)
	}
	if _, err := new(markov.RegimesSolution).DecayRate(t.Context()); err == nil {
		t.Error("a zero solution has a decay rate")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Solve(ctx, markov.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// onOff is M/M/1 with service rate 1 whose server is off when nobody is there, and on after an exponential set-up of
// rate .5: off is regime 0, on regime 1. Levels repeat from level alike on, which is at least 1.
func onOff(arrivals float64, alike int) *markov.Regimes {
	const off, on = 0, 1
	return &markov.Regimes{
		Of: append([][]int{{off}}, slices.Repeat([][]int{{off, on}}, alike)...),
		Moves: func(level, phase int, add func(by, to int, rate float64)) {
			add(+1, phase, arrivals)
			switch {
			case phase == on && level == 1:
				add(-1, off, 1)
			case phase == on:
				add(-1, on, 1)
			case level > 0:
				add(0, on, .5)
			}
		},
	}
}

// A set-up adds its arrivals to the mean of M/M/1 (P. D. Welch, Oper. Res. 12 (1964) 736–752).
func TestRegimesOfASetUp(t *testing.T) {
	for _, load := range []float64{.01, .5, .9} {
		s, err := onOff(load, 1).Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		qbdtest.Near(t, "mean", s.Mean(), load/(1-load)+load/.5, 1e-12)
		qbdtest.CheckSolution(t, "set-up", s, 1e-11)
		decay, err := s.DecayRate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		qbdtest.Near(t, "decay", decay, max(load, load/(load+.5)), 1e-12)
	}
	if _, err := onOff(1, 1).Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("at load 1: %v", err)
	}
}

// Levels that are reached with a probability below the smallest number count as never reached, not as wrong: at load .1
// level 700 has the probability 10⁻⁵⁴⁵.
func TestRegimesOfLevelsAsGoodAsNeverReached(t *testing.T) {
	const load = .1
	for _, alike := range []int{300, 320, 700} {
		s, err := onOff(load, alike).Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatalf("%d levels: %v", alike, err)
		}
		qbdtest.Near(t, "mean", s.Mean(), load/(1-load)+load/.5, 1e-12)
	}
}

// A solve that would take more than a day is refused whatever the memory: with an entry in each of 180,000 levels, the
// stationary distribution of the entries alone takes 180,000³ operations.
func TestRegimesAreRefusedThatTakeDays(t *testing.T) {
	set := markov.Settings{Memory: markov.NewMemory(1 << 50)}
	if _, err := onOff(.1, 180_000).Solve(t.Context(), set); !parallel.IsShortOf(err, parallel.Time) || !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("180,000 entries: %v", err)
	}
}

// TestErrorPerLevelCoversAllPhases: the bound for each level counts the phases of a level, also where fewer states were
// eliminated. Levels that count as geometric have errors of this size.
func TestErrorPerLevelCoversAllPhases(t *testing.T) {
	const n, last = 40, 40 // the first regime has n phases and a single entry, the last regime has one phase
	of := make([]int, n+1)
	of[last] = 1
	q := &markov.Regimes{Of: [][]int{of, of}, Moves: func(level, phase int, add func(by, to int, rate float64)) {
		add(+1, phase, 0.5)
		switch {
		case level > 0:
			add(-1, phase, 1)
		case phase == last:
			add(0, 0, 0.1)
		}
		if phase < n {
			add(0, (phase+1)%n, 1)
			add(0, last, 0.1)
		}
	}}
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Diagnostics(); d.Phases != n+1 || d.ErrorPerLevel < block.GTHBound(d.Phases) {
		t.Errorf("%d phases, %.2g for each level, want at least %.2g", d.Phases, d.ErrorPerLevel, block.GTHBound(d.Phases))
	}
}
