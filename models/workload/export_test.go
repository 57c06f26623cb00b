package workload

import "math"

// What the tests of the package use beside its exports.
type (
	Feitelson96 = feitelson96
	Lublin99    = lublin99
)

var (
	FitJann97        = fitJann97
	MatchHyperErlang = matchHyperErlang
	NewHistory       = newHistory
)

// Moment returns the k-th moment.
func (h hyperErlang) Moment(k int) float64 {
	x := 1.0
	for i := range k {
		x *= float64(h.Order + i)
	}
	return x * (h.P*math.Pow(h.Rate1, -float64(k)) + (1-h.P)*math.Pow(h.Rate2, -float64(k)))
}
