package testbed

import (
	"context"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
)

// Transition is what repartitions for one reason cost that leave so many jobs running.
type Transition struct {
	Why     Why // Arrival or Departure
	Running int
	Samples []Reconfiguration
}

// Values returns a quantity, such as the total time in seconds, of each measured repartition.
func (t *Transition) Values(of func(*Reconfiguration) float64) []float64 {
	x := make([]float64, len(t.Samples))
	for i := range x {
		x[i] = of(&t.Samples[i])
	}
	return x
}

// Transitions measures the costs of dynamic equi-partitioning. Jobs like w.Jobs[0] arrive one by one, until there are
// as many jobs as nodes. Then they are cancelled one by one, in random order. All this is repeated so many times. The
// gap between two changes must be long enough for a repartition. The moments are random within a phase, as the moments
// of a Poisson process are. The transitions are by arrivals to 1, 2, …, N jobs, then by departures to N−1, …, 1.
func (m *Machine) Transitions(ctx context.Context, w Workload, times int, gap time.Duration, seed des.Key) ([]Transition, error) {
	if m.Nodes < 1 || len(w.Jobs) == 0 {
		return nil, errNothing
	}
	like, random := w.Jobs[0], seed.At(1).Stream()
	like.Work = 1e9 // no job ends by itself
	w.Jobs = nil
	at := func(step int) float64 { return (float64(step) + random.Float64()/2) * gap.Seconds() }
	round := 2*m.Nodes + 1
	for k := range times {
		order := make([]int, m.Nodes)
		for i := range order {
			j := int(random.Float64() * float64(i+1))
			order[i], order[j] = order[j], i
		}
		for i := range m.Nodes {
			j := like
			j.ID, j.Kind = k*m.Nodes+i+1, workload.Malleable
			j.Submit, j.Cancel = at(k*round+i), at(k*round+m.Nodes+order[i])
			w.Jobs = append(w.Jobs, j)
		}
	}
	o, err := m.Run(ctx, w, policy.Dynamic{}, seed)
	if err != nil {
		return nil, err
	}
	all := make([]Transition, 2*m.Nodes-1)
	for i := range all {
		t := &all[i]
		t.Why, t.Running = Arrival, i+1
		if i >= m.Nodes {
			t.Why, t.Running = Departure, 2*m.Nodes-1-i
		}
		// neither both at once, nor a machine without jobs, as when a job is cancelled before it starts
		for _, r := range o.Reconfigurations {
			if t.Why == r.Why && t.Running == r.Running {
				t.Samples = append(t.Samples, r)
			}
		}
	}
	return all, nil
}

// Alone measures how long a job like w.Jobs[0] runs that has so many nodes for itself, once for each of times.
func (m *Machine) Alone(ctx context.Context, w Workload, nodes, times int) ([]float64, error) {
	j := w.Jobs[0]
	j.Kind, j.Nodes, j.Submit, j.Cancel = workload.Rigid, nodes, 0, 0
	w.Jobs = []Job{j}
	var all []float64
	for range times {
		o, err := m.Run(ctx, w, policy.FCFS{}, des.Key{})
		if err != nil {
			return nil, err
		}
		all = append(all, o.Jobs[0].End-o.Jobs[0].Start)
	}
	return all, nil
}
