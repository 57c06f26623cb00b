package markov

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// blocks is the repeating part of a chain without its diagonal, which is minus the sum of the rest of the row.
type blocks struct{ up, local, down matrix }

// reduction is a method that finds U = Local + Up·G, the generator of a level censored on not going lower, by its
// off-diagonal (the rows of U sum to −Down·1).
type reduction func(b blocks, maxIter int) (u matrix, iterations int, err error)

// defaultMaxIter: both reductions double the number of levels covered with each step; 60 doublings reach beyond any
// queue whose drift can be told from zero in double precision.
const defaultMaxIter = 60

// entryTol is the relative change of the smallest entry at which a quadratically convergent iteration stops: one
// rounding error of the sums that make up an entry.
const entryTol = 1e-15

// cyclicReduction is cyclic reduction in a form that never subtracts. With V = (−Local)⁻¹ a step censors the chain
// on every other level:
//
//	Local' = Local + Up·V·Down + Down·V·Up,  Up' = Up·V·Up,  Down' = Down·V·Down,  U' = U + Up·V·Down,
//
// all four updates nonnegative; diagonals follow from row sums, and V from an elimination that uses them. Entries of U
// are accurate relative to their own size, near saturation and for stiff rates too. Cost 12.7·n³ a step.
//
// References: D. A. Bini, B. Meini, On the solution of a nonlinear matrix equation arising in queueing problems, SIAM J. Matrix
// Anal. Appl. 17 (1996) 906–926; G. T. Nguyen, F. Poloni, Componentwise accurate fluid queue computations using doubling
// algorithms, Numer. Math. 130 (2015) 763–792 (for the triplet representation).
func cyclicReduction(b blocks, maxIter int) (matrix, int, error) {
	n := b.local.rows
	up, local, down := b.up.clone(), b.local.clone(), b.down.clone()
	u := b.local.clone()
	m := newRaw(3*n, 3*n)
	defer m.release()
	for k := 1; k <= maxIter; k++ {
		for i := range n {
			odd, above, below := m.row(i), m.row(n+i), m.row(2*n+i)
			copy(odd, local.row(i))
			copy(odd[n:], up.row(i))
			copy(odd[2*n:], down.row(i))
			copy(above, up.row(i))
			copy(below, down.row(i))
			clear(above[n:])
			clear(below[n:])
		}
		if err := censor(m, n); err != nil {
			return matrix{}, k, err
		}
		done := settled(u, m.blockRows(n, 2*n), 2*n)
		for i := range n {
			above, below := m.row(n+i), m.row(2*n+i)
			floats.Add(u.row(i), above[2*n:])
			floats.Add(local.row(i), above[2*n:])
			floats.Add(local.row(i), below[n:2*n])
			copy(up.row(i), above[n:2*n])
			copy(down.row(i), below[2*n:])
		}
		if done {
			return u, k, nil
		}
	}
	return matrix{}, maxIter, fmt.Errorf("markov: cyclic reduction: %w after %d steps", ErrNoConvergence, maxIter)
}

// settled reports whether adding d, from the given column on, to the off-diagonal of u would change nothing.
func settled(u, d matrix, from int) bool {
	for i := range u.rows {
		ur, dr := u.row(i), d.row(i)[from:from+u.cols]
		for j, v := range dr {
			if v > entryTol*ur[j] && i != j {
				return false
			}
		}
	}
	return true
}
