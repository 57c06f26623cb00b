package joblog

import (
	"bytes"
	"errors"
	"io"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// pbs is the format of the accounting logs of PBS and Torque.
var pbs = format{
	name:      "pbs",
	summary:   "PBS and Torque: accounting logs, of which the records of types E and R count",
	sizes:     [...]string{"exec_host", "the most of six fields", "ngpus, gpus"},
	recognise: func(b *beginning) bool { return pbsRecord().Match(b.line) },
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
	}
	return failed, "", true
}

// The words of findings in accounting logs.
const (
	wholeArrays = "records of whole arrays, whose tasks are the jobs"
	rerun       = "a rerun (record R) that tells no start, or neither an end nor a run time"
)

// readPBS reads an accounting log of PBS or Torque: its records of ends and of reruns, which repeat what others say. Jobs without one
// did not start, or had not ended.
func (s *store) readPBS(in *logtext.File) error {
	l := lines{file: s.file, in: in}
	for {
		line, long, err := l.next()
		if errors.Is(err, io.EOF) {
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
		case line[20] == 'E', line[20] == 'R':
			s.takePBS(line[22:], line[20] == 'R', l.row)
		}
	}
}

// takePBS takes in the record of the end or of the rerun of a job, without its date and type. A job that is run again has had an
// attempt that failed.
func (s *store) takePBS(line []byte, isRerun bool, row int) {
	id, attributes, _ := bytes.Cut(line, []byte(";"))
	e := entry{line: row}
	k, server, ok := parsePBSJob(id)
	if !ok {
		s.lose("an unreadable number of a job", row, id)
		return
	}
	e.key = k
	e.cluster = s.clusterOf(server)
	f := fields{}
	for word := range bytes.SplitSeq(attributes, []byte(" ")) {
		name, value, found := bytes.Cut(word, []byte("="))
		r, matters := s.roles[string(name)]
		switch {
		case !found || !matters:
			continue
		case f[r] != nil && !bytes.Equal(f[r], value):
			s.lose("an attribute that is given twice", row, word)
			return
		}
		f[r] = value
	}
	hasStart, hasEnd := f[startTime] != nil && string(f[startTime]) != "0", f[endTime] != nil && string(f[endTime]) != "0"
	switch {
	case k.task == none && f[hostList] == nil:
		s.note(wholeArrays, row)
		return
	case isRerun && (!hasStart || !hasEnd && f[elapsed] == nil):
		s.lose(rerun, row, id)
		return
	case isRerun:
		f[stateName] = []byte("rerun")
	case f[stateName] == nil:
		f[stateName] = []byte{}
	}
	if hasStart && hasEnd {
		f[elapsed] = nil // the times count
	}
	f[nodeList] = f[hostList]
	s.take(&f, &e)
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
