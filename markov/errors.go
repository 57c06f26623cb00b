package markov

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/parallel"
)

// Errors of a chain or its solution; test for them with errors.Is.
var (
	// ErrUnstable: the mean drift of the repeating part is not downward, no stationary distribution exists. The error says so if
	// roundings leave open whether the chain is stable.
	ErrUnstable = reduction.ErrUnstable
	// ErrNoConvergence: a method used up its iterations.
	ErrNoConvergence = reduction.ErrNoConvergence
	// ErrReducible: not every state can be reached from every other.
	ErrReducible = block.ErrReducible
	// ErrInaccurate: the solution's residual is above the tolerance.
	ErrInaccurate = errors.New("requested accuracy not reached")
	// ErrIllConditioned: roundings that every method makes leave no digit of the moments. It wraps ErrInaccurate.
	ErrIllConditioned = fmt.Errorf("no digit of the moments is certain: rates are too far apart, or the chain is too close to "+
		"saturation: %w", ErrInaccurate)
	// ErrTooLarge: the chain needs more memory, or its solution more time, than a solve may take. It wraps
	// [parallel.ErrTooLarge].
	ErrTooLarge = fmt.Errorf("the chain is %w", parallel.ErrTooLarge)
	// ErrMethod: no such method, or it does not apply to this chain.
	ErrMethod = errors.New("method does not apply")
)

// errNoSolution is the error of methods of a value that Solve has not made.
var errNoSolution = errors.New("there is no solution; Solve makes one")

// BlockError tells which block of which level is wrong.
type BlockError struct {
	Level    int    // −1 for the repeating part
	Block    string // "up", "local", "down", or the name of an ingredient
	Row, Col int    // −1 where they do not apply
	Problem  string
	Err      error // the error that it wraps, such as ErrReducible, or nil
}

// Unwrap returns the reason.
func (e *BlockError) Unwrap() error { return e.Err }

// Error names the level, the block and the place in it, and says what is wrong there.
func (e *BlockError) Error() string {
	level := "repeating level"
	if e.Level >= 0 {
		level = fmt.Sprintf("level %d", e.Level)
	}
	place := ""
	if e.Row >= 0 {
		place = fmt.Sprintf(" row %d", e.Row)
	}
	if e.Col >= 0 {
		place += fmt.Sprintf(" column %d", e.Col)
	}
	return fmt.Sprintf("%s, %s%s: %s", level, e.Block, place, e.Problem)
}

// takesTooLong returns a *[parallel.LimitError] that wraps [ErrTooLarge], for a chain so large that its solution would
// take too long. The arguments say what is too large, as for [fmt.Sprintf].
func takesTooLong(format string, args ...any) error {
	return &parallel.LimitError{What: fmt.Sprintf(format, args...), Resource: parallel.Time, Kind: ErrTooLarge}
}

// prefixed returns the error with the prefix of the package. Exported functions call it; errors within the package have
// no prefix.
func prefixed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("markov: %w", err)
}

// finished returns the results of a function that a context can end. If the context has ended, it returns the zero
// value and the error of the context.
func finished[V any](ctx context.Context, v V, err error) (V, error) {
	if ctx.Err() != nil {
		var none V
		return none, prefixed(ctx.Err())
	}
	return v, prefixed(err)
}

// blockError returns a *[BlockError] whose problem is the formatted message.
func blockError(level int, block string, row, col int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &BlockError{Level: level, Block: block, Row: row, Col: col, Problem: err.Error(), Err: errors.Unwrap(err)}
}
