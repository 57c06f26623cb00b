package markov

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
)

// Sojourns are the mean times in the states of a set, from each of them, until the set is left,
//
//	N = (diag(out) − P)⁻¹,
//
// P holding the rates between its states and out their sums with those of leaving the set. They are factored by the
// elimination of Grassmann, Taksar and Heyman: nothing is subtracted, so that products with vectors that have no negative
// entries are accurate entry by entry, and times that are zero are zero.
type Sojourns struct {
	factor *block.GTH
}

// NewSojourns factors the times of a set from its rates, n×n, whose diagonal is not read, and the rates of leaving it. It
// returns a *[BlockError] for what is no rate, and for states that never leave the set, and the error of ctx if that
// ends.
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

// Of overwrites x, an entry for each state, with N·x: what is earned at the rates x until the set is left.
func (s *Sojourns) Of(x []float64) { s.factor.SolveVec(x) }

// Ends returns N·b, which has a row for each state: for rates b of leaving to other states the probabilities of going
// there.
func (s *Sojourns) Ends(ctx context.Context, b mat.Matrix) (*mat.Dense, error) {
	if s == nil || s.factor == nil || b == nil {
		return nil, prefixed(errors.New("no sojourns"))
	}
	x := block.From(ctx, b)
	s.factor.Solve(ctx, x)
	return finished(ctx, x.Dense(), nil)
}
