package models_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// twoNodes returns two nodes with jobs of one hour, half as long on both, that come every 50 minutes.
func twoNodes() *models.System {
	s := &models.System{Nodes: 2, MinNodes: 1}
	var err error
	if s.Arrivals, err = phasetype.Renewal(phasetype.Must(phasetype.Exponential(1.0 / 50))); err != nil {
		log.Fatal(err)
	}
	for _, mean := range []float64{30, 60} {
		s.Service = append(s.Service, phasetype.Must(phasetype.Exponential(1/mean)))
	}
	return s
}

// What static partitioning into two does to the machine.
func ExampleSystem_Chain() {
	s := twoNodes()
	chain, err := s.Chain(policy.Static{Partitions: 2})
	if err != nil {
		log.Fatal(err)
	}
	m, err := chain.Solve(context.Background(), markov.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range models.Table()[:3] {
		v, _ := m.Of(q.Name)
		fmt.Printf("%s %.4f %s\n", q.Name, v, q.Unit.In("min"))
	}
	// Output:
	// mean_response_time 93.7500 min
	// mean_jobs 1.8750 jobs
	// variance_jobs 3.9844
}

// A system that is wrong says so, whatever is asked of it.
func ExampleSystem_Check() {
	s := twoNodes()
	s.Service = s.Service[:1]
	fmt.Println(s.Check())
	_, err := s.Chain(policy.Dynamic{})
	var wrong *models.SystemError
	fmt.Println(errors.As(err, &wrong), wrong.Field)
	// Output:
	// models: system: Service has 1 entry for N = 2 partitions
	// true Service
}

// A machine that is divided anew when two jobs wait or half of them have left, where that takes two minutes.
func ExampleSystem_Chain_rules() {
	s := twoNodes()
	c := phasetype.Must(phasetype.Exponential(1.0 / 2))
	s.Shrink, s.Expand = []phasetype.Dist{{}, c}, []phasetype.Dist{c}
	for _, rule := range []policy.Resize{{}, {Wait: 2, Hysteresis: 2}} {
		chain, err := s.Chain(rule)
		if err != nil {
			log.Fatal(err)
		}
		m, err := chain.Solve(context.Background(), markov.Settings{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.1f min, %.2f repartitions an hour\n", rule, m.MeanResponseTime, 60*m.Repartitions.Rate)
	}
	// Output:
	// resize: 78.6 min, 0.57 repartitions an hour
	// resize:hysteresis=2,wait=2: 76.8 min, 0.22 repartitions an hour
}

// What may happen on two nodes that two jobs share, and how many run when the rule keeps the division.
func ExampleSharing() {
	machine, err := models.NewSharing(twoNodes())
	if err != nil {
		log.Fatal(err)
	}
	shared := models.Shared{Shares: 2, Jobs: "\x00\x02"} // two jobs in phase 0
	machine.Events(2, shared, func(by int, to models.Shared, rate float64) {
		for shares := max(1, to.Running()); shares <= 2; shares++ {
			machine.Divide(2+by, to, shares, func(next models.Shared, p float64) {
				fmt.Printf("at rate %.4f %d jobs, %d running on %d shares\n", rate, 2+by, next.Running(), next.Shares)
			})
		}
	})
	// Output:
	// at rate 0.0200 3 jobs, 2 running on 2 shares
	// at rate 0.0333 1 jobs, 1 running on 1 shares
	// at rate 0.0333 1 jobs, 1 running on 2 shares
}
