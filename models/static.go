package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// sp is static partitioning: the nodes are split once into K partitions of equal size, each runs one job at a time from
// start to end, others wait first come, first served. It is the MAP/PH/K queue; service is the set-up of a job
// followed by B_K.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, 244–270, section 2.2.
type sp struct {
	System     *System
	Partitions int // K, a divisor of N
}

// check returns what is wrong with the system or the number of partitions.
func (p *sp) check() error {
	if p == nil {
		return wrong("", "there is none")
	}
	if err := p.System.checkStatic(); err != nil {
		return err
	}
	return policy.Static{Partitions: p.Partitions}.Check(p.System.Machine())
}

// Service returns the time a job occupies its partition.
func (p *sp) Service() (phasetype.Dist, error) {
	if err := p.check(); err != nil {
		return phasetype.Dist{}, err
	}
	return p.withSetup(p.System.Service[p.Partitions-1])
}

// withSetup returns the time that a job which runs for the time b occupies its partition.
func (p *sp) withSetup(b phasetype.Dist) (phasetype.Dist, error) {
	setup := p.System.Setup[p.Partitions]
	if setup.IsZero() {
		return b, nil
	}
	return phasetype.Sum(setup, b)
}

// serviceOf returns the time that a job of the class of a name occupies its partition.
func (p *sp) serviceOf(class string) (phasetype.Dist, error) {
	of, err := p.System.classNamed(class)
	if err != nil {
		return phasetype.Dist{}, err
	}
	b, err := of.Demand.Scale(1 / p.speed(of.Class))
	if err != nil {
		return phasetype.Dist{}, err
	}
	return p.withSetup(b)
}

// speed returns the speedup of a job of a class in its partition.
func (p *sp) speed(c *Class) float64 {
	partition := float64(p.System.Nodes) / float64(p.Partitions)
	return c.Speedup.At(min(c.most(p.System.Machine()), partition))
}

// inService returns the mean number of jobs of each class that arrives in a partition, by Little's law.
func (p *sp) inService() (of []float64) {
	s, total := p.System, p.System.totalShare()
	for _, c := range s.Classes {
		if c.Share > 0 {
			run := c.Demand.Mean() / p.speed(&c)
			of = append(of, s.Arrivals.Rate()*c.Share/total*(p.System.Setup[p.Partitions].Mean()+run))
		}
	}
	return of
}

// Queue returns the chain.
func (p *sp) Queue() (*multiserver.Queue, error) {
	service, err := p.Service()
	if err != nil {
		return nil, err
	}
	return p.queueOf(service), nil
}

func (p *sp) queueOf(service phasetype.Dist) *multiserver.Queue {
	return &multiserver.Queue{
		D0:      p.System.Arrivals.D0(),
		D1:      p.System.Arrivals.D1(),
		Servers: p.Partitions,
		Service: []multiserver.Phases{phases(service)},
	}
}

// Solve returns the measures of the system under static partitioning. An unstable system is not an error.
func (p *sp) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	if err := p.check(); err != nil {
		return Measures{}, err
	}
	service, err := p.withSetup(p.System.Service[p.Partitions-1])
	if err != nil {
		return Measures{}, fmt.Errorf("models: %d static partitions: %w", p.Partitions, err)
	}
	m, stable := newMeasures(p.System, float64(p.Partitions)/service.Mean())
	if !stable {
		return m, nil
	}
	sol, err := solveStable(ctx, &m, p.queueOf(service), st)
	if err != nil {
		return m, fmt.Errorf("models: %d static partitions: %w", p.Partitions, err)
	}
	if sol == nil {
		return m, nil
	}
	readMeasures(&m, sol, p.Partitions)
	m.delays = func(ctx context.Context, class string) (waiting, response *multiserver.Delay, err error) {
		if waiting, response, err = sol.Delays(ctx); err != nil || class == "" {
			return waiting, response, err
		}
		own, err := p.serviceOf(class)
		if err != nil {
			return nil, nil, err
		}
		response, err = waiting.Plus(ctx, phases(own))
		return waiting, response, err
	}
	m.readClasses(p.System, p.inService())
	return m, checkConservation(&m, p.System)
}
