// Package multiserver solves the queue that dynamic and static partitioning share: Markovian arrivals, c servers,
// phase-type service whose speed depends on how many jobs are served, and switch-overs after changes of level.
//
// A [Queue] is checked and put into a form without redundant phases. The boundary, levels 0..c−1, is eliminated upward;
// the part at and above level c, which repeats, is solved by a reduction or by spectral expansion, independently of
// the boundary. At level c the flow between them is balanced, lower levels follow by back substitution, higher
// ones are summed, and the [Solution] has measures, delays and diagnostics to read off:
//
//	Queue ─► system ─┬► boundary, forward elimination ──────┬► level c ─► all levels ─► Solution ─► measures and bounds
//	                 └► repeating part, by one of [Methods] ┘
//
// The automatic choice takes the fastest method that can certify its result. The files lie in layers, which layers_test.go lists;
// internal/statespace and internal/spectrum are below all of them.
package multiserver
