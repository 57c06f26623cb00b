package modelfile

// What the tests of the package use beside its exports.
var (
	NewDistributionReader = newDistributionReader
	ParseDistribution     = parseDistribution
)

const (
	KindPhaseType = kindPhaseType
	KindMAP       = kindMAP
)

// Families are the keys of a distribution.
func Families() []string { return familyNames }
