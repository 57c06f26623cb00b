// Package des holds what the simulators of a queueing system share: keyed streams of random numbers ([Key], [Stream]), random
// times walked phase by phase ([Times], [Arrivals]), the sums that they add up ([Tally]), and how they are run ([Simulator],
// [Run]).
//
// All random numbers come from streams keyed by purpose and job, so that two policies under the same key see the same
// arrivals and the same demands.
package des
