package joblog

import (
	"cmp"
	"math"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// none stands for a number that a log does not tell.
const none = executions.None

// setTimes sets the times of a record to those of an entry. problem says why the record gives no job. impossible says why its
// times cannot be right.
func setTimes(r *executions.Record, e *entry) (problem, impossible string) {
	if !within(e.submit.at) || e.start.known && !within(e.start.at) {
		return outsideEra, ""
	}
	r.Submit = uint32(e.submit.at)
	if e.start.known && r.State != executions.Unstarted && r.State != executions.Pending {
		if e.start.at < e.submit.at {
			impossible = wholelog.StartsEarly
		} else {
			r.Wait = uint32(e.start.at - e.submit.at)
		}
	}
	if r.State.IsOver() || r.State == executions.Running || r.State == executions.Resizing {
		run, problem := e.run()
		switch {
		case problem == wholelog.EndsEarly, r.State.IsOver() && e.endsBeforeStart():
			impossible = cmp.Or(impossible, wholelog.EndsEarly)
		case problem == "":
			r.Run = seconds(run)
		case r.State.IsOver():
			return problem, ""
		}
	}
	if e.limit >= 0.5 {
		r.Limit = seconds(e.limit)
	}
	return "", impossible
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
	executions.Key
	line                         int
	submit, eligible, start, end moment
	elapsed                      float64 // seconds; NaN if the line does not tell
	limit                        float64 // seconds; NaN if there is none
	units                        uint32
	cpus                         uint32 // 0: the line does not tell, or units are CPUs
	state                        executions.State
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

// endsBeforeStart reports whether a line with an elapsed time has an end before the start. It reports false where clocks that
// were put back explain the difference: the excess is an hour then.
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
