package machine

import "github.com/partwise/partwise/validate/sched"

// occurrence is an entry of the calendar of future events.
type occurrence struct {
	kind occurrenceKind
	job  sched.JobID
}

type occurrenceKind uint8

// The kinds of occurrences. Occurrences of the same time happen in this order.
const (
	departs  occurrenceKind = iota
	resumes                 // a reconfiguration ends
	proceeds                // a job's own standstill ends
	reaches                 // a job reaches a scheduling point at which it is to be resized
	wakes
)

// rank orders occurrences of the same time: by their kinds, and those of one kind by the order of the starts.
func (k occurrenceKind) rank(start uint64) uint64 { return uint64(k)<<56 | start }
