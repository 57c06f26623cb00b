package qbdtest_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/qbdtest"
)

// Any solver can be held against the queues whose answers are known.
func ExampleAll() {
	worst := 0.0
	for _, known := range qbdtest.All() {
		s, err := known.Queue.Solve(context.Background(), markov.Settings{})
		if err != nil {
			log.Fatalf("%s: %v", known.Name, err)
		}
		if !math.IsNaN(known.Mean) {
			worst = math.Max(worst, math.Abs(s.Mean()/known.Mean-1))
		}
	}
	fmt.Println("all means to ten digits:", worst < 1e-10)
	// Output: all means to ten digits: true
}
