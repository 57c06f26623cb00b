// Package incomplete eliminates the states of a large sparse Markov chain, and drops what would fill the factors. Its factors
// approximate the inverse of the generator: they precondition the iterations that solve chains of many states.
package incomplete

import (
	"context"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// Rows are the rows of a sparse matrix, one after the other: the columns To and the entries Rate of each row.
type Rows struct {
	Start []int // row i is Start[i]..Start[i+1]−1
	To    []int32
	Rate  []float64
}

// newRows returns a matrix without rows, with room for so many rows and entries.
func newRows(rows, entries int) Rows {
	return Rows{make([]int, 1, rows+1), make([]int32, 0, entries), make([]float64, 0, entries)}
}

// takeStorage lets a matrix without rows use the storage of entries of another, if it is larger than its own.
func (s *Rows) takeStorage(old Rows) {
	if cap(old.To) > cap(s.To) && cap(old.Rate) > cap(s.To) {
		s.To, s.Rate = old.To[:0], old.Rate[:0]
	}
}

// add adds an entry to the row that is not ended yet.
func (s *Rows) add(to int32, rate float64) {
	s.To, s.Rate = append(s.To, to), append(s.Rate, rate)
}

// endRow ends a row.
func (s *Rows) endRow() { s.Start = append(s.Start, len(s.To)) }

// dot returns the product of row i with x.
func (s *Rows) dot(i int, x []float64) float64 {
	to := s.To[s.Start[i]:s.Start[i+1]]
	rates := s.Rate[s.Start[i]:s.Start[i+1]]
	sum := 0.0
	for e, j := range to {
		sum += rates[e] * x[j]
	}
	return sum
}

// Out returns the sum of row i.
func (s *Rows) Out(i int) float64 { return block.Sum(s.Rate[s.Start[i]:s.Start[i+1]]) }

// Factor approximates (diag(out) − P)⁻¹ for rates P ≥ 0 between states. It is the elimination of Grassmann, Taksar and
// Heyman of one state after the other, in which transitions that arise are dropped if they are rare: below a share of
// the rate out of their state. A pivot is the sum of the transitions that are left in its row and of the part of the
// rate out that is no transition. So a dropped transition counts as no transition, and the approximate matrix has the
// row sums of the matrix.
//
//	diag(out) − P ≈ (I − L)·(diag(pivots) − R),
//
// with L below and R above the diagonal, both nonnegative.
//
// Reference: Y. Saad, ILUT: a dual threshold incomplete LU factorization, Numer. Linear Algebra Appl. 1 (1994) 387–402.
type Factor struct {
	Lower, Upper Rows
	Pivots       []float64
}

// Eliminate eliminates the states in their order, given the rates between states and the rates out. Transitions below
// drop times the rate out of a state are dropped. Where the rates between states exceed the rate out, they count as the
// rate out. The error comes from ctx. The factors take the storage of old, which must not be used any more, if old is
// not nil.
func Eliminate(ctx context.Context, rates Rows, out []float64, drop float64, old *Factor) (*Factor, error) {
	rest := make([]float64, len(out))
	for i := range rest {
		rest[i] = max(0, out[i]-rates.Out(i))
	}
	return EliminateOpen(ctx, rates, out, rest, drop, old)
}

// EliminateOpen is Eliminate, given by how much the rates out exceed the rates between states. rest is overwritten.
func EliminateOpen(ctx context.Context, rates Rows, out, rest []float64, drop float64, old *Factor) (*Factor, error) {
	n := len(out)
	// The rows of queues level by level fill so: more below the diagonal than above.
	f := &Factor{newRows(n, len(rates.To)/4*5), newRows(n, len(rates.To)/4*3), make([]float64, n)}
	if old != nil {
		f.Lower.takeStorage(old.Lower)
		f.Upper.takeStorage(old.Upper)
	}
	row := newEliminatedRow[float64](n)
	for i := range n {
		if block.Stopped(ctx, i) {
			return nil, ctx.Err()
		}
		for e := rates.Start[i]; e < rates.Start[i+1]; e++ {
			row.add(i, rates.To[e], rates.Rate[e])
		}
		f.eliminateRow(i, row, rest, drop*out[i])
	}
	return f, ctx.Err()
}

// eliminateRow eliminates from row i the states before i, and adds what is left of the row to the factors.
func (f *Factor) eliminateRow(i int, row *eliminatedRow[float64], rest []float64, least float64) {
	for len(row.before) > 0 {
		k := row.before.next()
		if f.Pivots[k] == 0 {
			row.take(k)
			continue
		}
		share := row.take(k) / f.Pivots[k]
		f.Lower.add(k, share)
		rest[i] += share * rest[k]
		for e := f.Upper.Start[k]; e < f.Upper.Start[k+1]; e++ {
			j, rate := f.Upper.To[e], share*f.Upper.Rate[e]
			if int(j) != i && (row.present[j] || rate >= least) {
				row.add(i, j, rate)
			}
		}
	}
	f.Lower.endRow()
	pivot := 0.0
	for _, j := range row.after {
		rate := row.take(j)
		f.Upper.add(j, rate)
		pivot += rate
	}
	row.after = row.after[:0]
	f.Upper.endRow()
	f.Pivots[i] = pivot + rest[i]
}

// Solve overwrites b with the approximate inverse times b. A state whose pivot is zero, such as the last of a chain that is never
// left, gets zero.
func (f *Factor) Solve(b []float64) {
	for i := range b {
		b[i] += f.Lower.dot(i, b)
	}
	for i, pivot := range slices.Backward(f.Pivots) {
		if pivot == 0 {
			b[i] = 0
			continue
		}
		b[i] = (b[i] + f.Upper.dot(i, b)) / pivot
	}
}

// eliminatedRow is a row of real or complex rates during its elimination.
type eliminatedRow[T float64 | complex128] struct {
	rates   []T    // by column
	present []bool // by column
	before  columnHeap
	after   []int32 // columns after the diagonal
}

// newEliminatedRow returns a row of n columns without rates.
func newEliminatedRow[T float64 | complex128](n int) *eliminatedRow[T] {
	return &eliminatedRow[T]{rates: make([]T, n), present: make([]bool, n)}
}

// add adds a rate to a column of row i.
func (r *eliminatedRow[T]) add(i int, j int32, rate T) {
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
func (r *eliminatedRow[T]) take(j int32) T {
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
