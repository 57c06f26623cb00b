package joblog

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// pbs is the format of the accounting logs of PBS and Torque.
var pbs = format{
	name:      "pbs",
	summary:   "PBS and Torque: accounting logs: records E, R and, of released nodes, u, c, e",
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
	wholeArrays = "records of whole arrays, whose tasks are the jobs"
	untoldNodes = "jobs on a Cray that tell processing elements but no nodes: the hosts of exec_host count"
	untoldTasks = "a record of a whole array, none of whose tasks the log lists"
	rerun       = "a rerun (record R) that tells no start, or neither an end nor a run time"
)

// resizedState stands for the exit status of a phase of a job after which the job ran on with other nodes.
const resizedState = "resized"

// pbsReader reads an accounting log of PBS or Torque.
type pbsReader struct {
	*store
	phases map[key][]pbsPhase // of jobs that have not ended
	arrays map[key]int        // whole arrays, none of whose tasks has been seen: line
	tasks  map[key]bool       // arrays of which a task has been seen
	told   fields             // what the record tells
	entry  entry
}

// pbsPhase is a part of the run of a job after which nodes of the job were released.
type pbsPhase struct {
	at    time.Time // when the nodes were released, on the clock of the log
	hosts []byte    // during the phase
	next  []byte    // after the phase; nil: not known yet
}

// readPBS reads an accounting log: its records of ends and of reruns, which repeat what others say, and of released nodes. Jobs without a
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

// take takes in a record: E of the end of a job, R of a rerun, or u, c and e of the phases of a job whose nodes are released: the end of a
// phase, the nodes of the next phase, and the last phase.
func (r *pbsReader) take(line []byte, row int) {
	kind := line[20]
	id, attributes, _ := bytes.Cut(line[22:], []byte(";"))
	k, server, ok := parsePBSJob(id)
	if !ok {
		r.lose("an unreadable number of a job", row, id)
		return
	}
	k.cluster = r.clusterOf(server)
	f := &r.told
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

// setAttributes sets the fields to the attributes of a record that have a role. twice is an attribute that has two values, nil if none has.
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

// nextAttribute returns the name and the value of the attribute that a text begins with, and what follows it. A value in quotation marks may hold
// blanks. A word without a value has the value nil.
func nextAttribute(text []byte) (name, value, rest []byte) {
	word, rest := text, text[:0]
	end := bytes.IndexByte(text, ' ')
	if end >= 0 {
		word, rest = text[:end], text[end+1:]
	}
	name, value, found := bytes.Cut(word, []byte("="))
	if !found {
		return word, nil, rest
	}
	if len(value) > 0 && end >= 0 && (value[0] == '"' || value[0] == '\'') {
		begin := len(name) + 1
		if closing := bytes.Index(text[begin+1:], []byte{value[0], ' '}); closing >= 0 {
			end = begin + 1 + closing + 1
			value, rest = text[begin:end], text[end+1:]
		}
	}
	return name, value, rest
}

// takePhase keeps a phase of a job, or the nodes after it.
func (r *pbsReader) takePhase(k key, kind byte, line []byte, f *fields) {
	at, err := time.Parse(pbsClock, string(line[:19]))
	switch {
	case err != nil:
	case kind == 'u':
		r.phases[k] = append(r.phases[k], pbsPhase{at: at, hosts: bytes.Clone(f[hostList])})
	case len(r.phases[k]) > 0:
		r.phases[k][len(r.phases[k])-1].next = bytes.Clone(f[hostList])
	}
}

// pbsClock is how records show their time.
const pbsClock = "01/02/2006 15:04:05"

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

// takeReleased takes in the phases of a job that ends, each as an execution after which the job ran on with other nodes. What is left of the
// fields is the last phase. The clock of the records tells how long before the end a phase ended, in any time zone.
func (r *pbsReader) takeReleased(k key, line []byte, f *fields, row int) {
	ended, err := time.Parse(pbsClock, string(line[:19]))
	end, _, ok := leadingNumber(f[endTime])
	start, _, hasStart := leadingNumber(f[startTime])
	if err != nil || !ok || !hasStart {
		return
	}
	for i, p := range r.phases[k] {
		if i == 0 { // what the record of the end tells besides is what the job asked for
			f[slots], f[nodesAsked], f[selected], f[processors], f[allocNodes], f[allocCPUs] = nil, nil, nil, nil, nil, nil
		}
		phase := *f
		until := int64(end) - int64(ended.Sub(p.at).Seconds())
		if until < int64(start) || until > int64(end) || len(p.hosts) == 0 {
			continue
		}
		phase[hostList], phase[nodeList], phase[stateName] = p.hosts, p.hosts, []byte(resizedState)
		phase[endTime] = strconv.AppendInt(nil, until, 10)
		r.store.take(&phase, &entry{key: k, line: row})
		f[startTime] = phase[endTime]
		if len(p.next) > 0 {
			f[hostList] = p.next
		}
	}
}

// setCray sets the size of a job on a Cray, if it asked for processing elements. The host of such a job may be the node where it was started alone.
func (r *pbsReader) setCray(f *fields, row int) {
	if f[elements] == nil {
		return
	}
	count := func(r role) uint32 {
		n, _, _ := leadingNumber(f[r])
		return n
	}
	nodes := count(elementNodes)
	if each := count(elementsPerNode); nodes == 0 && each > 0 {
		nodes = (count(elements) + each - 1) / each
	}
	hosts, _ := hostsOf(f[hostList], InNodes)
	switch {
	case nodes == 0:
		r.note(untoldNodes, row)
	case nodes > hosts:
		f[hostList] = nil
		f[allocNodes] = strconv.AppendUint(nil, uint64(nodes), 10)
	}
	if cpus := count(elements) * max(1, count(elementDepth)); cpus > count(processors) {
		f[processors] = strconv.AppendUint(nil, uint64(cpus), 10)
	}
}

// countArrays counts the records of whole arrays none of whose tasks the log lists as lines that gave no job.
func (r *pbsReader) countArrays() {
	var lines []int
	for k, line := range r.arrays {
		if !r.tasks[k] {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		r.lose(untoldTasks, line, nil)
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

// hostsOf counts the hosts in a list such as n1/0+n1/1+n2/0, n1/0-7+n2/0-7 or n1/0*8+n2/0*8, or the processors on them.
func hostsOf(list []byte, of Unit) (n uint32, ok bool) {
	seen := map[string]bool{}
	slots := uint32(0)
	for item := range bytes.SplitSeq(list, []byte("+")) {
		host, places, _ := bytes.Cut(item, []byte("/"))
		if len(host) > 0 {
			seen[string(host)] = true
		}
		slots += slotsOf(places)
	}
	if of == InCPUs {
		return slots, true
	}
	return uint32(len(seen)), true
}

// slotsOf counts the processors in 3, 0-7, 0-3,5 or 0*8.
func slotsOf(places []byte) (n uint32) {
	if _, many, ok := bytes.Cut(places, []byte("*")); ok {
		n, _, _ := leadingNumber(many)
		return n
	}
	for one := range bytes.SplitSeq(places, []byte(",")) {
		from, rest, ok := leadingNumber(one)
		if !ok {
			continue
		}
		n++
		if len(rest) > 1 && rest[0] == '-' {
			if to, _, ok := leadingNumber(rest[1:]); ok && to > from {
				n += to - from
			}
		}
	}
	return n
}

// chunksOf counts what a job asked for, such as 2:ppn=8:gpus=1+node7:ppn=4 or 2:ncpus=8:ngpus=1.
func chunksOf(text []byte) (in [len(units)]amount) {
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte("+"))
		first, rest, _ := bytes.Cut(item, []byte(":"))
		many, tail, isNumber := leadingNumber(first)
		if !isNumber || len(tail) > 0 { // the name of a node, or ncpus=8
			many = 1
			if bytes.IndexByte(first, '=') >= 0 {
				rest = item
			}
		}
		each := map[Unit]uint32{InNodes: 1, InCPUs: 1}
		for one := range bytes.SplitSeq(rest, []byte(":")) {
			name, value, _ := bytes.Cut(one, []byte("="))
			if n, _, isNumber := leadingNumber(value); isNumber {
				each[chunkUnits[string(name)]] = n
			}
		}
		for k, u := range units {
			in[k].n += many * each[u]
		}
	}
	return in
}

// cpusOfChunks counts the CPUs in such a list.
func cpusOfChunks(text []byte, _ Unit) (n uint32, ok bool) { return chunksOf(text)[atCPUs].n, true }

// chunkUnits are what the resources of a chunk count.
var chunkUnits = map[string]Unit{"ppn": InCPUs, "ncpus": InCPUs, "gpus": InGPUs, "ngpus": InGPUs}
