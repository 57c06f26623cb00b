package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// spreadSample returns 3 to 12 values over up to a dozen decades, half of the time with weights.
func spreadSample(r *rand.Rand) Sample {
	n := 3 + r.IntN(10)
	sigma := 1 + 6*r.Float64()
	var s Sample
	for range n {
		s.Values = append(s.Values, math.Exp(sigma*r.NormFloat64()))
	}
	if r.IntN(2) == 0 {
		for range n {
			s.Weights = append(s.Weights, float64(1+r.IntN(10)))
		}
	}
	return s
}

// awkwardSamples are samples on which a family was once less likely than a family that it contains, or all of them less
// likely than a mixture of exponentials that exists.
var awkwardSamples = []Sample{
	{Values: []float64{7700, 1.7, .0002, .096, 300}, Weights: []float64{2, 2, 2, 2, 10}},
	{Values: []float64{3.549, 184.6, 45.67, 1.925, 6.785e-05, 350200, .0146, 1393}},
}

// TestLargerFamiliesAreNotWorse: the likelihood does not decrease with the number of phases, nor from a family to one
// that contains it.
func TestLargerFamiliesAreNotWorse(t *testing.T) {
	samples := slices.Clone(awkwardSamples)
	cases, phases := 60, 4
	if needs.IsLong() {
		cases = 2000
	}
	r := needs.Rand(5, 4)
	for range cases {
		samples = append(samples, spreadSample(r))
	}
	ascending := []Family{Hyperexponential, HyperErlang, CF1, Coxian, General}
	for _, s := range samples {
		all, err := PhaseType(t.Context(), s, Options{Families: ascending, MaxPhases: phases})
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		reached := map[Family]map[int]float64{}
		for _, f := range ascending {
			reached[f] = map[int]float64{}
		}
		for _, c := range all {
			reached[c.Family][c.Phases] = c.LogLikelihood
		}
		for i, f := range ascending {
			for m := 1; m <= phases; m++ {
				now := reached[f][m]
				rounding := 1e-9 * (1 + math.Abs(now)) // of the same distribution written in another form
				if m > 1 && now < reached[f][m-1]-rounding {
					t.Errorf("%v: %s: %.12g with %d phases, %.12g with %d", s, f, now, m, reached[f][m-1], m-1)
				}
				if i > 0 && now < reached[ascending[i-1]][m]-rounding {
					t.Errorf("%v: %d phases: %s %.12g, %s %.12g", s, m, f, now, ascending[i-1], reached[ascending[i-1]][m])
				}
			}
		}
	}
}

// TestExponentialsFindTheMaximum: no mixture of exponentials that ascents from random starts reach is better than the fit.
func TestExponentialsFindTheMaximum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	samples := slices.Clone(awkwardSamples)
	cases, starts := 10, 30
	if needs.IsLong() {
		cases, starts = 300, 60
	}
	for range cases {
		samples = append(samples, spreadSample(r))
	}
	for _, s := range samples {
		p := mustProblem(t, s)
		all, err := PhaseType(t.Context(), s, Options{Families: []Family{Hyperexponential}, MinPhases: 2, MaxPhases: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			e := p.erlangMixtures(p.bins(t.Context(), fineBins))
			best := math.Inf(-1)
			for range starts {
				m := mixture{shapes: slices.Repeat([]int{1}, c.Phases)}
				for range c.Phases {
					m.weights = append(m.weights, 0.01+r.ExpFloat64())
					m.rates = append(m.rates, math.Exp(r.Float64()*math.Log(p.last/p.first))/p.last)
				}
				normalise(m.weights)
				best = max(best, e.climb(t.Context(), p.opts, m).mean)
			}
			// Some maxima lie close together: of 900 fits, one misses a maximum that is higher by 0.0015. Maxima that matter
			// differ by units.
			if found := p.inUnitOfData(best) * p.total; found > c.LogLikelihood+0.01 {
				t.Errorf("%v: %d exponentials: a random start reaches %.9g, the fit %.9g", s, c.Phases, found, c.LogLikelihood)
			}
		}
	}
}

// TestUnsurpassedFitIsRepeated: the fit that no order of the family surpasses is the fit of all orders above, with
// weights of zero for the other branches. Whether it is surpassed is found only once.
func TestUnsurpassedFitIsRepeated(t *testing.T) {
	p := mustProblem(t, Sample{Values: recipe("weib07", 200)})
	asked := 0
	f := p.families(t.Context()).hyperexponential
	f.unsurpassed = func(m mixture) bool {
		asked++
		return len(m.rates) == 2
	}
	last, err := f.order(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	second := f.found[1]
	if asked != 2 || !last.final || last.score != second.score {
		t.Errorf("asked %d times; the fit of 5 phases has the score %g, the fit of 2 phases %g", asked, last.score, second.score)
	}
	if score := p.score(t.Context(), last.dist); last.dist.Phases() != 5 || math.Abs(score-second.score) > 1e-12 {
		t.Errorf("the fit of %d phases has the score %g as a distribution, want %g", last.dist.Phases(), score, second.score)
	}
}
