package days

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/estimate"
)

// Strategy is a policy under its name; New returns one for each run.
type Strategy struct {
	Name string
	New  func() batch.Policy
}

// Options say how to simulate. The zero value works.
type Options struct {
	Seed       uint64
	Workers    int     // 0: one for each processor; results do not depend on it
	Confidence float64 // of the intervals; 0: 0.95
	// Progress, if not nil, is called, perhaps by several goroutines at a time, when so many days are done.
	Progress func(done int)
}

func (o Options) confidence() float64 {
	if o.Confidence == 0 {
		return 0.95
	}
	return o.Confidence
}

func (o Options) check(strategies []Strategy) error {
	if c := o.confidence(); !(c > 0 && c < 1) {
		return fmt.Errorf("days: a confidence of %v is not between 0 and 1", c)
	}
	if len(strategies) == 0 {
		return errors.New("days: no strategy")
	}
	return nil
}

// mostSections is into how many stretches days are cut: what is worked on in parallel, and what the interval of a
// percentile is made of.
const mostSections = 32

// Simulate gives so many days of the workload to every strategy. A day begins with an empty machine and ends when the
// last of its jobs has; all its jobs count. Days are independent, and their number is that of the observations behind
// an interval. Day i of a seed brings the same jobs to every strategy, and in any call with as much load.
func Simulate(ctx context.Context, w Workload, strategies []Strategy, days int, o Options) ([]Outcome, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if err := o.check(strategies); err != nil {
		return nil, err
	}
	if days < 1 {
		return nil, fmt.Errorf("days: %d days are none", days)
	}
	n := min(days, mostSections)
	stretches := make([]stretch, n)
	var done atomic.Int64
	err := estimate.Each(ctx, n, o.Workers, func(i int) {
		s := &stretches[i]
		s.workload, s.strategies, s.seed = &w, strategies, des.Seed(o.Seed)
		s.err = s.simulate(ctx, i*days/n, (i+1)*days/n)
		if s.err == nil && o.Progress != nil {
			o.Progress(int(done.Add(int64((i+1)*days/n - i*days/n))))
		}
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(strategies))
	for k, strategy := range strategies {
		sections := make([]*section, n)
		for i := range stretches {
			if err := stretches[i].err; err != nil {
				return nil, err
			}
			sections[i] = stretches[i].sections[k]
		}
		outcomes[k] = conclude(sections, o.confidence())
		outcomes[k].Strategy, outcomes[k].Load = strategy.Name, w.Load
	}
	return outcomes, nil
}

// stretch is consecutive days under all strategies.
type stretch struct {
	workload   *Workload
	strategies []Strategy
	seed       des.Key
	sections   []*section // one a strategy
	err        error
}

func (s *stretch) simulate(ctx context.Context, from, to int) error {
	w := s.workload
	nodes, window := float64(w.Nodes), batch.Window{From: 0, To: w.Length}
	for range s.strategies {
		s.sections = append(s.sections, newSection())
	}
	var jobs []batch.Request
	for day := from; day < to; day++ {
		jobs = w.Day(s.seed.At(uint64(day)), jobs[:0])
		for k, strategy := range s.strategies {
			begin, section := time.Now(), s.sections[k]
			total := sums{sumTime: w.Length * nodes}
			c := batch.Config{Nodes: w.Nodes, Policy: strategy.New(), Load: w.Load, Done: func(r *batch.Record) {
				total.serve(r, window)
				total.count(r, nodes, &section.slow)
			}}
			if _, err := batch.Run(ctx, c, batch.Jobs(jobs)); err != nil {
				return fmt.Errorf("days: %s: %w", strategy.Name, err)
			}
			section.cycles.Add(total[:])
			section.seconds += time.Since(begin).Seconds()
		}
	}
	return nil
}
