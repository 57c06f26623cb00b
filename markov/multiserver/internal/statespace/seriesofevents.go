package statespace

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// The shortest interval h of a [KilledChain] has firstEvents events of the uniformized chain on average. The terms of its
// series after firstTerms are below 2⁻⁶⁰ of the first. A longer interval saves squarings of a matrix, but needs more terms:
// with half an event six products give the first matrix, and three squarings fewer follow than with a sixteenth, which needs
// five products.
const (
	firstEvents = 1.0 / 2
	firstTerms  = 15
	group       = 4 // terms that are combined before a product; divides firstTerms + 1

	firstProducts = 6 // products of matrices that the series takes
	roomOfSeries  = 6 // matrices that are released when it is summed
)

// setSeriesOfEvents overwrites to with two sums over the numbers k of events of the uniformized chain, from 0 to
// firstTerms. With the probability w_k of k events in the interval h, divided by the probability of no event, they are
//
//	moves = Σ_k w_k·P^k,   killed = Σ_k w_k·(I + P + … + P^(k−1))·κ.
//
// event holds the transition probabilities P of one event, and byEvent the probabilities κ of absorption by it. Up to a
// common factor the sums are e^{Qh}, with the generator Q, and the probabilities of absorption within h. They are
// incomplete if ctx ends.
//
// Both sums are polynomials in P⁴ whose coefficients are sums of few terms. So moves takes six products of matrices
// instead of fourteen, and killed six products of a matrix and a vector.
//
// Reference: M. S. Paterson, L. J. Stockmeyer, On the number of nonscalar multiplications necessary to evaluate
// polynomials, SIAM J. Comput. 2 (1973) 60–66.
func setSeriesOfEvents(ctx context.Context, to transitions, event block.Matrix, byEvent []float64) {
	n := event.Rows
	room := block.NewScratch(5*n+group+1, n)
	defer room.Release()
	part := func(i int) block.Matrix { return room.RowRange(i*n, (i+1)*n) }
	second, third, fourth, sum, next := part(0), part(1), part(2), part(3), part(4)
	block.MulAdd(ctx, second, event, event)
	block.MulAdd(ctx, third, second, event)
	block.MulAdd(ctx, fourth, second, second)
	byEvents := [group][]float64{byEvent} // P^j·κ
	for j := 1; j < group; j++ {
		byEvents[j] = room.Row(5*n + j)
		block.SetMulVec(byEvents[j], event, byEvents[j-1])
	}
	absorbed, absorbedNext := room.Row(5*n), room.Row(5*n+group)
	weights, later := eventWeights()
	last := firstTerms + 1 - group
	for from := last; from >= 0; from -= group {
		if from < last {
			clear(next.Data)
			block.MulAdd(ctx, next, sum, fourth)
			sum, next = next, sum
			block.SetMulVec(absorbedNext, fourth, absorbed)
			absorbed, absorbedNext = absorbedNext, absorbed
		}
		for i := range n {
			sum.Row(i)[i] += weights[from]
		}
		for j, power := range [...]block.Matrix{event, second, third} {
			floats.AddScaled(sum.Data, weights[from+1+j], power.Data)
		}
		for j, v := range byEvents {
			floats.AddScaled(absorbed, later[from+j], v)
		}
	}
	copy(to.moves.Data, sum.Data)
	copy(to.killed, absorbed)
}

// eventWeights returns w_k = firstEvents^k/k! for k from 0 to firstTerms: the probability of k events of the uniformized
// chain in the shortest interval h, divided by the probability of no event. later holds the sums of the weights after k.
func eventWeights() (w, later [firstTerms + 1]float64) {
	w[0] = 1
	for k := 1; k <= firstTerms; k++ {
		w[k] = w[k-1] * firstEvents / float64(k)
	}
	for k := firstTerms; k > 0; k-- {
		later[k-1] = later[k] + w[k]
	}
	return w, later
}
