package days

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// FromLog makes malleable jobs of those of a log, in the order of their submission, and counts those that it leaves
// out, by reason. The number of nodes that a job ran on is taken for its average parallelism, as Downey does; its sigma
// is drawn, uniform between the given bounds, as no log has it; and its demand is such that on those nodes it runs as
// long as logged.
func FromLog(log []joblog.Job, nodes int, sigmaMin, sigmaMax float64, key des.Key) (
	jobs []workload.Job, skipped map[string]int, err error) {
	shape := workload.WithParallelism(workload.Malleable, func(i int) float64 {
		stream := key.At(uint64(i)).Stream()
		return sigmaMin + (sigmaMax-sigmaMin)*stream.Float64()
	})
	return workload.OnMachine(joblog.ListOf(log), nodes, shape)
}

// wholeDay is how long a day of a log is.
const wholeDay = 24 * 3600

// Replay gives the jobs, in the order of their submission, to every policy, one after the other without a new beginning
// each day. The measures are those of [metric.Log]; their intervals are made of days, merged until their mean response
// times pass for independent.
func Replay(ctx context.Context, nodes int, jobs []workload.Job, policies []policy.Policy,
	o Options) ([]Outcome, error) {
	offer := workload.OfferOf(jobs)
	if !(offer.Last > offer.First) {
		return nil, errors.New("days: a log of jobs that are submitted all at once, or of none, has no load")
	}
	outcomes := make([]Outcome, len(policies))
	err := parallel.Each(ctx, len(policies), o.Workers, func(k int) error {
		begin := time.Now()
		r := newReplay(nodes, offer)
		c := machine.Config{Nodes: nodes, Policy: policies[k], Load: offer.Load(nodes), Done: r.add,
			Jobs: machine.List(jobs)}
		if _, err := machine.Run(ctx, c, des.Seed(o.Seed)); err != nil {
			return fmt.Errorf("days: %s: %w", policies[k], err)
		}
		outcomes[k] = r.conclude()
		outcomes[k].Policy, outcomes[k].Seconds = policies[k], time.Since(begin).Seconds()
		return nil
	})
	return outcomes, err
}

// replay sums up the jobs of a log by days.
type replay struct {
	on     metric.Machine
	window machine.Window // from the first submission to the last
	log    *metric.Log
	days   []metric.Sums
	slow   []metric.Histogram
}

func newReplay(nodes int, o workload.Offer) *replay {
	on := metric.Machine{Nodes: nodes}
	r := &replay{on: on, window: machine.Window{From: o.First, To: o.Last}, log: metric.NewLog(on, nil)}
	n := r.day(o.Last) + 1
	r.days, r.slow = make([]metric.Sums, n), make([]metric.Histogram, n)
	for d := range r.days {
		w := r.dayOf(d)
		r.days[d][metric.Capacity] = (w.To - w.From) * float64(nodes)
	}
	return r
}

// day returns the number of the day at a time.
func (r *replay) day(at float64) int { return int((at - r.window.From) / wholeDay) }

// dayOf returns the part of day d that lies in the window.
func (r *replay) dayOf(d int) machine.Window {
	from := r.window.From + float64(d)*wholeDay
	return machine.Window{From: from, To: min(from+wholeDay, r.window.To)}
}

// add counts a job on the day on which it came, and its node-time on the days on which it ran, spread evenly.
func (r *replay) add(job *machine.Record) {
	r.log.Add(job)
	came := r.day(job.Submit)
	r.days[came].AddJob(job, r.on, &r.slow[came])
	for d := r.day(job.Start); d < len(r.days) && r.dayOf(d).From < job.End; d++ {
		w := r.dayOf(d)
		r.days[d].AddNodeTime(job, w.From, w.To)
	}
}

// conclude makes the measures: their means are those of the log, as every replay has them.
func (r *replay) conclude() Outcome {
	days := len(r.days)
	o := conclude(r.merged(), r.on.Nodes)
	values := r.log.Measures()
	for name, e := range o.values {
		if v, ok := values[name]; ok {
			e.Mean, e.Low, e.High = v, v-e.HalfWidth, v+e.HalfWidth
			o.values[name] = e
		}
	}
	o.Load, o.Days = values[measure.OfferedLoad], days
	return o
}

// merged returns sections of days that pass for independent.
func (r *replay) merged() []*section {
	parts := make([][]float64, len(r.days))
	for d := range parts {
		parts[d] = r.days[d][:]
	}
	parts = metric.Independent(parts, metric.Response, metric.Jobs)
	shift := 0 // neighbours were merged in pairs so many times
	for n := len(r.days); n > len(parts); n = (n + 1) / 2 {
		shift++
	}
	sections := make([]*section, len(parts))
	for i, p := range parts {
		sections[i] = &section{days: [][]float64{p}}
	}
	for d := range r.slow {
		sections[d>>shift].slow.Merge(&r.slow[d])
	}
	return sections
}
