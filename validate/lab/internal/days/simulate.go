package days

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Options say how to simulate. The zero value works.
type Options struct {
	Seed    uint64
	Workers int     // 0: one for each processor; results do not depend on it
	Memory  float64 // bytes that the jobs may take; 0 is [parallel.DefaultMemory]
	// Progress, if not nil, is called, perhaps from several goroutines at a time, when so many days or replications are done.
	Progress func(done int)
}

// mostSections is into how many stretches days are cut: what is worked on in parallel, and what the interval of a
// percentile is made of.
const mostSections = 32

// Simulate gives so many days of the workload to every policy. A day begins with an empty machine and ends when the
// last of its jobs has; all its jobs count. Days are independent, so each day is one observation of an interval. Day i
// of a seed brings the same jobs to every policy, and in any call with as much load.
func Simulate(ctx context.Context, w Workload, policies []policy.Policy, days int, o Options) ([]Outcome, error) {
	n := min(days, mostSections)
	progress := func(stretches int) {
		if o.Progress != nil {
			o.Progress(stretches * days / n)
		}
	}
	stretches, err := parallel.Grid(ctx, 1, n, w.workers(o.Workers, o.Memory), progress, func(_, i int) ([]section, error) {
		return simulateDays(ctx, w, policies, des.Seed(o.Seed), i*days/n, (i+1)*days/n)
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(policies))
	for k, p := range policies {
		var sections []*section
		for _, ofPolicies := range stretches[0] {
			sections = append(sections, &ofPolicies[k])
		}
		outcomes[k] = conclude(sections, w.Nodes)
		outcomes[k].Policy, outcomes[k].Load = p, w.Load
	}
	return outcomes, nil
}

// simulateDays returns a section for each policy: what it made of consecutive days.
func simulateDays(ctx context.Context, w Workload, policies []policy.Policy, seed des.Key, from, to int) ([]section, error) {
	on, sections := metric.Machine{Nodes: w.Nodes}, make([]section, len(policies))
	var jobs []workload.Job
	for day := from; day < to; day++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key := seed.At(uint64(day))
		jobs = w.Day(key, jobs[:0])
		for k, p := range policies {
			begin, section := time.Now(), &sections[k]
			total := metric.Sums{metric.Capacity: w.Length * float64(w.Nodes)}
			c := machine.Config{Nodes: w.Nodes, Policy: p, Load: w.Load, Jobs: machine.List(jobs),
				Window: machine.Window{To: w.Length}, Done: func(r *machine.Record) { total.Add(r, on, &section.slow) }}
			if _, err := machine.Run(ctx, c, key); err != nil {
				return nil, fmt.Errorf("days: %s: %w", p, err)
			}
			section.days = append(section.days, total[:])
			section.seconds += time.Since(begin).Seconds()
		}
	}
	return sections, nil
}

// Simulate simulates the days of a study, load by load, and sets its Rows. A study that only draws curves simulates nothing. The
// error is a *[parallel.LimitError] if the jobs of a day do not fit into o.Memory.
func (s *Study) Simulate(ctx context.Context, o Options) error {
	if s == nil {
		return errors.New("days: there is no study")
	}
	if !s.Simulated() {
		return nil
	}
	before, progress := 0, o.Progress
	s.Rows = nil
	for _, load := range s.Loads {
		rows, policies := s.Policies()
		w := Downey(s.Nodes, load)
		if err := w.Check(o.Memory); err != nil {
			return err
		}
		if progress != nil {
			o.Progress = func(done int) { progress(before + done) }
		}
		some, err := Simulate(ctx, w, policies, s.Days, o)
		if err != nil {
			return err
		}
		for i, r := range rows {
			some[i].Strategy, some[i].Parameter = r.Strategy, r.Parameter
		}
		s.Rows = append(s.Rows, some...)
		before += s.Days
	}
	return nil
}

// PlannedDays returns the number of days that Simulate will simulate, over all loads, for reports of progress.
func (s *Study) PlannedDays() int {
	if !s.Simulated() {
		return 0
	}
	return s.Days * len(s.Loads)
}
