// This file follows the phases of phase-type times: as a chain, beside the arrivals during a time, and in mixtures.

package jobtimes

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/phasetype"
)

// PhaseChain returns the phases of a time as a chain that is left when the time ends. State j is phase j. The error comes
// from [markov.Explore].
func PhaseChain(ctx context.Context, d phasetype.Dist) (*markov.Chain, error) {
	phases := make([]int, d.Phases())
	for j := range phases {
		phases[j] = j
	}
	t, exit := d.T(), d.Exit()
	chain, _, err := markov.Explore(ctx, phases, len(phases), func(j int, add func(int, float64), leave func(float64)) {
		leave(exit[j])
		for to := range phases {
			if to != j {
				add(to, t.At(j, to))
			}
		}
	})
	return chain, err
}

// MostArrivals returns a number of jobs, at least 1 and at most the given limit. With a probability of at most rare, this
// many jobs or more arrive during a time d, whatever the phases of d and of the arrivals at its beginning are. It is the
// limit where the probability is larger or is not known.
//
// Let d have the rates T. The probability of k arrivals or more, by phase of d and of the arrivals, is
//
//	u_k = (−(T ⊕ D0))⁻¹·(I ⊗ D1)·u_{k−1},   u_0 = 1.
func MostArrivals(d phasetype.Dist, arrivals phasetype.MAP, rare float64, limit int) int {
	if d.Phases() == 0 {
		return 1
	}
	var rates, arrival, ends mat.Dense
	rates.Kronecker(identity(d.Phases()), arrivals.D0())
	ends.Kronecker(d.T(), identity(arrivals.Phases()))
	rates.Add(&rates, &ends)
	arrival.Kronecker(identity(d.Phases()), arrivals.D1())
	var lu mat.LU
	lu.Factorize(&rates)
	n, _ := rates.Dims()
	u := mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
	for k := 1; k < limit; k++ {
		var next mat.VecDense
		next.MulVec(&arrival, u)
		if err := lu.SolveVecTo(u, false, &next); err != nil {
			break
		}
		u.ScaleVec(-1, u)
		if mat.Max(u) <= rare {
			return k
		}
	}
	return limit
}

// identity returns the identity matrix of order n.
func identity(n int) *mat.DiagDense { return mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)) }

// Mixture returns the mixture of distributions, of which times[i] has the probability shares[i]. Distributions that differ
// in their initial probabilities only, such as exponential distributions with one rate, have their phases in common. The
// error comes from [phasetype.New] or [phasetype.Mixture].
func Mixture(shares []float64, times []phasetype.Dist) (phasetype.Dist, error) {
	var weights []float64
	var kept []phasetype.Dist
	for i, d := range times {
		k := slices.IndexFunc(kept, func(other phasetype.Dist) bool {
			return slices.Equal(other.Exit(), d.Exit()) && mat.Equal(other.T(), d.T())
		})
		if k < 0 {
			weights, kept = append(weights, shares[i]), append(kept, d)
			continue
		}
		alpha := make([]float64, d.Phases())
		floats.AddScaled(alpha, weights[k], kept[k].Alpha())
		floats.AddScaled(alpha, shares[i], d.Alpha())
		weights[k] += shares[i]
		floats.Scale(1/weights[k], alpha)
		one, err := phasetype.New(alpha, d.T())
		if err != nil {
			return one, err
		}
		kept[k] = one
	}
	if len(kept) == 1 {
		return kept[0], nil
	}
	return phasetype.Mixture(weights, kept)
}
