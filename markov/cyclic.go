package markov

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/gemm"
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

// Censoring goes by wide blocks of states, and within them by narrow ones. The fewer states are inverted at a time, the
// less that costs; the more a product sums, the faster it is.
const (
	wideBlock   = 120
	narrowBlock = 24
)

// censor watches a chain only while it is outside its first n states: m, off-diagonal rates between all states, becomes
//
//	m_ij + m_iB·(out_B − m_BB)⁻¹·m_Bj
//
// for the rows and columns from n on, one block B of states at a time, without a subtraction.
func censor(m matrix, n int) error {
	blocks := (n + wideBlock - 1) / wideBlock
	size := (n + blocks - 1) / blocks
	onward := newRaw(size, m.cols) // from each state of a block, where it is left to: (out_B − m_BB)⁻¹·m_Bj
	defer onward.release()
	for b0 := 0; b0 < n; b0 += size {
		b1 := min(b0+size, n)
		for j0 := b0; j0 < b1; j0 += narrowBlock {
			j1 := min(j0+narrowBlock, b1)
			if err := leaveTo(onward.blockRows(j0-b0, j1-b0), m, j0, j1); err != nil {
				return err
			}
			beside(n, func() { // what the rest of the block leads to, and what leads to it
				gemm.Add(m.part(j1, b1, j0, j1), onward.part(j0-b0, j1-b0, j1, m.cols), m.part(j1, b1, j1, m.cols))
			}, func() {
				gemm.Add(m.part(b1, m.rows, j0, j1), onward.part(j0-b0, j1-b0, j1, b1), m.part(b1, m.rows, j1, b1))
			})
		}
		gemm.Add(m.part(b1, m.rows, b0, b1), onward.part(0, b1-b0, b1, m.cols), m.part(b1, m.rows, b1, m.cols))
	}
	return nil
}

// leaveTo sets the columns of to from j1 on to (out − m_BB)⁻¹·m_Bj for the states B = j0..j1−1, all before them being
// censored.
func leaveTo(to, m matrix, j0, j1 int) error {
	k := j1 - j0
	z := newRaw(k, k)
	defer z.release()
	var exit [narrowBlock]float64
	for i := range k {
		row := m.row(j0 + i)
		copy(z.row(i), row[j0:j1])
		exit[i] = floats.Sum(row[j1:])
		clear(to.row(i)[j1:])
	}
	if err := invertGTH(z, exit[:k]); err != nil {
		return err
	}
	gemm.Add(z.general(), m.part(j0, j1, j1, m.cols), to.part(0, k, j1, m.cols))
	return nil
}
