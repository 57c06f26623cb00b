package fit_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/stat"
)

// How many phases do the run times of a few jobs need?
func ExamplePhaseType() {
	times := []float64{12, 15, 9, 31, 120, 14, 11, 240, 18, 10, 95, 13}
	candidates, err := fit.PhaseType(context.Background(), fit.Sample{Values: times}, fit.Options{MaxPhases: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range candidates {
		fmt.Printf("%d phases: BIC %.1f, mean %.0f, converged %v\n", c.Phases, c.BIC, c.Dist.Mean(), c.Converged)
	}
	// Output:
	// 1 phases: BIC 119.9, mean 49, converged true
	// 3 phases: BIC 121.1, mean 49, converged true
	// 2 phases: BIC 121.3, mean 49, converged true
}

// Are two moments enough? A family of one's own is ranked among the families of the package.
func ExampleEntry() {
	twoMoments := fit.Entry{
		Name:       "two-moment",
		Parameters: func(phasetype.Dist) int { return 2 },
		Fit: func(_ context.Context, s fit.Sample, phases int) (phasetype.Dist, bool, error) {
			mean, variance := stat.PopMeanVariance(s.Values, s.Weights)
			d, err := phasetype.TwoMoments(mean, max(variance/(mean*mean), 1/float64(phases)))
			return d, true, err
		},
	}
	s := fit.Sample{Values: []float64{12, 15, 9, 31, 120, 14, 11, 240, 18, 10, 95, 13}}
	candidates, err := fit.PhaseType(context.Background(), s, fit.Options{
		Families: []fit.Family{fit.CF1}, Own: []fit.Entry{twoMoments}, MaxPhases: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range candidates {
		fmt.Printf("%s with %d phases: %d parameters, BIC %.1f, response time %.1f\n",
			c.Family, c.Phases, c.DegreesOfFreedom, c.BIC, c.Queue.MPH1)
	}
	// Output:
	// cf1 with 1 phases: 1 parameters, BIC 119.9, response time 5.0
	// two-moment with 2 phases: 2 parameters, BIC 120.5, response time 6.8
	// cf1 with 2 phases: 3 parameters, BIC 121.3, response time 8.3
}

// Arrivals come in bursts: are the interarrival times correlated?
func ExampleArrivals() {
	var times []float64
	for burst := range 30 {
		times = append(times, 40+float64(burst%7)*5, 2, 1, 3, 2.5, 0.5+float64(burst%3))
	}
	candidates, err := fit.Arrivals(context.Background(), fit.Sample{Values: times},
		fit.Options{MinPhases: 2, MaxPhases: 2})
	if err != nil {
		log.Fatal(err)
	}
	c := candidates[0]
	fmt.Printf("%s with %d phases, mean %.1f; lag 1: %.2f in the data, %.2f in the fit\n",
		c.Family, c.Phases, c.MAP.InterarrivalMoment(1), c.Lags[0].Data, c.Lags[0].Fit)
	// Output:
	// er-chmm with 2 phases, mean 10.7; lag 1: -0.20 in the data, -0.10 in the fit
}

// A histogram of waits: 41 up to a minute, 33 up to five, 19 up to an hour, 7 longer.
func ExamplePhaseType_histogram() {
	s := fit.Sample{
		Values:  []float64{0, 1, 5, 60},
		Upper:   []float64{1, 5, 60, math.Inf(1)},
		Weights: []float64{41, 33, 19, 7},
	}
	candidates, err := fit.PhaseType(context.Background(), s, fit.Options{MaxPhases: 3})
	if err != nil {
		log.Fatal(err)
	}
	best := candidates[0]
	fmt.Printf("%d phases, median %.1f, %s likelihood\n", best.Phases, best.Dist.Quantile(.5), best.Likelihood)
	// Output:
	// 2 phases, median 1.4, interval likelihood
}
