// Package sim holds what the simulators of a queueing system share: the sums that they add up ([Tally]), how they are
// run ([Simulator], [Run]), and random times walked phase by phase ([Times], [Arrivals]).
//
// All random numbers come from streams keyed by purpose and job, so that two policies under the same key see the same
// arrivals and the same demands.

package des
