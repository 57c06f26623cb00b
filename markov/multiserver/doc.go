// Package multiserver solves the queue that dynamic and static partitioning share. The queue has Markovian arrivals, c
// servers and phase-type service whose speed depends on the number of jobs in service. A switch-over, during which no job
// is served, may follow each change of the number of jobs (the level).
//
// [Queue.Solve] works in these steps:
//
//   - The [Queue] is checked and becomes a system, a form without phases that are never visited.
//
//   - The boundary, levels 0 to c−1, is eliminated upward by censoring.
//
//   - The repeating part, level c and above, is solved by a reduction or by spectral expansion, independently of the
//     boundary.
//
//   - The flow between both parts is balanced at level c.
//
//   - The levels below c follow by back substitution; the levels above c are summed.
//
//     Queue ─► system ─┬► boundary, forward elimination ──────┬► level c ─► all levels ─► Solution ─► measures and bounds
//     └► repeating part, by one of [Methods] ┘
//
// The automatic choice takes the fastest method that can certify its result. The files lie in layers, listed in
// layers_test.go. internal/statespace and internal/spectrum are below all of these layers.
//
// Symbols, in all files:
//
//	c       servers                      l      a level, 0 ≤ l ≤ c; level c+k has k waiting jobs
//	m       phases of service            K_l    occupancies of level l, C(l+m−1, m−1); K = K_c
//	n       phases of the arrivals       r      classes of arrivals: rows of A, where D1 = F·A
//	s       phases of a switch-over      F, A   n×r rates out of arrival phases, r×n phase after an arrival
//	L       moves of service phases within a level, K×K
//	W, U    departures (rates, K_l × K_{l−1}) and arrivals (probabilities, K_l × K_{l+1}) of occupancies
//	V       at level c and above: a departure after which the first waiting job starts, K×K
//	⊗, ⊕    Kronecker product and sum, A ⊕ B = A⊗I + I⊗B
//
// A state in service (a, i) has arrival phase a and occupancy i. An entry (q, i) is an arrival of class q that leads to
// occupancy i. The major index comes first.
package multiserver
