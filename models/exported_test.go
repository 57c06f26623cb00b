package models

import "github.com/partwise/partwise/markov/multiserver"

// What the tests of the package use beside its exports.
type (
	SP       = sp
	Smoothed = smoothed
)

// Queue returns the queue that the chain is.
func (d *DEP) Queue() (*multiserver.Queue, error) { return d.queue() }
