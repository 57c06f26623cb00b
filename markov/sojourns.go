package markov

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
)

// Sojourns holds the mean times in the states of a set, from each state until the set is left, as factors of
//
//	N = (diag(out) − P)⁻¹.
//
// P holds the rates between the states, and out the total rate out of each state, the rate of leaving the set included.
// The elimination of Grassmann, Taksar and Heyman subtracts nothing. So products with nonnegative vectors are accurate
// entry by entry, and times that are zero are zero.
type Sojourns struct {
	factor *block.GTH
}

// NewSojourns factors the mean times of a set of n states. It needs the rates between them, whose diagonal is not read,
// and the rates of leaving the set. The error is a *[BlockError] for an entry that is not a rate and for states that
// never leave the set, or the error of ctx.
func NewSojourns(ctx context.Context, rates mat.Matrix, leave []float64) (*Sojourns, error) {
	n := len(leave)
	p, err := checkSquare(ctx, rates, n)
	if err != nil {
		return nil, prefixed(err)
	}
	exit, err := checkBlock(ctx, 0, "leave", mat.NewDense(1, n, leave), 1, n)
	if err != nil {
		return nil, prefixed(err)
	}
	f, err := block.FactorGTH(ctx, p, exit.Data)
	if err != nil {
		err = blockError(0, "local", -1, -1, "%w", err)
	}
	return finished(ctx, &Sojourns{f}, err)
}

// Of overwrites x with N·x. If x_j is earned per unit of time in state j, the result is the mean total from each state
// until the set is left.
func (s *Sojourns) Of(x []float64) { s.factor.SolveVec(x) }

// Ends returns N·b. If b holds the rates of leaving to other states, the result holds the probabilities of going there, a
// row for each state. The error comes from ctx, or says that s or b is missing.
func (s *Sojourns) Ends(ctx context.Context, b mat.Matrix) (*mat.Dense, error) {
	if s == nil || s.factor == nil || b == nil {
		return nil, prefixed(errors.New("no sojourns"))
	}
	x := block.From(ctx, b)
	s.factor.Solve(ctx, x)
	return finished(ctx, x.Dense(), nil)
}
