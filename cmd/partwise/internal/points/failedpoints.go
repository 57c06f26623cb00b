package points

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/words"
)

// Failed returns the errors of the points that failed, in the order of the points.
func Failed(points []decide.Point) (all []error) {
	for i := range points {
		if err := points[i].Err; err != nil {
			all = append(all, err)
		}
	}
	return all
}

// FailedError returns the error of studies of which points failed. It says what the message says, and lists the failures. next is
// what the user can do to have the points tried again; "" for nothing. If all failed points take too much memory or time, the
// error has the exit code and the remedy of chains that are too large: the points would fail again.
func FailedError(message string, failed []error, next string) error {
	err := errors.New(message + listed(failed))
	if slices.ContainsFunc(failed, func(err error) bool { return fault.ExitCode(err) != fault.ExitTooLarge }) {
		return fault.Hint(fault.ExitIncomplete, next, err)
	}
	hints := words.NonEmpty(input.SmallerChain(largest(failed)), next)
	return fault.Hint(fault.ExitTooLarge, strings.Join(hints, "; "), err)
}

// largest returns the failure of the point that needs most memory, so that its remedy is enough for all points. A need that is not
// known counts as the largest.
func largest(failed []error) error {
	need := func(err error) float64 {
		var short *parallel.LimitError
		switch {
		case !errors.As(err, &short) || short.Resource != parallel.Memory:
			return 0 // more memory does not help
		case short.Enough() == 0:
			return math.Inf(1)
		}
		return short.Enough()
	}
	return slices.MaxFunc(failed, func(a, b error) int { return cmp.Compare(need(a), need(b)) })
}

// listed returns failures as they stand indented under a message: at most twenty, and how many more there are.
func listed(failed []error) string {
	const most = 20
	lines := words.Texts(failed, error.Error)
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more", len(lines)-most))
	}
	return ":\n  " + strings.Join(lines, "\n  ")
}
