package allocatecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

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
	MinNodes int // partitions are multiples of so many nodes, which divide those of the machine
	// Phases is the number of phases of the classes that dynamic partitioning knows; 0: as many, up to 5, as can be solved
	// in a moment.
	Phases       int
	Policies     []policy.Policy // that are simulated only
	Replications int             // 0: 16
	Jobs         int             // of each replication, about; 0: 10,000
	Seed         uint64
	Workers      int     // 0: one for each processor; results do not depend on it
	Confidence   float64 // 0: 0.95
	// Progress, if not nil, is called, perhaps from several goroutines at a time, when so many replications are done.
	Progress func(done int)
}

func (o ChainOptions) withDefaults() ChainOptions {
	o.Replications = cmp.Or(o.Replications, 16)
	o.Jobs = cmp.Or(o.Jobs, 10_000)
	o.Confidence = cmp.Or(o.Confidence, 0.95)
	return o
}

// Check returns what is wrong with the options on a machine with the given number of nodes, nil if nothing is.
func (o ChainOptions) Check(nodes int) error {
	o = o.withDefaults()
	switch {
	case o.MinNodes < 1 || nodes%o.MinNodes != 0:
		return fmt.Errorf("allocatecmd: %d nodes are not a multiple of %d", nodes, o.MinNodes)
	case o.Phases < 0 || o.Replications < 0 || o.Jobs < 0 || o.Workers < 0:
		return errors.New("allocatecmd: phases, replications, jobs and workers must not be negative")
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fmt.Errorf("allocatecmd: the confidence %v is not between 0 and 1", o.Confidence)
	}
	return nil
}

// ChainRow is a policy with its mean response time by both ways.
type ChainRow struct {
	Policy    policy.Policy
	Stable    bool // with the fitted run times; of policies that are simulated only, true
	Intensity float64
	Analytic  float64         // 0 if there is no chain, or it is not stable
	Simulated metric.Interval // if it is stable
	Warnings  []error         // of the solver
}

// Solved reports whether there is a chain, and it is stable.
func (r *ChainRow) Solved() bool { return r.Analytic > 0 }

// Comparison is what Compare returns.
type Comparison struct {
	Load float64
	Rows []ChainRow // dynamic, every static:K, those that are simulated only
	Best *ChainRow  // static partitioning with the shortest solved response time; nil if none is stable
}

// The jobs that count: those that come after the first tenth of the time, by which the machine has forgotten that it
// was empty, and before the last twentieth, for what comes after a job slows it down, too, if it can be resized.
const (
	counted = 0.10
	until   = 0.95
)

var errNoMachine = errors.New("allocatecmd: there is no machine; make one with NewMachine")

// Compare solves dynamic partitioning and every static one with the fitted run times, and simulates them and the other
// policies with the jobs of the workload, all on the same jobs. Resizing costs nothing, and jobs hold whole nodes. The
// partitions are those of the machine, whatever the options say of nodes and phases.
func (m *Machine) Compare(ctx context.Context, o ChainOptions) (Comparison, error) {
	if m == nil || m.Static == nil || m.Dynamic == nil {
		return Comparison{}, errNoMachine
	}
	o.MinNodes = m.Static.MinNodes
	if err := o.Check(m.Workload.Nodes); err != nil {
		return Comparison{}, err
	}
	o = o.withDefaults()
	solved, best, err := m.solve(ctx, o.Workers)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Load: m.Workload.Load}
	for i := range solved {
		r := &solved[i].Measures
		row := ChainRow{Policy: solved[i].Policy, Stable: r.Stable, Intensity: r.TrafficIntensity,
			Warnings: r.Diagnostics.Warnings}
		if r.Stable {
			row.Analytic = r.MeanResponseTime
		}
		c.Rows = append(c.Rows, row)
	}
	for _, p := range o.Policies {
		c.Rows = append(c.Rows, ChainRow{Policy: p, Stable: true})
	}
	if best != nil {
		i := slices.IndexFunc(c.Rows, func(r ChainRow) bool { return r.Policy == best.Policy })
		c.Best = &c.Rows[i]
	}
	return c, c.simulate(ctx, m, o)
}

// simulate lets every replication make its jobs and give them to all policies.
func (c *Comparison) simulate(ctx context.Context, m *Machine, o ChainOptions) error {
	w := m.Workload
	w.Length = float64(o.Jobs) / w.Rate()
	means := make([][]float64, len(c.Rows))
	for i := range means {
		means[i] = make([]float64, o.Replications)
	}
	var done atomic.Int64
	err := parallel.Each(ctx, o.Replications, o.Workers, func(r int) error {
		key := des.Seed(o.Seed).At(uint64(r))
		jobs := w.Day(key, nil)
		for i := range c.Rows {
			if !c.Rows[i].Stable {
				continue
			}
			var err error
			if means[i][r], err = meanResponse(ctx, m, c.Rows[i].Policy, w, jobs); err != nil {
				return fmt.Errorf("allocatecmd: %s: %w", c.Rows[i].Policy, err)
			}
		}
		if n := done.Add(1); o.Progress != nil {
			o.Progress(int(n))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range c.Rows {
		if c.Rows[i].Stable {
			c.Rows[i].Simulated = metric.Student(means[i], o.Confidence)
		}
	}
	return nil
}

// meanResponse returns the mean response time of the jobs that count under a policy.
func meanResponse(ctx context.Context, m *Machine, p policy.Policy, w Workload, jobs []workload.Job) (
	float64, error) {
	var sum, n float64
	c := machine.Config{Nodes: w.Nodes, Unit: m.unit(p), Policy: p, Load: w.Load, Jobs: machine.List(jobs),
		Done: func(r *machine.Record) {
			if r.Submit >= counted*w.Length && r.Submit < until*w.Length {
				sum, n = sum+r.Response(), n+1
			}
		}}
	_, err := machine.Run(ctx, c, des.Seed(0))
	return sum / n, err
}

// unit returns the number that the nodes of a job are a multiple of: one where a policy chooses how many each job gets,
// those of the smallest partition where it divides the machine.
func (m *Machine) unit(p policy.Policy) int {
	if _, molds := sched.SizingOf(p); molds {
		return 1
	}
	return m.Static.MinNodes
}
