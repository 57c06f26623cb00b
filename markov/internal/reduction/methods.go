// Package reduction solves the repeating part of quasi-birth-and-death processes. Cyclic reduction finds U, the generator
// of the process observed in one level until it goes lower. Geometric series are summed over the levels, by factors or by
// doubling. A [Method] combines the two. Errors carry no prefix; the packages that return them to users add theirs.
package reduction

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov/internal/block"
)

// ErrNoConvergence tells that a method used up its iterations.
var ErrNoConvergence = errors.New("no convergence")

// Blocks is the repeating part of a chain. The diagonal of Local is not read; it is minus the sum of the other rates of
// the row.
type Blocks struct{ Up, Local, Down block.Matrix }

// Release returns the storage of the blocks to the pools. The blocks must not be used any more.
func (b Blocks) Release() {
	b.Up.Release()
	b.Local.Release()
	b.Down.Release()
}

// Method is a way to solve a repeating part.
type Method struct {
	Name string
	// Reduce finds U = Local + Up·G, with G the first passages to the level below: the off-diagonal entries of U, and the rates
	// leave = −U·1. exit holds the rates at which the process is left for good; nil means that it comes down with certainty.
	// The error is ErrNoConvergence, an error for a singular block, or the error of ctx.
	Reduce func(ctx context.Context, b Blocks, exit []float64) (
		u block.Matrix, leave []float64, iterations int, err error)
	// Sum prepares geometric sums with the matrix m. They are incomplete if ctx ends.
	Sum func(ctx context.Context, m block.Matrix) Geometric
	// Blocks is the largest number of blocks that Reduce and Sum hold at a time, their arguments not counted. Sums by doubling
	// hold one block for each of some thirty doublings.
	Blocks int
}

// The names of the methods.
const (
	Auto            = "auto"
	CyclicReduction = "cyclic-reduction"
	SubtractionFree = "subtraction-free"
)

// ByName returns the method of that name. The names "" and "auto" mean cyclic reduction.
func ByName(name string) (m Method, ok bool) {
	switch name {
	case "", Auto, CyclicReduction:
		return Method{CyclicReduction, cyclicReduction, ByFactors, 14}, true
	case SubtractionFree:
		return Method{SubtractionFree, cyclicReduction, byDoubling, 36}, true
	}
	return Method{}, false
}

// mostSteps is the largest number of steps of a reduction. Each step doubles the number of levels that are taken into
// account. 60 doublings are enough for every queue whose drift differs from zero in double precision, and whose phases do not last
// for 2^60 transitions. More doublings would not help: roundings leave no digit of such a sum over levels.
const mostSteps = 60

// EntryTol is the relative change of each entry at which a quadratically convergent iteration stops: one rounding error
// of the sums that make up an entry.
const EntryTol = 1e-15
