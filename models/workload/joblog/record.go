package joblog

import (
	"math"
)

// none stands for a number that a log does not tell.
const none = math.MaxUint32

// state tells how far a job came.
type state uint8

const (
	completed state = iota
	failed
	cancelled
	unknown // how it ended
	running
	pending
	unstarted // cancelled before it started
	folded    // into another record
)

// statusOf are the statuses of states.
var statusOf = [...]Status{completed: Completed, failed: Failed, cancelled: Cancelled,
	unknown: notTold, running: notTold, pending: notTold}

// isOver reports whether a job that started has ended.
func (s state) isOver() bool { return s <= unknown }

// key tells one job from another.
type key struct {
	id, task  uint32 // of a task of an array: its number + 1; 0 for a job that is none
	component uint8  // of a heterogeneous job: its number + 1; 0 for a job that is none
}

// record is one execution of a job, in whole seconds. What is unknown is none.
type record struct {
	key
	state                     state
	line                      uint32 // of the log, from 1
	submit                    uint32 // Unix time
	wait, run, limit          uint32
	units, user, group, queue uint32
}

// numbered gives names numbers from 1, in the order in which they come.
type numbered struct {
	numbers map[string]uint32
	last    string // that was asked for, as the next line often has it, too
	number  uint32
}

// of returns the number of a name, none of the empty one.
func (n *numbered) of(name []byte) uint32 {
	switch {
	case len(name) == 0:
		return none
	case string(name) == n.last:
		return n.number
	case n.numbers == nil:
		n.numbers = map[string]uint32{}
	}
	i, ok := n.numbers[string(name)]
	if !ok {
		i = uint32(len(n.numbers) + 1)
		n.numbers[string(name)] = i
	}
	n.last, n.number = string(name), i
	return i
}

// end returns the Unix time of the end of an execution, 0 if it is not known.
func (r *record) end() uint32 {
	if r.wait == none || r.run == none {
		return 0
	}
	return r.submit + r.wait + r.run
}

// moment is a time of a log.
type moment struct {
	at    int64 // Unix time
	later int64 // by how many seconds clocks showed it once more; 0: they did not
	known bool
}

// moveOn takes a time for the later one that clocks showed.
func (m *moment) moveOn() { m.at, m.later = m.at+m.later, 0 }

// entry is what a line says of one execution of a job.
type entry struct {
	key
	line               int
	submit, start, end moment
	elapsed            float64 // seconds; NaN if the line does not tell
	limit              float64 // seconds; NaN if there is none
	units              uint32
	cpus               uint32 // 0: the line does not tell, or units are CPUs
	state              state
	user, group, queue []byte
}

// ran reports whether the elapsed time of a job is known, and at least a second when it is rounded.
func (e *entry) ran() bool { return !math.IsNaN(e.elapsed) && seconds(e.elapsed) > 0 }

// movable reports whether a start may be the later one that clocks showed, as far as the elapsed time and the end tell.
func (e *entry) movable() bool {
	return e.start.known && e.start.later != 0 && (e.end.later != 0 || !e.end.known || math.IsNaN(e.elapsed))
}

// run returns for how long a job ran, or why that is not known.
func (e *entry) run() (seconds float64, problem string) {
	switch {
	case !math.IsNaN(e.elapsed):
		return e.elapsed, ""
	case !e.start.known || !e.end.known:
		return 0, noRunTime
	case e.end.at < e.start.at:
		return 0, endsEarly
	}
	return float64(e.end.at - e.start.at), ""
}

func within(unix int64) bool { return unix >= 0 && unix < none }

// seconds rounds a time to whole seconds.
func seconds(x float64) uint32 { return uint32(min(math.Round(x), none-1)) }
