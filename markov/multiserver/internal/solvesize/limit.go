package solvesize

import (
	"fmt"
	"math"
	"sort"

	"github.com/partwise/partwise/markov/parallel"
)

// Bytes estimates the memory of a solve by a method: of the levels below c, and of the repeating part.
func (d Dimensions) Bytes(by Method) float64 { return d.BoundaryBytes() + d.RepeatingBytes(by) }

// largest returns the number of bytes that the largest of the methods needs. With so much memory no method is left out.
func (d Dimensions) largest(methods []Method) (most float64) {
	for _, by := range methods {
		most = max(most, d.Bytes(by))
	}
	return most
}

// Fitting returns the methods, which are tried in turn, that need no more bytes than the limit, in their order. most is the
// largest number of bytes that one of them needs. If none fits, most is the number of bytes that the smallest method
// needs. Methods differ only in the repeating part.
func (d Dimensions) Fitting(methods []Method, limit float64) (fit []Method, most float64) {
	least := math.Inf(1)
	for _, by := range methods {
		bytes := d.Bytes(by)
		least = min(least, bytes)
		if bytes <= limit {
			fit, most = append(fit, by), max(most, bytes)
		}
	}
	if len(fit) == 0 {
		return nil, least
	}
	return fit, most
}

// LeftOut adds to err how much memory and time the methods need that do not fit into the limit. It does so as a
// *[parallel.LimitError] that names them by what; Takes and Seconds are those of the smallest. If all fit, it returns err.
func (d Dimensions) LeftOut(err error, what string, methods []Method, limit float64) error {
	e := &parallel.LimitError{What: what, Resource: parallel.Memory, Limit: limit, Takes: math.Inf(1)}
	for _, by := range methods {
		bytes, seconds := d.Bytes(by), d.Seconds(by)
		if bytes <= limit {
			continue
		}
		if bytes < e.Takes {
			e.Takes, e.Seconds = bytes, seconds
		}
		e.All, e.AllSeconds = max(e.All, bytes), e.AllSeconds+seconds
	}
	if e.All == 0 {
		return err
	}
	return fmt.Errorf("%w; %w", err, e)
}

// Explain sets what e, which refuses the methods, says of their times, and of the memory of all of them. The result says
// how many servers, or service phases, a queue may have so that all methods fit, such as "; 13 servers or 3 service
// phases would fit". It is "" if neither fewer servers nor fewer service phases are enough.
func (d Dimensions) Explain(e *parallel.LimitError, methods []Method) string {
	e.All, e.Seconds, e.AllSeconds = d.largest(methods), math.Inf(1), 0
	for _, by := range methods {
		e.Seconds = min(e.Seconds, d.Seconds(by))
		e.AllSeconds += d.Seconds(by)
	}
	smaller := d
	fits := func() bool { return smaller.largest(methods) <= e.Limit }
	servers := largestBelow(d.Servers, func(n int) bool {
		smaller.Servers = n
		return fits()
	})
	smaller = d
	phases := largestBelow(d.ServicePhases, func(n int) bool {
		smaller.ServicePhases = n
		return fits()
	})
	switch {
	case servers > 0 && phases > 0:
		return fmt.Sprintf("; %s or %s would fit", counted(servers, "server"), counted(phases, "service phase"))
	case servers > 0:
		return fmt.Sprintf("; %s would fit", counted(servers, "server"))
	case phases > 0:
		return fmt.Sprintf("; %s would fit", counted(phases, "service phase"))
	}
	return ""
}

// String says the numbers of servers, service phases and arrival phases.
func (d Dimensions) String() string {
	return counted(d.Servers, "server") + " with " + counted(d.ServicePhases, "service phase") + ", " + counted(d.ArrivalPhases, "arrival phase")
}

// counted returns a number with a noun in the singular or plural.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// largestBelow returns the largest n from 1 to limit − 1 with a property that all smaller numbers have, too; 0 if none
// has it.
func largestBelow(limit int, has func(n int) bool) int {
	return sort.Search(limit-1, func(i int) bool { return !has(i + 1) })
}
