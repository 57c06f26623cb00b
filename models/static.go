package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// SP is static partitioning: the nodes are split once into K partitions of equal size, each runs one job at a time from
// start to end, others wait first come, first served. It is the MAP/PH/K queue; service is the set-up of a job
// followed by B_K.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, 244–270, section 2.2.
type SP struct {
	System     *System
	Partitions int // K, a divisor of N
}

// check returns what is wrong with the system or the number of partitions.
func (p *SP) check() error {
	if p == nil {
		return wrong("", "there is none")
	}
	if err := p.System.checkStatic(); err != nil {
		return err
	}
	return policy.Static{Partitions: p.Partitions}.Check(p.System.Machine())
}

// Service returns the time a job occupies its partition.
func (p *SP) Service() (phasetype.Dist, error) {
	if err := p.check(); err != nil {
		return phasetype.Dist{}, err
	}
	b := p.System.Service[p.Partitions-1]
	setup := p.System.Setup[p.Partitions]
	if setup.IsZero() {
		return b, nil
	}
	return phasetype.Sum(setup, b)
}

// inService returns the mean number of jobs of each class that arrives in a partition, by Little's law.
func (p *SP) inService() (of []float64) {
	s, total := p.System, p.System.totalShare()
	partition := float64(s.Nodes) / float64(p.Partitions)
	for _, c := range s.Classes {
		if c.Share > 0 {
			run := c.Demand.Mean() / c.Speedup.At(min(c.most(s.Machine()), partition))
			of = append(of, s.Arrivals.Rate()*c.Share/total*(p.System.Setup[p.Partitions].Mean()+run))
		}
	}
	return of
}

// Queue returns the chain.
func (p *SP) Queue() (*multiserver.Queue, error) {
	service, err := p.Service()
	if err != nil {
		return nil, err
	}
	return &multiserver.Queue{
		D0:      p.System.Arrivals.D0(),
		D1:      p.System.Arrivals.D1(),
		Servers: p.Partitions,
		Service: []multiserver.Phases{phases(service)},
	}, nil
}

// Solve returns the measures of the system under static partitioning. An unstable system is not an error.
func (p *SP) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	if err := p.check(); err != nil {
		return Measures{}, err
	}
	service, err := p.Service()
	if err != nil {
		return Measures{}, fmt.Errorf("models: %d static partitions: %w", p.Partitions, err)
	}
	capacity := float64(p.Partitions) / service.Mean()
	m := Measures{MaxArrivalRate: capacity, TrafficIntensity: p.System.Arrivals.Rate() / capacity}
	q, err := p.Queue()
	if err != nil {
		return m, fmt.Errorf("models: %d static partitions: %w", p.Partitions, err)
	}
	sol, err := solveStable(ctx, &m, q, st)
	if err != nil {
		return m, fmt.Errorf("models: %d static partitions: %w", p.Partitions, err)
	}
	if sol == nil {
		return m, nil
	}
	readMeasures(&m, sol, p.Partitions)
	m.delays = sol.Delays
	m.readClasses(p.System, p.inService())
	return m, checkConservation(&m, p.System)
}
