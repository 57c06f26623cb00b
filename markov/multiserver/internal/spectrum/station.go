package spectrum

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Station is the queue while all of its c servers have a job: arrivals, and service that no longer depends on the level. Its
// roots and eigenvectors, and its decay rate, are found here.
type Station struct {
	ar    transforms
	c, m  int
	alpha []float64
	t     block.Matrix
	exit  []float64
	Index *statespace.StateIndex // of the occupancies, before [Station.Modes]
	Root  [3]float64             // of caudal, once it is known
	known branches               // of branchesOf, once they are asked for
	asked bool
}

// NewStation returns the queue with c servers; alpha, t and exit are the service of each, t without its diagonal.
func NewStation(ar *statespace.Arrivals, c int, alpha []float64, t block.Matrix, exit []float64) *Station {
	return &Station{ar: transforms{ar}, c: c, m: len(alpha), alpha: alpha, t: t, exit: exit}
}

// transforms evaluates the Laplace transforms of the times between arrivals.
type transforms struct{ *statespace.Arrivals }

// intensity returns λ·E[B]/c.
func (s *Station) intensity(ctx context.Context) (float64, error) {
	mean, err := statespace.MeanTime(ctx, s.alpha, s.t, s.exit)
	return s.ar.Rate * mean / float64(s.c), err
}
