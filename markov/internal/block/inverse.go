package block

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// inverseBlock is the order up to which an inverse is computed state by state. Larger orders are halved at multiples of
// it.
const inverseBlock = side

// InvertGTH overwrites p with (diag(out) − P)⁻¹, with P and out as in [FactorGTH]. Its entry (i, j) is the mean time in
// state j, from state i, until the set is left. exit is overwritten. The states are divided into two halves 1 and 2.
// With M_ii = diag(out_i) − P_ii,
//
//	Z₁ = M₁₁⁻¹,  Z₂₂ = (M₂₂ − P₂₁·Z₁·P₁₂)⁻¹,  Z₁₂ = Z₁·P₁₂·Z₂₂,  Z₂₁ = Z₂₂·P₂₁·Z₁,  Z₁₁ = Z₁ + Z₁₂·P₂₁·Z₁.
//
// The matrix of half 2 has the exit rates of the chain observed in half 2, so its row sums are known again. Nearly all
// operations are products of nonnegative blocks. The error is [ErrReducible] if some state is never left, or the error
// of ctx; p is then incomplete.
func InvertGTH(ctx context.Context, p Matrix, exit []float64) error {
	var err error
	if p.Rows == 2 {
		err = invertTwo(p, exit)
	} else {
		err = inversion{p, exit}.invert(ctx, 0, p.Rows)
	}
	if ctx.Err() != nil { // products may be incomplete, so that states seem never to be left
		return ctx.Err()
	}
	return err
}

// inversion inverts diagonal blocks of a; exit holds the rates out of the set.
type inversion struct {
	a    Matrix
	exit []float64
}

// invert inverts the diagonal block of states i0 to i1−1, in place. It overwrites their entries of exit. If ctx ends,
// the block is incomplete, and states may seem never to be left.
func (w inversion) invert(ctx context.Context, i0, i1 int) error {
	n := i1 - i0
	if n <= inverseBlock {
		return w.invertRows(i0, i1)
	}
	mid := i0 + halfOf(n, inverseBlock)
	n1, n2 := mid-i0, i1-mid
	a := w.a
	out := NewRaw(1, n1)
	defer out.Release()
	copy(out.Data, w.exit[i0:mid])
	for i := i0; i < mid; i++ {
		w.exit[i] += Sum(a.Row(i)[mid:i1])
	}
	if err := w.invert(ctx, i0, mid); err != nil {
		return err
	}
	z1, p12 := a.part(i0, mid, i0, mid), a.part(i0, mid, mid, i1)
	p21, z2 := a.part(mid, i1, i0, mid), a.part(mid, i1, mid, i1)
	across, back := NewScratch(n1, n2), NewScratch(n2, n1) // Z₁·P₁₂, P₂₁·Z₁
	defer across.Release()
	defer back.Release()
	addProduct(ctx, z1, p12, across.general())
	addProduct(ctx, p21, z1, back.general())
	addProduct(ctx, p21, across.general(), z2)
	for i := range n2 {
		w.exit[mid+i] += floats.Dot(back.Row(i), out.Data)
	}
	if err := w.invert(ctx, mid, i1); err != nil {
		return err
	}
	for i := i0; i < i1; i++ {
		if i < mid {
			clear(a.Row(i)[mid:i1])
		} else {
			clear(a.Row(i)[i0:mid])
		}
	}
	addProduct(ctx, across.general(), z2, p12)
	addProduct(ctx, z2, back.general(), p21)
	addProduct(ctx, p12, back.general(), z1)
	return nil
}

// invertRows inverts a diagonal block of at most inverseBlock states.
func (w inversion) invertRows(i0, i1 int) error {
	n := i1 - i0
	var z square
	for i := range n {
		copy(z[i][:n], w.a.Row(i0 + i)[i0:i1])
		z[i][side] = w.exit[i0+i]
	}
	if k := invertSmall(&z, n); k < n {
		return fmt.Errorf("state %d of %d is never left: %w", i0+k, w.a.Rows, ErrReducible)
	}
	for i := range n {
		copy(w.a.Row(i0 + i)[i0:i1], z[i][:n])
	}
	return nil
}

// invertTwo is InvertGTH for two states.
func invertTwo(p Matrix, exit []float64) error {
	r, s, u, v := p.Data[1], p.Data[2], exit[0], exit[1]
	det := r*v + u*s + u*v
	if det == 0 {
		return fmt.Errorf("state 1 of 2 is never left: %w", ErrReducible)
	}
	p.Data[0], p.Data[1], p.Data[2], p.Data[3] = (s+v)/det, r/det, s/det, (r+u)/det
	return nil
}
