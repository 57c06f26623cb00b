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
	// models: system: Service has 1 entries for N = 2 partitions
	// true Service
}
