package testbed

import (
	"context"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
)

// sampleCount is the number of samples of what was measured, with each of which the jobs of a replication are simulated once.
const sampleCount = 20

// sample is a machine that might have been measured.
type sample struct {
	kinds     [2]machine.Config // of whole nodes, and where resized jobs work on to the ends of their phases; without jobs or policy
	inflation float64           // of demands
	speedup   workload.Speedup
}

// samples returns sampleCount machines, each from measurements that are drawn, with replacement, from the measurements
// m. The error comes from [Study.sample].
//
// Reference: B. Efron, Bootstrap methods: another look at the jackknife, Ann. Statist. 7 (1979) 1–26.
func (s *Study) samples(m *Measured) ([]sample, error) {
	key := des.Seed(1)
	stream := key.Stream()
	all := make([]sample, sampleCount)
	for k := range all {
		var err error
		if all[k], err = s.sample(m.resampled(&stream)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// resampled returns as many measurements as m has, drawn from m with replacement: the reconfigurations of each transition, and
// the run times on each number of nodes.
func (m *Measured) resampled(stream *des.Stream) *Measured {
	one := &Measured{Nodes: m.Nodes}
	for _, t := range m.Transitions {
		t.Samples = drawn(t.Samples, stream)
		one.Transitions = append(one.Transitions, t)
	}
	for _, t := range m.Alone {
		one.Alone = append(one.Alone, drawn(t, stream))
	}
	return one
}

// drawn returns len(x) elements of x, drawn with replacement: a bootstrap sample.
func drawn[T any](x []T, stream *des.Stream) []T {
	all := make([]T, len(x))
	for i := range all {
		all[i] = x[int(stream.Float64()*float64(len(x)))]
	}
	return all
}

// sample returns the simulated machine that some measurements make: costs of repartitions, speedups, and by which factor demands
// are longer than the demands of the study.
func (s *Study) sample(m *Measured) (sample, error) {
	sys, err := s.System(m, (*Reconfiguration).Total)
	if err != nil {
		return sample{}, err
	}
	one := sample{inflation: sys.Demand.Mean() / s.Demand.Mean(), speedup: sys.Speedup}
	whole, phased := &one.kinds[0], &one.kinds[1]
	whole.Nodes, phased.Nodes = s.Nodes, s.Nodes
	whole.Costs = machine.NewOverheads(sys.Shrink, sys.Expand, machine.ResizedJobs)
	phased.Points = machine.Points{Every: make([]float64, s.Nodes), Together: true}
	for i := range s.Nodes {
		n := float64(i + 1)
		phased.Points.Every[i] = s.Phase.Seconds() * one.inflation * s.Speedup.At(n) / sys.Speedup.At(n)
	}
	standing, err := s.System(m, func(r *Reconfiguration) float64 { return r.Data + r.Start })
	if err != nil {
		return one, err
	}
	phased.Costs = machine.NewOverheads(standing.Shrink, standing.Expand, machine.ResizedJobs)
	return one, nil
}

// simulate returns the measures of some jobs under a policy on both kinds of machine: of whole nodes, and with resizes at
// the ends of phases.
func (one *sample) simulate(ctx context.Context, p policy.Policy, list []Job, key des.Key) (all [2]Measures, err error) {
	jobs := make(machine.List, len(list))
	for i := range jobs {
		jobs[i] = list[i].Job
		jobs[i].Work *= one.inflation
		jobs[i].Speedup = one.speedup
	}
	for kind, config := range one.kinds {
		config.Policy, config.Jobs = p, jobs
		o, err := machine.Run(ctx, config, key)
		if err != nil {
			return all, err
		}
		elapsed := o.Tally[simulation.Elapsed]
		all[kind] = Measures{o.Tally[simulation.ResponseSum] / float64(len(jobs)), o.Tally[simulation.PausedTime] / elapsed,
			o.Tally[simulation.Repartitions] / elapsed}
	}
	return all, nil
}
