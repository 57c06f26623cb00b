package joblog

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/pbs"
)

// pbsOpenJob collects the records of a job that has not ended. Times are in seconds on the clock of the server.
type pbsOpenJob struct {
	line            int    // line of the record of the start (S) or, before it, of the record of the queue (Q)
	attributes      []byte // attributes of this record
	queued, started int64
	hasStarted      bool
	phases          []pbsPhase
	suspendedAt     int64
	isSuspended     bool
	suspended       int64 // seconds
	over            byte  // D or A if a record says that the job was deleted or aborted, otherwise 0
	overAt          int64
	hasReleased     bool // a record of the last phase (e), or of the next phase (c), says that the job released nodes
}

// pbsPhase is a part of the run of a job after which nodes of the job were released.
type pbsPhase struct {
	at        int64 // when the nodes were released
	had, next pbsNodes
}

// pbsNodes are the nodes of a phase: as hosts and as virtual nodes.
type pbsNodes struct{ hosts, vnodes []byte }

// nodesOf returns a copy of the nodes in the fields of a record.
func nodesOf(f *fields) pbsNodes {
	return pbsNodes{hosts: bytes.Clone(f[hostList]), vnodes: bytes.Clone(f[vnodes])}
}

// set sets the nodes in fields.
func (n *pbsNodes) set(f *fields) { f[hostList], f[vnodes] = n.hosts, n.vnodes }

// clock returns the Unix time of a record, on the assumption that the clock of the server shows the time zone of the log. A clock
// that is put back shows the same time twice: at is then the first of the two times, and the second is repeated seconds later.
// Otherwise repeated is 0. ok is false if the record has no readable time.
func (r *pbsReader) clock(record *pbs.Record) (at, repeated int64, ok bool) {
	civil, ok := record.Clock()
	at, repeated, _ = r.zone.Unix(civil)
	if ok {
		r.last = max(r.last, at)
	}
	return at, repeated, ok
}

// takeEarlier takes in a record of a job before its end. The job was queued (Q), started (S, or s with fewer nodes), deleted (D),
// aborted (A), moved to another server (M), suspended (z) or resumed (r). A phase ends with record u, which tells its nodes.
// Record c tells the nodes of the next phase, and record e the nodes of the last phase. Records u, c and e all give the first
// start of the job.
//
// Reference: OpenPBS, accounting records of jobs.
func (r *pbsReader) takeEarlier(k executions.Key, record *pbs.Record, row int) {
	at, _, ok := r.clock(record)
	if !ok {
		return
	}
	job := r.open[k]
	if job == nil {
		job = &pbsOpenJob{}
		r.open[k] = job
	}
	switch f := &r.fields; record.Kind {
	case 'Q':
		job.queued, job.line, job.attributes = at, row, bytes.Clone(record.Attributes)
	case 'S':
		job.started, job.hasStarted, job.line, job.attributes = at, true, row, bytes.Clone(record.Attributes)
	case 's':
		var first fields
		first.setAttributes(job.attributes, r.roles)
		job.phases = append(job.phases, pbsPhase{at: at, had: nodesOf(&first), next: nodesOf(f)})
	case 'u':
		job.phases = append(job.phases, pbsPhase{at: at, had: nodesOf(f)})
	case 'c', 'e':
		job.hasReleased = true
		if n := len(job.phases); n > 0 {
			job.phases[n-1].next = nodesOf(f)
		}
	case 'D', 'A':
		job.over, job.overAt = record.Kind, at
	case 'M':
		delete(r.open, k)
	case 'z':
		job.suspendedAt, job.isSuspended = at, true
	case 'r':
		job.resume(at)
	}
}

// resume adds the time since a job was suspended to its suspended time.
func (j *pbsOpenJob) resume(at int64) {
	if j.isSuspended {
		j.suspended += max(0, at-j.suspendedAt)
		j.isSuspended = false
	}
}

// setAhead sets r.ahead, the seconds by which the clock of the server is ahead of the time zone of the log. unix is the Unix time
// of an event in a record. at is the time on the clock when the record was written, some minutes later at most. Offsets are
// multiples of a quarter of an hour.
func (r *pbsReader) setAhead(unix []byte, at int64) {
	const quarter = 900
	if n, _, ok := logtext.LeadingNumber(unix); ok && n > 0 {
		r.ahead = quarter * int64(math.Round(float64(at-int64(n))/quarter))
	}
}

// takeTimes takes in the phases of a job that ended, each as an execution after which the job ran on with other nodes. The fields
// then describe the last phase. The clock of the records may show another zone, so only the time from the end of a phase to the
// end of the job counts. The run time of a job without phases does not include the time in which the job was suspended.
func (r *pbsReader) takeTimes(k executions.Key, job *pbsOpenJob, record *pbs.Record, row int) {
	f := &r.fields
	ended, repeated, ok := r.clock(record)
	end, _, hasEnd := logtext.LeadingNumber(f[endTime])
	start, _, hasStart := logtext.LeadingNumber(f[startTime])
	if !ok || !hasEnd || !hasStart {
		return
	}
	if int64(end)-ended > repeated/2 {
		ended += repeated
	}
	r.setAhead(f[endTime], ended)
	if job == nil {
		return
	}
	job.resume(ended)
	run := int64(end) - int64(start)
	switch {
	case len(job.phases) == 0 && job.hasReleased:
		r.note(lateRelease, row)
	case len(job.phases) == 0 && 0 < job.suspended && job.suspended <= run:
		r.note(suspended, row)
		f[elapsed] = strconv.AppendInt(nil, run-job.suspended, 10)
	}
	for i, p := range job.phases {
		if i == 0 { // the other sizes in the record of the end are requests
			f[slots], f[nodesAsked], f[selected], f[processors], f[allocNodes], f[allocCPUs], f[allocGPUs] = nil, nil, nil, nil, nil, nil, nil
		}
		phase := *f
		until := int64(end) - (ended - p.at)
		if until < int64(start) || until > int64(end) || len(p.had.hosts) == 0 {
			continue
		}
		p.had.set(&phase)
		phase[nodeList], phase[stateName] = p.had.hosts, []byte(resizedState)
		phase[endTime] = strconv.AppendInt(nil, until, 10)
		r.store.take(&phase, &entry{Key: k, line: row})
		f[startTime] = phase[endTime]
		if len(p.next.hosts) > 0 {
			p.next.set(f)
		}
	}
}

// takeBareRerun takes in an attempt of a job that ended with a rerun. The record of the rerun gives no start, so the attempt
// began with the record of the start of the job.
func (r *pbsReader) takeBareRerun(k executions.Key, job *pbsOpenJob, record *pbs.Record, row int) {
	at, _, ok := r.clock(record)
	if job == nil || !job.hasStarted || !ok {
		r.lose(rerun, row, record.Job)
		return
	}
	r.setRun(job, "rerun", at)
	r.takeFields(k, row)
}

// setRun sets r.fields to the attributes of the start of a job, with a state, and with the run time from the start until the
// given time on the clock. The time in which the job was suspended does not count.
func (r *pbsReader) setRun(job *pbsOpenJob, state string, until int64) {
	r.fields.setAttributes(job.attributes, r.roles)
	r.fields[stateName] = []byte(state)
	r.fields[elapsed] = strconv.AppendInt(nil, max(0, until-job.started-job.suspended), 10)
}

// takeOpen takes in the jobs without a record of their end, in the order of their lines. They still ran or waited when the log
// ended, or were deleted or aborted. It takes in nothing if no job of the log ran.
func (r *pbsReader) takeOpen() {
	hasRun := r.records.Len() > 0
	for _, job := range r.open {
		hasRun = hasRun || job.hasStarted
	}
	if !hasRun {
		return
	}
	keys := slices.SortedFunc(maps.Keys(r.open), func(a, b executions.Key) int { return cmp.Compare(r.open[a].line, r.open[b].line) })
	for _, k := range keys {
		job := r.open[k]
		isArray := k.Task == 0 && r.tasks[k]
		switch f := &r.fields; {
		case job.line == 0 || isArray:
			continue
		case !job.hasStarted:
			f.setAttributes(job.attributes, r.roles)
			if f[submitTime] == nil && f[queuedTime] == nil {
				f[submitTime] = strconv.AppendInt(nil, job.queued-r.ahead, 10)
			}
			f[stateName] = []byte(pendingState)
			if job.over != 0 {
				f[stateName], f[elapsed] = []byte(deletedState), []byte("0")
			}
		case job.over == 0:
			job.resume(r.last)
			r.setRun(job, runningState, r.last)
			if !f.hasTime(startTime) {
				continue
			}
		default:
			r.note(noEnd, job.line)
			r.setRun(job, deletedState, job.overAt)
		}
		r.takeFields(k, job.line)
	}
}
