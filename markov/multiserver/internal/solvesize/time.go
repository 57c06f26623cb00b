package solvesize

import (
	"math"

	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Seconds estimates the time of a solve by a method, in seconds on one core with AVX2: the operations of the boundary
// and of the repeating part, divided by operationsPerSecond. A comparison with another method is not included.
func (d Dimensions) Seconds(by Method) float64 {
	return (d.boundaryOperations() + d.repeatingOperations(by)) / operationsPerSecond
}

// operationsPerSecond is the number of floating point operations per second of a product of large blocks, on one core
// with AVX2.
const operationsPerSecond = 3e10

// boundaryOperations estimates the number of floating point operations of the elimination of levels 1 to c−1. With n
// arrival phases, r classes of arrivals and K_l occupancies of l jobs, level l takes 2·n·r²·K_l·K_{l−1}². Where service
// has cycles, factors of a matrix of order n·K_l take (n·K_l)³ more. It is 0 for c = 1.
func (d Dimensions) boundaryOperations() float64 {
	n, r := float64(d.ArrivalPhases), float64(d.Classes)
	total := 0.0
	for l := 1; l < d.Servers; l++ {
		k := statespace.Occupancies(d.ServicePhases, l)
		total += 2 * n * r * r * k * math.Pow(statespace.Occupancies(d.ServicePhases, l-1), 2)
		if !d.Acyclic {
			total += math.Pow(n*k, 3)
		}
	}
	return total
}

// repeatingOperations estimates the number of floating point operations of level c and above by a method.
// There are n arrival phases, r classes of arrivals and K occupancies of c jobs:
//
//   - A reduction takes twelve steps of 13·(n·K)³.
//   - Modes take (r·K)³ for their linear system. If their coefficients are found by iteration, each phase of the
//     switch-over takes r·K³ more; otherwise, the matrix of the system takes 2·n·r²·K³ more.
//   - Matrices from modes take (r·K)³ and 10·n·K³ for the steps that improve them.
func (d Dimensions) repeatingOperations(by Method) float64 {
	n, r, k := float64(d.ArrivalPhases), float64(d.Classes), statespace.Occupancies(d.ServicePhases, d.Servers)
	_, isReduction := reduction.ByName(by.Name)
	switch modes := math.Pow(r*k, 3); {
	case !isReduction && !by.Modes:
		return modes + 10*n*k*k*k
	case !by.Modes:
		const steps = 12
		return steps * 13 * math.Pow(n*k, 3)
	case d.Iteration:
		return modes + r*float64(d.SwitchOverPhases)*math.Pow(k, 3)
	default:
		return modes + 2*n*r*r*k*k*k
	}
}
