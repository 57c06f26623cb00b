package joblog

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/pbs"
)

// pbsFormat is the format of the accounting logs of PBS and Torque. A log that was cut may begin within a record, so the second
// line counts too.
var pbsFormat = format{
	name:    "pbs",
	summary: "PBS and Torque: accounting logs (records E and R; u, c and e of released nodes)",
	sizes:   [...]string{"exec_host", "the most of seven fields", "exec_vnode, exec_gpus, ngpus, gpus"},
	recognise: func(b *filekind.Beginning) bool {
		_, rest, _ := bytes.Cut(b.Rest, []byte("\n"))
		_, isFirst := pbs.ParseRecord(b.Line)
		_, isSecond := pbs.ParseRecord(rest)
		return isFirst || isSecond
	},
	read: stored(pbsAttributes, (*store).readPBS),
}

// pbsAttributes are the attributes that matter in the record of the end of a job, with their roles.
var pbsAttributes = &layout{seconds: true, mostCPUs: true, state: pbsState, roles: map[string]role{
	"user": user, "group": group, "account": account, "queue": queue, "qos": qos, "ctime": submitTime, "qtime": queuedTime,
	"etime": eligibleTime, "start": startTime, "end": endTime, "Resource_List.procs": processors,
	"Exit_status": stateName, "exec_host": hostList, "exec_vnode": vnodes, "exec_gpus": gpuList, "resources_used.walltime": elapsed,
	"Resource_List.walltime": timeLimit,
	"Resource_List.nodes":    nodesAsked, "Resource_List.select": selected, "Resource_List.nodect": allocNodes,
	"Resource_List.ncpus": allocCPUs, "Resource_List.ngpus": allocGPUs, "total_execution_slots": slots,
	"Resource_List.mppwidth": elements, "Resource_List.mppnppn": elementsPerNode, "Resource_List.mppdepth": elementDepth,
	"Resource_List.mppnodect": elementNodes,
}}

// Words in place of exit statuses, for executions whose records have no exit status.
const (
	resizedState = "resized" // the job ran on with other nodes
	runningState = "running" // the job still ran when the log ended
	pendingState = "pending" // the job still waited when the log ended
	deletedState = "271"     // the exit status of jobs that qdel ended
)

// pbsState reads an exit status.
func pbsState(text []byte) (s executions.State, label string, ok bool) {
	switch string(text) {
	case "":
		return executions.Unknown, "", true
	case "0":
		return executions.Completed, "", true
	case deletedState, "-271": // ended by the signal that qdel sends
		return executions.Cancelled, "", true
	case resizedState:
		return executions.Resizing, "", true
	case runningState:
		return executions.Running, "", true
	case pendingState:
		return executions.Pending, "", true
	}
	return executions.Failed, "", true
}

// Texts of the findings in accounting logs.
const (
	wholeArrays  = "records of whole arrays, whose tasks are the jobs"
	missingNodes = "jobs on a Cray whose records give processing elements but no nodes: the hosts of exec_host count"
	missingTasks = "a record of a whole array whose tasks the log does not list"
	rerun        = "a rerun (record R) that tells no start, or neither an end nor a run time"
	suspended    = "jobs that were suspended (records z and r): their run times do not include the time in suspension"
	lateRelease  = "jobs that released nodes at a time that the log does not list: all nodes count until the end"
	noEnd        = "jobs without a record of their end: they ended when they were deleted or aborted (records D and A)"
)

// pbsReader reads an accounting log of PBS or Torque.
type pbsReader struct {
	*store
	open   map[executions.Key]*pbsOpenJob // jobs that have not ended
	arrays map[executions.Key]int         // by whole array: the line of its record
	tasks  map[executions.Key]bool        // by whole array: whether the log lists a task of the array
	// seconds by which the clock of the server is ahead of the zone of the log, see setAhead; 0 if unknown
	ahead  int64
	last   int64  // the latest time on the clock
	fields fields // of the record that is read
	entry  entry  // of the record that is read
}

// readPBS reads an accounting log. A record of an end or of a rerun has everything about a job. Earlier records matter only for
// jobs whose nodes changed, that were suspended, or that have no record of their end. The error says that the file cannot be read
// on.
func (s *store) readPBS(in *logtext.File) error {
	r := pbsReader{store: s, open: map[executions.Key]*pbsOpenJob{}, arrays: map[executions.Key]int{}, tasks: map[executions.Key]bool{}}
	l := logtext.Lines{File: s.file, In: in}
	for {
		line, long, err := l.Next()
		if errors.Is(err, io.EOF) {
			r.takeOpen()
			r.countArrays()
			return nil
		}
		if err != nil {
			return err
		}
		record, ok := pbs.ParseRecord(line)
		switch {
		case long:
			s.lose(tooLong, l.Row, line)
		case logtext.IsMessage(line):
			s.noteText(messages, l.Row, line)
		case !ok:
			s.lose("no date, type and number of a job", l.Row, line)
		default:
			r.take(&record, l.Row)
		}
	}
}

// Types of records. An end record describes the end or the rerun of a job, a phase record describes nodes that the job releases,
// and the other records describe earlier events. Records of further types, such as reservations and licences, do not describe
// jobs.
const (
	endRecords   = "ER"
	phaseRecords = "uce"
	otherRecords = "QSsDAMzr"
)

// take takes in a record.
func (r *pbsReader) take(record *pbs.Record, row int) {
	isEnd, isPhase := bytes.IndexByte([]byte(endRecords), record.Kind) >= 0, bytes.IndexByte([]byte(phaseRecords), record.Kind) >= 0
	if !isEnd && !isPhase && bytes.IndexByte([]byte(otherRecords), record.Kind) < 0 {
		return
	}
	job, ok := pbs.ParseJob(record.Job)
	if !ok {
		if isEnd {
			r.lose("an unreadable number of a job", row, record.Job)
		}
		return
	}
	k := executions.Key{ID: job.Number, Cluster: r.clusterOf(job.Server)}
	if job.IsTask {
		r.tasks[k] = true
		k.Task = job.Task + 1
	}
	var twice []byte
	if isEnd || isPhase || record.Kind == 's' {
		twice = r.fields.setAttributes(record.Attributes, r.roles)
	}
	switch {
	case twice != nil && isEnd:
		r.lose("an attribute that is given twice", row, twice)
	case isEnd && job.IsWholeArray:
		r.note(wholeArrays, row)
		r.arrays[k] = row
		delete(r.open, k)
	case isEnd:
		r.takeExecution(k, record, row)
	default:
		r.takeEarlier(k, record, row)
	}
}

// setAttributes sets the fields to the attributes of a record that have a role. It returns an attribute with two different
// values, or nil if no attribute has.
func (f *fields) setAttributes(text []byte, roles map[string]role) (twice []byte) {
	*f = fields{}
	for len(text) > 0 {
		var name, value []byte
		name, value, text = pbs.NextAttribute(text)
		role, matters := roles[string(name)]
		switch {
		case value == nil || !matters:
			continue
		case f[role] != nil && !bytes.Equal(f[role], value):
			return bytes.Join([][]byte{name, value}, []byte("="))
		}
		f[role] = value
	}
	return nil
}

// takeExecution takes in the record of the end or of the rerun of a job. A rerun ends an attempt that failed.
func (r *pbsReader) takeExecution(k executions.Key, record *pbs.Record, row int) {
	f, job := &r.fields, r.open[k]
	delete(r.open, k)
	isRerun := record.Kind == 'R'
	if isRerun && !f.hasTime(startTime) {
		r.takeBareRerun(k, job, record, row)
		return
	}
	hasStart, hasEnd := f.hasTime(startTime), f.hasTime(endTime)
	switch {
	case isRerun && !hasEnd && f[elapsed] == nil:
		r.lose(rerun, row, record.Job)
		return
	case isRerun:
		f[stateName] = []byte("rerun")
	case f[stateName] == nil:
		f[stateName] = []byte{}
	}
	if hasStart && hasEnd {
		f[elapsed] = nil // the times count
		r.takeTimes(k, job, record, row)
	}
	r.takeFields(k, row)
}

// takeFields takes in the execution of a job that the fields describe.
func (r *pbsReader) takeFields(k executions.Key, row int) {
	r.fields[nodeList] = r.fields[hostList]
	r.setCray(&r.fields, row)
	r.entry = entry{Key: k, line: row}
	r.store.take(&r.fields, &r.entry)
}

// hasTime reports whether a field holds a time other than 0.
func (f *fields) hasTime(r role) bool { return f[r] != nil && string(f[r]) != "0" }

// countArrays counts the record of a whole array as a line without a job, if the log lists no task of the array.
func (r *pbsReader) countArrays() {
	var lines []int
	for k, line := range r.arrays {
		if !r.tasks[k] {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		r.lose(missingTasks, line, nil)
	}
}
