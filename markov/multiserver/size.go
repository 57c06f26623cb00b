package multiserver

import (
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// perServer is the number of bytes that the smallest level takes.
const perServer = 64

// checkSize returns an error if the matrices of the queue alone, with their copies, need more memory than the limit. The
// matrices of switch-overs are included.
func (q *Queue) checkSize(memory *markov.Memory) error {
	n := float64(block.Order(q.D0))
	bytes := perServer*float64(q.Servers) + 8*6*n*n
	phases := 0
	for _, p := range q.Service {
		m := float64(len(p.Alpha))
		bytes += 8 * 3 * m * m
		phases = max(phases, len(p.Alpha))
	}
	widest := 0.0
	for _, list := range [2][]Phases{q.OnArrival, q.OnDeparture} {
		for _, p := range list[:min(len(list), q.Servers)] {
			s := float64(len(p.Alpha))
			bytes += 8 * n * s * (n*s + n) // the part that is kept
			widest = max(widest, 8*6*n*s*n*s)
		}
	}
	if err := memory.Check(bytes + widest); err != nil {
		return fmt.Errorf("%d servers with %d service phases, %v arrival phases: %w", q.Servers, phases, n, err)
	}
	return nil
}

// occupancies returns C(c+m−1, m−1), the number of ways to put c jobs into m phases.
func occupancies(m, c int) float64 {
	fewer, more := min(c, m-1), max(c, m-1)
	size := 1.0
	for k := 1; k <= fewer; k++ {
		size *= float64(more+k) / float64(k)
	}
	return size
}
