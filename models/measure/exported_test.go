package measure

// What the tests of the package use beside its exports.
const (
	Pure     = pure
	Jobs     = jobs
	Nodes    = nodes
	NodeTime = nodeTime
)
