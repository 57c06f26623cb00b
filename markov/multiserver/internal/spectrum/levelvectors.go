package spectrum

import (
	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// LevelVectors holds what a solution reads of its modes, each a sum over all modes. With x_k the states in service of
// level c+k, n·K numbers by arrival phase and occupancy, these are
//
//	Levels    x_k for k = 0, 1, …
//	Sums      Σ_{i≥0} i(i−1)…(i−p+1)·x_{k+i} for p = 0, 1, 2, where k is [LevelChoice.SumsFrom]
//	Fourfold  x_k/unit^k for k = 4^i, i = 0, 1, …
//	Masses    the sum of the entries of x_k/unit^k for k = 4^i
//	Tails     the same sum, of x_k and all higher levels
//
// One pass over the modes makes all of them. The pass takes one product of a matrix with Psi, of n rows for each vector.
// A pass for each of them would read Psi, and find the powers of the roots, up to ten times. The matrix has 2·n·v·K
// numbers for v vectors, which pays at every size.
type LevelVectors struct {
	Levels, Fourfold [][]float64
	Sums             [3][]float64
	Masses, Tails    []float64
}

// LevelChoice says which vectors [Modes.LevelVectors] makes.
type LevelChoice struct {
	Levels   int     // number of levels from c on, at least 2
	SumsFrom int     // the sums begin with level c+SumsFrom, which must be one of these levels
	Fourfold int     // number of levels c+4^i with a vector, at least 1
	Masses   int     // number of levels c+4^i with masses and tails, at least Fourfold
	Unit     float64 // unit of the levels c+4^i, about the largest root; 1 with a switch-over
}

// LevelVectors returns the sums of the modes over the levels of a choice, with the coefficients b of the modes at level
// c, as [Modes.Coefficients] returns them. All vectors are new and lie in store. Small numbers may be negative by
// rounding.
func (m *Modes) LevelVectors(store *block.Arena, b []complex128, choice LevelChoice) LevelVectors {
	n, o := len(m.List[0].A), m.Order()
	plain := choice.Levels + 3             // levels and sums
	vectors := plain + choice.Fourfold - 1 // level c+1 is one of the levels
	w := store.ComplexVector((plain + choice.Masses) * o)
	near, far := w[:plain*o], w[plain*o:]
	power := store.ComplexVector(o * o)
	v := LevelVectors{Masses: store.Vector(choice.Masses), Tails: store.Vector(choice.Masses)}
	weights := block.NewRaw(n*vectors, m.Psi.Rows)
	defer weights.Release()
	for j := range m.List {
		own := b[j*o : (j+1)*o]
		m.setNear(near, power, j, own, choice)
		m.fourfold(j, own, far, power, choice.Unit)
		m.setWeights(weights.RowRange(0, n*plain), j, near)
		m.setWeights(weights.RowRange(n*plain, n*vectors), j, far[o:])
		m.addMassesAndTails(v.Masses, v.Tails, j, far)
	}
	all := store.Matrix(n*vectors, m.Psi.Cols)
	block.FewMulAdd(all, weights, m.Psi)
	list := make([][]float64, vectors+1)
	for i := range vectors {
		list[i] = all.RowRange(i*n, (i+1)*n).Data
	}
	v.Levels = list[:choice.Levels:choice.Levels]
	copy(v.Sums[:], list[choice.Levels:])
	v.Fourfold = list[plain:]
	copy(v.Fourfold[1:], v.Fourfold)
	v.Fourfold[0] = floats.ScaleTo(store.Vector(n*m.Psi.Cols), 1/choice.Unit, v.Levels[1])
	return v
}

// Scale multiplies the sums over all levels from c+SumsFrom on and all vectors of levels c+4^i by f, in place. Levels
// stays unchanged.
func (v *LevelVectors) Scale(f float64) {
	for _, list := range [][][]float64{v.Sums[:], v.Fourfold, {v.Masses, v.Tails}} {
		for _, x := range list {
			floats.Scale(f, x)
		}
	}
}

// SumsFromC returns three new vectors x[p] = Σ_{k≥0} k(k−1)…(k−p+1)·x_k for p = 0, 1, 2, which lie in store. x_k holds the
// states in service of level c+k. The w levels from c to c+w−1 are given as near, and w is SumsFrom; the others are sums of
// modes. Both must be in the same unit. With S_p the field Sums, sums over k ≥ w with factors of k − w in place of k,
//
//	Σ x_k = S_0,   Σ k·x_k = w·S_0 + S_1,   Σ k(k−1)·x_k = w(w−1)·S_0 + 2w·S_1 + S_2.
func (v *LevelVectors) SumsFromC(store *block.Arena, near [][]float64) (x [3][]float64) {
	n := float64(len(near))
	for p, sum := range v.Sums {
		x[p] = store.Clone(sum)
	}
	floats.AddScaled(x[2], 2*n, x[1])
	floats.AddScaled(x[2], n*(n-1), x[0])
	floats.AddScaled(x[1], n, x[0])
	for k, level := range near {
		k := float64(k)
		for p, factor := range [3]float64{1, k, k * (k - 1)} {
			floats.AddScaled(x[p], factor, level)
		}
	}
	return x
}

// setWeights sets the columns of weights that belong to mode j, and leaves the others. weights has n rows for each
// vector, and a column for each row of Psi; n is the number of arrival phases. w holds the coefficients of the mode in
// each vector, [Modes.Order] numbers. The rows of Psi with these weights sum to the vectors.
func (m *Modes) setWeights(weights block.Matrix, j int, w []complex128) {
	mode, o := &m.List[j], m.Order()
	n := len(mode.A)
	if o > 1 {
		var room [8]complex128
		part := append(room[:0], mode.A...)
		for i := range weights.Rows / n {
			m.Vector(part, j, w[i*o:(i+1)*o])
			mode.combine(weights.RowRange(i*n, (i+1)*n), part)
		}
		return
	}
	// Without a switch-over the coefficients multiply the vector of the arrivals.
	data, columns, at := weights.Data, weights.Cols, mode.Row
	vector, pair := mode.A, mode.Pair
	for _, x := range w[:weights.Rows/n] {
		for _, a := range vector {
			data[at] = real(x)*real(a) - imag(x)*imag(a)
			if pair {
				data[at+1] = -(real(x)*imag(a) + imag(x)*real(a))
			}
			at += columns
		}
	}
}

// setNear overwrites w with the coefficients of mode j at the levels of a choice, [Modes.Order] numbers for each, and
// then with its coefficients in the three sums. b holds the coefficients at level c and stays unchanged. step is scratch
// for a square matrix of this order. With the matrix λ⁺ of the mode, see [Modes.matrix], sum p has the weight
// p!·λ⁺^(k+p)·(I − λ⁺)^−(p+1), where k is SumsFrom.
func (m *Modes) setNear(w, step []complex128, j int, b []complex128, choice LevelChoice) {
	if len(b) == 1 {
		mode := &m.List[j]
		x, andAbove := b[0], quotient(1, mode.Gap)
		for k := range choice.Levels {
			w[k], x = x, x*mode.Z
		}
		x = w[choice.SumsFrom] * andAbove
		next := mode.Z * andAbove
		copy(w[choice.Levels:], []complex128{x, x * next, 2 * x * next * next})
		return
	}
	o := len(b)
	m.matrix(step, j)
	at := func(i int) []complex128 { return w[i*o : (i+1)*o] }
	copy(at(0), b)
	for k := 1; k < choice.Levels; k++ {
		copy(at(k), at(k-1))
		timesUpper(at(k), step)
	}
	last := at(choice.SumsFrom)
	for p := range 3 {
		sum := at(choice.Levels + p)
		copy(sum, last)
		if p > 0 {
			timesUpper(sum, step)
			cmplxs.Scale(complex(float64(p), 0), sum)
		}
		m.Sum(j, sum)
		last = sum
	}
}
