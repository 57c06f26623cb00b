// Package multiserver solves the queue that dynamic and static partitioning share. The queue has Markovian arrivals, c
// servers and phase-type service whose speed depends on the number of jobs in service. A switch-over, during which no
// job is served, may follow each change of the number of jobs (the level).
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
// From a queue to its measures:
//
//	Queue ─► system ─┬► boundary, forward elimination ────┬► level c ─► all levels ─► Solution ─► measures and bounds
//	                 └► repeating part, by one of Methods ┘
//
// The automatic choice takes the fastest method that can certify its result. The files lie in layers, listed in
// layers_test.go. The packages in internal are below all of these layers.
//
// Symbols, in all files; times, rates and probabilities are in the unit of time of the queue:
//
//	c       servers                      l      a level, 0 ≤ l ≤ c; level c+k has k waiting jobs
//	m       phases of service            K_l    occupancies of level l, C(l+m−1, m−1); K = K_c
//	n       phases of the arrivals       r      classes of arrivals: rows of A, where D1 = F·A
//	s       phases of a switch-over      F, A   n×r rates out of arrival phases, r×n phase after an arrival
//	D0, D1  n×n rates of the arrival phases without and with an arrival
//	L       moves of service phases within a level, K_l × K_l
//	T       −(D0 ⊕ L) of a level: T⁻¹ holds the mean times in its states in service until the next arrival or departure
//	W, U    departures (rates, K_l × K_{l−1}) and arrivals (probabilities, K_l × K_{l+1}) of occupancies
//	V       at level c and above: a departure after which the first waiting job starts, K×K
//	end     n×n: a switch-over ends before the next arrival, in this arrival phase
//	cut     n×r: an arrival of this class comes before the switch-over has ended
//	atom, next, ending, stay   of the switch-over of level c, see internal/switchover
//	x, y, z at a level: probabilities of its states in service, rates of departures to it, rates of its entries
//	λ, η    arrival rate, and decay rate of the level without switch-overs; ρ is the traffic intensity
//	⊗, ⊕    Kronecker product and sum, A ⊕ B = A⊗I + I⊗B
//
// Vectors of a level are listed in three ways, the major index first:
//
//	(a, i)  n·K_l entries: a state in service has arrival phase a and occupancy i
//	(q, i)  r·K_l entries: an entry is an arrival of class q that leads to occupancy i of the level
//	(q, i)  r·K_{l−1} entries: an arrival of class q that leads to level l finds occupancy i of level l−1
//
// At level c and above, [saturated] defines the matrices X, T and R, and [repeatingPart] defines J, Ω and u_k. The
// symbols of the elimination are defined at [elimination]. The symbols of modes are defined at [balance] and in
// internal/spectrum.
package multiserver
