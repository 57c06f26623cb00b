package validate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Course is what a run of jobs through a machine leaves for measures and intervals. The run goes once from the empty
// machine to the empty machine. Every replay of a log is such a run.
//
//	machine.Config → [RunJobs] → Course (sums over parts of the run) ──┐
//	                    └─ Done → metric.Log (records) ──► [Course.Estimates] → measures with intervals
type Course struct {
	Jobs, Events int64 // departures; arrivals, departures, and ends of repartitions and of set-ups
	MostJobs     int   // largest number of jobs in the system at a time

	parts        [][]float64 // sums over parts of the run with about equally many departures
	times, waits metric.Sections
}

// Distributions says of which times a run keeps the distributions, for percentiles with intervals. Each takes some hundred
// kilobytes.
type Distributions struct{ Responses, Waits bool }

// partsOfARun is the number of parts into which a run is cut for intervals. It is halved until neighbouring parts pass a
// test for independence.
const partsOfARun = 32

// RunJobs runs the jobs of machine c until all have ended. The argument jobs is their number. Random numbers come from keys below
// key. After each part of the run RunJobs calls progress, if that is not nil, with the number of jobs that have ended. The error
// comes from [machine.RunInParts], such as the error of ctx. The course is never nil; beside an error it holds the parts that
// were finished.
func RunJobs(ctx context.Context, c machine.Config, jobs int, keep Distributions, key des.Key,
	progress func(ended int64)) (*Course, error) {
	r := &Course{}
	observer := simulation.Observer{Waits: keep.Waits}
	if keep.Responses || keep.Waits {
		observer.Times = func(times []simulation.Time) { r.count(times, keep) }
	}
	size := max(1, (jobs+partsOfARun-1)/partsOfARun)
	all, err := machine.RunInParts(ctx, c, key, jobs, size, observer, func(t *simulation.Tally) {
		r.parts = append(r.parts, t[:])
		r.Jobs += int64(t[simulation.Departed])
		r.Events += int64(t[simulation.Events])
		if progress != nil {
			progress(r.Jobs)
		}
	})
	r.MostJobs = all.MostJobs
	r.parts = metric.Independent(r.parts, simulation.ResponseSum, simulation.Departed)
	return r, err
}

// count puts times that the run reports into the distributions of responses and of waits, as far as they are kept.
func (r *Course) count(times []simulation.Time, keep Distributions) {
	for i := range times {
		switch x := &times[i]; {
		case x.Waited:
			r.waits.Add(x.Value)
		case keep.Responses:
			r.times.Add(x.Value)
		}
	}
}

// Estimates returns all measures of the run, given the log of the records of its jobs, with intervals of a confidence
// level. useful says that speeds are relative to one node, so that useful work is known, and resizes that the policy
// resizes jobs.
//
// The log gives the measures that it knows, and the parts of the run give their intervals and the averages over time.
// Intervals are moved in proportion to the means of the run, so that their ends stay positive. Measures whose scatter is
// unknown, such as shares of jobs, have an interval without width. There are no estimates if no part of the run was finished.
func (r *Course) Estimates(log *metric.Log, useful, resizes bool, confidence float64) (all []Estimate) {
	if r == nil || log == nil || len(r.parts) == 0 {
		return nil
	}
	values, sections := log.Measures(), len(r.parts)
	percentiles := append(percentiles(r.times.Split(sections), measure.ResponseTimePercentile, confidence),
		percentiles(r.waits.Split(sections), measure.WaitingTimePercentile, confidence)...)
	for _, p := range percentiles {
		delete(values, p.Name)
	}
	s := subject{useful: useful, resizes: resizes}
	for _, f := range formulas {
		v, logged := values[f.name]
		delete(values, f.name)
		if !s.has(f) {
			continue
		}
		e := f.estimate(r.parts, confidence)
		mean := v
		if !logged {
			mean = f.of(total(r.parts))
		}
		if math.IsNaN(mean) || !e.IsKnown() {
			continue
		}
		e.Interval = f.within(e.Around(mean))
		all = append(all, e)
	}
	for _, q := range measure.Table() { // without an interval: it is not known how far they scatter
		if v, ok := values[q.Name]; ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, Estimate{Name: q.Name, Interval: metric.Interval{Mean: v, Low: v, High: v}})
		}
	}
	return append(all, percentiles...)
}

// total returns the sum of vectors of the same length, at least one; the result is new.
func total(sums [][]float64) []float64 {
	all := make([]float64, len(sums[0]))
	for _, x := range sums {
		floats.Add(all, x)
	}
	return all
}
