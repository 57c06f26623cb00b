//go:build openblas && cgo

package block

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/partwise/partwise/markov/internal/block/openblas"
)

// smallest is the number of multiplications below which a call into C costs more than it saves.
const smallest = 30_000

func product(subtract bool, a, b, c blas64.General) {
	if a.Rows*a.Cols*b.Cols < smallest {
		own(subtract, a, b, c)
		return
	}
	openblas.Product(sign(subtract), a, b, c)
}
