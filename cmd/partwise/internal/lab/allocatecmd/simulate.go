package allocatecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Options say how to simulate. The zero value works.
type Options struct {
	Seed       uint64
	Workers    int     // 0: one for each processor; results do not depend on it
	Confidence float64 // of the intervals; 0: 0.95
	// Table, if not nil, tells which jobs policies take. Replay then gives jobs of a log as they were logged to policies for
	// rigid jobs, whatever speedup is assumed of them for other policies, and changes cost only under policies for malleable
	// jobs.
	Table policy.Table
	Costs machine.Costs // of changes in Replay; nil: none
	// Progress, if not nil, is called by Simulate, perhaps from several goroutines at a time, when so many days are done.
	Progress func(done int)
}

func (o Options) withDefaults() Options {
	o.Confidence = cmp.Or(o.Confidence, 0.95)
	return o
}

// Check returns what is wrong with the options, nil if nothing is.
func (o Options) Check() error {
	o = o.withDefaults()
	switch {
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fmt.Errorf("allocatecmd: the confidence %v is not between 0 and 1", o.Confidence)
	case o.Workers < 0:
		return fmt.Errorf("allocatecmd: the number of workers %d is negative", o.Workers)
	}
	return nil
}

// check returns what is wrong with policies and options.
func check(policies []policy.Policy, o Options) error {
	if len(policies) == 0 {
		return errors.New("allocatecmd: no policy")
	}
	return o.Check()
}

// mostSections is into how many stretches days are cut: what is worked on in parallel, and what the interval of a
// percentile is made of.
const mostSections = 32

// Simulate gives so many days of the workload to every policy. A day begins with an empty machine and ends when the
// last of its jobs has; all its jobs count. Days are independent, and their number is that of the observations behind
// an interval. Day i of a seed brings the same jobs to every policy, and in any call with as much load.
func Simulate(ctx context.Context, w Workload, policies []policy.Policy, days int, o Options) ([]Outcome, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if err := check(policies, o); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if days < 1 {
		return nil, fmt.Errorf("allocatecmd: the number of days must be at least 1, not %d", days)
	}
	n := min(days, mostSections)
	stretches := make([]stretch, n)
	var done atomic.Int64
	err := parallel.Each(ctx, n, o.Workers, func(i int) error {
		s := &stretches[i]
		s.workload, s.policies, s.seed = &w, policies, des.Seed(o.Seed)
		err := s.simulate(ctx, i*days/n, (i+1)*days/n)
		if err == nil && o.Progress != nil {
			o.Progress(int(done.Add(int64((i+1)*days/n - i*days/n))))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(policies))
	for k := range policies {
		sections := make([]*section, n)
		for i := range stretches {
			sections[i] = stretches[i].sections[k]
		}
		outcomes[k] = conclude(sections, w.Nodes, o.Confidence)
		outcomes[k].Policy, outcomes[k].Load = policies[k], w.Load
	}
	return outcomes, nil
}

// stretch is consecutive days under all policies.
type stretch struct {
	workload *Workload
	policies []policy.Policy
	seed     des.Key
	sections []*section // one a policy
}

func (s *stretch) simulate(ctx context.Context, from, to int) error {
	w := s.workload
	on := metric.Machine{Nodes: w.Nodes}
	for range s.policies {
		s.sections = append(s.sections, newSection())
	}
	var jobs []workload.Job
	for day := from; day < to; day++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		key := s.seed.At(uint64(day))
		jobs = w.Day(key, jobs[:0])
		for k, p := range s.policies {
			begin, section := time.Now(), s.sections[k]
			total := metric.Sums{metric.Capacity: w.Length * float64(w.Nodes)}
			c := machine.Config{Nodes: w.Nodes, Policy: p, Load: w.Load, Jobs: machine.List(jobs),
				Window: machine.Window{To: w.Length}, Done: func(r *machine.Record) { total.Add(r, on, &section.slow) }}
			if _, err := machine.Run(ctx, c, key); err != nil {
				return fmt.Errorf("allocatecmd: %s: %w", p, err)
			}
			section.cycles.Add(total[:])
			section.seconds += time.Since(begin).Seconds()
		}
	}
	return nil
}
