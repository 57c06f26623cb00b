package markov_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// mm1 is the M/M/1 queue; without departures it is a Poisson process.
func mm1(lambda, mu float64) *markov.QBD {
	up, none, down := mat.NewDense(1, 1, []float64{lambda}), mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{mu})
	return &markov.QBD{
		Boundary:  []markov.Level{{Up: up, Local: none}},
		Repeating: markov.Level{Up: up, Local: none, Down: down},
	}
}

// emptyAt is a start in one state of a level without phases.
func emptyAt(level int) [][]float64 {
	start := make([][]float64, level+1)
	start[level] = []float64{1}
	return start
}

// scaledBessel returns e^{−z}·I_j(z) by its series, the terms of which are positive.
func scaledBessel(j int, z float64) float64 {
	sum := 0.0
	for m := 0; m < int(2*z)+100; m++ {
		a, _ := math.Lgamma(float64(m + 1))
		b, _ := math.Lgamma(float64(m + j + 1))
		sum += math.Exp(float64(2*m+j)*math.Log(z/2) - a - b - z)
	}
	return sum
}

// mm1At returns P(level = n) of M/M/1 at time t from level i.
//
// Reference: L. Kleinrock, Queueing Systems I, Wiley (1975), equation 2.163.
func mm1At(lambda, mu float64, i, n int, t float64) float64 {
	rho, z := lambda/mu, 2*math.Sqrt(lambda*mu)*t
	root := math.Sqrt(rho)
	p := math.Pow(root, float64(n-i))*scaledBessel(max(n-i, i-n), z) + math.Pow(root, float64(n-i-1))*scaledBessel(n+i+1, z)
	rest := 0.0
	for j := n + i + 2; j < n+i+2+int(3*z)+60; j++ {
		rest += math.Pow(root, -float64(j)) * scaledBessel(j, z)
	}
	return (p + (1-rho)*math.Pow(rho, float64(n))*rest) * math.Exp(z-(lambda+mu)*t)
}

// TestQBDTransientOfMM1: probabilities lie between those of the solution and what the lost mass adds. The closed form is
// known to 1e-12: sums of exponentials of differences of logarithms near 100.
func TestQBDTransientOfMM1(t *testing.T) {
	const closed = 1e-12
	for _, c := range []struct {
		lambda, mu, t float64
		from          int
		tolerance     float64
	}{{0.8, 1, 0.1, 0, 0}, {0.8, 1, 5, 0, 0}, {0.5, 1, 20, 7, 0}, {0.9, 1, 20, 3, 1e-3}, {2, 1, 10, 1, 1e-12}} {
		s, err := mm1(c.lambda, c.mu).Transient(t.Context(), emptyAt(c.from), c.t, markov.Settings{Tolerance: c.tolerance})
		if err != nil {
			t.Fatal(err)
		}
		most := c.tolerance
		if most == 0 {
			most = 1e-10
		}
		if s.Lost > most {
			t.Errorf("%+v: lost %g", c, s.Lost)
		}
		rounding := s.Diagnostics().ErrorBound - s.Lost + closed
		mean, total := 0.0, 0.0
		for n := range s.Levels {
			want := mm1At(c.lambda, c.mu, c.from, n, c.t)
			mean, total = mean+float64(n)*want, total+want
			if got := s.Probability(n); !(got <= want+rounding && want <= got+s.Lost+rounding) {
				t.Errorf("%+v: P(level = %d) = %v, want %v", c, n, got, want)
			}
			if got, want := s.Tail(n), 1-total; !(got <= want+rounding && want <= got+s.Lost+rounding) {
				t.Errorf("%+v: P(level > %d) = %v, want %v", c, n, got, want)
			}
		}
		if got := s.Mean(); !(got <= mean+rounding*float64(s.Levels) && mean <= got+s.MeanLost+rounding*float64(s.Levels)) {
			t.Errorf("%+v: mean %v, want %v, lost %g", c, got, mean, s.MeanLost)
		}
	}
}

// TestQBDTransientOfPoisson: without departures the level is a Poisson variable, and the lost mass its tail.
func TestQBDTransientOfPoisson(t *testing.T) {
	for _, mean := range []float64{0, 1e-3, 4, 300} {
		for _, tolerance := range []float64{1e-2, 1e-10, 1e-20} {
			s, err := mm1(2, 0).Transient(t.Context(), emptyAt(0), mean/2, markov.Settings{Tolerance: tolerance})
			if err != nil {
				t.Fatal(err)
			}
			lost := mathext.GammaIncReg(float64(s.Levels), mean)
			// Each of some hundred steps of uniformization rounds; the incomplete gamma function has about 12 digits. Poisson
			// weights below 1e-32 are left out.
			if !(math.Abs(s.Lost-lost) <= 1e-10*lost+1e-32) || s.Lost > tolerance {
				t.Errorf("mean %g: lost %v beyond %d levels, want %v", mean, s.Lost, s.Levels, lost)
			}
			bound := s.Diagnostics().ErrorBound * float64(s.Levels)
			if off := mean - s.Mean(); off < -bound || off > s.MeanLost+bound {
				t.Errorf("mean %v, want %v, which lacks %g at most", s.Mean(), mean, s.MeanLost)
			}
			p := math.Exp(-mean)
			for n := range 20 {
				if got := s.Probability(n); !(math.Abs(got-p) <= s.Diagnostics().ErrorBound) {
					t.Errorf("mean %g: P(level = %d) = %v, want %v", mean, n, got, p)
				}
				p *= mean / float64(n+1)
			}
		}
	}
}

// breakdowns is a queue whose server fails, with a boundary level of one state: the server is repaired when nobody is there.
func breakdowns() *markov.QBD {
	up, local := mat.NewDense(2, 2, []float64{0.6, 0, 0, 0.4}), mat.NewDense(2, 2, []float64{0, 0.1, 0.5, 0})
	return &markov.QBD{
		Boundary: []markov.Level{
			{Up: mat.NewDense(1, 2, []float64{0.6, 0}), Local: mat.NewDense(1, 1, nil)},
			{Up: up, Local: local, Down: mat.NewDense(2, 1, []float64{1, 0})},
		},
		Repeating: markov.Level{Up: up, Local: local, Down: mat.NewDense(2, 2, []float64{1, 0, 0, 0})},
	}
}

// TestQBDTransientAgainstExponential: the matrix exponential of the first 60 levels, of which more are not met at time 3
// with a probability of more than 1e-40.
func TestQBDTransientAgainstExponential(t *testing.T) {
	const levels, at = 60, 3.0
	q := breakdowns()
	n := 1 + 2*(levels-1)
	first := func(l int) int { return max(0, 2*l-1) }
	gen := mat.NewDense(n, n, nil)
	put := func(l, to int, m mat.Matrix) {
		rows, cols := m.Dims()
		for i := range rows {
			for j := range cols {
				row := first(l) + i
				gen.Set(row, first(to)+j, gen.At(row, first(to)+j)+m.At(i, j)*at)
				gen.Set(row, row, gen.At(row, row)-m.At(i, j)*at)
			}
		}
	}
	for l := range levels {
		lev := q.Repeating
		if l < len(q.Boundary) {
			lev = q.Boundary[l]
		}
		put(l, l, lev.Local)
		if l+1 < levels {
			put(l, l+1, lev.Up)
		}
		if l > 0 {
			put(l, l-1, lev.Down)
		}
	}
	var e mat.Dense
	e.Exp(gen)
	start := [][]float64{{0.25}, nil, {0.5, 0.25}}
	s, err := q.Transient(t.Context(), start, at, markov.Settings{Tolerance: 1e-14})
	if err != nil {
		t.Fatal(err)
	}
	for l := range levels {
		size := 2
		if l == 0 {
			size = 1
		}
		got := s.Level(l)
		for i := range size {
			want := 0.25*e.At(0, first(l)+i) + 0.5*e.At(first(2), first(l)+i) + 0.25*e.At(first(2)+1, first(l)+i)
			// roundings of the exponential, a scaled and squared matrix of 119 rows
			if l < s.Levels && !(math.Abs(got[i]-want) <= s.Diagnostics().ErrorBound+1e-13) {
				t.Errorf("level %d phase %d: %v, want %v", l, i, got[i], want)
			}
		}
	}
}

// TestQBDTransientTendsToStationary: after a long time, on far fewer levels than jumps upward.
func TestQBDTransientTendsToStationary(t *testing.T) {
	q := breakdowns()
	want, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	const at = 3000
	s, err := q.Transient(t.Context(), emptyAt(0), at, markov.Settings{Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	bound := s.Diagnostics().ErrorBound
	if bound > 2e-6 || s.Levels > 600 {
		t.Errorf("%d levels, error bound %g", s.Levels, bound)
	}
	for n := range s.Levels {
		if got := s.Probability(n); !(math.Abs(got-want.Probability(n)) <= bound) {
			t.Errorf("P(level = %d) = %v, want %v", n, got, want.Probability(n))
		}
	}
	if off := want.Mean() - s.Mean(); !(math.Abs(off) <= s.MeanLost+bound*float64(s.Levels)) {
		t.Errorf("mean %v, want %v", s.Mean(), want.Mean())
	}
	p, err := markov.LevelProbabilities(t.Context(), s, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	qbdtest.Near(t, "probabilities of the first levels", p[0], s.Probability(0), 0)
}

func TestQBDTransientRefusals(t *testing.T) {
	q := breakdowns()
	var block *markov.BlockError
	for name, c := range map[string]struct {
		start [][]float64
		time  float64
	}{
		"negative time": {[][]float64{{1}}, -1}, "no time": {[][]float64{{1}}, math.NaN()}, "for ever": {[][]float64{{1}}, math.Inf(1)},
		"no start": {nil, 1}, "half": {[][]float64{{0.5}}, 1}, "negative": {[][]float64{{2}, {-1, 0}}, 1},
		"phases": {[][]float64{{0.5, 0.5}}, 1},
	} {
		if _, err := q.Transient(t.Context(), c.start, c.time, markov.Settings{}); !errors.As(err, &block) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := q.Transient(t.Context(), emptyAt(0), -1, markov.Settings{}); fmt.Sprint(err) != "markov: level 0, time: -1 is not a time" {
		t.Error(err)
	}
	for time, warnings := range map[float64]int{1: 0, 1e6: 1} { // of roundings in proportion to the time
		if s, err := q.Transient(t.Context(), emptyAt(0), time, markov.Settings{}); err != nil || len(s.Diagnostics().Warnings) != warnings {
			t.Errorf("after %g: %+v, %v", time, s, err)
		}
	}
	if _, err := (*markov.QBD)(nil).Transient(t.Context(), emptyAt(0), 1, markov.Settings{}); !errors.As(err, &block) {
		t.Errorf("no process: %v", err)
	}
	if _, err := q.Transient(t.Context(), emptyAt(0), 1, markov.Settings{Memory: markov.NewMemory(100)}); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("little memory: %v", err)
	}
	if _, err := q.Transient(t.Context(), emptyAt(0), 1e300, markov.Settings{}); !errors.Is(err, markov.ErrInaccurate) {
		t.Errorf("a long time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Transient(ctx, emptyAt(0), 1, markov.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
