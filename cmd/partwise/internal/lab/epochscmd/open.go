package epochscmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Arrivals say how jobs come to an open system. In a closed one the mean response time is J over the throughput, whatever
// the order in which jobs are served; here it matters who waits for whom.
type Arrivals struct {
	Load float64 // work offered over what all nodes could do, λ·E[demand]/N
	// Process, if it is not the zero value, gives the times between arrivals their shape and their correlation; they are
	// stretched to the load. Otherwise arrivals are Poisson.
	Process phasetype.MAP
	Costs   machine.Costs // of what changes hands; nil: none
	Table   policy.Table  // which says what jobs policies take; nil: that of this module
}

// reportQuantum is the length T of a quantum in the simulations of the report.
const reportQuantum = 10

// Opens runs jobs of a case that arrive on the machine of whole nodes under all policies. Its J says
// only how many nodes jobs need, like that many of a closed system. Jobs can be resized under policies that do so; under
// others they ask for the least number of nodes. Policies in epochs without a quantum have that of the options or, if
// there is none, the report's 10.
func Opens(ctx context.Context, c Case, a Application, arrivals Arrivals, policies []policy.Policy, o Options) ([]Result, error) {
	o = o.withDefaults()
	if err := check(c, len(policies), o); err != nil {
		return nil, err
	}
	if !(arrivals.Load > 0) || math.IsInf(arrivals.Load, 1) {
		return nil, fmt.Errorf("epochscmd: the load is %v; it must be positive", arrivals.Load)
	}
	if arrivals.Table == nil {
		arrivals.Table = policy.Standard()
	}
	sums, err := parallel.Grid(ctx, len(policies), o.Replications, o.Workers, o.Progress, func(i, r int) ([]float64, error) {
		return runOpen(ctx, c, a, arrivals, policies[i], o, r)
	})
	if err != nil {
		return nil, err
	}
	all := make([]Result, len(policies))
	for i, p := range policies {
		all[i] = concludeOpen(sums[i], sums[0], o)
		all[i].Policy, all[i].Point = p, Point{c, a, arrivals.Load}
	}
	return all, nil
}

// The sums of a replication behind those of package metric.
const (
	early = metric.Width + iota // time that jobs spent in the earlier half of that in which they came
	late
	openWidth
)

// runOpen runs one replication and returns its sums.
func runOpen(ctx context.Context, c Case, a Application, arrivals Arrivals, p policy.Policy, o Options, replication int,
) ([]float64, error) {
	key := c.key(o.Seed).At(uint64(replication))
	var total metric.Sums
	sums := make([]float64, openWidth)
	warmUp := o.Jobs / 10
	on := metric.Machine{Nodes: c.Nodes}
	jobs := c.arriving(ctx, key, a, arrivals, p, warmUp+o.Jobs)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	end := jobs[len(jobs)-1].Submit
	config := machine.Config{Nodes: c.Nodes, Policy: withQuantum(p, o.Quantum), Costs: arrivals.Costs, Load: arrivals.Load,
		Jobs: machine.List(jobs), Done: func(r *machine.Record) {
			sums[early] += max(0, min(r.End, end/2)-r.Submit)
			sums[late] += max(0, min(r.End, end)-max(r.Submit, end/2))
			if r.Number >= warmUp {
				total.Add(r, on, nil)
			}
		}}
	_, err := machine.Run(ctx, config, key)
	copy(sums, total[:])
	var own *machine.PolicyError
	if errors.As(err, &own) {
		return nil, fmt.Errorf("epochscmd: %s: %w", p, own.Err)
	}
	return sums, err
}

// withQuantum gives a policy in epochs the quantum if it has none of its own.
func withQuantum(p policy.Policy, quantum float64) policy.Policy {
	e, ok := p.(policy.Epochs)
	if !ok || e.Quantum > 0 {
		return p
	}
	e.Quantum = cmp.Or(quantum, reportQuantum)
	return e
}

// arriving draws jobs.
func (c Case) arriving(ctx context.Context, key des.Key, a Application, arrivals Arrivals, p policy.Policy, n int) []workload.Job {
	e, _ := arrivals.Table.Named(p.Name())
	gap := arrivals.gaps(key.At(0), meanDemand/(arrivals.Load*float64(c.Nodes)))
	keys := key.At(1)
	jobs := make([]workload.Job, n)
	now := 0.
	for i := range jobs {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		now += gap()
		random := keys.At(uint64(i)).Stream()
		least, demand, beta := c.draw(&random)
		threads := 0
		if a == Static {
			threads = c.Nodes
		}
		jobs[i] = workload.Job{ID: i + 1, User: -1, Application: -1, Submit: now, Kind: e.Jobs, Nodes: least, Min: least,
			Work: demand, Speedup: dowdy(beta, threads)}
	}
	return jobs
}

// dowdy returns the speedup of an execution signature, of a job that is split into threads unless threads is 0.
func dowdy(beta float64, threads int) workload.Speedup {
	s, err := workload.NewDowdy(beta, threads)
	if err != nil {
		panic(err) // no case has a negative beta
	}
	return s
}

// gaps returns a function that draws the times between arrivals, of the given mean.
func (a Arrivals) gaps(key des.Key, mean float64) func() float64 {
	if a.Process.Phases() == 0 {
		times := key.Stream()
		return func() float64 { return mean * times.Exp() }
	}
	times := des.NewArrivals(a.Process)
	times.Begin(key)
	stretch := a.Process.Rate() * mean
	return func() float64 { return stretch * times.Gap() }
}

// concludeOpen makes the results of a policy from its sums and those of the first policy.
func concludeOpen(sums, first [][]float64, o Options) Result {
	both := make([][]float64, len(sums))
	var before, after float64
	for r, s := range sums {
		both[r] = append(slices.Clone(s), first[r]...)
		before, after = before+s[early], after+s[late]
	}
	mean := func(name string) metric.Interval {
		of, _ := metric.Of(name, 1)
		return metric.Jackknife(sums, of, o.Confidence)
	}
	return Result{
		Mean:     mean(measure.MeanResponseTime),
		Waiting:  mean(measure.MeanWaitingTime),
		Slowdown: mean(measure.MeanSlowdown),
		Relative: metric.Jackknife(both, func(s []float64) float64 {
			return s[metric.Response] / s[metric.Jobs] / (s[openWidth+metric.Response] / s[openWidth+metric.Jobs])
		}, o.Confidence),
		Growth: after / before,
	}
}
