// Package des holds what every discrete-event simulation needs: a calendar of future events and keyed streams of random
// numbers.
//
// A [Calendar] hands out events by time, equal times in the order of scheduling, and lets them be cancelled. A [Stream]
// is found by a [Key], so that what a replication draws for one purpose depends neither on the other purposes nor on
// how replications are spread over workers. Nothing here allocates in the steady state.
package des
