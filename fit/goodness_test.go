package fit

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestAndersonDarlingOfSmallValues compares the Anderson–Darling statistic of an exponential distribution with its closed
// form, −n − Σ (2i−1)/n·(log F(x_i) + log(1 − F(x_{n+1−i}))). Some values are so small that 1 − F rounds to 1.
func TestAndersonDarlingOfSmallValues(t *testing.T) {
	for _, xs := range [][]float64{
		{1, 2, 3},
		{1e-20, 2e-20, 1, 2, 3},
		{1e-30, 1e-17, 3e-17, 5e-9, 1e-5, 1},
	} {
		for _, unit := range []float64{1, 1e-9, 1e9} {
			values := make([]float64, len(xs))
			for i, x := range xs {
				values[i] = x * unit
			}
			all, err := PhaseType(t.Context(), Sample{Values: values}, Options{MaxPhases: 1})
			if err != nil {
				t.Fatal(err)
			}
			rate, n := 1/all[0].Dist.Mean(), float64(len(xs))
			want := -n
			for i, x := range values {
				logCDF, logSurvival := math.Log(-math.Expm1(-rate*x)), -rate*values[len(values)-1-i]
				want -= (2*float64(i) + 1) / n * (logCDF + logSurvival)
			}
			// Above 1e-4 the distribution function is interpolated with an error of 1e-9; it is summed in logarithms.
			if got := all[0].Goodness.AD; math.Abs(got-want) > 1e-5*want {
				t.Errorf("values %v: Anderson–Darling statistic %v, want %v", values, got, want)
			}
		}
	}
}

// TestWeightsAreMultiplicities compares the goodness of fit of weighted values with the goodness of fit of the same
// values, each listed as often as its weight says.
func TestWeightsAreMultiplicities(t *testing.T) {
	upper := []float64{60, 300, 3600, math.Inf(1)}
	for name, weighted := range map[string]Sample{
		"values":    {Values: []float64{1, 2, 3, 20}, Weights: []float64{500, 250, 200, 50}},
		"histogram": {Values: []float64{0, 60, 300, 3600}, Upper: upper, Weights: []float64{410, 330, 190, 70}},
	} {
		repeated := Sample{}
		for i, w := range weighted.Weights {
			repeated.Values = append(repeated.Values, slices.Repeat(weighted.Values[i:i+1], int(w))...)
			if weighted.Upper != nil {
				repeated.Upper = append(repeated.Upper, slices.Repeat(weighted.Upper[i:i+1], int(w))...)
			}
		}
		var summaries []string
		var tails [][]Pair
		for _, s := range []Sample{weighted, repeated} {
			all, err := PhaseType(t.Context(), s, Options{MaxPhases: 1})
			if err != nil {
				t.Fatal(err)
			}
			summaries = append(summaries, strings.Join(Summary(all, BIC), " "))
			tails = append(tails, all[0].Goodness.Tail)
		}
		if summaries[0] != summaries[1] || !strings.Contains(summaries[0], "differs significantly") {
			t.Errorf("%s: weighted: %s\nrepeated: %s", name, summaries[0], summaries[1])
		}
		// The numbers are sums over the observations in different orders.
		near := func(a, b Pair) bool {
			return a.At == b.At && math.Abs(a.Data-b.Data) < 1e-12*b.Data && math.Abs(a.Fit-b.Fit) < 1e-12*b.Fit
		}
		if !slices.EqualFunc(tails[0], tails[1], func(a, b Pair) bool { return a == b || near(a, b) }) {
			t.Errorf("%s: tail of weighted values %v, of repeated values %v", name, tails[0], tails[1])
		}
	}
}

// TestFractionalWeightsCountRows compares a fit of values that all have the weight 1/400 with a fit of the same values
// without weights. There are 400 observations in both, so that the tail, the statistics and the sentences are the same.
// The log-likelihood is the weighted sum.
func TestFractionalWeightsCountRows(t *testing.T) {
	xs := recipe("loguni", 400)
	var all [2]Candidate
	var summaries [2]string
	for i, weights := range [][]float64{nil, slices.Repeat([]float64{1. / 400}, 400)} {
		candidates, err := PhaseType(t.Context(), Sample{Values: xs, Weights: weights}, Options{MaxPhases: 1})
		if err != nil {
			t.Fatal(err)
		}
		all[i], summaries[i] = candidates[0], strings.Join(Summary(candidates, BIC), " ")
	}
	if summaries[0] != summaries[1] || !strings.Contains(summaries[0], "differs significantly") {
		t.Errorf("without weights: %s\nwith weights: %s", summaries[0], summaries[1])
	}
	a, b := all[0], all[1]
	for name, pair := range map[string][2]float64{
		"log-likelihood":             {a.LogLikelihood, 400 * b.LogLikelihood},
		"mean log-likelihood":        {a.MeanLogLikelihood, b.MeanLogLikelihood},
		"Anderson–Darling statistic": {a.Goodness.AD, b.Goodness.AD},
		"quantiles":                  {float64(len(a.Goodness.Tail)), float64(len(b.Goodness.Tail))},
		"observations":               {400, b.size()},
	} {
		// The weights are summed with rounding errors.
		if math.Abs(pair[0]-pair[1]) > 1e-11*math.Abs(pair[0]) {
			t.Errorf("%s: %v without weights, %v with weights", name, pair[0], pair[1])
		}
	}
}

// TestFractionalWeightsOfSketch adds four rows of weight ½ to a sketch that summarises. The two rows of a cell weigh 1
// together, but there are four observations.
func TestFractionalWeightsOfSketch(t *testing.T) {
	var s Sketch
	s.summarise()
	for _, x := range []float64{1, 1, 3, 3} {
		if err := s.Add(x, .5, false); err != nil {
			t.Fatal(err)
		}
	}
	all, err := PhaseType(t.Context(), s.Sample(), Options{MaxPhases: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := all[0].size(); got != 4 {
		t.Errorf("%v observations, want 4", got)
	}
}
