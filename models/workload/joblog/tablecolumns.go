package joblog

import (
	"bytes"
	"fmt"
	"strings"
)

// separators are the characters that may stand between the columns of tables.
const separators = "|,;\t^~%@!#&$\x01\x1f"

// columnNames returns the names in a header and their separator, and whether it is the header of a table of jobs.
func (c *layout) columnNames(line []byte) (names []string, separator byte, ok bool) {
	for i := range len(separators) {
		names = names[:0]
		found := map[role]bool{}
		for _, f := range split(nil, line, separators[i]) {
			name := strings.ToLower(strings.TrimSpace(string(f)))
			names = append(names, name)
			if r, ok := c.roles[name]; ok {
				found[r] = true
			}
		}
		if len(names) > 1 && (found[jobID] || found[jobIDRaw]) && len(found) > 2 {
			return names, separators[i], true
		}
	}
	return nil, 0, false
}

func isTable(line []byte, c *layout) bool {
	_, _, ok := c.columnNames(line)
	return ok
}

// split appends the fields of a line. Those in quotation marks may hold separators, but for lines of sacct's own, whose
// separator is a bar and which have no quotation marks.
func split(fields [][]byte, line []byte, separator byte) [][]byte {
	for {
		if separator != '|' && len(line) > 0 && line[0] == '"' {
			end := 1
			for end < len(line) && (line[end] != '"' || end+1 < len(line) && line[end+1] == '"') {
				if line[end] == '"' {
					end++
				}
				end++
			}
			if end+1 < len(line) && line[end+1] == separator {
				fields, line = append(fields, line[1:end]), line[end+2:]
				continue
			}
			if end+1 == len(line) {
				return append(fields, line[1:end])
			}
		}
		i := bytes.IndexByte(line, separator)
		if i < 0 {
			return append(fields, line)
		}
		fields, line = append(fields, line[:i]), line[i+1:]
	}
}

// header takes the names of the columns from a line.
func (t *table) header(line []byte) error {
	names, separator, ok := t.columnNames(line)
	if !ok {
		return &Error{File: t.file, Row: t.row, Problem: "the first line does not name the columns " + t.columns}
	}
	return t.setColumns(names, separator)
}

// named takes the names of the columns from the options. The first line shows the separator: the one that gives as many
// columns as there are names, or one more and empty, as sacct --parsable ends its lines. A first line that is a header is
// not one of the jobs.
func (t *table) named(first []byte) error {
	names := strings.Split(t.options.Fields, ",")
	for i, name := range names {
		name, _, _ = strings.Cut(name, "%") // the width that sacct pads to
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	for i := range len(separators) {
		fields := split(nil, first, separators[i])
		if n := len(fields); n == len(names)+1 && len(fields[n-1]) == 0 {
			names = append(names, "")
		}
		if len(fields) == len(names) {
			return t.setColumns(names, separators[i])
		}
	}
	return &Error{File: t.file, Row: t.row, Problem: fmt.Sprintf("has not the %d columns that --fields names; sacct --parsable2 "+
		"separates them by |", len(names))}
}

// setColumns finds the columns that matter, by their names.
func (t *table) setColumns(names []string, separator byte) error {
	t.names, t.separator, t.free = names, separator, -1
	t.called, t.told, t.sizeFields, t.columnsTold = [roles]string{}, fields{}, nil, nil
	for r := range t.at {
		t.at[r] = -1
	}
	several := false
	for i, name := range names {
		r, ok := t.roles[name]
		switch {
		case !ok:
		case r != freeText && t.at[r] >= 0:
			return &Error{File: t.file, Row: t.row, Column: name, Problem: "there are two columns of this name"}
		case r == freeText:
			several = several || t.free >= 0
			t.free = i
		default:
			t.at[r], t.called[r] = i, "column "+name
			t.columnsTold = append(t.columnsTold, toldColumn{r, i})
		}
	}
	if several {
		t.free = -1
	}
	return t.complete()
}

// complete reports a table that lacks what every job needs.
func (t *table) complete() error {
	need := func(names string, any ...role) error {
		for _, r := range any {
			if t.at[r] >= 0 {
				return nil
			}
		}
		problem := fmt.Sprintf("no column %s; there are %s", names, strings.Join(t.names, ", "))
		if t.written != "" {
			problem += "; this command writes what is needed: " + t.written
		}
		return &Error{File: t.file, Row: t.row, Problem: problem}
	}
	if err := need("Submit", submitTime); err != nil {
		return err
	}
	if t.at[startTime] < 0 || t.at[endTime] < 0 {
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
