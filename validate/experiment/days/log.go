package days

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/estimate"
)

// FromLog makes moldable jobs of those of a log, sorted by submission, and tells how many were left out, by reason. The
// number of nodes that a job ran on is taken for its average parallelism, as Downey does; its sigma is drawn, uniform
// between the given bounds, for no log tells it; and its lifetime is such that on those nodes it runs as long as logged.
func FromLog(jobs []swf.Job, sigmaMin, sigmaMax float64, key des.Key) (requests []batch.Request,
	skipped map[string]int) {
	skipped = map[string]int{}
	for i, j := range jobs {
		if problem := j.WorkProblem(); problem != "" {
			skipped[problem]++
			continue
		}
		n := j.Nodes()
		stream := key.At(uint64(i)).Stream()
		s := workload.Downey{A: float64(n), Sigma: sigmaMin + (sigmaMax-sigmaMin)*stream.Float64()}
		requests = append(requests, batch.Request{ID: j.ID, Submit: j.Submit, Nodes: n, Run: j.Run, Estimate: j.Estimate,
			User: j.User, Lifetime: j.Run * s.At(float64(n)), Speedup: s})
	}
	sort.SliceStable(requests, func(i, k int) bool { return requests[i].Submit < requests[k].Submit })
	return requests, skipped
}

// Offered returns the offered load of jobs on a machine: their lifetimes, relative to all that its nodes could do from the
// first submission to the last. It is infinite if all come at once.
func Offered(jobs []batch.Request, nodes int) float64 {
	total := 0.0
	for i := range jobs {
		total += jobs[i].Lifetime
	}
	return total / (span(jobs) * float64(nodes))
}

// span returns the time from the first submission to the last.
func span(jobs []batch.Request) float64 {
	if len(jobs) == 0 {
		return 0
	}
	return jobs[len(jobs)-1].Submit - jobs[0].Submit
}

// Rescale stretches the time between the submissions of jobs so that they offer the given load to a machine.
func Rescale(jobs []batch.Request, nodes int, load float64) error {
	factor := Offered(jobs, nodes) / load
	if !(factor > 0) || math.IsInf(factor, 1) {
		return errors.New("days: jobs that come all at once, or none, cannot be given a load")
	}
	first := jobs[0].Submit
	for i := range jobs {
		jobs[i].Submit = first + (jobs[i].Submit-first)*factor
	}
	return nil
}

// wholeDay is how long a day of a log is.
const wholeDay = 24 * 3600

// Replay gives the jobs, sorted by submission, to every strategy, one after the other without a new beginning each day.
// Load average and utilization are averages from the first submission to the last. Intervals are made of days, merged
// until their mean response times pass for independent.
func Replay(ctx context.Context, nodes int, jobs []batch.Request, strategies []Strategy, o Options) ([]Outcome, error) {
	if err := o.check(strategies); err != nil {
		return nil, err
	}
	if !(span(jobs) > 0) {
		return nil, errors.New("days: a log of jobs that come all at once, or of none, has no load")
	}
	outcomes, errs := make([]Outcome, len(strategies)), make([]error, len(strategies))
	load := Offered(jobs, nodes)
	err := estimate.Each(ctx, len(strategies), o.Workers, func(k int) {
		begin := time.Now()
		r := newReplay(jobs, nodes)
		c := batch.Config{Nodes: nodes, Policy: strategies[k].New(), Load: load, Done: r.add}
		if _, err := batch.Run(ctx, c, batch.Jobs(jobs)); err != nil {
			errs[k] = fmt.Errorf("days: %s: %w", strategies[k].Name, err)
			return
		}
		outcomes[k] = conclude(r.merged(), o.confidence())
		outcomes[k].Strategy, outcomes[k].Load, outcomes[k].Days = strategies[k].Name, load, len(r.days)
		outcomes[k].Seconds = time.Since(begin).Seconds()
	})
	return outcomes, errors.Join(err, errors.Join(errs...))
}

// replay sums up the jobs of a log by days.
type replay struct {
	nodes  float64
	window batch.Window
	days   []sums
	slow   []estimate.Histogram
}

func newReplay(jobs []batch.Request, nodes int) *replay {
	r := &replay{nodes: float64(nodes), window: batch.Window{From: jobs[0].Submit, To: jobs[len(jobs)-1].Submit}}
	n := r.day(r.window.To) + 1
	r.days, r.slow = make([]sums, n), make([]estimate.Histogram, n)
	for d := range r.days {
		w := r.dayOf(d)
		r.days[d][sumTime] = (w.To - w.From) * r.nodes
	}
	return r
}

// day returns the number of the day at a time.
func (r *replay) day(at float64) int { return int((at - r.window.From) / wholeDay) }

// dayOf returns the part of day d that lies in the window.
func (r *replay) dayOf(d int) batch.Window {
	from := r.window.From + float64(d)*wholeDay
	return batch.Window{From: from, To: min(from+wholeDay, r.window.To)}
}

// add counts a job on the day on which it came, and its nodes on the days on which it held them.
func (r *replay) add(job *batch.Record) {
	came := r.day(job.Submit)
	r.days[came].count(job, r.nodes, &r.slow[came])
	for d := r.day(job.Start); d < len(r.days) && r.dayOf(d).From < job.End; d++ {
		r.days[d].serve(job, r.dayOf(d))
	}
}

// merged returns sections of days that pass for independent.
func (r *replay) merged() []*section {
	parts := make([][]float64, len(r.days))
	for d := range parts {
		parts[d] = r.days[d][:]
	}
	parts = estimate.Independent(parts, sumResponse, sumJobs)
	shift := 0 // neighbours were merged in pairs so many times
	for n := len(r.days); n > len(parts); n = (n + 1) / 2 {
		shift++
	}
	sections := make([]*section, len(parts))
	for i, p := range parts {
		sections[i] = newSection()
		sections[i].cycles.Add(p)
	}
	for d := range r.slow {
		sections[d>>shift].slow.Merge(&r.slow[d])
	}
	return sections
}
