package models

import "github.com/partwise/partwise/markov"

// DEP is dynamic equi-partitioning.
type DEP struct{ System *System }

// Solve .
func (d *DEP) Solve(markov.Settings) (Measures, error) { panic("being written") }

// SP is static partitioning.
type SP struct {
	System     *System
	Partitions int
}

// Solve .
func (d *SP) Solve(markov.Settings) (Measures, error) { panic("being written") }
