package multiserver

import "gonum.org/v1/gonum/floats"

// SwitchStarts returns the rates at which arrivals that make l jobs and departures that leave l jobs begin the
// switch-overs of level l, 1 ≤ l ≤ c, those that take no time included; no departure begins one of level c.
func (sol *Solution) SwitchStarts(l int) (byArrival, byDeparture float64) {
	switch {
	case l < 1 || l > sol.sys.c:
		return 0, 0
	case l == sol.sys.c:
		return floats.Sum(sol.entry), 0
	}
	return floats.Sum(sol.visits.arriving[l]), floats.Sum(sol.visits.departing[l])
}
