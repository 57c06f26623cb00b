package testbedcmd

import (
	"context"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// sampleCount is the number of samples of what was measured, with each of which the jobs of a replication are simulated once.
const sampleCount = 20

// sample is a machine that might have been measured.
type sample struct {
	whole, phased machine.Config // of which jobs are missing
	inflation     float64        // of demands
	speedup       workload.Speedup
}

// samples returns machines made of measurements that are drawn, with replacement, from those that were made.
//
// Reference: B. Efron, Bootstrap methods: another look at the jackknife, Ann. Statist. 7 (1979) 1–26.
func (s *Study) samples(m *Measured, p policy.Policy) ([]sample, error) {
	key := des.Seed(1)
	stream := key.Stream()
	all := make([]sample, sampleCount)
	for k := range all {
		var err error
		if all[k], err = s.sample(m.resampled(&stream), p); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (m *Measured) resampled(stream *des.Stream) *Measured {
	one := &Measured{Nodes: m.Nodes, Transitions: make([]testbed.Transition, len(m.Transitions)), Times: make([][]float64, len(m.Times))}
	for i, t := range m.Transitions {
		t.Samples = drawn(t.Samples, stream)
		one.Transitions[i] = t
	}
	for i, t := range m.Times {
		one.Times[i] = drawn(t, stream)
		one.Alone = append(one.Alone, metric.Student(one.Times[i], confidence))
	}
	return one
}

// drawn returns as many of x as there are, drawn with replacement.
func drawn[T any](x []T, stream *des.Stream) []T {
	all := make([]T, len(x))
	for i := range all {
		all[i] = x[int(stream.Float64()*float64(len(x)))]
	}
	return all
}

// sample returns the machine of some measurements.
func (s *Study) sample(m *Measured, p policy.Policy) (sample, error) {
	sys, err := s.System(m)
	if err != nil {
		return sample{}, err
	}
	one := sample{inflation: sys.Demand.Mean() / s.Demand.Mean(), speedup: sys.Speedup,
		whole: machine.Config{Nodes: s.Nodes, Policy: p}}
	if one.whole.Costs, err = machine.NewOverheads(sys.Shrink, sys.Expand, machine.ResizedJobs); err != nil {
		return one, err
	}
	one.phased = one.whole
	one.phased.Points = machine.Points{EveryOn: make([]float64, s.Nodes), Together: true}
	for i := range s.Nodes {
		n := float64(i + 1)
		one.phased.Points.EveryOn[i] = s.Phase.Seconds() * one.inflation * s.Speedup.At(n) / sys.Speedup.At(n)
	}
	shrink, expand, err := m.overheads(func(r *testbed.Reconfiguration) float64 { return r.Data + r.Start })
	if err != nil {
		return one, err
	}
	one.phased.Costs, err = machine.NewOverheads(shrink, expand, machine.ResizedJobs)
	return one, err
}

// simulated is what becomes of the jobs of a replication on each of the samples.
type simulated struct{ whole, phased []Measures }

func simulate(ctx context.Context, samples []sample, list []testbed.Job, seed des.Key) (all simulated, err error) {
	jobs := make(machine.List, len(list))
	for k := range samples {
		one := &samples[k]
		for i := range jobs {
			jobs[i] = list[i].Job
			jobs[i].Work *= one.inflation
			jobs[i].Speedup = one.speedup
		}
		for _, to := range []struct {
			config machine.Config
			all    *[]Measures
		}{{one.whole, &all.whole}, {one.phased, &all.phased}} {
			to.config.Jobs = jobs
			o, err := machine.Run(ctx, to.config, seed.At(uint64(k)))
			if err != nil {
				return all, err
			}
			elapsed := o.Tally[des.Elapsed]
			*to.all = append(*to.all, Measures{o.Tally[des.ResponseSum] / float64(len(jobs)), o.Tally[des.PausedTime] / elapsed,
				o.Tally[des.Repartitions] / elapsed})
		}
	}
	return all, nil
}

func mean(all []Measures) (m Measures) {
	n := float64(len(all))
	for _, x := range all {
		m.MeanResponseTime += x.MeanResponseTime / n
		m.ProbabilityRepartition += x.ProbabilityRepartition / n
		m.RepartitionRate += x.RepartitionRate / n
	}
	return m
}

// bySample returns the means over replications for each sample.
func bySample(replications []simulated, of func(*simulated) []Measures) []Measures {
	all := make([]Measures, sampleCount)
	for k := range all {
		with := make([]Measures, len(replications))
		for r := range replications {
			with[r] = of(&replications[r])[k]
		}
		all[k] = mean(with)
	}
	return all
}
