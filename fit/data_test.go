package fit

import (
	"math"
	"sort"
)

// recipe returns the n values of a data set of the reference likelihoods: quantiles at (i−1/2)/n.
func recipe(name string, n int) []float64 {
	xs := make([]float64, 0, n)
	normal := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	plot := func(n int, f func(p float64) float64) {
		for i := 1; i <= n; i++ {
			xs = append(xs, f((float64(i)-0.5)/float64(n)))
		}
	}
	switch name {
	case "weib07":
		plot(n, func(p float64) float64 { return math.Pow(-math.Log1p(-p), 1/0.7) })
	case "lnorm12":
		plot(n, func(p float64) float64 { return math.Exp(1.2 * normal(p)) })
	case "loguni":
		plot(n, func(p float64) float64 { return math.Exp(2+10*p) / 1000 })
	case "bimodal":
		plot(7*n/10, func(p float64) float64 { return math.Exp(0.3 * normal(p)) })
		plot(n-7*n/10, func(p float64) float64 { return math.Exp(3 + 0.4*normal(p)) })
	case "det":
		plot(n, func(p float64) float64 { return 0.9 + 0.2*p })
	}
	sort.Float64s(xs)
	return xs
}
