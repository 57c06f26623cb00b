package metric_test

import (
	"fmt"

	"github.com/partwise/partwise/validate/metric"
)

// The mean response time from three replications, each the sum of the response times and the number of jobs.
func ExampleJackknife() {
	sums := [][]float64{{1010, 500}, {980, 500}, {1022, 500}}
	mean := func(t []float64) float64 { return t[0] / t[1] }
	i := metric.Jackknife(sums, mean, 0.95)
	fmt.Printf("%.3f in [%.3f, %.3f]\n", i.Mean, i.Low, i.High)
	// Output: 2.008 in [1.901, 2.115]
}
