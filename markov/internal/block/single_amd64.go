package block

import (
	"context"
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
)

// singleTiles24 overwrites c with c + a·b, for 24 columns of b and c. The rows of a and c are taken in groups of four.
// Strides are in numbers. singleTiles8 has 8 columns.
//
//go:noescape
func singleTiles24(groups, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func singleTiles8(groups, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

// roundDifferences sets to to a − b, rounded, for n numbers, a positive multiple of four.
//
//go:noescape
func roundDifferences(n int, to *float32, a, b *float64)

// addSingles sets to to a + x for n numbers, a positive multiple of four.
//
//go:noescape
func addSingles(n int, to, a *float64, x *float32)

// anyChangedMore reports whether |is_i − was_i| > c·(u_i + is_i) for any of n numbers, a positive multiple of four.
//
//go:noescape
func anyChangedMore(n int, was, is, u *float64, c float64) bool

// Kernels in single precision take singleWide or singleNarrow columns at a time, and slices of up to singleDepth terms.
// A panel of 24 columns is then 24 KiB, which stay in the first-level cache. A stripe of rows is 192 KiB.
const (
	singleWide   = 2 * widest
	singleNarrow = 8
	singleDepth  = 256
	singleStripe = 2 * stripe
)

// singlePanel is a panel of b, copied.
type singlePanel [singleDepth * singleWide]float32

var singlePool = sync.Pool{New: func() any { return new(singlePanel) }}

// serialSingle adds a·b to c, in groups of four rows, as [serial].
func serialSingle(ctx context.Context, groups int, a []float32, lda int, b blas32.General, c []float32, ldc int) {
	p := singlePool.Get().(*singlePanel)
	defer singlePool.Put(p)
	slice := sliceOf(b.Rows, singleDepth)
	for k0 := 0; k0 < b.Rows; k0 += slice {
		k := min(slice, b.Rows-k0)
		height := singleStripe / k / tileRows
		for g := 0; g < groups; g += height {
			if k0+g > 0 && ctx.Err() != nil {
				return
			}
			some, i := min(height, groups-g), g*tileRows
			for j := 0; j < b.Cols; {
				from, to := b.Data[k0*b.Stride+j:], &c[i*ldc+j]
				if b.Cols-j >= singleWide {
					packPanel(k, pair(&from[0]), b.Stride/2, pair(&p[0]))
					singleTiles24(some, k, &a[i*lda+k0], lda, &p[0], singleWide, to, ldc)
					j += singleWide
					continue
				}
				p.pack(from, b.Stride, k, min(singleNarrow, b.Cols-j))
				singleTiles8(some, k, &a[i*lda+k0], lda, &p[0], singleNarrow, to, ldc)
				j += singleNarrow
			}
		}
	}
}

// pair returns a pointer to two numbers, which packPanel copies as one. Strides are even.
func pair(x *float32) *float64 { return (*float64)(unsafe.Pointer(x)) }

// pack copies a panel of at most eight columns of b into rows of eight, the missing ones zero.
func (p *singlePanel) pack(b []float32, ldb, k, cols int) {
	for i := range k {
		to := p[i*singleNarrow : (i+1)*singleNarrow]
		clear(to[copy(to, b[i*ldb:i*ldb+cols]):])
	}
}
