package joblog

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// isPBS reports whether a line is a record of an accounting log: 03/01/2024 08:00:00;E;123.server;user=u1 …
func isPBS(line []byte) bool {
	return len(line) > 22 && line[2] == '/' && line[5] == '/' && line[10] == ' ' && line[13] == ':' && line[16] == ':' &&
		line[19] == ';' && line[21] == ';'
}

// pbsRecord holds the attributes of the end of a job that matter, in the order of pbsAttributes; nil for one that is not
// there.
//
// Reference: Torque Administrator Guide, accounting records; PBS Professional Reference Guide, accounting log.
type pbsRecord [pbsMatter][]byte

const (
	pbsUser = iota
	pbsGroup
	pbsQueue
	pbsCreated
	pbsQueued
	pbsStart
	pbsEnd
	pbsStatus
	pbsHosts
	pbsUsed
	pbsLimit
	pbsNodes
	pbsSelect
	pbsNodeCount
	pbsCPUs
	pbsGPUs
	pbsSlots
	pbsMatter
)

var pbsAttributes = [pbsMatter]string{"user", "group", "queue", "ctime", "qtime", "start", "end", "Exit_status", "exec_host",
	"resources_used.walltime", "Resource_List.walltime", "Resource_List.nodes", "Resource_List.select", "Resource_List.nodect",
	"Resource_List.ncpus", "Resource_List.ngpus", "total_execution_slots"}

// readPBS reads an accounting log of PBS or Torque: its records of ends, which repeat what others say. Jobs without one
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
		case !isPBS(line):
			s.lose("no date, type and number of a job", l.row, line)
		case line[20] == 'E':
			if problem, text := s.endOfPBS(line[22:], l.row); problem != "" {
				s.lose(problem, l.row, text)
			}
		}
	}
}

func (s *store) endOfPBS(line []byte, row int) (problem string, text []byte) {
	id, attributes, _ := bytes.Cut(line, []byte(";"))
	e := entry{line: row}
	var ok bool
	if e.key, ok = parsePBSJob(id); !ok {
		return "a number of a job that is none", id
	}
	var r pbsRecord
	for len(attributes) > 0 {
		var word []byte
		word, attributes, _ = bytes.Cut(attributes, []byte(" "))
		name, value, found := bytes.Cut(word, []byte("="))
		i := slices.Index(pbsAttributes[:], string(name))
		if !found || i < 0 {
			continue
		}
		if r[i] != nil && !bytes.Equal(r[i], value) {
			return "an attribute that is given twice", word
		}
		r[i] = value
	}
	return s.addPBS(&e, &r)
}

// parsePBSJob reads a number of a job: 123, 123.server or, of a task of an array, 123[4].server and 123-4.server.
func parsePBSJob(text []byte) (k key, ok bool) {
	id, rest, ok := leadingNumber(text)
	k.id = id
	if ok && len(rest) > 1 && (rest[0] == '[' || rest[0] == '-') {
		task, end, isTask := leadingNumber(rest[1:])
		switch {
		case isTask && task < none-1:
			k.task = task + 1
		case rest[1] == ']':
			k.task, end = none, rest[1:]
		default:
			return k, false
		}
		if rest[0] == '[' {
			if len(end) == 0 || end[0] != ']' {
				return k, false
			}
			end = end[1:]
		}
		rest = end
	}
	return k, ok && (len(rest) == 0 || rest[0] == '.')
}

func (s *store) addPBS(e *entry, r *pbsRecord) (problem string, text []byte) {
	e.user, e.group, e.queue = r[pbsUser], r[pbsGroup], r[pbsQueue]
	submit := r[pbsCreated]
	if submit == nil {
		submit = r[pbsQueued]
	}
	for _, want := range []struct {
		text []byte
		to   *moment
		name string
	}{{submit, &e.submit, "ctime"}, {r[pbsStart], &e.start, "start"}, {r[pbsEnd], &e.end, "end"}} {
		var ok bool
		if *want.to, ok = s.moment(want.text, e.line); !ok {
			return "a time " + want.name + " that is none", want.text
		}
	}
	if e.start.known && e.start.at == 0 { // deleted before it started
		e.start.known = false
	}
	e.elapsed, e.limit = math.NaN(), math.NaN()
	if !e.start.known || !e.end.known {
		if x, ok := pbsDuration(r[pbsUsed]); ok {
			e.elapsed = x
		}
	}
	if r[pbsLimit] != nil {
		x, ok := pbsDuration(r[pbsLimit])
		if !ok {
			return "a duration Resource_List.walltime that is none", r[pbsLimit]
		}
		e.limit = x
	}
	e.state = unknown
	switch string(r[pbsStatus]) {
	case "":
	case "0":
		e.state = completed
	case "271", "-271": // ended by the signal that qdel sends
		e.state = cancelled
	default:
		e.state = failed
	}
	units, ok := s.pbsSize(r)
	if !ok {
		return "no number of " + string(s.options.Unit), nil
	}
	e.units = units
	s.add(e)
	return "", nil
}

// pbsDuration reads HH:MM:SS or seconds.
func pbsDuration(text []byte) (seconds float64, ok bool) {
	if x, ok := logtext.Clock(text); ok {
		return x, true
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil && x >= 0 && x < none
}

// pbsSize returns how much of the machine a job had: what it was given where the record says so, otherwise what it asked
// for.
func (s *store) pbsSize(r *pbsRecord) (uint32, bool) {
	asked, told := chunksOf(r[pbsSelect])
	if !told {
		asked, told = chunksOf(r[pbsNodes])
	}
	count := func(text []byte) (uint32, bool) {
		n, ok := parseCount(text)
		return n, ok && text != nil
	}
	switch s.options.Unit {
	case inGPUs:
		if n, ok := count(r[pbsGPUs]); ok {
			return n, true
		}
		return asked.gpus, true
	case inCPUs:
		for _, text := range [][]byte{r[pbsCPUs], r[pbsSlots]} {
			if n, ok := count(text); ok && n > 0 {
				return n, true
			}
		}
		if _, slots := hostsOf(r[pbsHosts]); slots > 0 {
			return slots, true
		}
		return asked.cpus, told
	}
	if hosts, _ := hostsOf(r[pbsHosts]); hosts > 0 {
		return hosts, true
	}
	if n, ok := count(r[pbsNodeCount]); ok && n > 0 {
		return n, true
	}
	return asked.nodes, told
}

// hostsOf counts the hosts in a list such as n1/0+n1/1+n2/0, n1/0-7+n2/0-7 or n1/0*8+n2/0*8, and the processors on them.
func hostsOf(list []byte) (hosts, slots uint32) {
	seen := map[string]bool{}
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte("+"))
		host, places, _ := bytes.Cut(item, []byte("/"))
		if len(host) > 0 && !seen[string(host)] {
			seen[string(host)] = true
			hosts++
		}
		slots += slotsOf(places)
	}
	return hosts, slots
}

// slotsOf counts the processors in 3, 0-7, 0-3,5 or 0*8.
func slotsOf(places []byte) (n uint32) {
	if _, many, ok := bytes.Cut(places, []byte("*")); ok {
		n, _, _ := leadingNumber(many)
		return n
	}
	for len(places) > 0 {
		var one []byte
		one, places, _ = bytes.Cut(places, []byte(","))
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

// chunks are parts of a machine that a job asked for.
type chunks struct{ nodes, cpus, gpus uint32 }

// chunksOf reads what a job asked for, such as 2:ppn=8:gpus=1+node7:ppn=4 or 2:ncpus=8:ngpus=1.
func chunksOf(text []byte) (sum chunks, ok bool) {
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
		each := chunks{1, 1, 0}
		for len(rest) > 0 {
			var one []byte
			one, rest, _ = bytes.Cut(rest, []byte(":"))
			name, value, _ := bytes.Cut(one, []byte("="))
			n, _, isNumber := leadingNumber(value)
			switch string(name) {
			case "ppn", "ncpus":
				if isNumber {
					each.cpus = n
				}
			case "gpus", "ngpus":
				if isNumber {
					each.gpus = n
				}
			}
		}
		sum.nodes, sum.cpus, sum.gpus = sum.nodes+many, sum.cpus+many*each.cpus, sum.gpus+many*each.gpus
		ok = true
	}
	return sum, ok && sum.nodes > 0
}
