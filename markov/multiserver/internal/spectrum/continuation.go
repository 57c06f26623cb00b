package spectrum

import (
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Continuation holds level c+k and all higher levels of a queue without a switch-over at level c, as the modes give
// them for the arrivals to level c+k. The coefficients b_j at level c+k solve
//
//	Re Σ_j b_j·(e_j ⊗ ψ_j) = y,   so that x_{c+k} = Re Σ_j b_j·(a_j ⊗ ψ_j),
//
// with y the arrivals to level c+k by class and occupancy. It pays where modes nearly cancel at level c. The terms of a
// sum at level c exceed the sum, and errors of the modes count in proportion to the terms. Coefficients that belong to
// level c carry these errors to all levels. Coefficients that belong to the arrivals to level c+k have only the errors
// of terms at level c+k, where fast modes have decayed. The condition of the equations hardly matters. It makes many
// coefficients possible, but all of them have the same entries, and levels depend continuously on entries.
//
// A change of y takes K² multiplications for the coefficients of K modes, and n·K² for level c+k, with n arrival phases.
type Continuation struct {
	*Modes
	basis   LeftSolver
	level   int          // k
	b       []complex128 // coefficients at level c+k
	arrived []float64    // y
	// InService holds the states in service of level c+k, by arrival phase and occupancy.
	InService []float64
}

// leastPower is the least absolute value of z^k for a root z that is continued from level c+k on. Coefficients at level
// c are divided by it; with a smaller power they can leave the range of a number.
const leastPower = 1e-200

// CanContinue reports whether [Modes.Continue] may be called for level c+k: the modes have no switch-over, and no root to
// the power k is below 10⁻²⁰⁰.
func (m *Modes) CanContinue(k int) bool {
	for j := range m.List {
		if !(cmplx.Abs(m.List[j].power(k)) >= leastPower) {
			return false
		}
	}
	return m.SwitchOver == nil
}

// Continue returns level c+k and all higher levels for the coefficients b of the modes at level c, which stay unchanged.
// basis holds factors of [Modes.Entries], of these modes or of modes that differ by few roundings.
// [Modes.CanContinue] must hold.
func (m *Modes) Continue(basis LeftSolver, b []complex128, k int) *Continuation {
	c := &Continuation{Modes: m, basis: basis, level: k, b: make([]complex128, len(b))}
	for j, v := range b {
		c.b[j] = v * m.List[j].power(k)
	}
	classes, phases := len(m.List[0].Classes()), len(m.List[0].A)
	sums := m.Combined(nil, nil, classes+phases, func(to []complex128, j int) {
		m.Class(to[:classes], j, c.b[j:j+1])
		m.Vector(to[classes:], j, c.b[j:j+1])
	})
	c.arrived, c.InService = sums.RowRange(0, classes).Data, sums.RowRange(classes, classes+phases).Data
	return c
}

// Follow changes the coefficients and InService in place, so that the arrivals to level c+k become y: a number for each
// class and occupancy, which stays unchanged. It solves for the change of the coefficients, in which the factors of the
// equations need few digits.
func (c *Continuation) Follow(y []float64) {
	d := make([]float64, len(y))
	floats.SubTo(d, y, c.arrived)
	copy(c.arrived, y)
	c.basis.SolveLeft(d)
	change := c.Modes.Coefficients(nil, d)
	weights := block.NewRaw(len(c.InService)/c.Psi.Cols, c.Psi.Rows)
	defer weights.Release()
	for j, v := range change {
		c.b[j] += v
		c.setWeights(weights, j, change[j:j+1])
	}
	block.FewMulAdd(block.Over(weights.Rows, c.Psi.Cols, c.InService), weights, c.Psi)
}

// AtLevelC returns the coefficients of the modes at level c that belong to these levels. They hold for level c+k and
// higher levels only.
func (c *Continuation) AtLevelC() []complex128 {
	b := make([]complex128, len(c.b))
	for j, v := range c.b {
		b[j] = v / c.List[j].power(c.level)
	}
	return b
}
