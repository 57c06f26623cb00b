package machine

import "github.com/partwise/partwise/validate/sched"

// occurrence is an entry of the calendar of future events: what will happen, and to which job.
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

// rank returns the key that orders occurrences of the same time in the calendar: by their kinds in the order of the
// constants, then by start. The kind is in the upper 8 of 64 bits, and start in the others. start is the number of the
// job in the order of the starts, from 1, or 0 for occurrences that concern no single job.
func (k occurrenceKind) rank(start uint64) uint64 { return uint64(k)<<56 | start }
