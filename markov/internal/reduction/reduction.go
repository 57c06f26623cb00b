// Package reduction solves the repeating part of quasi-birth-and-death processes: cyclic reduction finds the generator U
// of a level censored on not going lower, and geometric series are summed over the levels, by factors or by doubling. A [Method] is one of each. Errors carry no prefix; the packages that return them to users add theirs.
package reduction

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov/internal/block"
)

// ErrNoConvergence: a method used up its iterations.
var ErrNoConvergence = errors.New("no convergence")

// Blocks is the repeating part of a chain without its diagonal, which is minus the sum of the rest of the row.
type Blocks struct{ Up, Local, Down block.Matrix }

// Method is a way to solve a repeating part.
type Method struct {
	Name string
	// Reduce finds U = Local + Up·G, the generator of a level censored on not going lower, by its off-diagonal, and the rates at
	// which its phases are left, −U·1. The process comes down for sure, or is left for good at the rates exit, nil if it is
	// not. It returns the error of ctx if that ends.
	Reduce func(ctx context.Context, b Blocks, exit []float64) (
		u block.Matrix, leave []float64, iterations int, err error)
	// Sum prepares for sums over the levels, unless ctx ends.
	Sum func(ctx context.Context, m block.Matrix) Geometric
	// Blocks is how many blocks of the order of the repeating part both hold at a time, those they are given not counted;
	// sums by doubling hold one for each of some thirty doublings.
	Blocks int
}

// The names of the methods.
const (
	Auto            = "auto"
	CyclicReduction = "cyclic-reduction"
	SubtractionFree = "subtraction-free"
)

// ByName returns a method by its name, cyclic reduction for "" and "auto".
func ByName(name string) (m Method, ok bool) {
	switch name {
	case "", Auto, CyclicReduction:
		return Method{CyclicReduction, cyclicReduction, ByFactors, 14}, true
	case SubtractionFree:
		return Method{SubtractionFree, cyclicReduction, byDoubling, 36}, true
	}
	return Method{}, false
}

// mostSteps: the reduction doubles the number of levels covered with each step; 60 doublings reach beyond any
// queue whose drift can be told from zero in double precision.
const mostSteps = 60

// EntryTol is the relative change of the smallest entry at which a quadratically convergent iteration stops: one
// rounding error of the sums that make up an entry.
const EntryTol = 1e-15
