package models

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// system has three units, hyperexponential arrivals, Erlang-like demands and repartitions that take time.
func system(t *testing.T, stops Stops) *System {
	t.Helper()
	dist := func(d phasetype.Dist, err error) phasetype.Dist {
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	gap := dist(phasetype.Hyperexponential([]float64{0.3, 0.7}, []float64{0.4, 1.6}))
	arrivals, err := phasetype.Renewal(gap)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSystem(3, 1, arrivals, dist(phasetype.Erlang(2, 1)), workload.Linear{})
	if err != nil {
		t.Fatal(err)
	}
	pause := dist(phasetype.Exponential(10))
	s.Shrink, s.Expand, s.Stops = []phasetype.Dist{{}, pause, pause}, []phasetype.Dist{pause, pause}, stops
	if s, err = s.WithLoad(0.5); err != nil {
		t.Fatal(err)
	}
	return s
}

// An exported chain, read from its files and solved by elimination of all its states (Grassmann, Taksar and Heyman), has
// the measures of the model, whose chain is another program's where all jobs stop or partitions are static.
func TestExportedChainsSolvedInAnotherWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     policy.Policy
		stops Stops
	}{{"dynamic", policy.Dynamic{}, AllStop}, {"resized", policy.Dynamic{}, ResizedStop},
		{"capped", policy.Capped{Jobs: 2}, AllStop}, {"static", policy.Static{Partitions: 3}, AllStop}} {
		s := system(t, c.stops)
		chain, err := cutChain(t.Context(), s, c.p, 1e-13, mostStates)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "deep", c.name)
		if err := write(t.Context(), dir, chain); err != nil {
			t.Fatal(err)
		}
		if err := write(t.Context(), dir, chain); !errors.Is(err, fs.ErrExist) {
			t.Errorf("written twice: %v", err)
		}
		dir = filepath.Join(dir, strings.ReplaceAll(c.p.String(), ":", "-"))
		levels := levelsOf(t, filepath.Join(dir, "pi.csv"))
		pi := stationary(generator(t, filepath.Join(dir, "blocks.csv"), levels, len(chain.files.States)))
		mean, busy := 0.0, 0.0
		for i, p := range pi {
			mean += float64(levels[i]) * p
			if levels[i] > 0 {
				busy += p
			}
		}
		model, err := s.Chain(c.p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		// 1e-13 is left out, at levels of some tens.
		if math.Abs(mean/m.MeanJobs-1) > 1e-10 || math.Abs(1-busy-m.ProbabilityEmpty) > 1e-10 {
			t.Errorf("%s: mean %v and empty %v by the files, %v and %v by the model", c.name, mean, 1-busy, m.MeanJobs,
				m.ProbabilityEmpty)
		}
		checkProbabilities(t, c.name, filepath.Join(dir, "pi.csv"), pi)
		checkRG(t, c.name, dir, len(chain.files.States))
	}
}

// levelsOf reads the levels of the states.
func levelsOf(t *testing.T, file string) (levels []int) {
	for _, line := range lines(t, file)[1:] {
		var level, phase int
		var p float64
		if _, err := fmt.Sscanf(line, "%d,%d,%g", &level, &phase, &p); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		levels = append(levels, level)
	}
	return levels
}

func lines(t *testing.T, file string) (all []string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		all = append(all, in.Text())
	}
	return all
}

// generator reads the rates between states of the given levels, by level up to the first that stands for all above it. Arrivals
// at the last level are lost.
func generator(t *testing.T, file string, levels []int, above int) [][]float64 {
	n := len(levels)
	q, first := make([][]float64, n), map[int]int{}
	for i := range slices.Backward(levels) {
		q[i] = make([]float64, n)
		first[levels[i]] = i
	}
	for _, line := range lines(t, file)[1:] {
		f := strings.Split(line, ",")
		by := map[string]int{"down": -1, "local": 0, "up": 1}[f[1]]
		var level, i, j int
		var rate float64
		if _, err := fmt.Sscan(strings.Join([]string{f[0], f[2], f[3], f[4]}, " "), &level, &i, &j, &rate); err != nil || !(rate > 0) {
			t.Fatalf("%q: %v", line, err)
		}
		last := level
		if level == above {
			last = levels[n-1]
		}
		for ; level <= last; level++ {
			from := first[level] + i
			if to, there := first[level+by]; there {
				q[from][to+j] = rate
			}
		}
	}
	return q
}

// stationary eliminates state by state.
func stationary(q [][]float64) []float64 {
	n := len(q)
	for k := n - 1; k > 0; k-- {
		out := 0.0
		for j := range k {
			out += q[k][j]
		}
		for i := range k {
			if q[i][k] == 0 {
				continue
			}
			q[i][k] /= out
			for j := range k {
				if j != i {
					q[i][j] += q[i][k] * q[k][j]
				}
			}
		}
	}
	pi := make([]float64, n)
	pi[0] = 1
	total := 1.0
	for k := 1; k < n; k++ {
		for i := range k {
			pi[k] += pi[i] * q[i][k]
		}
		total += pi[k]
	}
	for k := range pi {
		pi[k] /= total
	}
	return pi
}

func checkProbabilities(t *testing.T, name, file string, pi []float64) {
	text := lines(t, file)[1:]
	if len(text) != len(pi) {
		t.Fatalf("%s: %d probabilities of %d states", name, len(text), len(pi))
	}
	for i, line := range text {
		p, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ',')+1:], 64)
		if err != nil || math.Abs(p-pi[i]) > 1e-11 {
			t.Errorf("%s: state %d: %v in the file, %v solved: %v", name, i, p, pi[i], err)
		}
	}
}

// checkRG reads the blocks above the boundary, R and G: A0 + R A1 + R² A2 = 0, A2 + A1 G + A0 G² = 0, and the rows of G
// are distributions.
func checkRG(t *testing.T, name, dir string, above int) {
	r, g := matrix(t, filepath.Join(dir, "R.csv")), matrix(t, filepath.Join(dir, "G.csv"))
	n, _ := r.Dims()
	blocks := map[string]*mat.Dense{"up": mat.NewDense(n, n, nil), "local": mat.NewDense(n, n, nil), "down": mat.NewDense(n, n, nil)}
	for _, line := range lines(t, filepath.Join(dir, "blocks.csv"))[1:] {
		f := strings.Split(line, ",")
		if f[0] != strconv.Itoa(above) {
			continue
		}
		i, _ := strconv.Atoi(f[2])
		j, _ := strconv.Atoi(f[3])
		rate, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		blocks[f[1]].Set(i, j, rate)
		blocks["local"].Set(i, i, blocks["local"].At(i, i)-rate)
	}
	var a, b, ra, rb, ga, gb mat.Dense
	ra.Mul(r, blocks["local"])
	rb.Product(r, r, blocks["down"])
	a.Add(blocks["up"], &ra)
	a.Add(&a, &rb)
	ga.Mul(blocks["local"], g)
	gb.Product(blocks["up"], g, g)
	b.Add(blocks["down"], &ga)
	b.Add(&b, &gb)
	if worst := max(mat.Norm(&a, 1), mat.Norm(&b, 1)); worst > 1e-11*mat.Norm(blocks["local"], 1) {
		t.Errorf("%s: R and G leave %v", name, worst)
	}
	for i := range n {
		if sum := mat.Sum(g.RowView(i)); math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: row %d of G sums to %v", name, i, sum)
		}
	}
}

func matrix(t *testing.T, file string) *mat.Dense {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		for j, text := range row {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			m.Set(i, j, x)
		}
	}
	return m
}

// The bound on states holds, and says what is lost; policies without a chain, and unstable ones, are errors.
func TestWhatCannotBeExported(t *testing.T) {
	s := system(t, AllStop)
	c, err := cutChain(t.Context(), s, policy.Dynamic{}, mostLost, 300)
	if err != nil {
		t.Fatal(err)
	}
	var pi bytes.Buffer
	c.files.Probabilities(&pi)
	if n := bytes.Count(pi.Bytes(), []byte("\n")) - 1; n > 300 || !(c.files.Lost > 1e-12) {
		t.Errorf("%d states, %v lost", n, c.files.Lost)
	}
	if _, err := NewChain(t.Context(), s, policy.EASY{}, "s", markov.Settings{}); !errors.Is(err, ErrNoChain) {
		t.Errorf("EASY: %v", err)
	}
	heavy, err := s.WithLoad(1.2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewChain(t.Context(), heavy, policy.Dynamic{}, "s", markov.Settings{}); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("overloaded: %v", err)
	}
}

// A chain whose probabilities fall slowly from level to level is written in a time proportional to its levels, and a
// writing that is stopped leaves nothing behind.
func TestSlowDecay(t *testing.T) {
	s := system(t, AllStop)
	s, err := s.WithLoad(0.9997)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChain(t.Context(), s, policy.Static{Partitions: 3}, "s", markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if c.files.Last < 10_000 {
		t.Fatalf("the finite chain has %d levels; the test needs many", c.files.Last)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	dir := t.TempDir()
	if err := write(stopped, filepath.Join(dir, "ex"), c); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
	if err := write(t.Context(), filepath.Join(dir, "ex"), c); err != nil {
		t.Error(err)
	}
}

// write makes a folder with the files of a chain, or nothing.
func write(ctx context.Context, dir string, c *Chain) error {
	return WriteChains(ctx, dir, []*Chain{c})
}

// cutChain is NewChain with other bounds of what pi.csv leaves out, and of the states in it.
func cutChain(ctx context.Context, s *System, p policy.Policy, lost float64, most int) (*Chain, error) {
	c, err := NewChain(ctx, s, p, "s", markov.Settings{})
	if err != nil {
		return nil, err
	}
	return c, c.files.Cut(ctx, lost, most)
}
