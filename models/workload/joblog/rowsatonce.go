package joblog

import (
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// rowBlock is what a block of lines tells: rows, without the lines that are messages, and findings.
type rowBlock struct {
	rows  []row
	found findings
}

// mayReadAtOnce reports whether all processors may read the next rows, see [logtext.LinesAhead]: each row is a line. Fields in quotation marks
// may go on in the next line, and a line of dashes may follow another header of columns in marked places.
func (t *table) mayReadAtOnce() bool {
	c := &t.rows.columns
	return t.rows.names != nil && !c.Quoted && !c.AreMarked() && t.lines.CanEach()
}

// readAtOnce takes in the rows of the table on all processors, up to its end or to the block with a header of other columns. Names get their
// numbers in the order of the rows, so the store is the same for any number of processors. The error follows the last line, such as
// io.EOF; nil before a header.
func (t *table) readAtOnce() error {
	newReader := func() func(*logtext.Block[rowBlock]) {
		own := &fieldReader{layout: t.layout, called: t.called, options: t.options, zone: logtext.NewZone(t.options.Location)}
		rows := &rowReader{fieldReader: own, tableColumns: t.rows.tableColumns}
		return rows.readBlock
	}
	return t.lines.Each(newReader, func(b *logtext.Block[rowBlock]) bool {
		if slices.ContainsFunc(b.Told.rows, t.isOtherHeader) {
			return false
		}
		t.findings.addAll(&b.Told.found)
		for i := range b.Told.rows {
			if r := &b.Told.rows[i]; r.kind != headerRow {
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

// readBlock sets the rows and findings of a block.
func (t *rowReader) readBlock(b *logtext.Block[rowBlock]) {
	rows := b.Told.rows[:0]
	t.findings = findings{}
	for i := range b.Len() {
		line := b.Line(i)
		if logtext.IsMessage(line.Text) {
			t.noteText(messages, line.Row, line.Text)
			continue
		}
		rows = slices.Grow(rows, 1)[:len(rows)+1]
		if r := &rows[len(rows)-1]; line.IsLong {
			*r = row{kind: damagedRow, entry: entry{line: line.Row}, problem: problem{tooLong, line.Text}}
		} else {
			t.read(line, r)
		}
	}
	b.Told = rowBlock{rows, t.findings}
}
