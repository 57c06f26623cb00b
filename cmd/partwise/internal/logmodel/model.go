package logmodel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
)

// Structure is what a model consists of.
type Structure struct {
	// Shares divide the jobs by their work: a share x of all work is in jobs no larger than those at the bound. They
	// ascend between 0 and 1, and make one class more than there are of them.
	Shares []float64
	// Phases is the number of phases of the arrival process of a class, at most [fit.MaxPhases]; 1 is a Poisson process.
	Phases int
	// Batch is a time in hours. Jobs of a class that are submitted within this time of the first of them are a batch, and
	// batches arrive in place of jobs. 0: each job arrives by itself.
	Batch float64
}

// String describes the structure.
func (s Structure) String() string {
	text := modelfile.Count(len(s.Shares)+1, "class", "classes") + ", " + modelfile.Count(s.Phases, "phase", "phases")
	if s.Batch > 0 {
		text += fmt.Sprintf(", batches of %g minutes", 60*s.Batch)
	}
	return text
}

// Class is the jobs of which the work lies above From and no higher than To.
type Class struct {
	From, To float64
	Jobs     int // of the log
	Share    float64
	Cycle    *Cycle
	Arrivals phasetype.MAP // of jobs, or of batches if there are any, in operational time
	Work     phasetype.Dist
	// Batches has one entry for each batch of the log. It is nil if jobs arrive by themselves.
	Batches [][]Member
}

// Member is a job of a batch: the time since the first job of the batch, and the work.
type Member struct{ After, Work float64 }

// Model is a model of the jobs of a log.
type Model struct {
	Structure Structure
	Classes   []Class
	Slow      Slow
	hour      float64 // in the unit of the jobs' times
	from, to  float64 // first and last submission of the log
	like      workload.Job
}

// ErrTooFew says that a log has too few jobs, or lasts for too short a time, to fit a model to.
var ErrTooFew = errors.New("logmodel: fewer than 100 jobs with work, or less than two weeks, are too few to fit a model to")

// Fit fits a model of the structure to the jobs of a log, in the order of their submission, of whose times hour makes one
// hour. The jobs drawn from the model are of the kind and have the speedup of the first. The error is [ErrTooFew], one of
// package fit, or that of ctx.
func Fit(ctx context.Context, jobs []workload.Job, hour float64, s Structure, workers int) (*Model, error) {
	var works []float64
	for i := range jobs {
		if jobs[i].Work > 0 {
			works = append(works, jobs[i].Work)
		}
	}
	if len(works) < 100 || jobs[len(jobs)-1].Submit-jobs[0].Submit < 2*perWeek*hour {
		return nil, ErrTooFew
	}
	m := &Model{Structure: s, hour: hour, from: jobs[0].Submit, to: jobs[len(jobs)-1].Submit,
		like: workload.Job{User: -1, Application: -1, Kind: jobs[0].Kind, Speedup: jobs[0].Speedup}}
	m.Classes = divide(works, s.Shares)
	err := parallel.Each(ctx, len(m.Classes), workers, func(i int) error { return m.fitClass(ctx, i, jobs) })
	if err != nil {
		return nil, err
	}
	return m, m.fitSlow(ctx, jobs, workers)
}

// divide returns the bounds of the classes.
func divide(works, shares []float64) []Class {
	slices.Sort(works)
	total := 0.0
	for _, w := range works {
		total += w
	}
	all := []Class{{}}
	sum := 0.0
	for _, w := range works {
		last := &all[len(all)-1]
		sum += w
		last.Share += w / total
		if n := len(all); n <= len(shares) && sum >= shares[n-1]*total && w > last.From {
			last.To = w
			all = append(all, Class{From: w})
		}
	}
	all[len(all)-1].To = math.Inf(1)
	return all
}

// fitClass fits cycle, arrivals and work of a class.
func (m *Model) fitClass(ctx context.Context, i int, jobs []workload.Job) error {
	c := &m.Classes[i]
	var times, works []float64
	for k := range jobs {
		if w := jobs[k].Work; w > c.From && w <= c.To {
			times, works = append(times, jobs[k].Submit-m.from), append(works, w)
		}
	}
	c.Jobs = len(times)
	if m.Structure.Batch > 0 {
		times, c.Batches = batches(times, works, m.Structure.Batch*m.hour)
	}
	c.Cycle = newCycle(times, m.hour)
	for k, t := range times {
		times[k] = c.Cycle.Operational(t)
	}
	rate := float64(len(times)) / (m.to - m.from)
	var err error
	if c.Arrivals, err = m.fitArrivals(ctx, m.withoutTrend(times), rate); err != nil {
		return err
	}
	found, err := fit.PhaseType(ctx, fit.Sample{Values: works},
		fit.Options{Families: []fit.Family{fit.HyperErlang}, MinPhases: 1, MaxPhases: mostPhasesOfWork, Workers: 1})
	if err != nil {
		return fmt.Errorf("logmodel: works from %g to %g: %w", c.From, c.To, err)
	}
	c.Work = found[0].Dist
	return nil
}

// batches divides jobs that come at ascending times into batches that last at most so long. It returns when each batch begins, and its
// jobs.
func batches(times, works []float64, longest float64) (begins []float64, all [][]Member) {
	for k, t := range times {
		if n := len(begins); n > 0 && t-begins[n-1] <= longest {
			all[n-1] = append(all[n-1], Member{t - begins[n-1], works[k]})
			continue
		}
		begins, all = append(begins, t), append(all, []Member{{0, works[k]}})
	}
	return begins, all
}

// mostPhasesOfWork is enough for works that lie between two bounds.
const mostPhasesOfWork = 6

// fewest is the number of jobs of a class from which on more than their rate is fitted.
const fewest = 50

// fitArrivals fits a process to the operational times of arrivals, and gives it the rate of the log. The clock of a log
// ticks in seconds, 3600 an hour.
func (m *Model) fitArrivals(ctx context.Context, times []float64, rate float64) (phasetype.MAP, error) {
	if m.Structure.Phases <= 1 || len(times) < fewest {
		d, err := phasetype.Exponential(rate)
		if err != nil {
			return phasetype.MAP{}, err
		}
		return phasetype.Renewal(d)
	}
	tick := m.hour / 3600
	gaps := make([]float64, len(times)-1)
	for i := range gaps {
		gaps[i] = math.Round((times[i+1]-times[i])/tick) * tick
	}
	found, err := fit.Arrivals(ctx, fit.Sample{Values: gaps, Resolution: tick}, fit.Options{
		MinPhases: m.Structure.Phases, MaxPhases: m.Structure.Phases, Workers: 1, MaxIter: mostSteps})
	if err != nil {
		return phasetype.MAP{}, fmt.Errorf("logmodel: %w", err)
	}
	return found[0].MAP.Speedup(rate / found[0].MAP.Rate())
}

// mostSteps bounds the ascent of a likelihood, whose last digits change no answer.
const mostSteps = 150

// withoutTrend lets operational time run, week by week, as fast as jobs came in that week, so that a process fitted to it
// has the bursts of hours and days; what is left of the weeks is that of [Slow].
func (m *Model) withoutTrend(times []float64) []float64 {
	week := perWeek * m.hour
	from := times[0]
	n := int((times[len(times)-1]-from)/week) + 1
	came := make([]float64, n)
	for _, t := range times {
		came[int((t-from)/week)]++
	}
	mean := float64(len(times)) / float64(n)
	sum := make([]float64, n+1)
	for i, k := range came {
		came[i] = (k + 1) / (mean + 1) // a week without jobs has passed, too
		sum[i+1] = sum[i] + came[i]*week
	}
	out := make([]float64, len(times))
	for k, t := range times {
		i := int((t - from) / week)
		out[k] = sum[i] + (t-from-float64(i)*week)*came[i]
	}
	return out
}

// The streams of a drawn log.
const (
	levelStream = iota
	workStream
	classStreams
	batchStreams = 1 << 32 // beside them, so that logs without batches are drawn as if there were none
)

// Draw draws the jobs of a log that lasts as long as that which the model was fitted to, in the order of their submission.
// What is random comes from below the key. See [Stretch] for logs of another load, or of exactly that of the log: by
// chance, a log brings some per cent more work or less.
func (m *Model) Draw(key des.Key) []workload.Job {
	level := key.At(levelStream).Stream()
	slow := m.Slow.path(0, m.to-m.from, &level)
	works := key.At(workStream).Stream()
	var jobs []workload.Job
	for i := range m.Classes {
		c := &m.Classes[i]
		clock, work := slow.clock(c.Cycle), des.NewTimes(c.Work)
		arrivals := des.NewArrivals(c.Arrivals)
		arrivals.Begin(key.At(classStreams + uint64(i)))
		batch := key.At(batchStreams + uint64(i)).Stream()
		for u := arrivals.Gap(); ; u += arrivals.Gap() {
			t := clock(u)
			if t >= m.to-m.from {
				break
			}
			add := func(x Member) {
				if t+x.After < m.to-m.from {
					j := m.like
					j.Submit, j.Work = m.from+t+x.After, x.Work
					jobs = append(jobs, j)
				}
			}
			if c.Batches == nil {
				add(Member{0, work.Draw(&works)})
				continue
			}
			for _, x := range c.Batches[int(batch.Float64()*float64(len(c.Batches)))] { // any with the same probability
				add(x)
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	for i := range jobs {
		jobs[i].ID = i + 1
	}
	return jobs
}

// WorkRate returns the work that jobs bring in a unit of time, from the first submission to the last.
func WorkRate(jobs []workload.Job) float64 {
	work := 0.0
	for i := range jobs {
		work += jobs[i].Work
	}
	return work / (jobs[len(jobs)-1].Submit - jobs[0].Submit)
}

// Stretch stretches the times between the submissions of jobs, the first staying where it is, such that they bring work
// at the given rate.
func Stretch(jobs []workload.Job, rate float64) {
	if len(jobs) == 0 {
		return
	}
	factor := WorkRate(jobs) / rate
	first := jobs[0].Submit
	for i := range jobs {
		jobs[i].Submit = first + (jobs[i].Submit-first)*factor
	}
}
