package joblog

import (
	"cmp"
	"math"

	"github.com/partwise/partwise/models/workload/internal/wholelog"
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
	resizing // the job went on with another number of nodes, in another record
	pending
	unstarted // cancelled before it started
	folded    // into another record
)

// statusOf are the statuses of states.
var statusOf = [...]Status{completed: Completed, failed: Failed, cancelled: Cancelled,
	unknown: notTold, running: notTold, resizing: notTold, pending: notTold}

// isOver reports whether a job that started has ended.
func (s state) isOver() bool { return s <= unknown }

// key tells one job from another.
type key struct {
	id, task  uint32 // of a task of an array: its number + 1; 0 of other jobs
	cluster   uint16 // the number of the cluster or server; 0: the log does not tell
	component uint8  // of a heterogeneous job: its number + 1; 0 of other jobs
}

// record is one execution of a job, in whole seconds. What is unknown is none.
type record struct {
	key
	state state
	label uint8  // the number of the state as the log calls it; 0: the log has no names of states
	line  uint32 // of the log, from 1
	times
	units, user, group, queue uint32
	held                      uint32 // seconds from the submission until the job was eligible to start
	qos, nodes                uint32 // numbers of the quality of service and of the list of nodes; 0: not known
	cpus                      uint32
}

// times are the times of an execution.
type times struct {
	submit           uint32 // Unix time
	wait, run, limit uint32
}

// setTimes sets the times of a record. problem says why the record gives no job. impossible says why its times cannot be right.
func (r *record) setTimes(e *entry) (problem, impossible string) {
	if !within(e.submit.at) || e.start.known && !within(e.start.at) {
		return outsideEra, ""
	}
	r.submit = uint32(e.submit.at)
	if e.start.known && r.state != unstarted && r.state != pending {
		if e.start.at < e.submit.at {
			impossible = wholelog.StartsEarly
		} else {
			r.wait = uint32(e.start.at - e.submit.at)
		}
	}
	if r.state.isOver() || r.state == running || r.state == resizing {
		run, problem := e.run()
		switch {
		case problem == wholelog.EndsEarly, r.state.isOver() && e.endsBeforeStart():
			impossible = cmp.Or(impossible, wholelog.EndsEarly)
		case problem == "":
			r.run = seconds(run)
		case r.state.isOver():
			return problem, ""
		}
	}
	if e.limit >= 0.5 {
		r.limit = seconds(e.limit)
	}
	return "", impossible
}

// start returns the Unix time of the start of an execution, of its submission if the start is not known.
func (r *times) start() uint32 {
	if r.wait == none {
		return r.submit
	}
	return r.submit + r.wait
}

// end returns the Unix time of the end of an execution, 0 if it is not known.
func (r *times) end() uint32 {
	if r.wait == none || r.run == none {
		return 0
	}
	return r.submit + r.wait + r.run
}

// nodeSeconds returns the node-seconds that an execution held, 0 if its run time is not known.
func (r *record) nodeSeconds() float64 {
	if r.run == none {
		return 0
	}
	return float64(r.run) * float64(r.units)
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
	line                         int
	submit, eligible, start, end moment
	elapsed                      float64 // seconds; NaN if the line does not tell
	limit                        float64 // seconds; NaN if there is none
	units                        uint32
	cpus                         uint32 // 0: the line does not tell, or units are CPUs
	state                        state
	label                        string // the state as the log calls it; "": the log has no names of states
	user, group, queue           []byte
	qos, nodes                   []byte
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
	case !math.IsNaN(e.elapsed) && e.elapsed < none-1:
		return e.elapsed, ""
	case !math.IsNaN(e.elapsed), e.end.known && !within(e.end.at):
		return 0, outsideEra
	case !e.start.known || !e.end.known:
		return 0, noRunTime
	case e.end.at < e.start.at:
		return 0, wholelog.EndsEarly
	}
	return float64(e.end.at - e.start.at), ""
}

// endsBeforeStart reports whether a line with an elapsed time has an end before the start. It reports false where clocks that were put back
// explain the difference: the excess is an hour then.
func (e *entry) endsBeforeStart() bool {
	excess := e.excess()
	return e.start.known && e.end.known && e.end.at < e.start.at && math.Abs(excess) != 3600 && excess > 0
}

// excess returns by how many seconds the elapsed time exceeds the time from the start to the end. It is negative of a job that
// was suspended, and NaN if one of the times is not known.
func (e *entry) excess() float64 {
	if !e.start.known || !e.end.known {
		return math.NaN()
	}
	return e.elapsed - float64(e.end.at-e.start.at)
}

// held returns the node-seconds of a line as far as it can be read, and whether they are known.
func (e *entry) held() (nodeSeconds float64, known bool) {
	run, problem := e.run()
	if problem != "" || e.units == 0 {
		return 0, false
	}
	return run * float64(e.units), true
}

func within(unix int64) bool { return unix >= 0 && unix < none }

// seconds rounds a time to whole seconds.
func seconds(x float64) uint32 { return uint32(min(math.Round(x), none-1)) }
