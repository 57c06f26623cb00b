// Package fault is how a command ends without its result: an [Error] has an exit code and, perhaps, a remedy. [Conclude] prints an
// error as users see it, and returns the exit code.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// Error is an error that knows its exit code and, perhaps, a remedy. Without an error nothing is printed.
type Error struct {
	Code int
	Err  error
	Hint string
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns an error with an exit code and what the user can do about it.
func Hint(code int, hint string, err error) error { return &Error{Code: code, Err: err, Hint: hint} }

// Usagef returns the error of a wrong command line, with a hint for the user.
func Usagef(hint, format string, args ...any) error {
	return Hint(ExitUsage, hint, fmt.Errorf(format, args...))
}

// Plain returns the text of an error of a package, without the name of the package.
func Plain(err error) string {
	return packageName().ReplaceAllString(err.Error(), "")
}

// PlainWithin returns the text of an error without the names of packages, also within the text.
func PlainWithin(err error) string {
	return packageNames().ReplaceAllString(err.Error(), "$1")
}

// names are the packages whose errors begin with their names.
const names = `models|decide|optimal|modelfile|fit|phasetype|phtest|workload|joblog|logstats|markov|multiserver|validate|machine|` +
	`sched|metric|advise|replay|study|cluster|coscheduling|days|epochs|families|overheads|testbed|sweep|[a-z]+cmd`

// packageName matches the name of a package in front of an error, packageNames the names of packages anywhere in an error.
var (
	packageName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(` + names + `): `) })
	packageNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|: )(?:(?:` + names + `): )+`) })
)

// Failf returns an error with an exit code.
func Failf(code int, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// Conclude prints the error, if there is one, and returns the exit code. A closed standard output is no error: its reader,
// such as head, has read enough.
func Conclude(stderr io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	if errors.As(err, new(*output.ClosedError)) && errors.Is(err, syscall.EPIPE) {
		return ExitOK
	}
	code := ExitCode(err)
	var located modelfile.Errors
	var own *Error
	switch {
	case errors.As(err, &located):
		for _, e := range located {
			io.WriteString(stderr, output.Visible("error: "+e.Error()+"\n"+e.Excerpt()))
		}
	case errors.As(err, &own) && own.Err == nil:
	default:
		fmt.Fprintf(stderr, "error: %s\n", output.Visible(strings.TrimSpace(describe(err))))
	}
	hint := unreadHint(err)
	var limit *parallel.LimitError
	switch {
	case errors.As(err, &own) && own.Hint != "":
		hint = own.Hint
	case errors.As(err, &limit):
		hint = remedy(limit.Resource)
	}
	if hint != "" {
		fmt.Fprintf(stderr, "hint: %s\n", output.Visible(hint))
	}
	return code
}

// remedy says in general words what makes a computation small enough, given the resource of which it takes too much.
// Commands that know better remedies give a hint of their own.
func remedy(r parallel.Resource) string {
	switch r {
	case parallel.Memory:
		return "ask for less at a time, or raise --memory"
	case parallel.Time:
		return "ask for less, such as fewer jobs, samples or points"
	case parallel.Events:
		return "let alarms and scheduling points come less often"
	}
	return "check the units of the times"
}

func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	var path *fs.PathError
	if errors.As(err, &path) && err == error(path) {
		return fmt.Sprintf("%s: %v", path.Path, path.Err)
	}
	if errors.As(err, new(*decide.SolveError)) { // names the policy before the packages
		return PlainWithin(err)
	}
	return err.Error()
}
