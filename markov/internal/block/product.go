//go:build !openblas || !cgo

package block

import "gonum.org/v1/gonum/blas/blas64"

func product(subtract bool, a, b, c blas64.General) { own(subtract, a, b, c) }
