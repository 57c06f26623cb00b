package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// simulated returns n interarrival times of a process, simulated jump by jump.
func simulated(m phasetype.MAP, n int, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	var out []float64
	phase, since := 0, 0.0
	for len(out) < n {
		rate := -m.Rate0(phase, phase)
		since += random.ExpFloat64() / rate
		u := random.Float64() * rate
		next, arrival := phase, false
		for j := 0; j < m.Phases() && u >= 0; j++ {
			if j != phase {
				if u -= m.Rate0(phase, j); u < 0 {
					next = j
					break
				}
			}
			if u -= m.Rate1(phase, j); u < 0 {
				next, arrival = j, true
				break
			}
		}
		phase = next
		if arrival {
			out = append(out, since)
			since = 0
		}
	}
	return out
}

// byMatrices returns the mean log-likelihood of a sequence as a product of matrix exponentials.
func byMatrices(m phasetype.MAP, xs []float64, resolution float64) float64 {
	n := m.Phases()
	v := mat.NewDense(1, n, m.AfterArrival())
	var sum float64
	for _, x := range xs {
		step := func(x float64) *mat.Dense {
			var e, t mat.Dense
			t.Scale(x, m.D0())
			e.Exp(&t)
			return &e
		}
		var f mat.Dense
		if resolution == 0 {
			f.Mul(step(x), m.D1())
		} else {
			var fall, inner mat.Dense
			fall.Sub(step(max(0, x-resolution/2)), step(x+resolution/2))
			if err := inner.Solve(m.D0(), m.D1()); err != nil {
				return math.NaN()
			}
			f.Mul(&fall, &inner)
			f.Scale(-1, &f)
		}
		var next mat.Dense
		next.Mul(v, &f)
		s := mat.Sum(&next)
		sum += math.Log(s)
		v.Scale(1/s, &next)
	}
	return sum / float64(len(xs))
}

// TestArrivals fits sequences of a process with two rates and of a chain of Erlang branches; the fit must be as likely
// as the truth, its score must agree with its matrices, and its correlations with the truth.
func TestArrivals(t *testing.T) {
	burst, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-.1, .1, .05, -.05}), []float64{10, .5})
	if err != nil {
		t.Fatal(err)
	}
	chain, err := branchChain{[]int{3, 1}, []float64{30, .5}, nil, []float64{.9, .1, .3, .7}}.arrivals(1)
	if err != nil {
		t.Fatal(err)
	}
	n := 800.0
	if *long {
		n = 2000
	}
	for form, truth := range map[string]phasetype.MAP{"two rates": burst, "branches": chain} {
		for _, r := range []float64{0, 0.05} {
			xs := simulated(truth, int(n), 7)
			if r > 0 {
				for i, x := range xs {
					xs[i] = math.Round(x/r) * r
				}
			}
			m := truth.Phases()
			all, err := Arrivals(t.Context(), Sample{Values: xs, Resolution: r}, Options{MinPhases: m, MaxPhases: m})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range all {
				want := byMatrices(c.MAP, xs, r)
				if d := math.Abs(c.MeanLogLikelihood - want); d > 1e-8 { // matrix exponentials to 1e-10 or so, and rounding
					t.Errorf("%s: scored %.12g, by matrices %.12g", c.Family, c.MeanLogLikelihood, want)
				}
				if want := byMatrices(truth, xs, r); c.MeanLogLikelihood < want-1e-3/n || !c.Converged {
					t.Errorf("%s: %.8g, the truth has %.8g; converged: %v", form, c.MeanLogLikelihood, want, c.Converged)
				}
				for _, l := range c.Lags[:3] {
					// Correlations of n values err by about 1/√n each, more when they are strong.
					if d := math.Abs(l.Fit - truth.LagCorrelation(int(l.At))); d > 4/math.Sqrt(n) {
						t.Errorf("%s, lag %g: %g, truth %g, data %g", form, l.At, l.Fit, truth.LagCorrelation(int(l.At)), l.Data)
					}
				}
			}
		}
	}
}

// TestMonotoneChains: no step of EM decreases the likelihood of a sequence.
func TestMonotoneChains(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(1e-3, 1e3), 2, 40).Draw(r, "times")
		resolution := rapid.SampledFrom([]float64{0, 1}).Draw(r, "resolution")
		q, err := newSequence(t.Context(), Sample{Values: xs, Resolution: resolution})
		if err != nil {
			r.Fatal(err)
		}
		c := q.branchStart(rapid.SampledFrom([][]int{{1}, {2, 1}, {3, 1, 1}}).Draw(r, "shapes"))
		a := &branchAscent{seq: q}
		last := math.Inf(-1)
		for range 15 {
			mean := a.step(t.Context(), c)
			if mean < last-1e-9*(1+math.Abs(last)) { // differences of incomplete gamma functions lose digits
				r.Errorf("decreased from %.14g to %.14g", last, mean)
			}
			last = mean
		}
	})
}

// TestSequencesRefused: samples that are not sequences of times are refused.
func TestSequencesRefused(t *testing.T) {
	var e *SampleError
	for name, s := range map[string]Sample{
		"weights": {Values: []float64{1, 2}, Weights: []float64{1, 1}}, "zeros": {Values: []float64{1, 0, 2}},
		"flags":   {Values: []float64{1, 2}, Censored: []bool{false, true}},
		"upper":   {Values: []float64{1}, Upper: []float64{2}},
		"nothing": {},
	} {
		if _, err := Arrivals(t.Context(), s, Options{MaxPhases: 2}); !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a SampleError", name, err)
		}
	}
	for _, xs := range [][]float64{{1}, {2, 2}, {1, 2, 3}, {1e-9, 1e9}} {
		for _, r := range []float64{0, 1} {
			all, err := Arrivals(t.Context(), Sample{Values: xs, Resolution: r}, Options{MaxPhases: 3})
			if err != nil {
				t.Errorf("%v: %v", xs, err)
			}
			for _, c := range all {
				if math.IsNaN(c.LogLikelihood) || math.IsInf(c.LogLikelihood, 0) {
					t.Errorf("%v: %s with %d phases: %g", xs, c.Family, c.Phases, c.LogLikelihood)
				}
			}
		}
	}
}

// TestArrivalsDeterministic: the number of workers changes nothing.
func TestArrivalsDeterministic(t *testing.T) {
	xs := recipe("lnorm12", 150)
	for i := range xs { // some order other than rising
		j := i * 37 % len(xs)
		xs[i], xs[j] = xs[j], xs[i]
	}
	var want []float64
	for _, workers := range []int{1, 4} {
		all, err := Arrivals(t.Context(), Sample{Values: xs}, Options{MaxPhases: 4, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, c := range all {
			got = append(got, c.LogLikelihood, c.MAP.SCV(), c.Lags[0].Fit)
		}
		if want == nil {
			want = got
		}
		for i, v := range got {
			if v != want[i] {
				t.Errorf("%d workers: %v, want %v", workers, v, want[i])
			}
		}
	}
}
