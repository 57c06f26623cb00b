package reduction

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// ErrUnstable tells that a process drifts to higher levels, or to none as far as can be told.
var ErrUnstable = errors.New("unstable: work arrives at least as fast as it can be done")

// LeastMargin is the relative difference of two opposite rates that roundings can make. The rates are sums of products of
// nonnegative numbers, so a few tens of roundings are an upper estimate.
const LeastMargin = 1e-14

// undecidedError tells that roundings can have made the difference that decides about stability.
type undecidedError struct{ difference string }

// Error says what the difference is.
func (e *undecidedError) Error() string { return "stable or not cannot be told: " + e.difference }

// Unwrap returns ErrUnstable: such a process cannot be solved either, and is taken for an unstable one.
func (e *undecidedError) Unwrap() error { return ErrUnstable }

// MeanDrift returns the mean rate down minus the mean rate up of the phases' stationary vector, which is positive for a
// stable process. The error wraps ErrUnstable if the drift is negative, or does not exceed its rounding error. It is
// [block.ErrReducible] if phases have several closed classes.
//
// The stationary vector and the rates are found without subtractions. So the rounding error of the drift is at most the
// relative error of the vector, but at least LeastMargin, times the sum of both rates.
func MeanDrift(ctx context.Context, b Blocks) (drift float64, err error) {
	p := block.ScratchOf(b.Local)
	defer p.Release()
	floats.Add(p.Data, b.Up.Data)
	floats.Add(p.Data, b.Down.Data)
	pi, err := block.StationaryGTH(ctx, p)
	if err != nil {
		return 0, block.ErrReducible
	}
	up, down := floats.Dot(pi, b.Up.RowSums()), floats.Dot(pi, b.Down.RowSums())
	drift = down - up
	rounding := max(LeastMargin, block.GTHBound(len(pi))) * (down + up)
	switch {
	case drift < -rounding:
		return 0, fmt.Errorf("mean drift %.3g (rate down minus rate up): %w", drift, ErrUnstable)
	case !(drift > rounding):
		return 0, &undecidedError{fmt.Sprintf("mean drift %.3g (rate down minus rate up), with a rounding error up to %.1g",
			drift, rounding)}
	}
	return drift, nil
}

// CheckIntensity returns an error that wraps ErrUnstable if a traffic intensity is above one, or differs from one by at most
// LeastMargin.
func CheckIntensity(rho float64) error {
	switch {
	case rho < 1-LeastMargin:
		return nil
	case rho <= 1+LeastMargin:
		return &undecidedError{fmt.Sprintf("1 minus the traffic intensity is %.3g, with a rounding error up to %.1g", 1-rho, LeastMargin)}
	}
	return fmt.Errorf("traffic intensity %.6g: %w", rho, ErrUnstable)
}
