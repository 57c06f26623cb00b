package validate

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

const oneHour = 3600.0

// jobsWithCycle returns the jobs of a log of so many weeks: one an hour on average, Poisson, three times as many by day as by
// night, and exponential works with a mean of an oneHour.
func jobsWithCycle(weeks int) []workload.Job {
	stream := des.Seed(7).Stream()
	var jobs []workload.Job
	for t := stream.Exp() * oneHour / 1.5; t < float64(weeks)*perWeek*oneHour; t += stream.Exp() * oneHour / 1.5 {
		if day := math.Mod(t/oneHour, hours) < 12; !day && stream.Float64() > 1.0/3 {
			continue
		}
		jobs = append(jobs, workload.Job{ID: len(jobs) + 1, Submit: t, Kind: workload.Malleable, Work: stream.Exp() * oneHour})
	}
	return jobs
}

// Weeks are as long in operational time, and the hours of the day are found.
func TestCycle(t *testing.T) {
	var times []float64
	for _, j := range jobsWithCycle(40) {
		times = append(times, j.Submit)
	}
	c := newCycle(times, oneHour)
	if week := c.operational(perWeek * oneHour); math.Abs(week-perWeek*oneHour) > 1e-6 {
		t.Errorf("a week takes %g s", week)
	}
	day, night := 0.0, 0.0
	for h := range perWeek {
		if h%hours < 12 {
			day += c.rate(h)
		} else {
			night += c.rate(h)
		}
	}
	if ratio := day / night; math.Abs(ratio-3) > 0.2 { // some 6,700 jobs: four standard errors are .2
		t.Errorf("%.2f times as many by day", ratio)
	}
}

// The cycle is what a log without one lacks.
func TestWithoutCycle(t *testing.T) {
	jobs := jobsWithCycle(40)
	flat, submits := slices.Clone(jobs), make([]float64, len(jobs))
	readSubmits(submits, machine.List(jobs))
	removeCycle(submits, oneHour)
	for i, t := range submits {
		flat[i].Submit = t
	}
	half := func(jobs []workload.Job) float64 { // the variance over the mean of the jobs in half a day
		counts := make([]float64, 40*days*2)
		for i := range jobs {
			counts[min(int(jobs[i].Submit/(12*oneHour)), len(counts)-1)]++
		}
		mean, variance := stat.MeanVariance(counts, nil)
		return variance / mean
	}
	if with, without := half(jobs), half(flat); with < 2 || math.Abs(without-1) > 0.3 {
		t.Errorf("dispersion in half days %.2f, without the cycle %.2f", with, without)
	}
}
