package epochs

import (
	"cmp"
	"context"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// reportQuantum is the length T of a quantum in the simulations of the report.
const reportQuantum = 10

// ofOpen sets the measures and the growth of jobs in an open system from the sums of each replication. first has the sums under
// the first policy.
func (r *Result) ofOpen(sums, first [][]float64) {
	formulas := map[string]func(s, first []float64) float64{RelativeResponse: func(s, first []float64) float64 {
		return s[metric.Response] / s[metric.Jobs] / (first[metric.Response] / first[metric.Jobs])
	}}
	for _, name := range measures[OpenExperiment][1:] {
		of, _ := metric.Of(name, 1)
		formulas[name] = func(s, _ []float64) float64 { return of(s) }
	}
	r.estimate(sums, first, formulas)
	var before, after float64
	for _, s := range sums {
		before, after = before+s[early], after+s[late]
	}
	r.Growth = after / before
}

// The sums of a replication that follow the sums of package metric.
const (
	early = metric.Width + iota // time that jobs spent in the earlier half of that in which they came
	late
	openWidth
)

// open runs one replication of jobs of a case that arrive on the machine of whole nodes. In a closed system the mean response
// time is J over the throughput, whatever the order in which jobs are served. Here the order matters. The J of the case says
// only how many nodes jobs need, like that many of a closed system. Arrivals are Poisson; the load is the work offered over
// what all nodes could do, λ·E[demand]/N. Jobs can be resized under policies that do so; under others they ask for the least
// number of nodes. A policy in epochs that names no quantum has the quantum of the options. Without one there it has 10, as in
// the report.
func open(ctx context.Context, at Point, p policy.Policy, o *Options, replication int) ([]float64, error) {
	key := at.key(o.Seed).At(uint64(replication))
	var total metric.Sums
	sums := make([]float64, openWidth)
	warmUp := o.Jobs / 10
	on := metric.Machine{Nodes: at.Nodes}
	entry, _ := o.Table.Named(p.Name())
	jobs, err := at.arriving(ctx, key, entry.Jobs, warmUp+o.Jobs)
	if err != nil {
		return nil, err
	}
	end := jobs[len(jobs)-1].Submit
	if e, ok := p.(policy.Epochs); ok && e.Quantum == 0 {
		e.Quantum = cmp.Or(o.Quantum, reportQuantum)
		p = e
	}
	config := machine.Config{Nodes: at.Nodes, Policy: p, Load: at.Load, Jobs: machine.List(jobs), Done: func(r *machine.Record) {
		sums[early] += max(0, min(r.End, end/2)-r.Submit)
		sums[late] += max(0, min(r.End, end)-max(r.Submit, end/2))
		if r.Number >= warmUp {
			total.Add(r, on, nil)
		}
	}}
	_, err = machine.Run(ctx, config, key)
	copy(sums, total[:])
	return sums, err
}

// arriving draws n jobs of a kind that arrive as a Poisson process at the load of the point, in the order of their arrival. The
// error comes from ctx.
func (p Point) arriving(ctx context.Context, key des.Key, kind workload.Kind, n int) ([]workload.Job, error) {
	gaps, keys := key.At(0).Stream(), key.At(1)
	mean := meanDemand / (p.Load * float64(p.Nodes))
	jobs := make([]workload.Job, n)
	now := 0.
	for i := range jobs {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		now += mean * gaps.Exp()
		random := keys.At(uint64(i)).Stream()
		least, demand, beta := p.draw(&random)
		threads := 0
		if p.Application == Static {
			threads = p.Nodes
		}
		jobs[i] = workload.Job{ID: i + 1, User: -1, Application: -1, Submit: now, Kind: kind, Nodes: least, Min: least,
			Work: demand, Speedup: dowdy(beta, threads)}
	}
	return jobs, nil
}

// dowdy returns the speedup of an execution signature, of a job that is split into threads unless threads is 0.
func dowdy(beta float64, threads int) workload.Speedup {
	s, err := workload.NewSpeedup("dowdy", beta)
	if threads > 0 {
		s, err = workload.NewSpeedup("dowdy-static", beta, float64(threads))
	}
	if err != nil {
		panic(err) // no case has a negative beta
	}
	return s
}
