// Package multiserver solves the queue that dynamic and static partitioning share: Markovian arrivals, c servers,
// phase-type service whose speed depends on how many jobs are served, and switch-overs after changes of level.
//
// A [Queue] is checked and put into a form without redundant phases. The levels below c are eliminated from 0 upward;
// the part at and above level c, which repeats, is solved by a reduction or by spectral expansion, without knowledge of
// the levels below. Where both meet the flow between them is balanced, levels are found on the way back down and summed
// upward, and the [Solution] has measures, delays and diagnostics to read off:
//
//	Queue ─► system ─┬► levels below c, eliminated ─────────┬► level c ─► all levels ─► Solution
//	                 └► repeating part (Methods, attempts) ─┘
//
// The automatic choice takes the fastest method that can certify its result.
package multiserver
