package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1 // internal, or input and output
	exitUsage       = 2
	exitInput       = 3 // a file or data is wrong
	exitUnstable    = 4 // no requested policy is stable
	exitAccuracy    = 5 // the requested accuracy was not reached
	exitFailed      = 6 // a validation or requirement failed
	exitIncomplete  = 7 // points of a sweep failed or are missing
	exitInterrupted = 130
)

// exitCodes says what they mean.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "done"},
	{exitFailure, "internal error, or a file that cannot be read or written"},
	{exitUsage, "the command line makes no sense"},
	{exitInput, "a model, study or data file is wrong"},
	{exitUnstable, "no requested policy is stable: the result says the traffic intensity and the largest stable arrival " +
		"rate"},
	{exitAccuracy, "the requested accuracy was not reached"},
	{exitFailed, "a validation, an expectation or a requirement failed"},
	{exitIncomplete, "points of a sweep could not be solved; --resume tries them again"},
	{exitInterrupted, "interrupted; what there is, is marked as partial"},
}

// exitError is an error that knows its exit code and, perhaps, a remedy. Without an error nothing is printed.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }

// usage returns the error of a command line that makes no sense.
func usage(hint, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// plain is what a package says of a flag, without the name of the package.
func plain(err error) string {
	return packageName.ReplaceAllString(err.Error(), "")
}

var packageName = regexp.MustCompile(`^(models|spec|fit|validate|workload|markov|multiserver|protocol|machine|swf|batch|days): `)

// fail returns an error with an exit code.
func fail(code int, format string, args ...any) error {
	return &exitError{code: code, err: fmt.Errorf(format, args...)}
}

// conclude prints what went wrong, if anything, and returns the exit code.
func conclude(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	var located spec.Errors
	var own *exitError
	switch {
	case errors.As(err, &located):
		for _, e := range located {
			fmt.Fprintf(stderr, "%s\n%s", e.Error(), e.Excerpt())
		}
	case errors.As(err, &own) && own.err == nil:
	default:
		fmt.Fprintf(stderr, "error: %s\n", strings.TrimSpace(describe(err)))
	}
	if errors.As(err, &own) && own.hint != "" {
		fmt.Fprintf(stderr, "hint: %s\n", own.hint)
	}
	return code
}

func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	var path *fs.PathError
	if errors.As(err, &path) && err == error(path) {
		return fmt.Sprintf("%s: %v", path.Path, path.Err)
	}
	return err.Error()
}

func exitCode(err error) int {
	var own *exitError
	var located spec.Errors
	var data *workload.DataError
	switch {
	case errors.As(err, &own):
		return own.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &located), errors.As(err, &data):
		return exitInput
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		return exitAccuracy
	}
	return exitFailure
}
