package spectrum

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Station is the queue while all of its c servers are busy: arrivals, and service that does not depend on the level. Its
// methods find the roots, the eigenvectors and the decay rate.
type Station struct {
	ar            transforms
	c, m          int
	alpha         []float64
	t             block.Matrix
	exit          []float64
	Index         *statespace.StateIndex // numbers the occupancies; must be set before [Station.Modes]
	Root          [3]float64             // results of Caudal: s, η and 1 − η; zeros before
	knownBranches branches               // result of branchesOf, once asked is true
	asked         bool
}

// NewStation returns the queue with c servers. alpha, t and exit are the initial probabilities, the off-diagonal rates
// and the rates of absorption of the service time.
func NewStation(ar *statespace.Arrivals, c int, alpha []float64, t block.Matrix, exit []float64) *Station {
	return &Station{ar: transforms{ar}, c: c, m: len(alpha), alpha: alpha, t: t, exit: exit}
}

// transforms evaluates the Laplace transforms of the times between arrivals.
type transforms struct{ *statespace.Arrivals }

// intensity returns the traffic intensity λ·E[B]/c; the queue is stable below 1. λ is the arrival rate, and E[B] the mean service
// time.
func (s *Station) intensity(ctx context.Context) (float64, error) {
	mean, err := statespace.MeanTime(ctx, s.alpha, s.t, s.exit)
	return s.ar.Rate * mean / float64(s.c), err
}
