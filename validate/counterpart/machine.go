package counterpart

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/days"
	"github.com/partwise/partwise/validate/estimate"
)

// Machine is a workload's machine, in partitions of multiples of a number of nodes, with fitted run times.
type Machine struct {
	Workload days.Workload
	RunTimes []RunTimes // on P/i nodes, i = 1..N
	// Static has the run times as they were fitted, each number of nodes for itself, Dynamic those of the [Classes] of
	// jobs that the fit of the smallest partition tells apart.
	Static, Dynamic *models.System
}

// NewMachine fits the run times of a workload on all partitions.
func NewMachine(ctx context.Context, w days.Workload, o Options) (*Machine, error) {
	o = o.withDefaults()
	if err := w.Check(); err != nil {
		return nil, err
	}
	if o.MinNodes < 1 || w.Nodes%o.MinNodes != 0 {
		return nil, fmt.Errorf("counterpart: %d nodes are not a multiple of %d", w.Nodes, o.MinNodes)
	}
	gap, err := phasetype.New([]float64{1}, mat.NewDense(1, 1, []float64{-w.Rate()}))
	if err != nil {
		return nil, err
	}
	arrivals, err := phasetype.Renewal(gap)
	if err != nil {
		return nil, err
	}
	s := models.System{Nodes: w.Nodes, MinNodes: o.MinNodes, Arrivals: arrivals}
	n := s.Partitions()
	m := &Machine{Workload: w, RunTimes: make([]RunTimes, n)}
	errs, nodes := make([]error, n), make([]float64, n)
	err = estimate.Each(ctx, n, o.Workers, func(i int) {
		nodes[i] = float64(w.Nodes) / float64(i+1)
		m.RunTimes[i], errs[i] = Fit(w, nodes[i], o.Phases)
	})
	if err = errors.Join(err, errors.Join(errs...)); err != nil {
		return nil, fmt.Errorf("counterpart: %w", err)
	}
	static, dynamic := s, s
	for i := range m.RunTimes {
		static.Service = append(static.Service, m.RunTimes[i].Dist)
	}
	if dynamic.Service, err = Classes(w, m.RunTimes[n-1], nodes); err != nil {
		return nil, err
	}
	m.Static, m.Dynamic = &static, &dynamic
	return m, nil
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

// solve solves dynamic partitioning and then every static one.
func (m *Machine) solve(ctx context.Context, workers int) ([]models.Solved, error) {
	all := m.Static.Candidates()
	dynamic, err := m.Dynamic.Decide(ctx, all[:1], markov.Settings{}, workers)
	if err != nil {
		return nil, err
	}
	static, err := m.Static.Decide(ctx, all[1:], markov.Settings{}, workers)
	return append(dynamic.Results, static.Results...), err
}
