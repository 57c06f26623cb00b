// Package des holds what the simulators of queueing systems share:
//
//   - keyed streams of random numbers ([Key], [Stream]),
//   - random times that are walked phase by phase ([Times], [Arrivals]),
//   - sums of what happened ([Tally]),
//   - the interface of a run ([Simulator], [Run]).
//
// All random numbers come from streams keyed by purpose and job. So two policies under the same key have the same
// arrivals and the same demands.
package des
