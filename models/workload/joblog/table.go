package joblog

import (
	"bytes"
	"errors"
	"io"

	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/slurm"
)

// table reads the rows of a table of jobs.
type table struct {
	*store
	lines   *logtext.Lines
	columns logtext.Columns
	names   []string
	at      [roles]int // column of each role; −1: no column
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
	l := &logtext.Lines{File: s.file, In: in}
	t := table{store: s, lines: l}
	for {
		line, long, err := l.Next()
		if errors.Is(err, io.EOF) && t.names != nil {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return &Error{File: s.file, Problem: "holds no jobs; a job log has a line for each job"}
		}
		if err != nil {
			return err
		}
		if t.row = l.Row; t.names == nil && t.options.Fields != "" && !logtext.IsMessage(line) {
			if err := t.named(line); err != nil {
				return err
			}
		}
		switch {
		case logtext.IsMessage(line):
			s.noteText(messages, l.Row, line)
		case t.names == nil:
			err = t.header(line)
		case long:
			s.lose(tooLong, l.Row, line)
		case t.columns.IsOpen(line):
			err = t.openLine(line)
		default:
			err = t.line(line)
		}
		if err != nil {
			return err
		}
	}
}

// mostJoined is the number of lines over which a field in quotation marks may go on.
const mostJoined = 100

// openLine takes in a line whose last field, in quotation marks, goes on in the next lines. It joins up to mostJoined lines to one row. If no
// line closes the field, or if the row has another number of fields than the header, it takes in each line by itself.
func (t *table) openLine(line []byte) error {
	whole, ends, rows := bytes.Clone(line), []int{len(line)}, []int{t.row}
	for len(ends) < mostJoined && t.columns.IsOpen(whole) {
		next, long, err := t.lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if long {
			t.lose(tooLong, t.lines.Row, next)
			break
		}
		whole = append(append(whole, '\n'), next...)
		ends, rows = append(ends, len(whole)), append(rows, t.lines.Row)
	}
	if !t.columns.IsOpen(whole) && len(t.columns.Split(nil, whole)) == len(t.names) {
		return t.line(whole)
	}
	from := 0
	for i, end := range ends {
		t.row = rows[i]
		if err := t.line(whole[from:end]); err != nil {
			return err
		}
		from = end + 1
	}
	return nil
}

// line takes a line in. The error says that a second header cannot be read.
func (t *table) line(line []byte) error {
	if t.fields = t.columns.Split(t.fields[:0], line); len(t.fields) == 0 {
		t.lose("text between the columns that the line of dashes marks", t.row, line)
		return nil
	}
	if extra := len(t.fields) - len(t.names); extra > 0 && t.free >= 0 {
		t.fields = append(t.fields[:t.free+1], t.fields[t.free+1+extra:]...)
	}
	switch {
	case t.isHeader(line):
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
	case !ok && isTable(line, t.layout): // with the columns in another order
		return t.header(line)
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
	if t.columns.AreMarked() && bytes.HasSuffix(t.told[nodeList], []byte("+")) { // sacct marks a text that it cuts off
		t.told[nodeList] = nil
	}
	t.entry.key, t.entry.line = k, t.row
	t.take(&t.told, &t.entry)
	return nil
}

// identify reads which job a line is about, and whether it is one of its steps.
func identify(f *fields) (k key, step, ok bool) {
	if f[jobID] == nil {
		return keyOf(f[jobIDRaw])
	}
	k, step, ok = keyOf(f[jobID])
	if f[jobIDRaw] == nil || !ok {
		return k, step, ok
	}
	raw, stepRaw, ok := keyOf(f[jobIDRaw])
	if k.component == 0 {
		k = raw // each task of an array has a raw number of its own
	}
	return k, step || stepRaw, ok
}

// keyOf reads the number of a job as Slurm writes it. step reports whether it is a step of the job. Tasks of an array that wait together are
// one job. ok is false if the number cannot be read.
func keyOf(text []byte) (k key, step, ok bool) {
	id, ok := slurm.ParseJobID(text)
	if !ok || id.Component > 254 || id.Task == none-1 {
		return k, false, false
	}
	k.id = id.Number
	switch {
	case id.IsWaitingArray:
		k.task = none
	case id.HasTask:
		k.task = id.Task + 1
	}
	if id.HasComponent {
		k.component = uint8(id.Component) + 1
	}
	return k, id.IsStep, true
}
