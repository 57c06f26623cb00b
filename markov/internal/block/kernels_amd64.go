package block

import (
	"context"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas/blas64"
)

var available = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// The largest tile held in registers, and the depth of the slices in which products are summed: a panel of b,
// depth×widest, is 18 KiB and stays in the first-level cache with the rows of a that it meets.
const (
	tileRows = 4
	widest   = 12
	depth    = 192
)

// stripe is how many numbers of a are multiplied by all panels of b before the next, 192 KiB: they stay in the
// second-level cache.
const stripe = 24576

// packFrom is the number of rows from which copying a panel of b next to itself pays: the copy is one pass over
// the panel, the product one pass for every four rows.
const packFrom = 32

// tiles12 overwrites c with keep·c + sign·a·b, for 12 columns of b and c. The rows of a and c are taken in groups of four.
// Strides are in numbers, sign is 1 or −1, and keep is 1 or 0. tiles8 and tiles4 have 8 and 4 columns.
//
//go:noescape
func tiles12(groups, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, sign, keep float64)

//go:noescape
func tiles8(groups, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, sign, keep float64)

//go:noescape
func tiles4(groups, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, sign, keep float64)

// packPanel copies b[k×12] to to, row after row.
//
//go:noescape
func packPanel(k int, b *float64, ldb int, to *float64)

// combine sets dst[i] = scale[i]·Σ_e vals[e]·x[cols[e]·stride+i] for i < n, a multiple of four; a nil scale is one.
//
//go:noescape
func combine(dst *float64, n int, scale, x *float64, stride int, cols *int32, vals *float64, entries int)

// combineRows is combine of four rows of x each, for rows that follow each other: dst moves on by ldd numbers, the four
// by step, vals by four.
//
//go:noescape
func combineRows(rows int, dst *float64, ldd, n int, scale, x0, x1, x2, x3 *float64, step int, vals *float64)

// invertSquare is invertSmall; row k of later has ones for the states after k and the column beyond them.
//
//go:noescape
func invertSquare(z *float64, n int, later *float64) int

// later is what invertSquare sums.
var later = func() (ones square) {
	for k := range ones {
		for j := k + 1; j <= side; j++ {
			ones[k][j] = 1
		}
	}
	return ones
}()

// scratch holds what a product copies: a panel of b, the last rows of a, a tile at the edge of c.
type scratch struct {
	panel  [depth * widest]float64
	rows   [tileRows * depth]float64
	corner [tileRows * widest]float64
	keep   float64 // 1, or 0 where c is not added to but replaced
}

var pool = sync.Pool{New: func() any { return new(scratch) }}

// fast sets c = keep·c + a·b, by as many cores as are not at one already. Each takes some of the columns of b or of the
// rows of a, whichever are more, so that entries are the same however many there are.
func fast(ctx context.Context, a, b, c blas64.General, keep float64) {
	if work := a.Rows * a.Cols * b.Cols; work >= worthSharing {
		shared(ctx, a, b, c, keep, work)
		return
	}
	serial(ctx, a, b, c, keep)
}

func shared(ctx context.Context, a, b, c blas64.General, keep float64, work int) {
	if a.Rows >= b.Cols {
		Share(a.Rows, tileRows, work, func(i, i1 int) {
			serial(ctx, part(a, i, i1, 0, a.Cols), b, part(c, i, i1, 0, c.Cols), keep)
		})
		return
	}
	Share(b.Cols, widest, work, func(j, j1 int) {
		serial(ctx, a, part(b, 0, b.Rows, j, j1), part(c, 0, c.Rows, j, j1), keep)
	})
}

// serial is the product by slices of k, stripes of rows, panels of columns. A stripe takes milliseconds; ctx is looked
// at before each but the first.
func serial(ctx context.Context, a, b, c blas64.General, keep float64) {
	s := pool.Get().(*scratch)
	s.keep = keep
	slice := sliceOf(a.Cols, depth)
	for k0 := 0; k0 < a.Cols; k0 += slice {
		k := min(slice, a.Cols-k0)
		height := stripe / k &^ (tileRows - 1)
		for i := 0; i < a.Rows; i += height {
			if k0+i > 0 && ctx.Err() != nil {
				break
			}
			rows := min(height, a.Rows-i)
			for j := 0; j < b.Cols; {
				width := panel(b.Cols - j)
				s.panelTimes(a.Data[i*a.Stride+k0:], a.Stride, b.Data[k0*b.Stride+j:], b.Stride, k,
					c.Data[i*c.Stride+j:], c.Stride, rows, width)
				j += width
			}
		}
		s.keep = 1
	}
	pool.Put(s)
}

// sliceOf divides k terms into slices of about equal length, at most depth and a multiple of four.
func sliceOf(k, depth int) int {
	slices := (k + depth - 1) / depth
	return ((k+slices-1)/slices + 3) &^ 3
}

// fastGaussJordan is gaussJordanStep, with the rows divided among cores as in a product.
func fastGaussJordan(ctx context.Context, c blas64.General, j int, e blas64.General) {
	work := c.Rows * c.Cols * e.Rows
	if work < worthSharing {
		serialGaussJordan(ctx, c, j, e)
		return
	}
	Share(c.Rows, tileRows, work, func(i, i1 int) { serialGaussJordan(ctx, part(c, i, i1, 0, c.Cols), j, e) })
}

// serialGaussJordan takes the panel with the columns that are read last: a tile is read before it is written.
func serialGaussJordan(ctx context.Context, c blas64.General, j int, e blas64.General) {
	s := pool.Get().(*scratch)
	s.keep = 1
	do := func(from, width int) {
		s.panelTimes(c.Data[j:], c.Stride, e.Data[from:], e.Stride, e.Rows, c.Data[from:], c.Stride, c.Rows, width)
	}
	own := min(widest, c.Cols-j)
	for _, side := range [2][2]int{{0, j}, {j + own, c.Cols}} {
		for from := side[0]; from < side[1] && ctx.Err() == nil; {
			width := panel(side[1] - from)
			do(from, width)
			from += width
		}
	}
	s.keep = 0
	do(j, own)
	pool.Put(s)
}

func fastCombine(dst, vals []float64, cols []int32, x []float64, stride int) {
	combine(&dst[0], len(dst), nil, &x[0], stride, &cols[0], &vals[0], len(vals))
}

func fastCombineRows(dst blas64.General, scale, vals, x []float64, starts [4]int, step int) {
	if work := 4 * dst.Rows * dst.Cols; work >= worthSharing {
		Share(dst.Rows, tileRows, work, func(i, i1 int) {
			from := starts
			for e := range from {
				from[e] += i * step
			}
			serialCombineRows(part(dst, i, i1, 0, dst.Cols), scale, vals[4*i:], x, from, step)
		})
		return
	}
	serialCombineRows(dst, scale, vals, x, starts, step)
}

func serialCombineRows(dst blas64.General, scale, vals, x []float64, starts [4]int, step int) {
	combineRows(dst.Rows, &dst.Data[0], dst.Stride, dst.Cols, unsafe.SliceData(scale),
		&x[starts[0]], &x[starts[1]], &x[starts[2]], &x[starts[3]], step, &vals[0])
}

func fastInvertSquare(z *square, n int) int { return invertSquare(&z[0][0], n, &later[0][0]) }

// panel returns how many of the columns that are left to take at a time: 12, or two times 8 for the last 16, or what is
// left of four.
func panel(left int) int {
	switch {
	case left >= widest && left != 16:
		return widest
	case left >= 8:
		return 8
	}
	return min(left, 4)
}

// panelTimes adds a[rows×k] times a panel b[k×cols] to c[rows×cols].
func (s *scratch) panelTimes(a []float64, lda int, b []float64, ldb, k int, c []float64, ldc, rows, cols int) {
	switch {
	case cols == widest && rows >= packFrom:
		packPanel(k, &b[0], ldb, &s.panel[0])
		b, ldb = s.panel[:], widest
	case cols < 4:
		s.pack(b, ldb, k, cols)
		b, ldb = s.panel[:], 4
	}
	whole := rows / tileRows
	if whole > 0 && cols >= 4 {
		s.tiles(whole, k, a, lda, b, ldb, c, ldc, cols)
	} else {
		whole = 0
	}
	for i := whole * tileRows; i < rows; i += tileRows {
		s.edge(a[i*lda:], lda, b, ldb, k, c[i*ldc:], ldc, min(tileRows, rows-i), cols)
	}
}

// tiles does groups of four rows of a panel of 12, 8 or 4 columns.
func (s *scratch) tiles(groups, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc, cols int) {
	switch cols {
	case widest:
		tiles12(groups, k, &a[0], lda, &b[0], ldb, &c[0], ldc, 1, s.keep)
	case 8:
		tiles8(groups, k, &a[0], lda, &b[0], ldb, &c[0], ldc, 1, s.keep)
	default:
		tiles4(groups, k, &a[0], lda, &b[0], ldb, &c[0], ldc, 1, s.keep)
	}
}

// pack copies a panel of less than four columns of b into rows of four, the missing ones zero.
func (s *scratch) pack(b []float64, ldb, k, cols int) {
	for p := range k {
		to := s.panel[p*4 : p*4+4]
		n := copy(to, b[p*ldb:p*ldb+cols])
		clear(to[n:])
	}
}

// edge is a tile with rows or columns missing, taken on copies.
func (s *scratch) edge(a []float64, lda int, b []float64, ldb, k int, c []float64, ldc, rows, cols int) {
	if rows < tileRows {
		for i := range rows {
			copy(s.rows[i*depth:i*depth+k], a[i*lda:i*lda+k])
		}
		for i := rows; i < tileRows; i++ {
			clear(s.rows[i*depth : i*depth+k])
		}
		a, lda = s.rows[:], depth
	}
	for i := range rows {
		copy(s.corner[i*widest:i*widest+cols], c[i*ldc:i*ldc+cols])
	}
	s.tiles(1, k, a, lda, b, ldb, s.corner[:], widest, max(cols, 4))
	for i := range rows {
		copy(c[i*ldc:i*ldc+cols], s.corner[i*widest:i*widest+cols])
	}
}
