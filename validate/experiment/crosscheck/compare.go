package counterpart

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/days"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/machine"
)

// Options say what to compare, and how. The zero value works but for MinNodes.
type Options struct {
	MinNodes     int // partitions are multiples of so many nodes, which divide those of the machine
	Phases       int // of the classes that dynamic partitioning knows; 0: as many, up to 5, as can be solved at ease
	Strategies   []days.Strategy
	Replications int // 0: 16
	Jobs         int // of each replication, about; 0: 10,000
	Seed         uint64
	Workers      int     // 0: one for each processor; results do not depend on it
	Confidence   float64 // 0: 0.95
	// Progress, if not nil, is called, perhaps by several goroutines at a time, when so many replications are done.
	Progress func(done int)
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value *int
		of    int
	}{{&o.Replications, 16}, {&o.Jobs, 10_000}} {
		if *d.value == 0 {
			*d.value = d.of
		}
	}
	if o.Confidence == 0 {
		o.Confidence = 0.95
	}
	return o
}

// Row is a policy with its mean turnaround by both ways.
type Row struct {
	Name      string // dynamic, static:K, or the strategy
	Stable    bool   // with the fitted run times; of strategies, which have no chain, true
	Intensity float64
	Analytic  float64           // 0 of strategies, and if the chain is not stable
	Simulated estimate.Interval // if it is stable
	Warnings  []error           // of the solver
}

// Solved reports whether there is a chain, and it is stable.
func (r *Row) Solved() bool { return r.Analytic > 0 }

// Comparison is what Compare returns.
type Comparison struct {
	Load float64
	Rows []Row // dynamic, every static:K, the strategies
}

// The jobs that count: those that come after the first tenth of the time, by which the machine has forgotten that it was
// empty, and before the last twentieth, for what comes after a job slows it down, too, if it can be resized.
const (
	counted = 0.10
	until   = 0.95
)

// Compare solves dynamic partitioning and every static one with the fitted run times, and simulates them, and the
// strategies, with the jobs of the workload, all on the same jobs. Resizing costs nothing, and the machine knows whole
// nodes only.
func (m *Machine) Compare(ctx context.Context, o Options) (Comparison, error) {
	o = o.withDefaults()
	solved, err := m.solve(ctx, o.Workers)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Load: m.Workload.Load}
	var run []simulator
	for i := range solved {
		r := &solved[i].Measures
		row := Row{Name: solved[i].Policy.String(), Stable: r.Stable, Intensity: r.TrafficIntensity,
			Warnings: r.Diagnostics.Warnings}
		var s simulator
		if r.Stable {
			row.Analytic = r.MeanResponseTime
			if s, err = partitioned(m.Workload, m.Static.MinNodes, solved[i].Policy); err != nil {
				return Comparison{}, err
			}
		}
		c.Rows, run = append(c.Rows, row), append(run, s)
	}
	for _, s := range o.Strategies {
		c.Rows = append(c.Rows, Row{Name: s.Name, Stable: true})
		run = append(run, molded(m.Workload, s))
	}
	return c, c.simulate(ctx, m.Workload, run, o)
}

// simulator gives jobs to a machine and tells of each that has ended when it came and when it ended.
type simulator func(ctx context.Context, jobs []batch.Request, ended func(submit, end float64)) error

// simulate lets every replication make its jobs and give them to all policies.
func (c *Comparison) simulate(ctx context.Context, w days.Workload, run []simulator, o Options) error {
	w.Length = float64(o.Jobs) / w.Rate()
	means := make([][]float64, len(c.Rows))
	for i := range means {
		means[i] = make([]float64, o.Replications)
	}
	errs := make([]error, o.Replications)
	done := make(chan struct{}, o.Replications)
	err := estimate.Each(ctx, o.Replications, o.Workers, func(r int) {
		jobs := w.Day(des.Seed(o.Seed).At(uint64(r)), nil)
		for i, simulate := range run {
			if simulate == nil {
				continue
			}
			var sum, n float64
			err := simulate(ctx, jobs, func(submit, end float64) {
				if submit >= counted*w.Length && submit < until*w.Length {
					sum, n = sum+end-submit, n+1
				}
			})
			if err != nil {
				errs[r] = fmt.Errorf("counterpart: %s: %w", c.Rows[i].Name, err)
				return
			}
			means[i][r] = sum / n
		}
		done <- struct{}{}
		if o.Progress != nil {
			o.Progress(len(done))
		}
	})
	if err = errors.Join(err, errors.Join(errs...)); err != nil {
		return err
	}
	for i := range c.Rows {
		if run[i] != nil {
			c.Rows[i].Simulated = estimate.Student(means[i], o.Confidence)
		}
	}
	return nil
}

// molded simulates a strategy whose jobs keep their nodes.
func molded(w days.Workload, s days.Strategy) simulator {
	return func(ctx context.Context, jobs []batch.Request, ended func(submit, end float64)) error {
		c := batch.Config{Nodes: w.Nodes, Policy: s.New(), Load: w.Load,
			Done: func(r *batch.Record) { ended(r.Submit, r.End) }}
		_, err := batch.Run(ctx, c, batch.Jobs(jobs))
		return err
	}
}

// partitioned simulates a machine in partitions.
func partitioned(w days.Workload, minNodes int, p models.Policy) (simulator, error) {
	entry, ok := machine.Named(p.Kind)
	if !ok {
		return nil, fmt.Errorf("counterpart: policy %s cannot be simulated", p)
	}
	parameter := ""
	if p.Partitions > 0 {
		parameter = strconv.Itoa(p.Partitions)
	}
	policy, err := entry.New(parameter)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, jobs []batch.Request, ended func(submit, end float64)) error {
		c := machine.Config{Nodes: w.Nodes, Unit: minNodes, Policy: policy, Speed: make([]float64, w.Nodes+1)}
		for i := range jobs {
			c.Replay = append(c.Replay, machine.Request{Arrival: jobs[i].Submit, Demand: jobs[i].Lifetime,
				Speedup: jobs[i].Speedup})
		}
		var response float64 // of the job that has just ended
		c.Observe = func(v machine.View, why machine.Event) {
			if why.Kind == machine.Departure {
				ended(v.Now()-response, v.Now())
			}
		}
		m, err := machine.New(c)
		if err != nil {
			return err
		}
		run := m.Start(des.Seed(0))
		run.Watch(func(r float64) { response = r })
		var t machine.Tally
		for err == nil && ctx.Err() == nil {
			err = run.Advance(1000, &t)
		}
		if errors.Is(err, machine.ErrEnded) {
			return nil
		}
		return errors.Join(err, ctx.Err())
	}, nil
}
