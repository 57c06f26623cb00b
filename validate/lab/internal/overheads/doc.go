// Package overheads tells what a repartition costs from what its steps cost. A distributed scheduler and the coordinators of
// parallel applications exchange messages, as do coordinators and their workers. Workers write checkpoints, processes are
// killed and launched, and connections are made again.
//
//	Steps, nodes → [Steps.Phases] → overheads by number of applications → the dynamic section of a model
//
// The steps follow the testbed of IPS96 in their order, and in which step waits for which. Its measurements were figures without
// printed values. The costs of [Environments] are parameters that stand in for them, chosen so that what the text says of the
// figures holds.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory environments,
// JSSPP 1996, LNCS 1162, sections 3.2 and 5.
package overheads
