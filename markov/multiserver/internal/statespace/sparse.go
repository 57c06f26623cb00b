package statespace

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Sparse is a matrix in compressed sparse row format. Columns of a row may stand in any order, and entries of the same
// column count as their sum.
//
// With two phases of service, an arrival leaves the place of an occupancy or moves it one up, and a departure leaves it
// or moves it one down. Shift is then 1 or −1, and each row i has two entries: Val[2i] in column i and Val[2i+1] in
// column i+Shift. Where such a column does not exist, the entry is zero and stands in another column. Products with
// these matrices take half the time of others, because they do not read Col.
type Sparse struct {
	Rows, Cols int
	Start      []int32 // row i has the entries Start[i] to Start[i+1]−1
	Col        []int32
	Val        []float64
	Shift      int // 1 or −1 for arrivals or departures of two phases, else 0
}

// sparseBuilder appends the rows of a matrix in order. The entries of a row may repeat a column.
type sparseBuilder struct{ Sparse }

// NewSparse returns a builder for a sparse matrix of rows × cols. It has room for so many entries in store, or in
// memory of its own if store is nil. If more are added, the slices grow outside the store. Rows are appended from the
// first to the last. Add appends an entry, and EndRow ends a row, also an empty row. The finished matrix is the
// embedded Sparse.
func NewSparse(store *block.Arena, rows, cols, entries int) sparseBuilder {
	b := sparseBuilder{Sparse{Rows: rows, Cols: cols}}
	places := store.Places(rows + 1 + entries)
	b.Start, b.Col = places[:1:rows+1], places[rows+1:][:0]
	b.Val = store.Vector(entries)[:0]
	return b
}

// Add appends the entry v in column col to the present row, unless v is zero. A row may get several entries for a
// column, which then count as their sum.
func (b *sparseBuilder) Add(col int, v float64) {
	if v != 0 {
		b.Col = append(b.Col, int32(col))
		b.Val = append(b.Val, v)
	}
}

// EndRow ends the present row of a matrix that is built row by row. The next entries belong to the next row.
func (b *sparseBuilder) EndRow() { b.Start = append(b.Start, int32(len(b.Col))) }

// Row returns the columns and values of the stored entries of row i, counted from 0. Both slices belong to the matrix.
func (s *Sparse) Row(i int) (cols []int32, vals []float64) {
	return s.Col[s.Start[i]:s.Start[i+1]], s.Val[s.Start[i]:s.Start[i+1]]
}

// RowSums returns s·1, the sum of each row. For rates it is the total rate out of each state.
func (s *Sparse) RowSums() []float64 {
	sums := make([]float64, s.Rows)
	for i := range sums {
		_, vals := s.Row(i)
		sums[i] = block.Sum(vals)
	}
	return sums
}

// AddKron adds weight·(I_k ⊗ s) to the dense matrix m in place: k copies of s along the diagonal, I_k being the
// identity of order k. m has k·s.Rows rows and k·s.Cols columns. With k arrival phases or classes, s changes the
// occupancy and keeps them.
func (s *Sparse) AddKron(m block.Matrix, weight float64, k int) {
	for a := range k {
		for i := range s.Rows {
			cols, vals := s.Row(i)
			row := m.Row(a*s.Rows + i)[a*s.Cols:]
			for e, j := range cols {
				row[j] += weight * vals[e]
			}
		}
	}
}

// KronMul overwrites c with (I_k ⊗ s)·b: each of the k blocks of rows of b is multiplied by s from the left. b has
// k·s.Cols rows, and c k·s.Rows; they must not share storage. With k arrival phases or classes, s changes the occupancy
// and keeps them. Rows of c are computed in parallel. c is incomplete if ctx ends.
func (s *Sparse) KronMul(ctx context.Context, c, b block.Matrix, k int) {
	block.Share(k*s.Rows, 1, k*len(s.Val)*b.Cols, func(from, to int) {
		for row := from; row < to && !block.Stopped(ctx, row); row++ {
			dst, first := c.Row(row), row/s.Rows*s.Cols
			cols, vals := s.Row(row % s.Rows)
			if len(cols) == 0 {
				clear(dst)
				continue
			}
			floats.ScaleTo(dst, vals[0], b.Row(first+int(cols[0])))
			for e := 1; e < len(cols); e++ {
				floats.AddScaled(dst, vals[e], b.Row(first+int(cols[e])))
			}
		}
	})
}

// MulKronRight overwrites c with b·(I_k ⊗ s): each of the k parts of a row of b is multiplied by s from the right. b
// has k·s.Rows columns, and c k·s.Cols; they must not share storage. With k arrival phases or classes, s changes the
// occupancy and keeps them. If ctx ends, the remaining rows of c are zero.
func (s *Sparse) MulKronRight(ctx context.Context, c, b block.Matrix, k int) {
	clear(c.Data)
	var runs []Run
	long := s.Shift == 0
	if long {
		runs, long = s.Runs(len(s.Val) / shortRun)
	}
	for q := range b.Rows {
		if block.Stopped(ctx, q) {
			return
		}
		from, to := b.Row(q), c.Row(q)
		if !long {
			s.KronLeft(to, from, k)
			continue
		}
		for a := range k {
			x, y := from[a*s.Rows:(a+1)*s.Rows], to[a*s.Cols:(a+1)*s.Cols]
			for _, r := range runs {
				floats.AddScaled(y[r.Col:r.Col+r.N], r.Val, x[r.Row:r.Row+r.N])
			}
		}
	}
}

// shortRun is the number of single entries that take as long as one run.
const shortRun = 12

// Run is a sequence of N entries of a sparse matrix with the same value Val along a diagonal. It starts at (Row, Col),
// counted from 0.
type Run struct {
	Row, Col, N int
	Val         float64
}

// Runs returns the entries of s, each in one run along a diagonal. ok is false if there are more than most runs; the runs
// are not complete then. An entry continues a run of the row before if it has the same value and stands one column
// further. Both must have the same place among the entries of their rows. Products with runs are loops over contiguous
// numbers, which are fast. [StateIndex] lists occupancies so that one more job in a phase moves long sequences of
// occupancies by the same number of places. A matrix of arrivals or departures of l jobs in m phases has m runs for m =
// 2. For larger m it has about one run for l occupancies.
func (s *Sparse) Runs(most int) (runs []Run, ok bool) {
	var buffers [2][8]int
	open, next := buffers[0][:0], buffers[1][:0] // indices of the runs that end in the row before, and in this row
	for i := range s.Rows {
		cols, vals := s.Row(i)
		next = next[:0]
		for e, j := range cols {
			if e < len(open) {
				if r := &runs[open[e]]; r.Col+r.N == int(j) && r.Val == vals[e] {
					r.N++
					next = append(next, open[e])
					continue
				}
			}
			if len(runs) == most {
				return runs, false
			}
			runs = append(runs, Run{i, int(j), 1, vals[e]})
			next = append(next, len(runs)-1)
		}
		open, next = next, open
	}
	return runs, true
}

// KronLeft adds x·(I_k ⊗ s) to y in place: each of the k parts of x, of length s.Rows, is multiplied by s from the
// right. y has k·s.Cols entries and must not share storage with x. With k arrival phases or classes, s changes the
// occupancy and keeps them.
func (s *Sparse) KronLeft(y, x []float64, k int) {
	if len(s.Val) == 0 {
		return
	}
	for a := range k {
		xs, ys := x[a*s.Rows:(a+1)*s.Rows], y[a*s.Cols:(a+1)*s.Cols]
		if s.Shift != 0 {
			s.addShifted(ys, xs)
			continue
		}
		col, val := s.Col, s.Val[:len(s.Col)]
		e := 0 // entries follow one another row by row
		for i, end := range s.Start[1 : len(xs)+1] {
			for xi := xs[i]; e < int(end); e++ {
				ys[col[e]] += xi * val[e]
			}
		}
	}
}

// addShifted adds x·s to y in place, for a matrix s whose Shift is 1 or −1. x has s.Rows entries and y s.Cols, one more
// or one less than x. They must not share storage.
func (s *Sparse) addShifted(y, x []float64) {
	val := s.Val[:2*len(x)]
	if s.Shift < 0 {
		for i, v := range y[:len(x)-1] {
			y[i] = v + (x[i]*val[2*i] + x[i+1]*val[2*i+3])
		}
		return
	}
	moved := 0.0
	for i, v := range x {
		y[i] += v*val[2*i] + moved
		moved = v * val[2*i+1]
	}
	y[len(x)] += moved
}

// KronRowsAdd adds (m ⊗ I_k)·b to c in place: block row i of c gets Σ_j m_ij times block row j of b. A block row has k
// rows, one for each occupancy. So m changes the major index of the rows, such as the arrival phase. c and b must not
// share storage. c is incomplete if ctx ends.
func KronRowsAdd(ctx context.Context, c, m, b block.Matrix, k int) {
	size := k * b.Cols
	for i := range m.Rows {
		dst := c.Data[i*size : (i+1)*size]
		for j := range m.Cols {
			if ctx.Err() != nil {
				return
			}
			if v := m.At(i, j); v != 0 {
				floats.AddScaled(dst, v, b.Data[j*size:(j+1)*size])
			}
		}
	}
}

// KronVec adds x·(m ⊗ I_k) to y in place: part j of y gets Σ_i m_ij times part i of x. Parts have k entries, x has
// m.Rows parts and y has m.Cols. So m changes the major index of x, such as the arrival phase, and keeps the occupancy.
// x and y must not share storage.
func KronVec(y, x []float64, m block.Matrix, k int) {
	for i := range m.Rows {
		part := x[i*k : (i+1)*k]
		for j, v := range m.Row(i) {
			if v != 0 {
				floats.AddScaled(y[j*k:(j+1)*k], v, part)
			}
		}
	}
}

// KronColsAdd adds b·(m ⊗ I_k) to c in place: [KronVec] for each row of b and c. b has k·m.Rows columns, and c
// k·m.Cols. m changes the arrival phase or class of the columns, and keeps the occupancy.
func KronColsAdd(c, b, m block.Matrix, k int) {
	for q := range b.Rows {
		KronVec(c.Row(q), b.Row(q), m, k)
	}
}

// Collapse returns the sums of x over each k consecutive entries, a new vector of len(x)/k numbers; k divides len(x). A
// vector over pairs (a, i) of an arrival phase and one of k occupancies is summed over the occupancies. So is a vector
// over pairs (q, i) of a class and an occupancy.
func Collapse(x []float64, k int) []float64 {
	y := make([]float64, len(x)/k)
	for i := range y {
		y[i] = block.Sum(x[i*k : (i+1)*k])
	}
	return y
}
