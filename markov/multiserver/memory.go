package multiserver

import (
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// dimensions are the numbers on which the memory and the time of a solve depend. They are known before anything is
// solved; the letters are the symbols of the package comment.
type dimensions struct {
	servers          int  // c
	servicePhases    int  // m
	arrivalPhases    int  // n
	classes          int  // r, classes of arrivals
	switchOverPhases int  // phases of the switch-over of level c, 0 for none
	acyclic          bool // service has no cycles, so that the blocks of levels are triangular
	iteration        bool // coefficients of modes are found by iteration, not by elimination
}

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
		return fmt.Errorf("%d servers with %d service phases, %v arrival phases: %w", q.Servers, phases, n, err)
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

// boundaryBytes estimates the bytes of the levels below c and of the occupancies of all levels. Each level has a matrix
// of visits for back substitution, or a smaller matrix if levels are thinned; see [statespace.Thinning]. Where service
// has cycles it has dense factors, too. Vectors, lists of neighbours and sparse matrices are added for each state and
// occupancy. The scratch of the elimination of one level is included.
func (d dimensions) boundaryBytes() float64 {
	n, r, m := float64(d.arrivalPhases), float64(d.classes), float64(d.servicePhases)
	total, found, size := 0.0, 1.0, 1.0
	thin := statespace.NewThinning(func(l int) float64 { return statespace.Occupancies(d.servicePhases, l) }, n, r, d.servers-1)
	for l := 1; l <= d.servers; l++ {
		found, size = size, statespace.Occupancies(d.servicePhases, l)
		total += 8*size*(6*n+2*m+4) + 4*size*(7*m+2) + 12*n*size*(n+m)
		if l < d.servers {
			if thin.Keeps(l, d.servers-1) {
				total += 8 * r * found * n * size
			} else {
				total += 8 * r * found * r * found
			}
			if !d.acyclic {
				total += 8 * n * size * n * size
			}
		}
	}
	return total + 8*(3*n+r)*size*r*size // of the level being eliminated, and of what returns to level c
}

// repeatingBytes estimates the bytes of the repeating part, level c and above, by the method of an attempt. With modes
// these are the modes and the factors from which their coefficients follow. Otherwise they are the matrices X and T of
// [saturated] with copies: mean times in states after an arrival, and arrivals from one level to the next. The matrices
// of a switch-over at level c are included. So are the blocks of the reduction, or the eigenvectors behind T.
func (d dimensions) repeatingBytes(try attempt) float64 {
	n, r, k := float64(d.arrivalPhases), float64(d.classes), statespace.Occupancies(d.servicePhases, d.servers)
	wide := n * k
	modes := r * k
	p := float64(d.switchOverPhases)
	if try.modes {
		squares := 3.0 // E − Φ·flow, its factors, and the factors of E
		if p > 0 {
			squares = 1 // the factors of E: with a switch-over coefficients are found by iteration alone
		}
		return 8*(2*modes*k+squares*modes*modes+2*wide+(p+min(p, 1))*modes*k) + d.vectorBytes(modes*(1+p))
	}
	total := 8 * (2*r*k*wide + 3*r*k*r*k) // X, its copy and T
	if p > 0 {
		total += 8 * (r*p*k*wide + 2*wide*wide)
	}
	if method, ok := reduction.ByName(try.method); ok {
		return total + 8*float64(method.Blocks+3)*wide*wide
	}
	return total + 8*(10+2*n)*k*k + d.vectorBytes(k)
}

// vectorBytes returns the bytes of the eigenvectors of so many modes, for the estimate of memory. Each is stored as
// complex numbers of 16 bytes. These are at most m factors over the m service phases, and a part over the arrival
// phases and classes.
func (d dimensions) vectorBytes(modes float64) float64 {
	m := d.servicePhases
	return 16 * modes * (float64(min(d.servers, m))*float64(m) + float64(d.arrivalPhases+d.classes))
}
