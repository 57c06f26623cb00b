package measure

// What the tests of the package use beside its exports.
const (
	Pure          = pure
	Jobs     Unit = "jobs"
	Nodes    Unit = "nodes"
	NodeTime Unit = "node-hours"
)
