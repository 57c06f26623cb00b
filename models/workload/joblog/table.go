package joblog

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// table reads the rows of a table of jobs.
type table struct {
	*store
	*columns
	separator byte
	names     []string
	at        [roles]int // column of each role; −1: none
	free      int        // the only column that may hold separators; −1: none, or several
	fields    [][]byte
	entry     entry
	row       int
}

// readTable reads a table of jobs.
func (s *store) readTable(in *logtext.File, c *columns) error {
	s.partitions = true
	t := table{store: s, columns: c}
	l := lines{file: s.file, in: in}
	for {
		line, long, err := l.next()
		if errors.Is(err, io.EOF) {
			if t.names == nil {
				return &Error{File: s.file, Problem: "holds no jobs"}
			}
			return nil
		}
		if err != nil {
			return err
		}
		t.row = l.row
		if t.names == nil && t.options.Fields != "" {
			if err := t.named(line); err != nil {
				return err
			}
		}
		switch {
		case t.names == nil:
			if err := t.header(line); err != nil {
				return err
			}
		case long:
			s.lose(tooLong, l.row, line)
		default:
			if err := t.line(line); err != nil {
				return err
			}
		}
	}
}

// field returns what a line holds in the column of a role, nil if there is none.
func (t *table) field(r role) []byte {
	if i := t.at[r]; i >= 0 {
		return bytes.TrimSpace(t.fields[i])
	}
	return nil
}

// line takes a line in. The error is that of a second header that cannot be read.
func (t *table) line(line []byte) error {
	t.fields = split(t.fields[:0], line, t.separator)
	if extra := len(t.fields) - len(t.names); extra > 0 && t.free >= 0 {
		t.fields = append(t.fields[:t.free+1], t.fields[t.free+1+extra:]...)
	}
	if len(t.fields) != len(t.names) {
		if isTable(line, t.columns) {
			return t.header(line)
		}
		t.lose("another number of fields than the header", t.row, line)
		return nil
	}
	if id := t.field(jobID); len(id) > 0 && (id[0] == 'J' || id[0] == 'j') && isTable(line, t.columns) {
		return t.header(line) // of another table, behind the first
	}
	step, problem := t.identify()
	switch {
	case problem != "":
		t.lose(problem, t.row, line)
		return nil
	case step:
		t.step(t.entry.key, t.row)
		return nil
	}
	t.entry.line = t.row
	if problem, text := t.take(); problem != "" {
		t.lose(problem, t.row, text)
		return nil
	}
	t.add(&t.entry)
	return nil
}

// identify reads which job a line is about, and whether it is one of its steps.
func (t *table) identify() (step bool, problem string) {
	const bad = "a JobID that is none"
	if t.at[jobID] >= 0 {
		var ok bool
		if t.entry.key, step, ok = parseJobID(t.field(jobID)); !ok {
			return false, bad
		}
	}
	if t.at[jobIDRaw] < 0 {
		return step, ""
	}
	raw, stepRaw, ok := parseJobID(t.field(jobIDRaw))
	if !ok {
		return false, bad
	}
	if t.entry.component == 0 || t.at[jobID] < 0 {
		t.entry.key = raw // of a task of an array its own
	}
	return step || stepRaw, ""
}

// parseJobID reads a number of a job as Slurm writes it: 123, 123.batch (a step), 123_4 and 123_[5-9%2] (tasks of an
// array), 123+1 (a component of a heterogeneous job).
func parseJobID(text []byte) (k key, step, ok bool) {
	id, rest, ok := leadingNumber(text)
	if !ok {
		return k, false, false
	}
	k.id = id
	if len(rest) > 0 && rest[0] == '_' {
		rest = rest[1:]
		if len(rest) > 0 && rest[0] == '[' {
			end := bytes.IndexByte(rest, ']')
			if end < 0 {
				return k, false, false
			}
			k.task, rest = none, rest[end+1:] // those that have not started, together
		} else {
			var task uint32
			if task, rest, ok = leadingNumber(rest); !ok || task >= none-1 {
				return k, false, false
			}
			k.task = task + 1
		}
	}
	if len(rest) > 0 && rest[0] == '+' {
		var component uint32
		if component, rest, ok = leadingNumber(rest[1:]); !ok || component > 254 {
			return k, false, false
		}
		k.component = uint8(component) + 1
	}
	if len(rest) > 1 && rest[0] == '.' {
		return k, true, true
	}
	return k, false, len(rest) == 0
}

// leadingNumber reads the number that a text begins with.
func leadingNumber(text []byte) (n uint32, rest []byte, ok bool) {
	i, x := 0, uint64(0)
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && i < 10; i++ {
		x = 10*x + uint64(text[i]-'0')
	}
	return uint32(x), text[i:], i > 0 && x < none
}

// take reads all that a line says of a job but its number.
func (t *table) take() (problem string, text []byte) {
	e := &t.entry
	e.user, e.group, e.queue = t.field(user), t.field(group), t.field(queue)
	for _, want := range []struct {
		role role
		to   *moment
	}{{submitTime, &e.submit}, {startTime, &e.start}, {endTime, &e.end}} {
		text := t.field(want.role)
		var ok bool
		if *want.to, ok = t.moment(text, t.row); !ok {
			return "a time in column " + t.names[t.at[want.role]] + " that is none", text
		}
	}
	if problem, text := t.durations(); problem != "" {
		return problem, text
	}
	e.state = unknown
	switch text := t.field(stateName); {
	case text != nil:
		var ok bool
		if e.state, ok = parseState(text); !ok {
			return "a state that is none", text
		}
	case !e.end.known && t.at[endTime] >= 0:
		e.state = running
		if !e.start.known {
			e.state = pending
		}
	}
	return t.sizes()
}

// durations reads the elapsed time and the time limit: in seconds and minutes, or as clocks show them.
func (t *table) durations() (problem string, text []byte) {
	e := &t.entry
	for _, want := range [...]struct {
		raw, clock role
		unit       float64
		to         *float64
	}{{elapsedRaw, elapsed, 1, &e.elapsed}, {limitRaw, timeLimit, 60, &e.limit}} {
		*want.to = math.NaN()
		for _, r := range [...]role{want.raw, want.clock} {
			text := t.field(r)
			if isUnknown(text) || r != elapsedRaw && r != elapsed && isUnlimited(text) {
				continue
			}
			x, ok := 0., false
			if r == want.clock {
				x, ok = logtext.Clock(text)
			} else if raw, err := strconv.ParseFloat(string(text), 64); err == nil && raw >= 0 && raw <= none {
				x, ok = want.unit*raw, true
			}
			if !ok {
				return "a duration in column " + t.names[t.at[r]] + " that is none", text
			}
			*want.to = x
			break
		}
	}
	return "", nil
}

func isUnknown(text []byte) bool {
	switch string(text) {
	case "", "Unknown", "None", "N/A", "None assigned", "unknown", "none", "null", "NULL", "NaN", "nan", "INVALID":
		return true
	}
	return false
}

// isUnlimited reports whether a limit is none, or that of the partition, which the log does not tell.
func isUnlimited(text []byte) bool {
	switch string(text) {
	case "UNLIMITED", "Partition_Limit", "INFINITE", "unlimited":
		return true
	}
	return false
}

// sizes reads how much of the machine a job had, or asked for while it had none, and sees from it whether a job that
// was cancelled had started: old versions of Slurm list such a job as started when it was cancelled, on no nodes.
func (t *table) sizes() (problem string, text []byte) {
	e := &t.entry
	kinds := [...]struct {
		alloc, count, req role
		tres              string
	}{{allocNodes, nodeCount, reqNodes, "node"}, {allocCPUs, cpuCount, reqCPUs, "cpu"}, {roles, gpuCount, roles, "gres/gpu"}}
	wanted := 0
	switch t.options.Unit {
	case inCPUs:
		wanted = 1
	case inGPUs:
		wanted = 2
	}
	e.units, e.cpus = 0, 0
	held, told := false, false
	for i, k := range kinds {
		var allocated, other uint32
		for at, r := range [...]role{k.alloc, k.count, k.req, allocTRES, reqTRES} {
			to := &other
			if r == k.alloc || r == allocTRES {
				to = &allocated
			}
			if r == roles || t.at[r] < 0 || *to > 0 {
				continue
			}
			text := t.field(r)
			var n uint32
			ok, what, problem := true, "a number", "is none"
			if at <= 2 {
				n, ok = parseCount(text)
			} else {
				n, ok = parseTRES(text, k.tres)
				what, problem = "resources", "cannot be read"
			}
			if !ok && i == wanted {
				return what + " in column " + t.names[t.at[r]] + " that " + problem + "; sacct --noconvert does not round", text
			}
			*to = n
			told = told || to == &allocated
		}
		held = held || allocated > 0
		if i == 1 && wanted == 0 {
			e.cpus = max(allocated, other)
		}
		if i == wanted {
			if e.units = allocated; e.units == 0 && !(i == 2 && e.state.isOver()) || t.format == helios {
				e.units = max(allocated, other)
			}
		}
	}
	if told && !held && e.state == cancelled && !e.ran() {
		e.start.known, e.elapsed = false, 0
	}
	return "", nil
}

// parseCount reads a whole number, such as 4096 or 4K, which is 4096.
func parseCount(text []byte) (uint32, bool) {
	if isUnknown(text) {
		return 0, true
	}
	n, rest, ok := leadingNumber(text)
	switch {
	case !ok:
		return 0, false
	case len(rest) == 0:
		return n, true
	case string(rest) == "K" && n < 1<<20:
		return n << 10, true
	case string(rest) == ".0" || string(rest) == ".00": // of programs that take all numbers for fractions
		return n, true
	}
	return 0, false
}

// parseTRES reads how many of a resource a list such as cpu=8,mem=4G,node=2,gres/gpu=4 holds: for GPUs those of all
// types if the list has no sum.
func parseTRES(text []byte, name string) (sum uint32, ok bool) {
	var typed uint32
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte(","))
		k, v, found := bytes.Cut(bytes.TrimSpace(item), []byte("="))
		if !found {
			if isUnknown(item) {
				continue
			}
			return 0, false
		}
		switch {
		case string(k) == name:
			if sum, ok = parseCount(v); !ok {
				return 0, false
			}
		case len(k) > len(name) && string(k[:len(name)]) == name && k[len(name)] == ':':
			n, ok := parseCount(v)
			if !ok {
				return 0, false
			}
			typed += n
		}
	}
	if sum == 0 {
		sum = typed
	}
	return sum, true
}

// moment reads a time: ISO 8601, on the clocks of the log's zone unless it names another, or seconds since 1970.
func (s *store) moment(text []byte, line int) (m moment, ok bool) {
	if isUnknown(text) {
		return m, true
	}
	m.known = true
	if t, ok := logtext.ParseStamp(text); ok {
		if t.Zoned {
			m.at = t.Civil - int64(t.Offset)
			return m, true
		}
		var missing bool
		if m.at, m.later, missing = s.zone.Unix(t.Civil); missing {
			s.note(skippedHour, line)
		}
		return m, true
	}
	n, rest, ok := leadingNumber(text)
	m.at = int64(n)
	return m, ok && n >= 1e8 && (len(rest) == 0 || rest[0] == '.' && len(bytes.Trim(rest[1:], "0123456789")) == 0)
}
