package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// sparse is a matrix in compressed rows.
type sparse struct {
	rows, cols int
	start      []int32 // row i is entries start[i]..start[i+1]-1
	col        []int32
	val        []float64
}

// sparseBuilder appends rows in order; entries of a row may repeat a column.
type sparseBuilder struct{ sparse }

// newSparse returns a builder of at most so many entries.
func newSparse(mem *arena, rows, cols, entries int) sparseBuilder {
	b := sparseBuilder{sparse{rows: rows, cols: cols}}
	b.start, b.col = mem.ints(rows + 1)[:1], mem.ints(entries)[:0]
	b.val = mem.floats(entries)[:0]
	return b
}

func (b *sparseBuilder) add(col int, v float64) {
	if v != 0 {
		b.col = append(b.col, int32(col))
		b.val = append(b.val, v)
	}
}

func (b *sparseBuilder) endRow() { b.start = append(b.start, int32(len(b.col))) }

func (s *sparse) row(i int) (cols []int32, vals []float64) {
	return s.col[s.start[i]:s.start[i+1]], s.val[s.start[i]:s.start[i+1]]
}

// rowSums returns s·1.
func (s *sparse) rowSums() []float64 {
	sums := make([]float64, s.rows)
	for i := range sums {
		_, vals := s.row(i)
		sums[i] = block.Sum(vals)
	}
	return sums
}

// dense returns s as a dense matrix, unless ctx ends.
func (s *sparse) dense(ctx context.Context) block.Matrix {
	m := block.New(s.rows, s.cols)
	for i := range s.rows {
		if block.Stopped(ctx, i) {
			break
		}
		cols, vals := s.row(i)
		row := m.Row(i)
		for e, j := range cols {
			row[j] += vals[e]
		}
	}
	return m
}

// addKron adds w·(I_k ⊗ s) to m.
func (s *sparse) addKron(m block.Matrix, w float64, k int) {
	for a := range k {
		for i := range s.rows {
			cols, vals := s.row(i)
			row := m.Row(a*s.rows + i)[a*s.cols:]
			for e, j := range cols {
				row[j] += w * vals[e]
			}
		}
	}
}

// kronMul sets c = (I_k ⊗ s)·b, b being k·s.cols × q, unless ctx ends.
func (s *sparse) kronMul(ctx context.Context, c, b block.Matrix, k int) {
	block.Share(k*s.rows, 1, k*len(s.val)*b.Cols, func(from, to int) {
		for row := from; row < to && !block.Stopped(ctx, row); row++ {
			dst, first := c.Row(row), row/s.rows*s.cols
			cols, vals := s.row(row % s.rows)
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

// mulKronRight sets c = b·(I_k ⊗ s), b being q × k·s.rows, unless ctx ends.
func (s *sparse) mulKronRight(ctx context.Context, c, b block.Matrix, k int) {
	clear(c.Data)
	runs := s.runs(make([]run, 0, 8))
	short := len(runs)*shortRun > len(s.val)
	for q := range b.Rows {
		if block.Stopped(ctx, q) {
			return
		}
		from, to := b.Row(q), c.Row(q)
		if short {
			s.kronLeft(to, from, k)
			continue
		}
		for a := range k {
			x, y := from[a*s.rows:(a+1)*s.rows], to[a*s.cols:(a+1)*s.cols]
			for _, r := range runs {
				floats.AddScaled(y[r.col:r.col+r.n], r.val, x[r.row:r.row+r.n])
			}
		}
	}
}

// shortRun is how many entries take as long one after the other as a run does.
const shortRun = 12

// run is a stretch of n entries of one value along a diagonal, from (row, col) on.
type run struct {
	row, col, n int
	val         float64
}

// runs appends the entries of s as runs. The state index lists occupancies so that a job more in one phase moves long
// rows of them by the same number of places: m runs for m = 2, about K/l for larger m.
func (s *sparse) runs(runs []run) []run {
	var buffers [2][8]int
	open, next := buffers[0][:0], buffers[1][:0] // runs that end in the row before, by entry of that row
	for i := range s.rows {
		cols, vals := s.row(i)
		next = next[:0]
		for e, j := range cols {
			if e < len(open) {
				if r := &runs[open[e]]; r.col+r.n == int(j) && r.val == vals[e] {
					r.n++
					next = append(next, open[e])
					continue
				}
			}
			runs = append(runs, run{i, int(j), 1, vals[e]})
			next = append(next, len(runs)-1)
		}
		open, next = next, open
	}
	return runs
}

// kronLeft adds x·(I_k ⊗ s) to y.
func (s *sparse) kronLeft(y, x []float64, k int) {
	for a := range k {
		xs, ys := x[a*s.rows:(a+1)*s.rows], y[a*s.cols:(a+1)*s.cols]
		for i, xi := range xs {
			if xi == 0 {
				continue
			}
			cols, vals := s.row(i)
			for e, j := range cols {
				ys[j] += xi * vals[e]
			}
		}
	}
}

// transposed returns sᵀ.
func (s *sparse) transposed() *sparse {
	t := &sparse{rows: s.cols, cols: s.rows, start: make([]int32, s.cols+1),
		col: make([]int32, len(s.val)), val: make([]float64, len(s.val))}
	for _, j := range s.col {
		t.start[j+1]++
	}
	for j := range s.cols {
		t.start[j+1] += t.start[j]
	}
	at := append([]int32(nil), t.start...)
	for i := range s.rows {
		cols, vals := s.row(i)
		for e, j := range cols {
			t.col[at[j]], t.val[at[j]] = int32(i), vals[e]
			at[j]++
		}
	}
	return t
}

// kronRows sets c = (m ⊗ I_k)·b: block row i of c is Σ_j m_ij times block row j of b, each of k
// rows, unless ctx ends.
func kronRows(ctx context.Context, c, m, b block.Matrix, k int) {
	clear(c.Data)
	kronRowsAdd(ctx, c, m, b, k)
}

// kronRowsAdd adds (m ⊗ I_k)·b to c, unless ctx ends.
func kronRowsAdd(ctx context.Context, c, m, b block.Matrix, k int) {
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

// kronVec adds x·(m ⊗ I_k) to y.
func kronVec(y, x []float64, m block.Matrix, k int) {
	for i := range m.Rows {
		for j := range m.Cols {
			if v := m.At(i, j); v != 0 {
				floats.AddScaled(y[j*k:(j+1)*k], v, x[i*k:(i+1)*k])
			}
		}
	}
}

// kronColsAdd adds b·(m ⊗ I_k) to c.
func kronColsAdd(c, b, m block.Matrix, k int) {
	for q := range b.Rows {
		kronVec(c.Row(q), b.Row(q), m, k)
	}
}
