package fault

import (
	"context"
	"errors"
	"io/fs"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// The exit codes.
const (
	ExitOK          = 0
	ExitFailure     = 1 // internal, or input and output
	ExitUsage       = 2
	ExitInput       = 3 // a file or data is wrong
	ExitUnstable    = 4 // no requested policy is stable
	ExitAccuracy    = 5 // the requested accuracy was not reached
	ExitFailed      = 6 // a validation or requirement failed
	ExitIncomplete  = 7 // points of a sweep failed or are missing
	ExitTooLarge    = 8 // a chain, a replay or a file needs more memory or time than it may take
	ExitInterrupted = 130
)

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own.Code
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		return ExitAccuracy // the error may wrap ErrTooLarge, too: it names the memory of methods that were left out
	case errors.Is(err, parallel.ErrTooLarge): // before the kinds of errors in files: a log may have too many jobs
		return ExitTooLarge
	case errors.Is(err, modelfile.ErrTooLarge):
		return ExitInput
	case errors.As(err, new(*fs.PathError)): // such as a disk that cannot be read any more, in the middle of a log
		return ExitFailure
	case errors.As(err, new(modelfile.Errors)), errors.As(err, new(*workload.DataError)), errors.As(err, new(*fit.SampleError)):
		return ExitInput
	case errors.As(err, new(*phasetype.Error)): // of a flag: an error of a file has a place
		return ExitUsage
	case errors.Is(err, markov.ErrUnstable): // such as a *models.UnstableError
		return ExitUnstable
	case errors.Is(err, markov.ErrReducible):
		return ExitAccuracy // the chain of a model has one closed class, unless rates are lost to roundings
	}
	return ExitFailure
}
