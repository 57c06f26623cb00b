// Package des holds what every discrete-event simulation needs: a calendar of future events, a queue, and keyed streams
// of random numbers.
//
// A [Calendar] hands out events by time, equal times by rank and in the order of scheduling, and lets them be
// cancelled. A [Queue] is first come, first served, but lets those behind the head leave. A [Stream] is found by a
// [Key], so that what a replication draws for one purpose depends neither on the other purposes nor on how replications
// are spread over workers. Nothing here allocates in the steady state.
//
// # Simulators
//
// The package also holds what the simulators of a queueing system share: the sums that they add up ([Tally]), how they are
// run ([Simulator], [Run]), and random times walked phase by phase ([Times], [Arrivals]).
//
// All random numbers come from streams keyed by purpose and job, so that two policies under the same key see the same
// arrivals and the same demands.
package des
