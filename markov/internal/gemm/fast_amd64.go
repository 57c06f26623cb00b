package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas/blas64"
)

var available = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// The tile held in registers, and the depth of the slices in which products are summed: a panel of b, depth×tileCols, is
// 18 KiB and stays in the first-level cache with the rows of a that it meets.
const (
	tileRows = 4
	tileCols = 12
	depth    = 192
)

// packFrom is the number of rows from which copying a panel of b next to itself pays: the copy is one pass over
// the panel, the product one pass for every four rows.
const packFrom = 32

// tile sets c[4×12] = c ± a[4×k]·b[k×12]; strides are in numbers.
//
//go:noescape
func tile(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, subtract bool)

// packPanel copies b[k×12] to to, row after row.
//
//go:noescape
func packPanel(k int, b *float64, ldb int, to *float64)

// scratch holds what a product copies: a panel of b, the last rows of a, a tile at the edge of c.
type scratch struct {
	panel [depth * tileCols]float64
	rows  [tileRows * depth]float64
	edge  [tileRows * tileCols]float64
}

var pool = sync.Pool{New: func() any { return new(scratch) }}

// worthSharing is the number of multiplications, some .4 ms, from which another core is asked to help: waking it takes tens of
// microseconds.
const worthSharing = 8_000_000

// atWork counts the products under way: with sweeps working on as many points as there are cores, none is shared.
var atWork atomic.Int32

// fast is the product, by as many cores as are not at one already. Each takes some of the columns of b or of the rows of
// a, whichever are more, so that entries are the same however many there are.
func fast(subtract bool, a, b, c blas64.General) {
	if work := a.Rows * a.Cols * b.Cols; work >= worthSharing {
		shared(subtract, a, b, c, work)
		return
	}
	serial(subtract, a, b, c)
}

func shared(subtract bool, a, b, c blas64.General, work int) {
	free := runtime.GOMAXPROCS(0) - int(atWork.Add(1))
	defer atWork.Add(-1)
	parts := min(1+max(0, free), work/(worthSharing/2))
	if a.Rows >= b.Cols {
		share(a.Rows, parts, tileRows, func(i, i1 int) {
			serial(subtract, part(a, i, i1, 0, a.Cols), b, part(c, i, i1, 0, c.Cols))
		})
		return
	}
	share(b.Cols, parts, tileCols, func(j, j1 int) {
		serial(subtract, a, part(b, 0, b.Rows, j, j1), part(c, 0, c.Rows, j, j1))
	})
}

// share cuts 0..n into parts, multiples of unit, and does the first on this goroutine.
func share(n, parts, unit int, do func(from, to int)) {
	step := (n/parts + unit) / unit * unit
	var others sync.WaitGroup
	for from := step; from < n; from += step {
		others.Go(func() { do(from, min(from+step, n)) })
	}
	do(0, min(step, n))
	others.Wait()
}

// serial is the product by slices of k, panels of columns, tiles of rows.
func serial(subtract bool, a, b, c blas64.General) {
	s := pool.Get().(*scratch)
	for k0 := 0; k0 < a.Cols; k0 += depth {
		k := min(depth, a.Cols-k0)
		for j := 0; j < b.Cols; j += tileCols {
			s.panelTimes(subtract, a.Data[k0:], a.Stride, b.Data[k0*b.Stride+j:], b.Stride, k,
				c.Data[j:], c.Stride, a.Rows, min(tileCols, b.Cols-j))
		}
	}
	pool.Put(s)
}

// panelTimes adds a[rows×k] times a panel b[k×cols] to c[rows×cols].
func (s *scratch) panelTimes(subtract bool, a []float64, lda int, b []float64, ldb, k int, c []float64, ldc, rows, cols int) {
	if cols < tileCols || rows >= packFrom {
		s.pack(b, ldb, k, cols)
		b, ldb = s.panel[:], tileCols
	}
	i := 0
	if cols == tileCols {
		for ; i+tileRows <= rows; i += tileRows {
			tile(k, &a[i*lda], lda, &b[0], ldb, &c[i*ldc], ldc, subtract)
		}
	}
	for ; i < rows; i += tileRows {
		s.edgeTile(subtract, a[i*lda:], lda, b, ldb, k, c[i*ldc:], ldc, min(tileRows, rows-i), cols)
	}
}

// pack copies a panel of b into rows of tileCols numbers, the missing ones zero.
func (s *scratch) pack(b []float64, ldb, k, cols int) {
	if cols == tileCols {
		packPanel(k, &b[0], ldb, &s.panel[0])
		return
	}
	for p := range k {
		to := s.panel[p*tileCols : (p+1)*tileCols]
		n := copy(to, b[p*ldb:p*ldb+cols])
		clear(to[n:])
	}
}

// edgeTile is a tile with rows or columns missing, taken on copies.
func (s *scratch) edgeTile(subtract bool, a []float64, lda int, b []float64, ldb, k int, c []float64, ldc, rows, cols int) {
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
		copy(s.edge[i*tileCols:i*tileCols+cols], c[i*ldc:i*ldc+cols])
	}
	tile(k, &a[0], lda, &b[0], ldb, &s.edge[0], tileCols, subtract)
	for i := range rows {
		copy(c[i*ldc:i*ldc+cols], s.edge[i*tileCols:i*tileCols+cols])
	}
}
