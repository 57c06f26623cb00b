package multiserver_test

import "github.com/partwise/partwise/markov/internal/block"

// Storage that a solve gives back is NaN in all tests of this package: a solution that still reads it fails.
func init() { block.SpoilReturned() }
