package models_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
)

// M/M/2 at a load of two thirds: every state is a level of its own.
func ExampleChain() {
	c := &models.levelChain[struct{}]{Repeats: 2, Empty: []struct{}{{}}}
	c.Moves = func(level int, s struct{}, add func(by int, to struct{}, rate float64)) {
		add(+1, s, 4./3)
		if level > 0 {
			add(-1, s, float64(min(level, 2)))
		}
	}
	q, err := c.QBD(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := q.Solve(context.Background(), markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P(0) = %.3f\n", s.Probability(0)) // (1−ρ)/(1+ρ), ρ = 2/3
	// Output: P(0) = 0.200
}
