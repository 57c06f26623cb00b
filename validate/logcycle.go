package validate

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	hours   = 24
	days    = 7
	perWeek = hours * days
)

// cycle is the arrival rate of jobs by hour of the week, relative to the mean rate. It is the product of a factor for
// the hour of the day and a factor for the day of the week.
//
// Operational time runs at this rate: it runs faster than clock time where jobs come more often. So a process whose
// rate has the cycle in clock time has a constant rate in operational time. A week has the same length in both.
type cycle struct {
	hour float64              // in the unit of the times
	sum  [perWeek + 1]float64 // operational hours from the beginning of the week
}

// newCycle returns the cycle of jobs that arrived at the given times; hour is one hour in their unit. Two jobs are
// added to each hour of the day and to each day of the week, so that all factors are positive.
func newCycle(times []float64, hour float64) *cycle {
	c := &cycle{hour: hour}
	var byHour [hours]float64
	var byDay [days]float64
	for _, t := range times {
		h := int(math.Mod(t/hour, perWeek))
		byHour[h%hours]++
		byDay[h/hours]++
	}
	for h := range perWeek {
		c.sum[h+1] = c.sum[h] + (byHour[h%hours]+2)*(byDay[h/hours]+2)
	}
	floats.Scale(perWeek/c.sum[perWeek], c.sum[:])
	return c
}

// rate returns the relative rate in an hour of the week, 0 to 167. The mean of all rates is 1.
func (c *cycle) rate(hour int) float64 { return c.sum[hour+1] - c.sum[hour] }

// operational returns the operational time of a clock time t ≥ 0.
func (c *cycle) operational(t float64) float64 {
	t /= c.hour
	week := math.Floor(t / perWeek)
	x := t - perWeek*week // hours since the week began
	h := min(int(x), perWeek-1)
	return c.hour * (perWeek*week + c.sum[h] + (x-float64(h))*c.rate(h))
}

// removeCycle replaces the submissions of jobs by the operational times of their own cycle. Jobs then come equally often in each
// hour of the day and on each day of the week. Otherwise they are as bursty as before.
func removeCycle(submits []float64, hour float64) {
	first := submits[0]
	floats.AddConst(-first, submits)
	c := newCycle(submits, hour)
	for i, t := range submits {
		submits[i] = first + c.operational(t)
	}
}
