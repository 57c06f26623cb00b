package allocatecmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// ChainOptions say what to compare, and how. The zero value works but for MinNodes.
type ChainOptions struct {
	Options
	MinNodes int // partitions are multiples of so many nodes, which divide those of the machine
	// Phases is the number of phases of the classes that dynamic partitioning knows; 0: as many, up to 5, as can be solved
	// in a moment.
	Phases       int
	Policies     []policy.Policy // that are simulated only
	Replications int             // 0: 16
	Jobs         int             // of each replication, about; 0: 10,000
}

// ChainRow is a policy with its mean response time by both ways.
type ChainRow struct {
	Policy    policy.Policy   `head:"policy"`
	Load      float64         `key:"offered_load" head:"load" form:"digits=3"`
	Stable    bool            `key:"stable"` // with the fitted run times; of policies that are simulated only, true
	Intensity float64         `key:"traffic_intensity" head:"traffic" form:"digits=3 number omitzero"`
	Analytic  float64         `key:"analytic_mean_response_time" form:"omitzero"`                                // 0 if there is no chain, or it is not stable
	Simulated metric.Interval `key:"mean_response_time" head:"simulated [s]" form:"half=4 number mean omitzero"` // if it is stable
	Warnings  []error         // of the solver
}

// Solved reports whether there is a chain, and it is stable.
func (r *ChainRow) Solved() bool { return r.Analytic > 0 }

// Comparison is what Compare returns.
type Comparison struct {
	Rows []ChainRow // dynamic, every static:K, those that are simulated only
	Best *ChainRow  // static partitioning with the shortest solved response time; nil if none is stable
}

// The jobs that count: those that come after the first tenth of the time, by which the machine has forgotten that it
// was empty, and before the last twentieth, for what comes after a job slows it down, too, if it can be resized.
const (
	counted = 0.10
	until   = 0.95
)

// Compare solves dynamic partitioning and every static one with the fitted run times, and simulates them and the other
// policies with the jobs of the workload, all on the same jobs. Resizing costs nothing, and jobs hold whole nodes. The
// partitions are those of the machine, whatever the options say of nodes and phases.
func (m *Machine) Compare(ctx context.Context, o ChainOptions) (Comparison, error) {
	solved, best, err := m.solve(ctx, o.Workers)
	if err != nil {
		return Comparison{}, err
	}
	var c Comparison
	for i := range solved {
		r := &solved[i].Measures
		row := ChainRow{Policy: solved[i].Policy, Load: m.Workload.Load, Stable: r.Stable, Intensity: r.TrafficIntensity,
			Warnings: r.Diagnostics.Warnings}
		if r.Stable {
			row.Analytic = r.MeanResponseTime
		}
		c.Rows = append(c.Rows, row)
	}
	for _, p := range o.Policies {
		c.Rows = append(c.Rows, ChainRow{Policy: p, Load: m.Workload.Load, Stable: true})
	}
	if best != nil {
		c.Best = &c.Rows[slices.IndexFunc(c.Rows, func(r ChainRow) bool { return r.Policy == best.Policy })]
	}
	return c, c.simulate(ctx, m, o)
}

// simulate lets every replication make its jobs and give them to all policies.
func (c *Comparison) simulate(ctx context.Context, m *Machine, o ChainOptions) error {
	w := m.Workload
	w.Length = float64(cmp.Or(o.Jobs, 10_000)) / w.Rate()
	replications, err := parallel.Grid(ctx, 1, cmp.Or(o.Replications, 16), o.Workers, o.Progress, func(_, r int) (means []float64, err error) {
		jobs := w.Day(des.Seed(o.Seed).At(uint64(r)), nil)
		means = make([]float64, len(c.Rows))
		for i, row := range c.Rows {
			if !row.Stable {
				continue
			}
			if means[i], err = m.meanResponse(ctx, row.Policy, w, jobs); err != nil {
				return nil, fmt.Errorf("allocatecmd: %s: %w", row.Policy, err)
			}
		}
		return means, nil
	})
	if err != nil {
		return err
	}
	for i := range c.Rows {
		var means []float64
		for _, r := range replications[0] {
			means = append(means, r[i])
		}
		if c.Rows[i].Stable {
			c.Rows[i].Simulated = metric.Student(means, cmp.Or(o.Confidence, 0.95))
		}
	}
	return nil
}

// meanResponse returns the mean response time of the jobs that count under a policy. The number of nodes of a job is a
// multiple of one node where a policy chooses how many each job gets, of the smallest partition where it divides the machine.
func (m *Machine) meanResponse(ctx context.Context, p policy.Policy, w Workload, jobs []workload.Job) (float64, error) {
	unit := m.Static.MinNodes
	if _, molds := sched.SizingOf(p); molds {
		unit = 1
	}
	var sum, n float64
	c := machine.Config{Nodes: w.Nodes, Unit: unit, Policy: p, Load: w.Load, Jobs: machine.List(jobs),
		Done: func(r *machine.Record) {
			if r.Submit >= counted*w.Length && r.Submit < until*w.Length {
				sum, n = sum+r.Response(), n+1
			}
		}}
	_, err := machine.Run(ctx, c, des.Seed(0))
	return sum / n, err
}
