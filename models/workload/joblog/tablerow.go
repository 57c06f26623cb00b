package joblog

import (
	"bytes"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/slurm"
)

// tableColumns are the columns of a table, as its header names them.
type tableColumns struct {
	names   []string // nil: no header has been read
	columns logtext.Columns
	at      [roles]int // column of each role; −1: no column
	used    []usedColumn
	free    int // the only column that may hold separators; −1: no column, or several
}

// usedColumn is a column with a role.
type usedColumn struct {
	role role
	at   int
}

// row is a line of a table that has been read.
type row struct {
	kind    rowKind
	entry   entry   // without its cluster; only the key and the line are set if the row is no job
	cluster []byte  // the name of the cluster
	problem problem // what is wrong with the line; its text is the line if the row is a header
}

// rowKind says what a line of a table is.
type rowKind int

const (
	jobRow     rowKind = iota // an execution of a job, perhaps with a problem
	stepRow                   // a step of a job
	headerRow                 // another header, with which a further table begins in the file
	damagedRow                // fields that do not match the header, or that do not identify a job
)

// rowReader reads the lines of a table by its columns. It changes nothing but its own findings.
type rowReader struct {
	*fieldReader
	tableColumns
	fields [][]byte // of the last line, by column
	byRole fields   // of the last line
}

// readRow sets r to the row in a line. The texts of r are parts of the line.
func (t *rowReader) readRow(of logtext.Line, r *row) {
	line := of.Text
	r.kind, r.entry.line, r.cluster, r.problem = jobRow, of.Row, nil, problem{}
	if t.fields = t.columns.Split(t.fields[:0], line); len(t.fields) == 0 {
		r.kind, r.problem = damagedRow, problem{"text between the columns that the line of dashes marks", line}
		return
	}
	if len(t.fields) > len(t.names) && t.columns.Separator == ',' {
		t.joinResources()
	}
	if extra := len(t.fields) - len(t.names); extra > 0 && t.free >= 0 {
		t.fields = append(t.fields[:t.free+1], t.fields[t.free+1+extra:]...)
	}
	switch {
	case t.isHeader(line):
		r.kind, r.problem.text = headerRow, line
		return
	case len(t.fields) != len(t.names):
		r.kind, r.problem = damagedRow, problem{"another number of fields than the header", line}
		return
	}
	for _, what := range [...]role{jobID, jobIDRaw, clusterName} {
		if i := t.at[what]; i >= 0 {
			t.byRole[what] = bytes.TrimSpace(t.fields[i])
		}
	}
	k, step, ok := identify(&t.byRole)
	r.entry.Key, r.cluster = k, t.byRole[clusterName]
	switch {
	case !ok && isTable(line, t.layout): // with the columns in another order
		r.kind, r.problem.text = headerRow, line
		return
	case !ok:
		r.kind, r.problem = damagedRow, problem{"an unreadable JobID", line}
		return
	case step:
		r.kind = stepRow
		return
	}
	for _, c := range t.used {
		t.byRole[c.role] = bytes.TrimSpace(t.fields[c.at])
	}
	if beginning, isCut := bytes.CutSuffix(t.byRole[nodeList], []byte("+")); isCut && t.columns.AreMarked() { // by sacct
		t.byRole[nodeList] = nil
		if len(beginning) > len("None") && bytes.HasPrefix([]byte(noNodesAssigned), beginning) {
			t.byRole[nodeList] = []byte(noNodesAssigned)
		}
	}
	r.problem = t.readFields(&t.byRole, &r.entry)
}

// joinResources joins the fields into which the separator of the table divided lists of resources, such as cpu=4,mem=8G,node=1.
// What is left over belongs to the only column of free text, which may hold separators, too. It changes nothing unless each
// column has one field then.
func (t *rowReader) joinResources() {
	free := t.free
	if free < 0 {
		free = len(t.names)
	}
	joined, columns := make([][]byte, len(t.names)), 0
	join := func(column, from, to int) {
		joined[column] = bytes.Join(t.fields[from:to], []byte(","))
		columns++
	}
	at, end := 0, len(t.fields)
	for column := 0; column < free && at < end; column++ {
		n := 1
		if t.isResources(column) {
			n = max(1, resources(t.fields[at:end]))
		}
		join(column, at, at+n)
		at += n
	}
	for column := len(t.names) - 1; column > free && at < end; column-- {
		n := 1
		if t.isResources(column) {
			n = max(1, lastResources(t.fields[at:end]))
		}
		join(column, end-n, end)
		end -= n
	}
	if free < len(t.names) && at < end {
		join(free, at, end)
		at = end
	}
	if at == end && columns == len(t.names) {
		t.fields = joined
	}
}

// isResources reports whether a column holds lists of resources.
func (t *rowReader) isResources(column int) bool {
	return column == t.at[allocTRES] || column == t.at[reqTRES]
}

// resources returns how many of the first fields are resources, such as cpu=4, of different names: a list of resources names each
// once.
func resources(fields [][]byte) (n int) {
	var names []string
	for _, f := range fields {
		name, isResource := slurm.ResourceName(f)
		if !isResource || slices.Contains(names, name) {
			break
		}
		names = append(names, name)
	}
	return len(names)
}

// lastResources returns how many of the last fields are resources of different names.
func lastResources(fields [][]byte) (n int) {
	backwards := slices.Clone(fields)
	slices.Reverse(backwards)
	return resources(backwards)
}

// identify returns the job that a line is about. step reports whether the line is about a step of the job.
func identify(f *fields) (k executions.Key, step, ok bool) {
	if f[jobID] == nil {
		return keyOf(f[jobIDRaw])
	}
	k, step, ok = keyOf(f[jobID])
	if f[jobIDRaw] == nil || !ok {
		return k, step, ok
	}
	raw, stepRaw, ok := keyOf(f[jobIDRaw])
	if k.Component == 0 {
		k = raw // each task of an array has a raw number of its own
	}
	return k, step || stepRaw, ok
}

// keyOf reads the number of a job or of a step as Slurm writes it. Tasks of an array that wait together are one job. ok is false if
// the number cannot be read.
func keyOf(text []byte) (k executions.Key, step, ok bool) {
	id, ok := slurm.ParseJobID(text)
	if !ok || id.Component > 254 || id.Task == none-1 {
		return k, false, false
	}
	k.ID = id.Number
	switch {
	case id.IsWaitingArray:
		k.Task = none
	case id.HasTask:
		k.Task = id.Task + 1
	}
	if id.HasComponent {
		k.Component = uint8(id.Component) + 1
	}
	return k, id.IsStep, true
}

// isHeader reports whether a line is another header, with which a further table begins in the file.
func (t *rowReader) isHeader(line []byte) bool {
	id := t.fields[min(max(t.at[jobID], 0), len(t.fields)-1)]
	if len(t.fields) == len(t.names) && !bytes.HasPrefix(id, []byte("J")) && !bytes.HasPrefix(id, []byte("j")) {
		return false
	}
	_, ok := t.layout.names(bytes.Fields(line))
	return ok && t.columns.AreMarked() || isTable(line, t.layout)
}
