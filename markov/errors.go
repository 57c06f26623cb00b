package markov

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// What can be wrong with a chain or its solution; test with errors.Is.
var (
	// ErrUnstable: the mean drift of the repeating part is not negative, no stationary distribution exists.
	ErrUnstable = errors.New("unstable: work arrives at least as fast as it can be done")
	// ErrNoConvergence: a method used up its iterations.
	ErrNoConvergence = reduction.ErrNoConvergence
	// ErrReducible: not every state can be reached from every other.
	ErrReducible = block.ErrReducible
	// ErrInaccurate: the solution's residual is above the tolerance.
	ErrInaccurate = errors.New("requested accuracy not reached")
	// ErrTooLarge: the chain needs more memory than a solve may take.
	ErrTooLarge = errors.New("the chain is too large")
	// ErrMethod: no such method, or it does not apply to this chain.
	ErrMethod = errors.New("method does not apply")
)

// errNoSolution: a method is called on what no Solve has made.
var errNoSolution = errors.New("there is no solution; Solve makes one")

// BlockError says which block of which level is wrong.
type BlockError struct {
	Level    int    // −1 for the repeating part
	Block    string // "up", "local", "down", or the name of an ingredient
	Row, Col int    // −1 where there is none
	Problem  string
	Err      error // what it is an instance of, ErrReducible for one; nil if nothing
}

func (e *BlockError) Unwrap() error { return e.Err }

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

// prefixed is what a function of this package returns: errors within it carry no prefix.
func prefixed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("markov: %w", err)
}

func blockError(level int, block string, row, col int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &BlockError{Level: level, Block: block, Row: row, Col: col, Problem: err.Error(), Err: errors.Unwrap(err)}
}
