package sched

// What the tests of the package use beside its exports.
type (
	Buddy     = buddy
	BuddyStar = buddyStar
	Dynamic   = dynamic
	Equi      = equi
	Heuristic = heuristic
	Hybrid    = hybrid
	Opt       = opt
)

var (
	Fill            = fill
	PartitionWithin = partitionWithin
)
