// Package overheads tells what a repartition costs from what its steps cost. A distributed scheduler and the coordinators of
// parallel applications exchange messages, as do coordinators and their workers. Workers write checkpoints, processes are
// killed and launched, and connections are made again.
//
//	Steps, nodes → [Steps.Phases] → overheads by number of applications → the dynamic section of a model
//
// The order of the steps, and which of them wait for which, is that of the testbed of IPS96. Its measurements were figures
// without printed values: the costs of [Environments] are parameters that stand in for them, chosen so that what the text says
// of the figures holds.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory environments,
// JSSPP 1996, LNCS 1162, sections 3.2 and 5.
package overheads
