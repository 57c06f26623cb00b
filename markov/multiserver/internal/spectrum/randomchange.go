package spectrum

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Changed returns a copy of the modes whose numbers are increased or decreased at random, by share times the roundings
// of the mode. The roundings measure the condition of its root, see [eigenpair]. The root and all other scalars of a
// mode change by that relative amount, because levels far out follow the slowest root alone. A root z above one half of
// the first mode changes by its gap 1 − z, which has digits of its own. A switch-over is changed by
// [SwitchOver.changed]. The caller compares measures before and after to bound their errors. The result and its Psi are
// borrowed, and the caller gives them back by [Modes.ReleaseChanged]. All its vectors of complex numbers lie in store. m
// stays unchanged.
func (m *Modes) Changed(store *block.Arena, random *rand.Rand, share float64) *Modes {
	c := changedModes.Get().(*Modes)
	c.Psi, c.List, c.SwitchOver = block.NewRaw(m.Psi.Rows, m.Psi.Cols), append(c.List[:0], m.List...), m.SwitchOver
	var extensions []extension
	if m.SwitchOver != nil {
		extensions = make([]extension, len(m.List))
	}
	for j := range c.List {
		mode := &c.List[j]
		// A real number changes by the factor 1 ± size, a number of a pair by 1 ± size ± i·size.
		size := share * mode.roundings
		vary := func(v complex128) complex128 {
			signs := random.Uint64()
			part := func(bit int) float64 { return size * float64(1-2*int64(signs>>bit&1)) }
			return v * complex(1+part(0), part(1)*float64(mode.height()-1))
		}
		re, psiSize := c.Psi.Row(mode.Row), share*mode.psiRoundings
		if mode.Pair {
			changePair(random, re, c.Psi.Row(mode.Row+1), m.Psi.Row(mode.Row), m.Psi.Row(mode.Row+1), psiSize)
		} else {
			changeReal(random, re, m.Psi.Row(mode.Row), psiSize)
		}
		// The gap 1 − z of the slowest mode has digits of its own: change the gap, and compute z from it. Otherwise
		// change z.
		if j == 0 && real(mode.Z) > 0.5 {
			mode.Gap = vary(mode.Gap)
			mode.Z = 1 - mode.Gap
		} else {
			mode.Z = vary(mode.Z)
			mode.Gap += m.List[j].Z - mode.Z
		}
		mode.A, mode.e = store.ComplexClone(mode.A), store.ComplexClone(mode.e)
		changeVector(mode.A, vary, len(mode.e) > 1)
		changeVector(mode.e, vary, true)
		if mode.shift != nil { // all entries of A change with s, in the same direction
			cmplxs.AddScaled(mode.A, complex(share*float64(1-2*random.IntN(2)), 0), mode.shift)
		}
		if mode.during != nil {
			extensions[j] = mode.during.changed(store, vary)
			mode.during = &extensions[j]
		}
		mode.sum = c.sumOf(*mode)
		mode.setTotals()
	}
	if c.SwitchOver != nil {
		c.SwitchOver = c.SwitchOver.changed(random, share)
	}
	return c
}

// changedModes holds results of [Modes.Changed] that are no longer used.
var changedModes = sync.Pool{New: func() any { return new(Modes) }}

// ReleaseChanged gives back the storage of m, a result of [Modes.Changed], for later results. m and its Psi must not be
// used any more.
func (m *Modes) ReleaseChanged() {
	m.Psi.Release()
	clear(m.List)
	*m = Modes{List: m.List[:0]}
	changedModes.Put(m)
}

// MostRoundings returns the largest relative error of a number of the modes, in rounding errors of 2⁻⁵³. Where it is
// large, the errors of a few modes dominate the errors of measures.
func (m *Modes) MostRoundings() float64 {
	worst := 0.0
	for j := range m.List {
		mode := &m.List[j]
		worst = max(worst, mode.roundings, mode.psiRoundings)
		for i, v := range mode.shift {
			worst = max(worst, sizeOf(v)/sizeOf(mode.A[i]))
		}
	}
	return worst
}

// changed returns a copy of the extension of a mode by a switch-over with all its numbers changed. Only the sums total
// stay; [Mode.setTotals] sets them later. change returns a number after a random relative change. Rows of e or a with
// several entries change relative to their largest entry. The copy lies in store.
func (x *extension) changed(store *block.Arena, change func(complex128) complex128) extension {
	c := extension{store.ComplexClone(x.h), store.ComplexClone(x.lastColumn), store.ComplexClone(x.e), store.ComplexClone(x.a),
		store.ComplexClone(x.total)}
	s := len(x.lastColumn)
	for i, v := range c.h {
		c.h[i] = change(v)
	}
	for i, v := range c.lastColumn {
		c.lastColumn[i] = change(v)
	}
	for _, list := range [][]complex128{c.e, c.a} {
		k := len(list) / s
		for i := range s {
			changeVector(list[i*k:(i+1)*k], change, k > 1)
		}
	}
	return c
}

// changed returns a copy of the switch-over with changed eigenvalues λ(−C), gaps and Contents. All of them increase or
// decrease at random by a relative amount share. Where an eigenvalue on the diagonal is above one half, its gap 1 − λ
// increases by share, and λ follows from the gap. Contents come from the eigenvectors of the arrivals, whose small
// entries have the errors of the largest. So with several classes the entries of a row of Contents change relative to
// the largest entry, times vectorRoundings. All other numbers, also e(−C) and a(−C), are shared with v and stay.
func (v *SwitchOver) changed(random *rand.Rand, share float64) *SwitchOver {
	c := *v
	c.branches, c.Contents = slices.Clone(v.branches), v.Contents.Clone()
	if len(v.branches) == 1 {
		changeReal(random, c.Contents.Data, v.Contents.Data, share)
	} else {
		for q := range v.Contents.Rows {
			row := c.Contents.Row(q)
			size := share * v.vectorRoundings * floats.Norm(row, math.Inf(1))
			for i := range row {
				row[i] += size * float64(1-2*random.IntN(2))
			}
		}
	}
	s := len(v.Gamma)
	for i := range c.branches {
		b := &c.branches[i]
		b.lambda, b.gap = slices.Clone(b.lambda), slices.Clone(b.gap)
		changeReal(random, b.lambda, v.branches[i].lambda, share)
		for d, gap := range b.gap {
			if old := v.branches[i].lambda[d*s+d]; old > 0.5 {
				b.gap[d] = gap * (1 + share)
				b.lambda[d*s+d] = 1 - b.gap[d]
			} else {
				b.gap[d] += old - b.lambda[d*s+d]
			}
		}
	}
	return &c
}

// changeVector changes a vector x over the arrival phases or classes in place. change returns a number after a random
// relative change, another change at each call. If iterated, x comes from inverse iteration, whose errors are relative
// to the largest entry. All entries then change relative to the largest entry, otherwise relative to themselves.
func changeVector(x []complex128, change func(complex128) complex128, iterated bool) {
	largest := complex(0, 0)
	for _, v := range x {
		if sizeOf(v) > sizeOf(largest) {
			largest = v
		}
	}
	for i, v := range x {
		if iterated {
			x[i] += change(largest) - largest
		} else {
			x[i] = change(v)
		}
	}
}

// changeReal overwrites to with x, every number increased or decreased at random by share times itself. Both have the
// same length. One random bit decides for each number.
func changeReal(random *rand.Rand, to, x []float64, share float64) {
	signs, factors := uint64(0), [2]float64{1 + share, 1 - share}
	for i, v := range x {
		if i%64 == 0 {
			signs = random.Uint64()
		}
		to[i] = v * factors[signs&1]
		signs >>= 1
	}
}

// changePair is [changeReal] for complex numbers, given as real parts re and imaginary parts im. It overwrites toRe and
// toIm. Each part of a number increases or decreases at random by share times the larger of its two parts.
func changePair(random *rand.Rand, toRe, toIm, re, im []float64, share float64) {
	signs := uint64(0)
	for i, x := range re {
		if i%32 == 0 {
			signs = random.Uint64()
		}
		y := im[i]
		d := math.Float64bits(share * max(math.Abs(x), math.Abs(y)))
		toRe[i], toIm[i] = x+math.Float64frombits(d^signs<<63), y+math.Float64frombits(d^signs>>1<<63)
		signs >>= 2
	}
}
