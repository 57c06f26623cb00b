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
)

// seriesOfEvents returns two sums over the numbers k of events of the uniformized chain, from 0 to firstTerms. With the
// probability w_k of k events in the interval h, divided by the probability of no event, they are
//
//	moves = Σ_k w_k·P^k,   absorbed = Σ_k w_k·(I + P + … + P^(k−1))·killed.
//
// event holds the transition probabilities P of one event, and killed the probabilities of absorption by it. Up to a
// common factor the sums are e^{Qh}, with the generator Q, and the probabilities of absorption within h. The results are
// incomplete if ctx ends.
//
// Both sums are polynomials in P⁴ whose coefficients are sums of few terms. So moves takes six products of matrices
// instead of fourteen, and absorbed six products of a matrix and a vector.
//
// Reference: M. S. Paterson, L. J. Stockmeyer, On the number of nonscalar multiplications necessary to evaluate
// polynomials, SIAM J. Comput. 2 (1973) 60–66.
func seriesOfEvents(ctx context.Context, event block.Matrix, killed []float64) (moves block.Matrix, absorbed []float64) {
	n := event.Rows
	room := block.NewScratch(5*n, n)
	defer room.Release()
	part := func(i int) block.Matrix { return room.RowRange(i*n, (i+1)*n) }
	second, third, fourth, sum, next := part(0), part(1), part(2), part(3), part(4)
	block.MulAdd(ctx, second, event, event)
	block.MulAdd(ctx, third, second, event)
	block.MulAdd(ctx, fourth, second, second)
	killedBy := [group][]float64{killed} // P^j·killed
	for j := 1; j < group; j++ {
		killedBy[j] = block.MulVec(event, killedBy[j-1])
	}
	absorbed = make([]float64, n)
	weights, later := eventWeights()
	last := firstTerms + 1 - group
	for from := last; from >= 0; from -= group {
		if from < last {
			clear(next.Data)
			block.MulAdd(ctx, next, sum, fourth)
			sum, next = next, sum
			absorbed = block.MulVec(fourth, absorbed)
		}
		for i := range n {
			sum.Row(i)[i] += weights[from]
		}
		for j, power := range [...]block.Matrix{event, second, third} {
			floats.AddScaled(sum.Data, weights[from+1+j], power.Data)
		}
		for j, v := range killedBy {
			floats.AddScaled(absorbed, later[from+j], v)
		}
	}
	return sum.Clone(), absorbed
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
