package allocatecmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// Machine is a workload's machine, in partitions of multiples of a number of nodes, with fitted run times.
type Machine struct {
	Workload Workload
	RunTimes []RunTimes // on the P/K nodes of a static partition, for each K that there can be, ascending
	// Static has, for each K, the run times as they were fitted for it, Dynamic on all numbers of nodes those of the
	// [Classes] of jobs that the fit of the smallest partition tells apart.
	Static, Dynamic *models.System
}

// NewMachine fits the run times of a workload on all partitions.
func NewMachine(ctx context.Context, w Workload, o ChainOptions) (*Machine, error) {
	gap, err := phasetype.Exponential(w.Rate())
	if err != nil {
		return nil, err
	}
	arrivals, err := phasetype.Renewal(gap)
	if err != nil {
		return nil, err
	}
	s := models.System{Nodes: w.Nodes, MinNodes: o.MinNodes, Arrivals: arrivals}
	n, ks := s.Partitions(), s.Machine().Divisors()
	classes := o.Phases
	if classes == 0 {
		classes = affordable(n, mostPhases)
	}
	fits := make([]RunTimes, len(ks)+1)
	err = parallel.Each(ctx, len(fits), o.Workers, func(i int) (err error) {
		k, phases := n, classes // the last: of the classes
		if i < len(ks) {
			k, phases = ks[i], affordable(ks[i], max(o.Phases, mostPhases))
		}
		fits[i], err = Fit(ctx, w, float64(w.Nodes)/float64(k), phases)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("allocatecmd: %w", err)
	}
	nodes := make([]float64, n)
	for i := range nodes {
		nodes[i] = float64(w.Nodes) / float64(i+1)
	}
	static, dynamic := s, s
	if dynamic.Service, err = Classes(w, fits[len(ks)], nodes); err != nil {
		return nil, err
	}
	static.Service = slices.Clone(dynamic.Service)
	for i, k := range ks {
		static.Service[k-1] = fits[i].Dist
	}
	return &Machine{w, fits[:len(ks)], &static, &dynamic}, nil
}

// mostPhases is how many phases run times are fitted with at most, unless more are asked for; mostStates bounds the
// ways in which jobs in so many partitions can be in them, which the time and memory of a solution depend on.
const mostPhases, mostStates = 5, 2500

// affordable returns the largest number of phases, up to most, with which the jobs of k partitions can be in no more
// than mostStates combinations of phases, C(k + phases − 1, k); at least 2.
func affordable(k, most int) int {
	states := k + 1 // of two phases
	phases := 2
	for phases < most && states*(k+phases)/phases <= mostStates {
		states = states * (k + phases) / phases
		phases++
	}
	return phases
}

// At returns the machine at another offered load. The fits remain.
func (m *Machine) At(load float64) (*Machine, error) {
	at := *m
	at.Workload.Load = load
	err := at.Workload.Check()
	if err == nil {
		at.Static, err = m.Static.WithArrivalRate(at.Workload.Rate())
	}
	if err == nil {
		at.Dynamic, err = m.Dynamic.WithArrivalRate(at.Workload.Rate())
	}
	return &at, err
}

// solve solves dynamic partitioning and then every static one, of which it also returns the best.
func (m *Machine) solve(ctx context.Context, workers int) (all []decide.Solved, best *decide.Solved, err error) {
	dynamic, err := decide.Solve(ctx, m.Dynamic, []policy.Policy{policy.Dynamic{}}, markov.Settings{}, workers)
	if err != nil {
		return nil, nil, err
	}
	static, err := decide.Solve(ctx, m.Static, policy.Statics(m.Static.Machine()), markov.Settings{}, workers)
	if err != nil {
		return nil, nil, err
	}
	return append(dynamic.Results, static.Results...), static.Best, nil
}
