package parallel

import (
	"errors"
	"fmt"
)

// DefaultMemory is the number of bytes that one computation may take if its caller sets no limit: 4 GiB. It is the default limit
// of solves, fits, simulations and logs alike, so that a command has one limit whatever it computes.
const DefaultMemory = 4 << 30

// day is the time of one processor, in seconds, that one computation may take if it cannot be resumed.
const day = 86_400

// ErrTooLarge is the kind of the errors of computations that would take more than they may; test for it with errors.Is.
var ErrTooLarge = errors.New("too large")

// Resource says what a computation may take too much of.
type Resource int

// The resources.
const (
	Memory Resource = iota // in bytes
	Time                   // of one processor, in seconds
	Events                 // alarms and scheduling points of a simulation, which come so often that it would hardly end
	Clock                  // simulated seconds, beyond which times are not exact
)

// LimitError refuses a computation that would take more of a resource than it may. It wraps Kind or, without one, [ErrTooLarge].
type LimitError struct {
	// What says what takes too much, such as "more than 1000 jobs wait or run at time 5". If it is empty, Takes and Limit are known.
	What     string
	Resource Resource
	Takes    float64 // about how much the computation takes; 0: not known
	Limit    float64 // how much it may take; 0: not known
	Seconds  float64 // about how long the computation would take on one core with AVX2; 0: not known
	Kind     error   // what kind of computation is too large, and wraps [ErrTooLarge]; nil: that is not said
}

// Unwrap returns Kind or, if it is nil, [ErrTooLarge].
func (e *LimitError) Unwrap() error {
	if e.Kind != nil {
		return e.Kind
	}
	return ErrTooLarge
}

// Error says what takes too much, how much, what the limit is, and the kind of the error if there is one.
func (e *LimitError) Error() string {
	if e.Kind != nil {
		return e.excess() + ": " + e.Kind.Error()
	}
	return e.excess()
}

// excess says what takes too much, how much, and what the limit is.
func (e *LimitError) excess() string {
	what := e.What
	if what == "" {
		what = "it"
	}
	switch {
	case e.Takes == 0:
		return what
	case e.Resource == Memory && e.Seconds > 0:
		return fmt.Sprintf("%s takes some %s of memory and %s, the limit is %s", what, size(e.Takes), duration(e.Seconds), size(e.Limit))
	case e.Resource == Memory:
		return fmt.Sprintf("%s takes some %s of memory, the limit is %s", what, size(e.Takes), size(e.Limit))
	case e.Resource == Time:
		return fmt.Sprintf("%s takes about %s of one processor, the limit is %s", what, duration(e.Takes), duration(e.Limit))
	}
	return fmt.Sprintf("%s reaches %.2g, the limit is %.2g", what, e.Takes, e.Limit)
}

// Remedy says in general words what makes a computation small enough. Commands that know their flags say more.
func (e *LimitError) Remedy() string {
	switch e.Resource {
	case Memory:
		return "ask for less at a time, or raise --memory"
	case Time:
		return "ask for less, such as fewer jobs, samples or points"
	case Events:
		return "let alarms and scheduling points come less often"
	}
	return "check the units of the times"
}

// IsShortOf reports whether err refuses a computation that would take too much of a resource.
func IsShortOf(err error, r Resource) bool {
	var e *LimitError
	return errors.As(err, &e) && e.Resource == r
}

// TooManyJobs returns the error of a simulation in which more jobs wait or run at a time than fit into memory.
func TooManyJobs(most int, time float64) error {
	return &LimitError{What: fmt.Sprintf("more than %d jobs wait or run at time %g", most, time), Resource: Memory}
}

// Check returns a *[LimitError] if a computation takes more of a resource than the limit. The limit 0 is [DefaultMemory] or a day.
func Check(what string, r Resource, takes, limit float64) error {
	switch {
	case limit == 0 && r == Memory:
		limit = DefaultMemory
	case limit == 0 && r == Time:
		limit = day
	}
	if takes <= limit {
		return nil
	}
	return &LimitError{What: what, Resource: r, Takes: takes, Limit: limit}
}

// Most returns how many things of so many bytes each fit into the memory allowed, at least one.
func Most(each, memory float64) int {
	const all = 1 << 30 // more are never kept
	return int(max(1, min(memory/each, all)))
}

// duration formats a number of seconds in a suitable unit.
func duration(seconds float64) string {
	switch {
	case seconds < 1.5:
		return "a second"
	case seconds < 100:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	case seconds < 2*day:
		return fmt.Sprintf("%.2g hours", seconds/3600)
	}
	return fmt.Sprintf("%.2g days", seconds/day)
}

// size formats a number of bytes in MiB or GiB.
func size(bytes float64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.3g MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.3g GiB", bytes/(1<<30))
}
