package fit

import (
	"github.com/partwise/partwise/fit/internal/optimum"
)

// stationaryVector computes the stationary distribution π of an irreducible Markov chain, and carries derivatives with
// respect to π back to the jump probabilities. The elimination of states has no subtractions. So π and the derivatives
// with respect to the logarithms of the probabilities keep their digits however rare some jumps are.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Regenerative analysis and steady state distributions for
// Markov chains, Oper. Res. 33 (1985) 1107–1116.
type stationaryVector struct {
	n          int
	pi         []float64
	unscaled   []float64 // π divided by its first entry
	eliminated []float64 // n×n: row k holds, left of the diagonal, the jumps from k when it is eliminated
	out        []float64 // n: their sum
}

// newStationaryVector returns a solver for chains of n states, with the storage that all calls use. It is for one
// goroutine.
func newStationaryVector(n int) stationaryVector {
	return stationaryVector{n: n, pi: make([]float64, n), unscaled: make([]float64, n), eliminated: make([]float64, n*n),
		out: make([]float64, n)}
}

// solve returns the stationary distribution π for the jump probabilities, n×n by rows, which stay unchanged. From each
// state but the first, jumps to lower states must be possible. The next call overwrites π. States are eliminated from
// the last to the second: a jump to an eliminated state k continues to a lower state j with probability jump_kj/out_k.
// out_k is the probability of jumping to lower states.
func (s *stationaryVector) solve(jump []float64) []float64 {
	n, q := s.n, s.eliminated
	copy(q, jump)
	for k := n - 1; k > 0; k-- {
		s.out[k] = optimum.Sum(q[k*n : k*n+k])
		for i := range k {
			q[i*n+k] /= s.out[k]
			for j := range k {
				q[i*n+j] += q[i*n+k] * q[k*n+j]
			}
		}
	}
	s.unscaled[0] = 1
	for k := 1; k < n; k++ {
		s.unscaled[k] = 0
		for i := range k {
			s.unscaled[k] += s.unscaled[i] * q[i*n+k]
		}
	}
	copy(s.pi, s.unscaled)
	normalise(s.pi)
	return s.pi
}

// addDerivatives adds to byJump the derivatives, n×n by rows, of a function of the stationary distribution π with
// respect to the jump probabilities. byPi holds the derivatives of the function with respect to π, n numbers. The steps
// of the last call of [stationaryVector.solve] are differentiated in reverse order.
func (s *stationaryVector) addDerivatives(byJump, byPi []float64) {
	n, q := s.n, s.eliminated
	by := make([]float64, n*n) // with respect to the entries of eliminated
	byUnscaled := make([]float64, n)
	average, sum := optimum.Dot(byPi, s.pi), optimum.Sum(s.unscaled)
	for k, d := range byPi {
		byUnscaled[k] = (d - average) / sum
	}
	for k := n - 1; k > 0; k-- {
		for i := range k {
			by[i*n+k] += byUnscaled[k] * s.unscaled[i]
			byUnscaled[i] += byUnscaled[k] * q[i*n+k]
		}
	}
	for k := 1; k < n; k++ {
		var byOut float64
		for i := range k {
			for j := range k {
				by[i*n+k] += by[i*n+j] * q[k*n+j]
				by[k*n+j] += by[i*n+j] * q[i*n+k]
			}
			by[i*n+k] /= s.out[k]
			byOut -= by[i*n+k] * q[i*n+k]
		}
		for j := range k {
			by[k*n+j] += byOut
		}
	}
	for i, d := range by {
		byJump[i] += d
	}
}
