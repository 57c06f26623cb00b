package workload

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
