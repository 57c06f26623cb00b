package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// names returns the fields of a header in lower case, without the byte order mark that begins each of several joined tables. ok
// reports whether they are the names of the columns of a table of jobs.
func (c *layout) names(header [][]byte) (names []string, ok bool) {
	found := map[role]bool{}
	for _, f := range header {
		name := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(f), "\ufeff")))
		names = append(names, name)
		if r, ok := c.roles[name]; ok {
			found[r] = true
		}
	}
	return names, len(names) > 1 && (found[jobID] || found[jobIDRaw]) && len(found) > 2
}

// columnNames returns the names of the columns in a header, in lower case, and how separators divide its lines. ok reports
// whether the line is the header of a table of jobs.
func (c *layout) columnNames(line []byte) (names []string, columns logtext.Columns, ok bool) {
	for i := range len(logtext.Separators) {
		columns = logtext.SeparatedBy(logtext.Separators[i], line)
		if names, ok = c.names(columns.Split(nil, line)); ok {
			return names, columns, true
		}
	}
	return nil, columns, false
}

// isTable reports whether a line is the header of a table of jobs.
func isTable(line []byte, c *layout) bool {
	_, _, ok := c.columnNames(line)
	return ok
}

// isMarked reports whether a text begins with the header of a table of jobs and a line of dashes that marks its columns of fixed
// widths.
func (c *layout) isMarked(text []byte) bool {
	header, rest, _ := bytes.Cut(text, []byte("\n"))
	rule, _, _ := bytes.Cut(rest, []byte("\n"))
	columns, ok := logtext.MarkedColumns(bytes.TrimRight(rule, "\r"))
	if ok {
		_, ok = c.names(columns.Split(nil, bytes.TrimRight(header, "\r")))
	}
	return ok
}

// header takes the names of the columns from a line. If dashes in the next line mark columns of fixed widths, it takes the places
// from them.
func (t *table) header(line []byte) error {
	names, columns, ok := t.columnNames(line)
	if _, isHeader := t.layout.names(bytes.Fields(line)); !ok && isHeader {
		text := bytes.Clone(line)
		rule, err := t.lines.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if columns, ok = logtext.MarkedColumns(rule.Text); ok {
			names, ok = t.layout.names(columns.Split(nil, text))
		}
	}
	if !ok {
		return &Error{File: t.file, Row: t.row, Problem: "the first line does not name the columns " + t.layout.columns}
	}
	return t.setColumns(names, columns)
}

// named takes the names of the columns from the options. It finds the separator that divides the first line into as many fields
// as there are names. One more field may follow if it is empty, because sacct --parsable ends its lines with a separator.
func (t *table) named(first []byte) error {
	names := strings.Split(t.options.Fields, ",")
	for i, name := range names {
		name, _, _ = strings.Cut(name, "%") // the width that sacct pads to
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	for i := range len(logtext.Separators) {
		columns := logtext.SeparatedBy(logtext.Separators[i], first)
		fields := columns.Split(nil, first)
		if n := len(fields); n == len(names)+1 && len(fields[n-1]) == 0 {
			names = append(names, "")
		}
		if len(fields) == len(names) {
			return t.setColumns(names, columns)
		}
	}
	return &Error{File: t.file, Row: t.row, Problem: fmt.Sprintf("does not have the %d columns that --fields names; sacct --parsable2 "+
		"separates them by |", len(names))}
}

// setColumns sets the columns of a table, and finds the column of each role by its name.
func (t *table) setColumns(names []string, columns logtext.Columns) error {
	t.rows.names, t.rows.columns, t.rows.free = names, columns, -1
	t.called, t.rows.byRole, t.sizeFields, t.rows.used = [roles]string{}, fields{}, nil, nil
	for r := range t.rows.at {
		t.rows.at[r] = -1
	}
	several := false
	for i, name := range names {
		r, ok := t.roles[name]
		switch {
		case !ok:
		case r != freeText && t.rows.at[r] >= 0:
			return &Error{File: t.file, Row: t.row, Column: name,
				Problem: "there are two columns of this name; leave one out of the table, as of --format of sacct"}
		case r == freeText:
			several = several || t.rows.free >= 0
			t.rows.free = i
		default:
			t.rows.at[r], t.called[r] = i, "column "+name
			t.rows.used = append(t.rows.used, usedColumn{r, i})
		}
	}
	if several {
		t.rows.free = -1
	}
	return t.complete()
}

// complete returns an error if the table lacks a column that every job needs.
func (t *table) complete() error {
	need := func(what string, any ...role) error {
		if slices.ContainsFunc(any, func(r role) bool { return t.rows.at[r] >= 0 }) {
			return nil
		}
		problem := fmt.Sprintf("no column %s; there are %s", what, strings.Join(t.rows.names, ", "))
		if t.written != "" {
			problem += "; this command writes what is needed: " + t.written
		} else {
			problem += "; the columns are called " + t.layout.columns
		}
		return &Error{File: t.file, Row: t.row, Problem: problem}
	}
	if err := need("Submit", submitTime); err != nil {
		return err
	}
	if t.rows.at[startTime] < 0 || t.rows.at[endTime] < 0 {
		if err := need("Elapsed or ElapsedRaw, nor both Start and End", elapsed, elapsedRaw); err != nil {
			return err
		}
	}
	switch t.options.Unit {
	case InCPUs:
		return need("of CPUs (AllocCPUS, NCPUS or AllocTRES)", allocCPUs, cpuCount, allocTRES)
	case InGPUs:
		return need("of GPUs (AllocTRES)", allocGPUs, allocTRES)
	}
	return need("of nodes (AllocNodes, NNodes or AllocTRES; --unit-of-allocation cpus takes CPUs)", allocNodes, nodeCount,
		allocTRES)
}
