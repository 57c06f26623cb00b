// Package des holds what simulators draw: keyed streams of random numbers ([Key], [Stream]), and random times that are walked phase by
// phase ([Times], [Arrivals]).
//
// All random numbers come from streams keyed by purpose and job. So two policies under the same key have the same
// arrivals and the same demands.
package des
