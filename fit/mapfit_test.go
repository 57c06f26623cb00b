package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
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
	chain, err := branchChain{[]int{3, 1}, []float64{30, .5}, []float64{.9, .1, .3, .7}}.arrivals(1)
	if err != nil {
		t.Fatal(err)
	}
	n := 800.0
	if needs.IsLong() {
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

// TestChainGradient: derivatives of the likelihood of a sequence agree with differences of its values.
func TestChainGradient(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(1e-2, 1e2), 2, 40).Draw(r, "times")
		resolution := rapid.SampledFrom([]float64{0, 1}).Draw(r, "resolution")
		q, err := newSequence(t.Context(), Sample{Values: xs, Resolution: resolution})
		if err != nil {
			r.Fatal(err)
		}
		c := q.branchStart(rapid.SampledFrom([][]int{{1}, {2, 1}, {3, 1, 1}}).Draw(r, "shapes"))
		y := logsOf(c.rates, c.jump)
		for i := range y {
			y[i] += rapid.Float64Range(-1, 1).Draw(r, "shift")
		}
		o := newChainObjective(q, c.shapes)
		o.Value(t.Context(), y)
		got := slices.Clone(o.Gradient(t.Context()))
		for i := range y {
			const h = 1e-5
			value := func(by float64) float64 {
				moved := slices.Clone(y)
				moved[i] += by
				return o.Value(t.Context(), moved)
			}
			want := (value(h) - value(-h)) / (2 * h)
			// Differences have an error of h² = 1e-10 times a third derivative, and rounding of 1e-16·|value|/h, more where
			// differences of incomplete gamma functions lose digits.
			if math.Abs(got[i]-want) > 1e-6*(1+math.Abs(o.Value(t.Context(), y))) {
				r.Errorf("derivative %d is %.9g, by differences %.9g", i, got[i], want)
			}
		}
	})
}

// TestStationaryVector: π solves π·p = π, and its derivatives agree with differences, for jumps of very different sizes.
func TestStationaryVector(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(r, "n")
		logs := rapid.SliceOfN(rapid.Float64Range(-30, 0), n*n, n*n).Draw(r, "logs")
		weights := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(r, "weights")
		s := newStationaryVector(n)
		jump := func(logs []float64) []float64 {
			p := make([]float64, n*n)
			for b := range n {
				for c := range n {
					p[b*n+c] = math.Exp(logs[b*n+c])
				}
				normalise(p[b*n : b*n+n])
			}
			return p
		}
		value := func(logs []float64) float64 { return optimum.Dot(weights, s.solve(jump(logs))) }
		p := jump(logs)
		pi := slices.Clone(s.solve(p))
		for c := range n {
			var in float64
			for b := range n {
				in += pi[b] * p[b*n+c]
			}
			if math.Abs(in-pi[c]) > 1e-14 {
				r.Errorf("state %d is entered with %g, probability %g", c, in, pi[c])
			}
		}
		by := make([]float64, n*n)
		s.addDerivatives(by, weights)
		for b := range n {
			row, probabilities := by[b*n:b*n+n], p[b*n:b*n+n]
			average := optimum.Dot(row, probabilities)
			for c := range n {
				const h = 1e-4
				moved := slices.Clone(logs)
				moved[b*n+c] += h
				up := value(moved)
				moved[b*n+c] -= 2 * h
				want := (up - value(moved)) / (2 * h)
				if got := probabilities[c] * (row[c] - average); math.Abs(got-want) > 1e-8 { // h² times a third derivative
					r.Errorf("derivative %d, %d is %.10g, by differences %.10g", b, c, got, want)
				}
			}
		}
	})
}

// TestMorePhasesMoreLikely: the log-likelihood of a sequence never falls with the number of phases, and an ascent that
// converged is at a maximum: no point nearby is more likely.
func TestMorePhasesMoreLikely(t *testing.T) {
	random := needs.Rand(1, 2)
	sequences := [][]float64{{.0929619, 2.22429, .0195616, .0218948, .0206171}, slices.Repeat([]float64{5}, 30)}
	cases := 40
	if needs.IsLong() {
		cases = 1000
	}
	for range cases {
		xs := make([]float64, 2+random.IntN(30))
		for i := range xs {
			xs[i] = math.Exp(3 * random.NormFloat64())
		}
		sequences = append(sequences, xs)
	}
	for _, xs := range sequences {
		all, err := Arrivals(t.Context(), Sample{Values: xs}, Options{MaxPhases: 4})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(all, func(a, b ArrivalCandidate) int { return a.Phases - b.Phases })
		for i, c := range all {
			// Entering a branch that is never used changes the probability of each time by leastJump.
			if i > 0 && c.MeanLogLikelihood < all[i-1].MeanLogLikelihood-10*leastJump*(1+math.Abs(c.MeanLogLikelihood)) {
				t.Errorf("%v: %.15g with %d phases, %.15g with %d", xs,
					c.MeanLogLikelihood, c.Phases, all[i-1].MeanLogLikelihood, all[i-1].Phases)
			}
			if want := byMatrices(c.MAP, xs, 0); c.Converged && math.Abs(want-c.MeanLogLikelihood) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("%v: %d phases scored %.12g, by matrices %.12g", xs, c.Phases, c.MeanLogLikelihood, want)
			}
		}
	}
}

// TestArrivalsOfSortedTimes: fits to times in ascending and descending order are as likely as known. Their chains visit
// each branch once, so that some probabilities of jumps are near zero, where ascents are slow.
func TestArrivalsOfSortedTimes(t *testing.T) {
	falling := recipe("loguni", 2000)
	slices.Reverse(falling)
	for _, c := range []struct {
		xs    []float64
		known map[int]float64
	}{
		{recipe("lnorm12", 2000), map[int]float64{2: -1.26254707, 4: -1.00072396}},
		{falling, map[int]float64{2: -1.97930991, 4: -1.34732023}},
	} {
		all, err := Arrivals(t.Context(), Sample{Values: c.xs}, Options{MaxPhases: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range all {
			if want, ok := c.known[got.Phases]; ok && got.MeanLogLikelihood < want-1e-8 {
				t.Errorf("%d phases: %.10g, known %.10g", got.Phases, got.MeanLogLikelihood, want)
			}
		}
	}
}

// TestGradientOfChainsAgain: a second call of Gradient gives the same derivatives, with and without scaled vectors of the
// forward pass.
func TestGradientOfChainsAgain(t *testing.T) {
	for _, times := range []int{3, 2000} {
		q, err := newSequence(t.Context(), Sample{Values: recipe("lnorm12", times)})
		if err != nil {
			t.Fatal(err)
		}
		o := newChainObjective(q, []int{1, 2})
		o.Value(t.Context(), []float64{0, 1, -1, -2, -3, -1})
		first := slices.Clone(o.Gradient(t.Context()))
		if again := o.Gradient(t.Context()); !slices.Equal(first, again) {
			t.Errorf("%d times: %v, then %v", times, first, again)
		}
	}
}

// TestCoarseSequence: each time has the bin that holds it.
func TestCoarseSequence(t *testing.T) {
	for _, resolution := range []float64{0, .25} {
		xs := recipe("lnorm12", 3000)
		for i := range xs {
			j := i * 37 % len(xs)
			xs[i], xs[j] = xs[j], xs[i]
			if resolution > 0 {
				xs[i] = math.Round(xs[i]/resolution) * resolution
			}
		}
		q, err := newSequence(t.Context(), Sample{Values: xs, Resolution: resolution})
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]float64, len(q.coarse.values))
		for i, b := range q.coarse.at {
			counts[b]++
			x := xs[i] / q.scale
			if bin := q.coarse.values[b].x; math.Abs(x-bin) > bin*(math.Exp2(1.0/fineBins)-1) {
				t.Errorf("time %g is in the bin of %g", x, bin)
			}
		}
		for b, v := range q.coarse.values {
			if counts[b] != v.w {
				t.Errorf("bin %d has %g times, want %g", b, counts[b], v.w)
			}
		}
	}
}

// TestEqualTimesHaveNoCorrelation: correlations of equal times are not defined.
func TestEqualTimesHaveNoCorrelation(t *testing.T) {
	all, err := Arrivals(t.Context(), Sample{Values: slices.Repeat([]float64{0.1}, 60)}, Options{MaxPhases: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if len(c.Lags) > 0 {
			t.Errorf("%d phases: correlations %v", c.Phases, c.Lags)
		}
	}
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
	needs.Concurrency(t)
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
