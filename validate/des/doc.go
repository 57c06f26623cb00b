// Package des holds what every discrete-event simulation needs: a calendar of future events, a queue, and keyed streams
// of random numbers.
//
// A [Calendar] hands out events by time, equal times by rank and in the order of scheduling, and lets them be
// cancelled. A [Queue] is first come, first served, but lets those behind the head leave. A [Stream] is found by a
// [Key], so that what a replication draws for one purpose depends neither on the other purposes nor on how replications
// are spread over workers. Nothing here allocates in the steady state.
package des
