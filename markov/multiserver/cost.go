package multiserver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// CheckSize estimates the seconds that Solve takes on one core with AVX2. Nothing is solved. The result is 0 if the queue
// is unstable, or so small that Solve does not estimate its memory. The error is the error of Solve for an invalid queue,
// or a *[markov.MemoryError] if the solution needs more memory than st.Memory.
func (q *Queue) CheckSize(ctx context.Context, st markov.Settings) (seconds float64, err error) {
	if q.small(st.Memory) {
		return 0, nil
	}
	s, err := q.check(ctx, st.Memory)
	if err != nil {
		return 0, statespace.Prefixed(err)
	}
	rho, err := s.intensity(ctx, s.c)
	if err != nil || !markov.Stable(rho) {
		return 0, statespace.Prefixed(err)
	}
	attempts, err := s.attempts(st)
	if err != nil {
		return 0, statespace.Prefixed(err)
	}
	fit, most := s.fitting(st.Memory, attempts, s.checked(attempts))
	if err := s.tooLarge(st.Memory.Check(most), attempts); err != nil {
		return 0, statespace.Prefixed(err)
	}
	return s.seconds(fit[0]), nil
}

// small reports whether the queue certainly needs less memory than the limit, whatever phases can be visited.
func (q *Queue) small(memory *markov.Memory) bool {
	if q == nil || q.Servers < 1 || len(q.Service) == 0 || q.checkSize(memory) != nil {
		return false
	}
	switchOver := 0
	if len(q.OnArrival) >= q.Servers {
		switchOver = len(q.OnArrival[q.Servers-1].Alpha)
	}
	n := float64(block.Order(q.D0))
	wide := n * occupancies(len(q.Service[0].Alpha), q.Servers)
	return memory.Check(8*wide*wide*(100+24*float64(q.Servers)+n*float64(switchOver))) == nil
}

// reserve reserves the memory that the attempts and a cross-check need. It returns the attempts that fit into the limit.
func (s *system) reserve(ctx context.Context, memory *markov.Memory, attempts []attempt, checked bool) (
	fit []attempt, release func(), err error) {
	fit, most := s.fitting(memory, attempts, checked)
	if release, err = memory.Reserve(ctx, most); err != nil {
		return nil, nil, s.tooLarge(err, attempts)
	}
	return fit, release, nil
}

// fitting returns the attempts that need no more memory than the limit, and the most bytes that these need. If no attempt
// fits, it returns the bytes of the smallest. Attempts differ only in the repeating part.
func (s *system) fitting(memory *markov.Memory, attempts []attempt, checked bool) (fit []attempt, most float64) {
	boundary := s.boundaryBytes()
	least := math.Inf(1)
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
	return fit, most
}

// tooLarge adds to an error the size of the queue and, if memory is missing, the estimated time.
func (s *system) tooLarge(err error, attempts []attempt) error {
	if err == nil {
		return nil
	}
	if size := (*markov.MemoryError)(nil); errors.As(err, &size) {
		size.Seconds = s.seconds(attempts[len(attempts)-1])
	}
	return fmt.Errorf("%d servers with %d service phases, %d arrival phases: %w", s.c, s.m, s.ar.N, err)
}

// seconds estimates the time of an attempt in seconds.
func (s *system) seconds(try attempt) float64 {
	return (s.boundaryOperations(s.c-1) + s.repeatingOperations(try)) / operationsPerSecond
}

// operationsPerSecond is the number of floating point operations per second of a product of large blocks, on one core
// with AVX2.
const operationsPerSecond = 3e10

// boundaryOperations estimates the number of operations of the elimination of levels 1 to top: 2·n·r²·K_l·K_{l−1}² for
// each level, and (n·K_l)³ for the factors of T where service has cycles.
func (s *system) boundaryOperations(top int) float64 {
	n, r := float64(s.ar.N), float64(s.ar.Classes)
	total := 0.0
	for l := 1; l <= top; l++ {
		k := occupancies(s.m, l)
		total += 2 * n * r * r * k * math.Pow(occupancies(s.m, l-1), 2)
		if !s.ordered {
			total += math.Pow(n*k, 3)
		}
	}
	return total
}

// repeatingOperations estimates the number of operations of the repeating part by one method. A reduction takes some
// twelve steps of 13·(n·K)³. Modes take their vectors and one linear system of their order.
func (s *system) repeatingOperations(try attempt) float64 {
	n, r, k := float64(s.ar.N), float64(s.ar.Classes), occupancies(s.m, s.c)
	switch modes := math.Pow(r*k, 3); {
	case try.method == SpectralExpansion && !try.modes:
		return modes + 10*n*k*k*k
	case !try.modes:
		const steps = 12
		return steps * 13 * math.Pow(n*k, 3)
	case s.iterates():
		return modes + r*float64(s.up[s.c].phases)*math.Pow(k, 3)
	default:
		return modes + 2*n*r*r*k*k*k
	}
}

// boundaryBytes estimates the bytes of the levels below c and of the occupancies of all levels. Each level has its V, and
// the factors of T where service has cycles. Vectors add some six numbers for each state and four for each occupancy.
func (s *system) boundaryBytes() float64 {
	n, r, m := float64(s.ar.N), float64(s.ar.Classes), float64(s.m)
	total, found, size := 0.0, 1.0, 1.0
	for l := 1; l <= s.c; l++ {
		found, size = size, occupancies(s.m, l)
		total += 8*size*(6*n+2*m+4) + 4*size*(7*m+2) + 12*n*size*(n+m)
		if l < s.c {
			total += 8 * r * found * n * size
			if !s.ordered {
				total += 8 * n * size * n * size
			}
		}
	}
	return total + 8*(3*n+r)*size*r*size // of the level being eliminated, and of what returns to level c
}

// repeatingBytes estimates the bytes of the repeating part by one method.
func (s *system) repeatingBytes(try attempt) float64 {
	n, r, k := float64(s.ar.N), float64(s.ar.Classes), occupancies(s.m, s.c)
	wide := n * k
	modes := r * k
	p := float64(s.up[s.c].phases)
	if try.modes {
		squares := 3.0 // E − Φ·flow, its factors, and those of E
		if p > 0 {
			squares = 1 // the factors of E: with a switch-over coefficients are found by iteration alone
		}
		return 8*(2*modes*k+squares*modes*modes+2*wide+(p+min(p, 1))*modes*k) + s.vectorBytes(modes*(1+p))
	}
	total := 8 * (2*r*k*wide + 3*r*k*r*k) // X, its copy and T
	if p > 0 {
		total += 8 * (r*p*k*wide + 2*wide*wide)
	}
	if method, ok := reduction.ByName(try.method); ok {
		return total + 8*float64(method.Blocks+3)*wide*wide
	}
	return total + 8*(10+2*n)*k*k + s.vectorBytes(k)
}

// vectorBytes returns the bytes of the factors of so many eigenvectors of a spectral expansion.
func (s *system) vectorBytes(modes float64) float64 {
	return 16 * modes * (float64(min(s.c, s.m))*float64(s.m) + float64(s.ar.N+s.ar.Classes))
}
