package parallel

import (
	"errors"
	"fmt"
	"math"
)

// DefaultMemory is the number of bytes that one computation may take if its caller sets no limit: 4 GiB. It is the default limit
// of solves, fits, simulations and logs alike, so that a command has one limit whatever it computes.
const DefaultMemory = 4 << 30

// day is the default limit of [Time], in seconds: the time of one processor that a computation may take if it cannot be
// resumed.
const day = 86_400

// year is a year of 365 days, in seconds.
const year = 365 * day

// ErrTooLarge: a computation would take more of a resource than its limit. Test for it with errors.Is.
var ErrTooLarge = errors.New("too large")

// Resource is what a computation uses and what has a limit.
type Resource int

// The resources.
const (
	Memory Resource = iota // in bytes
	Time                   // of one processor, in seconds
	Events                 // alarms and scheduling points of a simulation, which come so often that it would hardly end
	Clock                  // simulated seconds, beyond which times are not exact
)

// LimitError refuses a computation that would take more of a resource than its limit. It wraps Kind or, if Kind is nil,
// [ErrTooLarge].
type LimitError struct {
	// What is the computation, such as "the run", or a whole clause, such as "more than 1000 jobs wait or run at time 5".
	// If it is empty, Takes and Limit are known.
	What     string
	Resource Resource
	Takes    float64 // about how much the computation takes; 0: not known
	Limit    float64 // how much it may take; 0: not known
	Seconds  float64 // about how long the computation would take on one core with AVX2; 0: not known
	// All is about how much the computation takes at most if several methods are tried in turn, until one is accurate
	// enough. Takes is then what the smallest method takes. 0: there is only one method. AllSeconds is the time with All.
	All, AllSeconds float64
	Partial         bool  // Takes is a lower bound: it is what the part that was counted takes
	Kind            error // an error that names the kind of computation and wraps [ErrTooLarge]; nil: no kind is named
}

// Unwrap returns Kind or, if it is nil, [ErrTooLarge].
func (e *LimitError) Unwrap() error {
	if e.Kind != nil {
		return e.Kind
	}
	return ErrTooLarge
}

// Error says what takes too much, how much it takes and what the limit is. The text of Kind follows if Kind is not nil.
func (e *LimitError) Error() string {
	if e.Kind != nil {
		return e.excess() + ": " + e.Kind.Error()
	}
	return e.excess()
}

// excess says what takes too much, how much it takes and what the limit is. If Takes is 0, the result is What alone.
func (e *LimitError) excess() string {
	what := e.What
	if what == "" {
		what = "it"
	}
	some := "some"
	if e.Partial {
		some = "more than"
	}
	switch {
	case e.Takes == 0:
		return what
	case e.Resource == Memory && e.All > e.Takes:
		return fmt.Sprintf("%s takes some %s of memory and %s, or up to %s and %s if digits are lost, the limit is %s", what,
			size(e.Takes), duration(e.Seconds), size(e.All), duration(e.AllSeconds), size(e.Limit))
	case e.Resource == Memory && e.Seconds > 0:
		return fmt.Sprintf("%s takes some %s of memory and %s, the limit is %s", what, size(e.Takes), duration(e.Seconds), size(e.Limit))
	case e.Resource == Memory:
		return fmt.Sprintf("%s takes %s %s of memory, the limit is %s", what, some, size(e.Takes), size(e.Limit))
	case e.Resource == Time:
		return fmt.Sprintf("%s takes about %s of one processor, the limit is %s", what, duration(e.Takes), duration(e.Limit))
	}
	return fmt.Sprintf("%s reaches %.2g, the limit is %.2g", what, e.Takes, e.Limit)
}

// IsShortOf reports whether err refuses a computation that would take too much of a resource.
func IsShortOf(err error, r Resource) bool {
	var e *LimitError
	return errors.As(err, &e) && e.Resource == r
}

// Suffices returns the memory with which the computation is not refused, and no method is left out. It is a size that is
// rounded up, such as 4.3GiB. It is "" if the error is of another resource, or if the memory is not known.
func (e *LimitError) Suffices() string {
	const slack = 1.001 // so that sizes are at least as large as any that is computed with other roundings
	switch bytes := e.Enough() * slack; {
	case bytes == 0:
		return ""
	case bytes <= 1023<<20:
		return fmt.Sprintf("%.0fMiB", math.Ceil(bytes/(1<<20)))
	case bytes <= 1023<<30:
		return fmt.Sprintf("%.1fGiB", math.Ceil(10*bytes/(1<<30))/10)
	default:
		return fmt.Sprintf("%.1fTiB", math.Ceil(10*bytes/(1<<40))/10)
	}
}

// Enough returns the bytes of memory with which the computation is not refused, and no method is left out. It is 0 if the error is
// of another resource, if the bytes are not known, or if no machine has so many: a pebibyte or more.
func (e *LimitError) Enough() float64 {
	if e == nil || e.Resource != Memory || e.Partial {
		return 0
	}
	if bytes := max(e.Takes, e.All); bytes > 0 && bytes < 1<<50 {
		return bytes
	}
	return 0
}

// TooManyJobs returns the error of a simulation in which more than most jobs wait or run at a simulated time in seconds.
// More do not fit into memory.
func TooManyJobs(most int, time float64) error {
	return &LimitError{What: fmt.Sprintf("more than %d jobs wait or run at time %g", most, time), Resource: Memory}
}

// Check returns a *[LimitError] if a computation, named by what, takes more of a resource than the limit, or NaN. A limit
// of 0 stands for [DefaultMemory] bytes of memory or a day of time. Other resources have no default limit.
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

// MostInMemory returns how many items fit into the memory allowed, at least 1 and at most 2³⁰. each is the size of an
// item, and memory the limit, both in bytes.
func MostInMemory(each, memory float64) int {
	const all = 1 << 30 // no computation stores more items
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
	case seconds < 2*year:
		return threeDigits(seconds/day) + " days"
	case seconds < 1000*year:
		return threeDigits(seconds/year) + " years"
	}
	return "more than 1000 years"
}

// size formats a number of bytes in a suitable unit.
func size(bytes float64) string {
	unit := "MiB"
	bytes /= 1 << 20
	for _, larger := range []string{"GiB", "TiB", "PiB", "EiB"} {
		if bytes >= 1024 {
			bytes, unit = bytes/1024, larger
		}
	}
	if bytes >= 1e6 {
		return "more than a million " + unit
	}
	return threeDigits(bytes) + " " + unit
}

// threeDigits formats a number with three significant digits, and whole from 100 on.
func threeDigits(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
