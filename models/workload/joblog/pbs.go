package joblog

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// pbs is the format of the accounting logs of PBS and Torque.
var pbs = format{
	name:      "pbs",
	summary:   "PBS and Torque: accounting logs (records E and R; u, c and e of released nodes)",
	sizes:     [...]string{"exec_host", "the most of six fields", "ngpus, gpus"},
	recognise: func(b *filekind.Beginning) bool { return pbsRecord().Match(b.Line) },
	read:      stored(pbsAttributes, (*store).readPBS),
}

// pbsRecord is the beginning of a record of an accounting log, with its type: 03/01/2024 08:00:00;E;123.server;user=u1 …
var pbsRecord = logtext.NewPattern(`^../../.... ..:..:..;([A-Za-z]);`)

// pbsAttributes are the attributes of the end of a job that matter.
//
// Reference: Torque Administrator Guide, accounting records; PBS Professional Reference Guide, accounting log.
var pbsAttributes = &layout{seconds: true, mostCPUs: true, state: pbsState, roles: map[string]role{
	"user": user, "group": group, "account": account, "queue": queue, "qos": qos, "ctime": submitTime, "qtime": queuedTime,
	"etime": eligibleTime, "start": startTime, "end": endTime, "Resource_List.procs": processors,
	"Exit_status": stateName, "exec_host": hostList, "resources_used.walltime": elapsed, "Resource_List.walltime": timeLimit,
	"Resource_List.nodes": nodesAsked, "Resource_List.select": selected, "Resource_List.nodect": allocNodes,
	"Resource_List.ncpus": allocCPUs, "Resource_List.ngpus": allocGPUs, "total_execution_slots": slots,
	"Resource_List.mppwidth": elements, "Resource_List.mppnppn": elementsPerNode, "Resource_List.mppdepth": elementDepth, "Resource_List.mppnodect": elementNodes,
}}

// pbsState reads an exit status.
func pbsState(text []byte) (s state, label string, ok bool) {
	switch string(text) {
	case "":
		return unknown, "", true
	case "0":
		return completed, "", true
	case "271", "-271": // ended by the signal that qdel sends
		return cancelled, "", true
	case resizedState:
		return resizing, "", true
	}
	return failed, "", true
}

// The words of findings in accounting logs.
const (
	wholeArrays  = "records of whole arrays, whose tasks are the jobs"
	missingNodes = "jobs on a Cray whose records give processing elements but no nodes: the hosts of exec_host count"
	missingTasks = "a record of a whole array whose tasks the log does not list"
	rerun        = "a rerun (record R) that tells no start, or neither an end nor a run time"
)

// pbsReader reads an accounting log of PBS or Torque.
type pbsReader struct {
	*store
	phases map[key][]pbsPhase // of jobs that have not ended
	arrays map[key]int        // by whole array: the line of its record
	tasks  map[key]bool       // arrays of which the log lists a task
	fields fields             // of the record that is read
	entry  entry              // of the record that is read
}

// readPBS reads an accounting log: its records of ends, of reruns and of released nodes. They repeat what other records say. Jobs without a
// record of their end did not start, or had not ended.
func (s *store) readPBS(in *logtext.File) error {
	r := pbsReader{store: s, phases: map[key][]pbsPhase{}, arrays: map[key]int{}, tasks: map[key]bool{}}
	l := lines{file: s.file, in: in}
	for {
		line, long, err := l.next()
		if errors.Is(err, io.EOF) {
			r.countArrays()
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case long:
			s.lose(tooLong, l.row, line)
		case logtext.IsMessage(line):
			s.noteText(messages, l.row, line)
		case !pbsRecord().Match(line):
			s.lose("no date, type and number of a job", l.row, line)
		case bytes.IndexByte([]byte("ERuce"), line[20]) >= 0:
			r.take(line, l.row)
		}
	}
}

// take takes in a record: E about the end of a job, or R about a rerun. A job that releases nodes has records of phases: u about the end of a
// phase, c about the nodes of the next phase, and e about the last phase.
func (r *pbsReader) take(line []byte, row int) {
	kind := line[20]
	id, attributes, _ := bytes.Cut(line[22:], []byte(";"))
	k, server, ok := parsePBSJob(id)
	if !ok {
		r.lose("an unreadable number of a job", row, id)
		return
	}
	k.cluster = r.clusterOf(server)
	f := &r.fields
	twice := f.setAttributes(attributes, r.roles)
	switch {
	case twice != nil:
		r.lose("an attribute that is given twice", row, twice)
	case k.task == none:
		r.note(wholeArrays, row)
		k.task = 0
		r.arrays[k] = row
	case kind == 'u', kind == 'c', kind == 'e':
		r.takePhase(k, kind, line, f)
	default:
		if k.task > 0 {
			r.tasks[key{id: k.id, cluster: k.cluster}] = true
		}
		r.takeExecution(k, kind == 'R', line, f, row)
	}
}

// setAttributes sets the fields to the attributes of a record that have a role. It returns an attribute that has two values, or nil if every
// attribute has one value.
func (f *fields) setAttributes(text []byte, roles map[string]role) (twice []byte) {
	*f = fields{}
	for len(text) > 0 {
		var name, value []byte
		name, value, text = nextAttribute(text)
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

// nextAttribute returns the name and the value of the attribute that a text begins with, and the text after the attribute. A value in quotation
// marks may hold blanks. A word without a value has the value nil.
func nextAttribute(text []byte) (name, value, rest []byte) {
	word, rest, _ := bytes.Cut(text, []byte(" "))
	name, value, found := bytes.Cut(word, []byte("="))
	if !found {
		return word, nil, rest
	}
	if quoted, after, ok := cutQuoted(text[len(name)+1:]); ok {
		return name, quoted, after
	}
	return name, value, rest
}

// cutQuoted cuts a value in quotation marks off the beginning of a text, and the blank behind it. A quotation mark closes the value if a blank
// or the end of the text follows. ok is false if the text does not begin with a quoted value.
func cutQuoted(text []byte) (quoted, rest []byte, ok bool) {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
		return nil, nil, false
	}
	mark := text[0]
	if closing := bytes.Index(text[1:], []byte{mark, ' '}); closing >= 0 {
		return text[:closing+2], text[closing+3:], true
	}
	return text, nil, text[len(text)-1] == mark
}

// takeExecution takes in the record of the end or of the rerun of a job. A job that is run again has had an attempt that failed.
func (r *pbsReader) takeExecution(k key, isRerun bool, line []byte, f *fields, row int) {
	hasStart, hasEnd := f[startTime] != nil && string(f[startTime]) != "0", f[endTime] != nil && string(f[endTime]) != "0"
	switch {
	case isRerun && (!hasStart || !hasEnd && f[elapsed] == nil):
		r.lose(rerun, row, line[22:])
		return
	case isRerun:
		f[stateName] = []byte("rerun")
	case f[stateName] == nil:
		f[stateName] = []byte{}
	}
	if hasStart && hasEnd {
		f[elapsed] = nil // the times count
		r.takeReleased(k, line, f, row)
	}
	delete(r.phases, k)
	f[nodeList] = f[hostList]
	r.setCray(f, row)
	r.entry = entry{key: k, line: row}
	r.store.take(f, &r.entry)
}

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

// pbsJob is the number of a job: 123, 123.server or, of a task of an array, 123[4].server and 123-4.server.
var pbsJob = logtext.NewPattern(`^(\d+)(?:\[(\d*)\]|-(\d+))?(?:\.(.*)|$)`)

// parsePBSJob reads the number of a job and its server. A whole array, 123[], has the task none.
func parsePBSJob(text []byte) (k key, server []byte, ok bool) {
	parts := pbsJob().FindSubmatch(text)
	if parts == nil {
		return k, nil, false
	}
	server = parts[4]
	if k.id, _, ok = leadingNumber(parts[1]); parts[2] == nil && parts[3] == nil {
		return k, server, ok
	}
	if task, rest, isNumber := leadingNumber(append(parts[2], parts[3]...)); isNumber && len(rest) == 0 && task < none-1 {
		k.task = task + 1
	} else {
		k.task, ok = none, ok && len(parts[2]) == 0 && parts[3] == nil
	}
	return k, server, ok
}
