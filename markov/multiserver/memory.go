package multiserver

import (
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/solvesize"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// bytesPerServer is the number of bytes that the smallest level takes.
const bytesPerServer = 64

// checkMatrices returns an error if the matrices of the queue alone, with their copies, need more memory than the
// limit, otherwise nil. The matrices of switch-overs are included: the stored matrices of all switch-overs, and the
// scratch of the largest. The error wraps a *[parallel.LimitError] and names the numbers of servers and phases. It is
// called before any matrix is copied.
func (q *Queue) checkMatrices(memory *markov.Memory) error {
	n := float64(block.Order(q.D0))
	bytes := bytesPerServer*float64(q.Servers) + 8*6*n*n
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
		return fmt.Errorf("%v: %w", solvesize.Dimensions{Servers: q.Servers, ServicePhases: phases, ArrivalPhases: int(n)}, err)
	}
	return nil
}

// certainlyFits reports whether a simple upper bound of the memory for the solution is at most the limit, whatever
// phases can be visited. It spares small queues the exact estimate, for which the queue must be checked first. It is
// false for a nil queue, and without servers or service. It does not check the queue for other faults.
func (q *Queue) certainlyFits(memory *markov.Memory) bool {
	if q == nil || q.Servers < 1 || len(q.Service) == 0 || q.checkMatrices(memory) != nil {
		return false
	}
	switchOver := 0
	if len(q.OnArrival) >= q.Servers {
		switchOver = len(q.OnArrival[q.Servers-1].Alpha)
	}
	n := float64(block.Order(q.D0))
	wide := n * statespace.Occupancies(len(q.Service[0].Alpha), q.Servers)
	return memory.Check(8*wide*wide*(100+24*float64(q.Servers)+n*float64(switchOver))) == nil
}
