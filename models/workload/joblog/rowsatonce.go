package joblog

import (
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// blockRows are the rows that were read from a block of lines, without its messages, and the findings.
type blockRows struct {
	rows  []row
	found findings
}

// mayReadAtOnce reports whether all processors may read the next rows: each row must be one line. A field in quotation marks may
// go on in the next line. In a table with marked places, a line of dashes may follow another header.
func (t *table) mayReadAtOnce() bool {
	c := &t.rows.columns
	return t.rows.names != nil && !c.Quoted && !c.AreMarked() && t.lines.CanEach()
}

// readAtOnce takes in the rows of the table on all processors, up to the end of the table or to the block with a header of other
// columns. Names get their numbers in the order of the rows, so the store is the same for any number of processors. After the last
// line it returns the error of [logtext.Lines.Next], such as io.EOF. Before a header of other columns it returns nil.
func (t *table) readAtOnce() error {
	newReader := func() func(*logtext.Block[blockRows]) {
		zone := logtext.NewZone(t.options.Location)
		own := &fieldReader{layout: t.layout, called: t.called, options: t.options, zone: zone}
		rows := &rowReader{fieldReader: own, tableColumns: t.rows.tableColumns}
		return rows.readBlock
	}
	return t.lines.Each(newReader, func(b *logtext.Block[blockRows]) bool {
		if slices.ContainsFunc(b.Result.rows, t.isOtherHeader) {
			return false
		}
		t.findings.addAll(&b.Result.found)
		for i := range b.Result.rows {
			if r := &b.Result.rows[i]; r.kind != headerRow {
				t.takeRow(r)
			}
		}
		return true
	})
}

// isOtherHeader reports whether a row is a header whose columns differ from the columns of the table.
func (t *table) isOtherHeader(r row) bool {
	if r.kind != headerRow {
		return false
	}
	names, columns, ok := t.columnNames(r.problem.text)
	return !ok || columns.Separator != t.rows.columns.Separator || columns.Quoted || !slices.Equal(names, t.rows.names)
}

// readBlock reads the rows of a block into its result.
func (t *rowReader) readBlock(b *logtext.Block[blockRows]) {
	rows := b.Result.rows[:0]
	t.findings = findings{}
	for i := range b.Len() {
		line := b.Line(i)
		if logtext.IsMessage(line.Text) {
			t.noteText(messages, line.Row, line.Text)
			continue
		}
		rows = slices.Grow(rows, 1)[:len(rows)+1] // the texts and numbers of an earlier row are overwritten
		r := &rows[len(rows)-1]
		if line.IsLong {
			*r = row{kind: damagedRow, entry: entry{line: line.Row}, problem: problem{tooLong, line.Text}}
		} else {
			t.readRow(line, r)
		}
	}
	b.Result = blockRows{rows, t.findings}
}
