// Package des draws for simulators: keyed streams of random numbers ([Key], [Stream]), and random times that pass phase
// by phase ([Times], [Arrivals]).
//
// All random numbers come from streams keyed by purpose and job. So two policies under the same key have the same
// arrivals and the same demands.
package des
