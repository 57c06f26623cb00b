// Package des makes the random numbers of simulators: keyed streams of uniform and exponential numbers ([Key], [Stream]),
// and phase-type times and times between arrivals, drawn phase by phase ([Times], [Arrivals]).
//
// All random numbers come from streams keyed by purpose and job. So two policies under the same key have the same
// arrivals and the same demands.
package des
