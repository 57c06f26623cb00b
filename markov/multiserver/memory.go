package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// perServer is what the smallest level takes.
const perServer = 64

// checkSize refuses a queue whose ingredients alone are too large: copies of its matrices, and what becomes of its
// switch-overs.
func (q *Queue) checkSize(memory *markov.Memory) error {
	n := float64(order(q.D0))
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

// order returns the number of rows of a matrix, 0 if there is none.
func order(m mat.Matrix) int {
	if block.Missing(m) {
		return 0
	}
	rows, _ := m.Dims()
	return rows
}

// reserve reserves what the attempts need, and returns those that need no more than the limit. The repeating part is what
// they differ by. What a cross-check needs is reserved with them.
func (s *system) reserve(ctx context.Context, memory *markov.Memory, attempts []attempt, checked bool) (
	fit []attempt, release func(), err error) {
	boundary := s.boundaryBytes()
	least, most := math.Inf(1), 0.0
	for _, try := range attempts {
		bytes := boundary + s.repeatingBytes(try)
		least = min(least, bytes)
		if memory.Check(bytes) == nil {
			fit, most = append(fit, try), max(most, bytes)
		}
	}
	if len(fit) == 0 {
		most = least
	}
	if checked {
		most = max(most, boundary+s.repeatingBytes(crossCheck))
	}
	if release, err = memory.Reserve(ctx, most); err != nil {
		return nil, nil, fmt.Errorf("%d servers with %d service phases, %d arrival phases: %w", s.c, s.m, s.ar.n, err)
	}
	return fit, release, nil
}

// boundaryBytes estimates what the levels below c and the occupancies of all levels take: of each level the excursions,
// where service has cycles the loop and the factors too, and some six vectors over its states and four over its
// occupancies.
func (s *system) boundaryBytes() float64 {
	n, r, m := float64(s.ar.n), float64(s.ar.classes), float64(s.m)
	total, size := 0.0, 1.0
	for l := 1; l <= s.c; l++ {
		size *= (float64(l) + m - 1) / float64(l) // C(l+m−1, m−1)
		total += 8*size*(6*n+2*m+4) + 4*size*(7*m+2) + 12*n*size*(n+m)
		if l == s.c {
			break
		}
		total += 8 * r * size * n * size
		if !s.ordered {
			total += 8 * (r*size*r*size + n*size*n*size)
		}
	}
	return total + 8*(3*n+r)*size*r*size // of the level being eliminated, and the flow from level c
}

// repeatingBytes estimates what the repeating part takes by one method.
func (s *system) repeatingBytes(try attempt) float64 {
	n, r, m := float64(s.ar.n), float64(s.ar.classes), float64(s.m)
	k := occupancies(s.m, s.c)
	wide := n * k
	modes := r * k
	if try.modes {
		return 8*(modes*k+3*modes*modes+2*wide) + s.vectorBytes(modes)
	}
	p := float64(s.up[s.c].phases)
	total := 8 * (2*r*k*wide + 3*r*k*r*k) // X, its copy and T
	if p > 0 {
		total += 8 * (r*p*k*wide + 2*wide*wide)
	}
	if method, ok := reduction.ByName(try.method); ok {
		return total + 8*float64(method.Blocks+3)*wide*wide
	}
	if r > 1 || !s.ar.ordered {
		return total + 8*(modes*k+modes*modes+3*wide*wide) + s.vectorBytes(modes) + 8*m*m
	}
	return total + 8*(6+3*n)*k*k + s.vectorBytes(k) + 8*m*m
}

// vectorBytes is what the factors of so many eigenvectors of a spectral expansion take.
func (s *system) vectorBytes(modes float64) float64 {
	return 16 * modes * (float64(min(s.c, s.m))*float64(s.m) + float64(s.ar.n+s.ar.classes))
}

// occupancies returns C(c+m−1, m−1), the number of ways to put c jobs into m phases.
func occupancies(m, c int) float64 {
	size := 1.0
	for l := 1; l <= c; l++ {
		size *= float64(l+m-1) / float64(l)
	}
	return size
}
