package spectrum

import (
	"context"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// LeftSolver is a factored matrix M that solves x·M = b.
type LeftSolver interface {
	// SolveLeft overwrites x with x·M⁻¹.
	SolveLeft(x []float64)
	// SolveLeftRows does so with each row of x, which is incomplete if ctx ends.
	SolveLeftRows(ctx context.Context, x block.Matrix)
	// Release releases the storage of the factors.
	Release()
}

// FactorEntries returns factors of the matrix that turns coefficients of the modes into entries of level c; see
// [Modes.Entries]. SolveLeft of the result turns entries into coefficients, which it lists as [Modes.Coefficients]
// takes them. With a switch-over it factors the larger matrix of [StageBasis], which says how entries are listed. The
// caller must release the factors. They are incomplete if ctx ends.
func (m *Modes) FactorEntries(ctx context.Context) LeftSolver {
	if m.SwitchOver != nil {
		return m.factorStages(ctx)
	}
	return m.factorPlain(ctx)
}

// factorPlain returns factors of the matrix of [Modes.Entries], without the terms of a switch-over. It factors two
// parts where modes can be divided, see [ModeBasis], otherwise one matrix. The factors must be released, and are
// incomplete if ctx ends.
func (m *Modes) factorPlain(ctx context.Context) LeftSolver {
	if ordered, class, ok := m.Parts(); ok {
		return m.FactorByParts(ctx, ordered, class)
	}
	return block.FactorLU(ctx, m.Entries())
}

// ModeBasis is the factored matrix E for r classes of arrivals. The modes are in two parts: part 1 has K rows Ψ₁ of
// Psi, part 2 the other (r−1)·K rows Ψ₂. D_qp multiplies each mode of part p by its number e for class q. So block (p,
// q) of E is D_qp·Ψ_p. Block elimination of part 1 gives, with class 1 the one whose numbers in part 1 are largest,
//
//	W = Ψ₂·Ψ₁⁻¹,   C_q = D_q1·D_11⁻¹,   S_q = D_q2·W − D_12·W·C_q,   q ≥ 2.
//
// The Schur complement is (S_2 … S_r)·(I⊗Ψ₁), and products with D and C are products with numbers. The factors take
// K³·(1/3 + (r−1) + (r−1)³/3) multiplications instead of (r·K)³/3. For each composition, part 1 has the root with the
// largest λ, because eigenvectors of different compositions are the least dependent.
type ModeBasis struct {
	k       int
	classes []int            // class 1 first
	rows    []int            // rows of Psi, part 1 first
	first   block.LU         // factors of Ψ₁
	w       block.Matrix     // W, (r−1)·K × K
	rest    block.LU         // factors of S
	over    multiplication   // D_11⁻¹
	ratios  []multiplication // C_q, q ≥ 2
	other   multiplication   // D_12
}

// multiplication multiplies each mode by a complex number d, as a matrix D on coefficients in real form. The two rows
// of a pair are partners:
//
//	(x·D)_i = re_i·x_i + im_i·x_partner(i),   re = Re d,  im = Im d in the first row and −Im d in the second.
type multiplication struct {
	re, im  []float64
	partner []int
}

// add adds sign·x·D to y in place, where D multiplies each mode by a complex number of its own. x and y hold a
// coefficient for each row of the modes; a pair of conjugate modes has two rows, real and imaginary part. They must not
// share storage. Block elimination of a [ModeBasis] multiplies so.
func (d multiplication) add(y, x []float64, sign float64) {
	for i, p := range d.partner {
		y[i] += sign * (d.re[i]*x[i] + d.im[i]*x[p])
	}
}

// multiplicationOf returns the matrix that multiplies the coefficient of each listed mode by the complex number(mode).
// It acts on coefficients in real form: two for a pair of conjugate modes, of its real and its imaginary part, and one
// for any other mode. Its rows follow the list.
func multiplicationOf(list []Mode, number func(Mode) complex128) (d multiplication) {
	for _, mode := range list {
		v, row := number(mode), len(d.re)
		if !mode.Pair {
			d.re, d.im, d.partner = append(d.re, real(v)), append(d.im, 0), append(d.partner, row)
			continue
		}
		d.re, d.im = append(d.re, real(v), real(v)), append(d.im, imag(v), -imag(v))
		d.partner = append(d.partner, row+1, row)
	}
	return d
}

// height returns the number of rows of Psi that the mode takes: 2 for a pair, else 1.
func (m Mode) height() int {
	if m.Pair {
		return 2
	}
	return 1
}

// Parts returns the modes in an order that block elimination needs: part 1, the first few modes, has exactly one row
// for each of the K occupancies; see [ModeBasis]. Modes of the largest eigenvalue of the arrivals come first. class is
// the index of a class of arrivals: block elimination divides by the entries of the eigenvectors of part 1 for this
// class. It is the class for which the smallest absolute value of these entries is largest. ok is false, and the other
// results have no meaning, in three cases: there is one class only, no part 1 has exactly K rows, or part 1 has an
// entry 0 for each class.
func (m *Modes) Parts() (ordered []Mode, class int, ok bool) {
	k, rows := m.Psi.Cols, 0
	if m.Psi.Rows == k {
		return nil, 0, false
	}
	var first, others []Mode
	// Modes of branch 0 come first. A pair that does not fit into the K rows of part 1 goes to part 2.
	for _, leading := range []bool{true, false} {
		for _, mode := range m.List {
			switch {
			case (mode.branch == 0) != leading:
			case rows+mode.height() <= k:
				first, rows = append(first, mode), rows+mode.height()
			default:
				others = append(others, mode)
			}
		}
	}
	// D_11 is inverted: choose the class for which its smallest number is largest.
	largest := 0.0
	for q := range m.Psi.Rows / k {
		least := math.Inf(1)
		for _, mode := range first {
			least = min(least, cmplx.Abs(mode.e[q]))
		}
		if least > largest {
			class, largest = q, least
		}
	}
	return append(first, others...), class, rows == k && largest > 0
}

// FactorByParts returns the factors of the matrix of [Modes.Entries], from coefficients to entries of level c, by block
// elimination of two parts of the modes; see [ModeBasis]. ordered and class are the results of [Modes.Parts], which
// must have been ok. The modes stay unchanged. The factors must be released, and are incomplete if ctx ends.
func (m *Modes) FactorByParts(ctx context.Context, ordered []Mode, class int) *ModeBasis {
	k, all := m.Psi.Cols, m.Psi.Rows
	b := &ModeBasis{k: k, classes: []int{class}}
	for q := range all / k {
		if q != class {
			b.classes = append(b.classes, q)
		}
	}
	split := 0 // the number of modes in the first part
	for i, mode := range ordered {
		if len(b.rows) == k && split == 0 {
			split = i
		}
		for p := range mode.height() {
			b.rows = append(b.rows, mode.Row+p)
		}
	}
	former, latter := ordered[:split], ordered[split:]
	psi := block.NewRaw(k, k)
	b.w = block.NewRaw(all-k, k)
	for i, row := range b.rows {
		if i < k {
			copy(psi.Row(i), m.Psi.Row(row))
		} else {
			copy(b.w.Row(i-k), m.Psi.Row(row))
		}
	}
	// psi is Ψ₁, and w becomes W = Ψ₂·Ψ₁⁻¹.
	b.first = block.FactorLU(ctx, psi)
	b.first.SolveLeftRows(ctx, b.w)
	b.over = multiplicationOf(former, func(m Mode) complex128 { return 1 / m.e[class] })
	b.other = multiplicationOf(latter, func(m Mode) complex128 { return m.e[class] })
	numbers := make([]multiplication, len(b.classes)-1) // D_q2
	for i, q := range b.classes[1:] {
		b.ratios = append(b.ratios, multiplicationOf(former, func(m Mode) complex128 { return m.e[q] / m.e[class] }))
		numbers[i] = multiplicationOf(latter, func(m Mode) complex128 { return m.e[q] })
	}
	b.rest = block.FactorLU(ctx, b.complement(numbers))
	return b
}

// complement returns the Schur complement of the block elimination of [ModeBasis], of order (r−1)·K for r classes and K
// occupancies, as a scratch block. numbers[i] multiplies each mode of part 2 by the entry of its eigenvector for class
// b.classes[i+1]. All fields of b except rest must be set. The caller factors or releases the block.
func (b *ModeBasis) complement(numbers []multiplication) block.Matrix {
	k, w := b.k, b.w
	s := block.NewRaw(w.Rows, w.Rows)
	block.Share(w.Rows, 1, 4*w.Rows*w.Rows, func(from, to int) {
		u := make([]float64, k)
		for i := from; i < to; i++ {
			b.other.row(u, w, i)
			for q, d := range numbers {
				part := s.Row(i)[q*k : (q+1)*k]
				d.row(part, w, i)
				b.ratios[q].add(part, u, -1)
			}
		}
	})
	return s
}

// row overwrites the vector to with row i of the product D·w, where D multiplies each mode by a complex number of its
// own. w has a row for each mode, or two for a pair of conjugate modes.
func (d multiplication) row(to []float64, w block.Matrix, i int) {
	floats.ScaleTo(to, d.re[i], w.Row(i))
	if p := d.partner[i]; p != i {
		floats.AddScaled(to, -d.im[i], w.Row(p))
	}
}

// SolveLeft overwrites x with x·E⁻¹, E being the matrix of [Modes.Entries]. Before, x holds entries of level c by class
// and occupancy; afterwards coefficients of the rows of Psi. With y_q = x_q·Ψ₁⁻¹ for class q, and the symbols of
// [ModeBasis], the coefficients u₂ of part 2 and u₁ of part 1 are
//
//	u₂ = (y_q − y_1·C_q)_{q≥2}·S⁻¹,   u₁ = (y_1 − u₂·D_12·W)·D_11⁻¹.
func (b *ModeBasis) SolveLeft(x []float64) {
	k := b.k
	y := make([]float64, len(x))
	block.Share(len(b.classes), 1, 10*len(y)*k, func(from, to int) {
		for i := from; i < to; i++ {
			part := y[i*k : (i+1)*k]
			copy(part, x[b.classes[i]*k:])
			b.first.SolveLeft(part)
		}
	})
	first, others := y[:k], y[k:]
	for i, c := range b.ratios {
		c.add(others[i*k:(i+1)*k], first, -1)
	}
	b.rest.SolveLeft(others)
	weights := make([]float64, len(others))
	b.other.add(weights, others, 1)
	floats.Sub(first, block.VecMul(weights, b.w))
	own := make([]float64, k)
	b.over.add(own, first, 1)
	for i, row := range b.rows {
		if i < k {
			x[row] = own[i]
		} else {
			x[row] = others[i-k]
		}
	}
}

// SolveLeftRows is [ModeBasis.SolveLeft] for each row of x. It is incomplete if ctx ends.
func (b *ModeBasis) SolveLeftRows(ctx context.Context, x block.Matrix) {
	for i := 0; i < x.Rows && ctx.Err() == nil; i++ {
		b.SolveLeft(x.Row(i))
	}
}

// Release gives the storage of the factors of E back for use by others. The basis must not be used afterwards.
func (b *ModeBasis) Release() {
	b.first.Release()
	b.w.Release()
	b.rest.Release()
}
