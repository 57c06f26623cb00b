package joblog

import (
	"bytes"
	"errors"
	"io"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// table reads the rows of a table of jobs.
type table struct {
	*store
	separator byte
	names     []string
	at        [roles]int // column of each role; −1: none
	// columnsTold are the columns that have a role.
	columnsTold []toldColumn
	free        int // the only column that may hold separators; −1: none, or several
	row         int
	fields      [][]byte
	told        fields
	entry       entry
}

// toldColumn is a column that tells something of a job.
type toldColumn struct {
	role role
	at   int
}

// readTable reads a table of jobs.
func (s *store) readTable(in *logtext.File) error {
	s.partitions = true
	t := table{store: s}
	l := lines{file: s.file, in: in}
	for {
		line, long, err := l.next()
		if errors.Is(err, io.EOF) && t.names != nil {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return &Error{File: s.file, Problem: "holds no jobs"}
		}
		if err != nil {
			return err
		}
		if t.row = l.row; t.names == nil && t.options.Fields != "" && !isMessage(line) {
			if err := t.named(line); err != nil {
				return err
			}
		}
		switch {
		case isMessage(line):
			s.noteText(messages, l.row, line)
		case t.names == nil:
			err = t.header(line)
		case long:
			s.lose(tooLong, l.row, line)
		default:
			err = t.line(line)
		}
		if err != nil {
			return err
		}
	}
}

// line takes a line in. The error is that of a second header that cannot be read.
func (t *table) line(line []byte) error {
	t.fields = split(t.fields[:0], line, t.separator)
	if extra := len(t.fields) - len(t.names); extra > 0 && t.free >= 0 {
		t.fields = append(t.fields[:t.free+1], t.fields[t.free+1+extra:]...)
	}
	id := t.fields[min(max(t.at[jobID], 0), len(t.fields)-1)]
	isHeader := (len(t.fields) != len(t.names) || bytes.HasPrefix(id, []byte("J")) || bytes.HasPrefix(id, []byte("j"))) && isTable(line, t.layout)
	switch {
	case isHeader: // of another table, behind the first
		return t.header(line)
	case len(t.fields) != len(t.names):
		t.lose("another number of fields than the header", t.row, line)
		return nil
	}
	for _, r := range [...]role{jobID, jobIDRaw, clusterName} {
		if i := t.at[r]; i >= 0 {
			t.told[r] = bytes.TrimSpace(t.fields[i])
		}
	}
	k, step, ok := identify(&t.told)
	k.cluster = t.clusterOf(t.told[clusterName])
	switch {
	case !ok:
		t.lose("an unreadable JobID", t.row, line)
		return nil
	case step:
		t.step(k, t.row)
		return nil
	}
	for _, c := range t.columnsTold {
		t.told[c.role] = bytes.TrimSpace(t.fields[c.at])
	}
	t.entry.key, t.entry.line = k, t.row
	t.take(&t.told, &t.entry)
	return nil
}

// identify reads which job a line is about, and whether it is one of its steps.
func identify(f *fields) (k key, step, ok bool) {
	if f[jobID] == nil {
		return parseJobID(f[jobIDRaw])
	}
	k, step, ok = parseJobID(f[jobID])
	if f[jobIDRaw] == nil || !ok {
		return k, step, ok
	}
	raw, stepRaw, ok := parseJobID(f[jobIDRaw])
	if k.component == 0 {
		k = raw // of a task of an array its own
	}
	return k, step || stepRaw, ok
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

// parseCount reads a whole number, such as 4096 or 4K, which is 4096.
func parseCount(text []byte, _ Unit) (uint32, bool) {
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

// resources are the names of units in lists of resources, in the order of units.
var resources = [len(units)]string{"node", "cpu", "gres/gpu"}

// parseTRES reads how many of each unit a list such as cpu=8,mem=4G,node=2,gres/gpu=4 holds: for GPUs those of all types if the list has no
// sum.
func parseTRES(text []byte) (in [len(units)]amount) {
	var typed [len(units)]uint32
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte(","))
		item = bytes.TrimSpace(item)
		name, value, found := bytes.Cut(item, []byte("="))
		if !found && !isUnknown(item) {
			for k := range in {
				in[k].unreadable = true
			}
			return in
		}
		for k, resource := range resources {
			after, isResource := bytes.CutPrefix(name, []byte(resource))
			if !isResource || len(after) > 0 && after[0] != ':' {
				continue
			}
			n, ok := parseCount(value, units[k])
			switch {
			case !ok:
				in[k].unreadable = true
			case len(after) > 0:
				typed[k] += n
			default:
				in[k].n = n
			}
		}
	}
	for k := range in {
		switch {
		case in[k].unreadable:
			in[k].n = 0
		case in[k].n == 0:
			in[k].n = typed[k]
		}
	}
	return in
}
