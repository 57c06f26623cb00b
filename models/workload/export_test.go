package workload

// What the tests of the package use beside its exports.
type (
	Feitelson96 = feitelson96
	UserModel   = userModel
)

var (
	FitJann97        = fitJann97
	MatchHyperErlang = matchHyperErlang
	NewDowdy         = newDowdy
	NewDowdyStatic   = newDowdyStatic
	NewDowney        = newDowney
	NewHistory       = newHistory
)
