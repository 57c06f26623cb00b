package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

// sp is static partitioning. The nodes are split once into K partitions of equal size. Each partition runs one job at a
// time from start to end; other jobs wait first come, first served. It is the MAP/PH/K queue. The service time is the
// set-up of a job followed by B_K.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, 244–270, section 2.2.
type sp struct {
	*System
	partitions int            // K, a divisor of N
	service    phasetype.Dist // time during which a job occupies its partition
}

// newSP returns the chain of static partitioning into so many partitions.
func newSP(s *System, partitions int) (p *sp, err error) {
	p = &sp{System: s, partitions: partitions}
	if p.service, err = p.withSetup(s.Service[partitions-1]); err != nil {
		return nil, fmt.Errorf("models: %s: %w", words.Count(partitions, "static partition"), err)
	}
	return p, nil
}

// withSetup returns the time during which a job with run time b occupies its partition.
func (p *sp) withSetup(b phasetype.Dist) (phasetype.Dist, error) {
	setup := p.Setup[p.partitions]
	if setup.IsZero() {
		return b, nil
	}
	return phasetype.Sum(setup, b)
}

// speed returns the speedup of a job of a class on its partition.
func (p *sp) speed(c *Class) float64 {
	partition := float64(p.Nodes) / float64(p.partitions)
	return c.Speedup.At(min(c.most(p.Machine()), partition))
}

// queue returns the chain.
func (p *sp) queue() *multiserver.Queue {
	return &multiserver.Queue{
		D0:      p.Arrivals.D0(),
		D1:      p.Arrivals.D1(),
		Servers: p.partitions,
		Service: []multiserver.Phases{phases(p.service)},
	}
}

// CheckSize returns an error if the chain needs more memory than st.Memory. Otherwise it returns about how many seconds
// Solve takes on one core. It solves nothing.
func (p *sp) CheckSize(ctx context.Context, st markov.Settings) (seconds float64, err error) {
	return p.queue().CheckSize(ctx, st)
}

// Solve returns the measures of the system under static partitioning. An unstable system is not an error.
func (p *sp) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	m, sol, err := solveQueue(ctx, p.System, float64(p.partitions)/p.service.Mean(), p.queue(), st)
	if err != nil {
		return m, fmt.Errorf("models: %s: %w", words.Count(p.partitions, "static partition"), err)
	}
	if sol == nil {
		return m, nil
	}
	m.times = p.responseTimes(sol)
	m.readClasses(p.System, func(c phasesOfClass) float64 { // by Little's law
		run := c.Demand.Mean() / p.speed(c.Class)
		return p.Arrivals.Rate() * c.share * (p.Setup[p.partitions].Mean() + run)
	})
	return m, checkConservation(&m, p.System)
}
