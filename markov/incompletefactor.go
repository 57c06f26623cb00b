package markov

import (
	"context"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// sparseRows are the rows of a sparse matrix, one after the other.
type sparseRows struct {
	start []int // row i is start[i]..start[i+1]−1
	to    []int32
	rate  []float64
}

// newSparseRows returns a matrix without rows, with room for so many rows and entries.
func newSparseRows(rows, entries int) sparseRows {
	return sparseRows{make([]int, 1, rows+1), make([]int32, 0, entries), make([]float64, 0, entries)}
}

// takeStorage lets a matrix without rows use the storage of entries of another, if it is larger than its own.
func (s *sparseRows) takeStorage(old sparseRows) {
	if cap(old.to) > cap(s.to) && cap(old.rate) > cap(s.to) {
		s.to, s.rate = old.to[:0], old.rate[:0]
	}
}

// add adds an entry to the row that is not ended yet.
func (s *sparseRows) add(to int32, rate float64) {
	s.to, s.rate = append(s.to, to), append(s.rate, rate)
}

// endRow ends a row.
func (s *sparseRows) endRow() { s.start = append(s.start, len(s.to)) }

// dot returns the product of row i with x.
func (s *sparseRows) dot(i int, x []float64) float64 {
	to := s.to[s.start[i]:s.start[i+1]]
	rates := s.rate[s.start[i]:s.start[i+1]]
	sum := 0.0
	for e, j := range to {
		sum += rates[e] * x[j]
	}
	return sum
}

// out returns the sum of row i.
func (s *sparseRows) out(i int) float64 { return block.Sum(s.rate[s.start[i]:s.start[i+1]]) }

// incompleteFactor approximates (diag(out) − P)⁻¹ for rates P ≥ 0 between states. It is the elimination of Grassmann, Taksar and
// Heyman of one state after the other, in which transitions that arise are dropped if they are rare: below a share of the rate out of
// their state. A pivot is the sum of the transitions that are left in its row, and of what the rate out exceeds the transitions by. So
// a dropped transition counts as none at all, and the row sums of the approximate matrix are those of the matrix.
//
//	diag(out) − P ≈ (I − L)·(diag(pivots) − R),
//
// with L below and R above the diagonal, both nonnegative.
//
// Reference: Y. Saad, ILUT: a dual threshold incomplete LU factorization, Numer. Linear Algebra Appl. 1 (1994) 387–402.
type incompleteFactor struct {
	lower, upper sparseRows
	pivots       []float64
}

// newIncompleteFactor eliminates the states in their order, given the rates between states and the rates out. Transitions below drop
// times the rate out of a state are dropped. Where the rates between states exceed the rate out, they count as the rate out. The error is that
// of ctx. The factors take the storage of old, which must not be used any more, if old is not nil.
func newIncompleteFactor(ctx context.Context, rates sparseRows, out []float64, drop float64, old *incompleteFactor) (*incompleteFactor, error) {
	rest := make([]float64, len(out))
	for i := range rest {
		rest[i] = max(0, out[i]-rates.out(i))
	}
	return newFactor(ctx, rates, out, rest, drop, old)
}

// newFactor is newIncompleteFactor, given by how much the rates out exceed the rates between states. rest is overwritten.
func newFactor(ctx context.Context, rates sparseRows, out, rest []float64, drop float64, old *incompleteFactor) (*incompleteFactor, error) {
	n := len(out)
	// The rows of queues level by level fill so: more below the diagonal than above.
	f := &incompleteFactor{newSparseRows(n, len(rates.to)/4*5), newSparseRows(n, len(rates.to)/4*3), make([]float64, n)}
	if old != nil {
		f.lower.takeStorage(old.lower)
		f.upper.takeStorage(old.upper)
	}
	row := eliminatedRow{rates: make([]float64, n), present: make([]bool, n)}
	for i := range n {
		if block.Stopped(ctx, i) {
			return nil, ctx.Err()
		}
		for e := rates.start[i]; e < rates.start[i+1]; e++ {
			row.add(i, rates.to[e], rates.rate[e])
		}
		f.eliminateRow(i, &row, rest, drop*out[i])
	}
	return f, ctx.Err()
}

// eliminateRow eliminates from row i the states before i, and adds what is left of the row to the factors.
func (f *incompleteFactor) eliminateRow(i int, row *eliminatedRow, rest []float64, least float64) {
	for len(row.before) > 0 {
		k := row.before.next()
		if f.pivots[k] == 0 {
			row.take(k)
			continue
		}
		share := row.take(k) / f.pivots[k]
		f.lower.add(k, share)
		rest[i] += share * rest[k]
		for e := f.upper.start[k]; e < f.upper.start[k+1]; e++ {
			j, rate := f.upper.to[e], share*f.upper.rate[e]
			if int(j) != i && (row.present[j] || rate >= least) {
				row.add(i, j, rate)
			}
		}
	}
	f.lower.endRow()
	pivot := 0.0
	for _, j := range row.after {
		rate := row.take(j)
		f.upper.add(j, rate)
		pivot += rate
	}
	row.after = row.after[:0]
	f.upper.endRow()
	f.pivots[i] = pivot + rest[i]
}

// solve overwrites b with the approximate inverse times b. A state whose pivot is zero, such as the last of a chain that is never
// left, gets zero.
func (f *incompleteFactor) solve(b []float64) {
	for i := range b {
		b[i] += f.lower.dot(i, b)
	}
	for i, pivot := range slices.Backward(f.pivots) {
		if pivot == 0 {
			b[i] = 0
			continue
		}
		b[i] = (b[i] + f.upper.dot(i, b)) / pivot
	}
}

// eliminatedRow is a row during its elimination.
type eliminatedRow struct {
	rates   []float64 // by column
	present []bool    // by column
	before  columnHeap
	after   []int32 // columns after the diagonal
}

// add adds a rate to a column of row i.
func (r *eliminatedRow) add(i int, j int32, rate float64) {
	r.rates[j] += rate
	switch {
	case r.present[j]:
		return
	case int(j) < i:
		r.before.add(j)
	default:
		r.after = append(r.after, j)
	}
	r.present[j] = true
}

// take removes a column, and returns its rate.
func (r *eliminatedRow) take(j int32) float64 {
	rate := r.rates[j]
	r.rates[j], r.present[j] = 0, false
	return rate
}

// columnHeap holds columns, the first of them on top.
type columnHeap []int32

// add adds a column.
func (h *columnHeap) add(j int32) {
	all := append(*h, j)
	for i := len(all) - 1; i > 0; {
		parent := (i - 1) / 2
		if all[parent] <= all[i] {
			break
		}
		all[parent], all[i] = all[i], all[parent]
		i = parent
	}
	*h = all
}

// next removes and returns the first column.
func (h *columnHeap) next() int32 {
	all := *h
	first, last := all[0], len(all)-1
	all[0] = all[last]
	all = all[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && all[child+1] < all[child] {
			child++
		}
		if child >= last || all[i] <= all[child] {
			break
		}
		all[child], all[i] = all[i], all[child]
		i = child
	}
	*h = all
	return first
}
