package output

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// gap is between two columns.
const gap = 2

// narrowestText is to how many columns of a terminal text in a table is wrapped at most.
const narrowestText = 16

// Keys returns a name without spaces and units for each column, for a flag that chooses some. A column that only says how
// sure, or how far off, the one before it is, is named after that.
func (t *Table) Keys() []string {
	keys := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		name, _, _ := strings.Cut(c.Name, " [")
		key := strings.ToLower(strings.Join(strings.FieldsFunc(strings.ReplaceAll(name, "'", ""), isNoKey), "_"))
		switch {
		case key == "±" && i > 0:
			key = keys[i-1] + "_±"
		case key == "":
			key = "verdict"
		}
		for n, own := 2, key; slices.Contains(keys[:i], key); n++ {
			key = fmt.Sprintf("%s_%d", own, n)
		}
		keys[i] = key
	}
	return keys
}

// isNoKey reports whether a letter does not stand in keys.
func isNoKey(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '±' }

// Choose returns the table with the columns of the given keys, in their order; ok is false if it has none of them.
func (t *Table) Choose(keys []string) (chosen *Table, ok bool) {
	all := t.Keys()
	var columns []int
	for _, k := range keys {
		if i := slices.Index(all, k); i >= 0 {
			columns = append(columns, i)
		}
	}
	return t.with(columns), len(columns) > 0
}

// with returns the table with the columns of the given numbers.
func (t *Table) with(columns []int) *Table {
	out := &Table{Title: t.Title, Rows: make([][]string, len(t.Rows))}
	for _, i := range columns {
		out.Columns = append(out.Columns, t.Columns[i])
		for r, row := range t.Rows {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			out.Rows[r] = append(out.Rows[r], cell)
		}
	}
	return out
}

// layout is a table laid out for a width: its heads and cells in lines.
type layout struct {
	columns []Column
	heads   [][]string   // lines of each
	cells   [][][]string // by row and column
	widths  []int
}

// fit lays the table out with as many columns as fit into a width, and the keys of those that do not: first heads are
// broken, then extra columns are left out, then text in cells is broken, and what is still too wide loses its columns,
// those that matter least first, see leastOf. The first column always stays. Width 0 is without limit.
func (t *Table) fit(width int) (l *layout, left []string) {
	var shown, gone []int
	for i := range t.Columns {
		shown = append(shown, i)
	}
	for l = t.layOut(shown, width); width > 0 && l.width() > width && len(shown) > 1; l = t.layOut(shown, width) {
		i := t.leastOf(shown)
		gone = append(gone, shown[i])
		shown = slices.Delete(shown, i, i+1)
	}
	slices.Sort(gone)
	keys := t.Keys()
	for _, i := range gone { // a narrow one may fit in the place of a wide one
		more := append(slices.Clone(shown), i)
		slices.Sort(more)
		if with := t.layOut(more, width); with.width() <= width {
			l, shown = with, more
			continue
		}
		left = append(left, keys[i])
	}
	return l, left
}

// layOut lays some columns out, with lines broken as far as a width demands.
func (t *Table) layOut(columns []int, width int) *layout {
	l := newLayout(t.with(columns))
	if width > 0 && l.width() > width {
		l.breakHeads()
	}
	if width > 0 && !slices.ContainsFunc(l.columns[1:], func(c Column) bool { return c.Extra }) {
		l.breakText(width)
	}
	return l
}

// leastOf returns which of some columns matters least: the last extra one, the last number that is the same in all rows, or
// the last.
func (t *Table) leastOf(columns []int) int {
	for _, matters := range []func(int) bool{func(c int) bool { return !t.Columns[c].Extra }, t.differs} {
		for i := len(columns) - 1; i > 0; i-- {
			if !matters(columns[i]) {
				return i
			}
		}
	}
	return len(columns) - 1
}

// differs reports whether a column says anything that its first row does not.
func (t *Table) differs(c int) bool {
	same := func(row []string) bool { return c < len(row) && row[c] == t.Rows[0][c] }
	return !t.Columns[c].Number || len(t.Rows) < 2 || slices.ContainsFunc(t.Rows, func(row []string) bool { return !same(row) })
}

func newLayout(t *Table) *layout {
	l := &layout{columns: t.Columns, widths: make([]int, len(t.Columns))}
	for _, c := range t.Columns {
		l.heads = append(l.heads, []string{c.Name})
	}
	for _, row := range t.Rows {
		cells := make([][]string, len(row))
		for i, cell := range row {
			cells[i] = []string{cell}
		}
		l.cells = append(l.cells, cells)
	}
	l.measure()
	return l
}

// measure finds how wide the columns are.
func (l *layout) measure() {
	for i := range l.columns {
		l.widths[i] = max(widest(l.heads[i]), l.widestCell(i))
	}
}

func (l *layout) widestCell(i int) int {
	n := 0
	for _, row := range l.cells {
		n = max(n, widest(row[i]))
	}
	return n
}

// widest returns how wide the widest of some texts is on a terminal.
func widest(lines []string) int {
	n := 0
	for _, line := range lines {
		n = max(n, text.StringWidthWithoutEscSequences(line))
	}
	return n
}

func (l *layout) width() int {
	n := gap * (len(l.widths) - 1)
	for _, w := range l.widths {
		n += w
	}
	return n
}

// breakHeads breaks heads that are wider than the cells below them.
func (l *layout) breakHeads() {
	for i, head := range l.heads {
		l.heads[i] = Wrap(head[0], max(l.widestCell(i), widest(strings.Fields(head[0]))))
	}
	l.measure()
}

// breakText breaks the text of one column after the other, the widest first, until the table fits.
func (l *layout) breakText(width int) {
	for range l.columns {
		most := -1
		for i, c := range l.columns {
			if !c.Number && l.widths[i] > narrowestText && (most < 0 || l.widths[i] > l.widths[most]) {
				most = i
			}
		}
		if over := l.width() - width; over > 0 && most >= 0 {
			to := max(l.widths[most]-over, narrowestText)
			for _, row := range l.cells {
				row[most] = Wrap(row[most][0], to)
			}
			l.heads[most] = Wrap(strings.Join(l.heads[most], " "), to)
			l.measure()
		}
	}
}

// Wrap breaks a text at its spaces into lines of a width, as far as its words allow.
func Wrap(words string, width int) []string {
	if text.StringWidthWithoutEscSequences(words) <= width {
		return []string{words}
	}
	lines := []string{""}
	for word := range strings.FieldsSeq(words) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case text.StringWidthWithoutEscSequences(*last+" "+word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// lines returns the heads and the rows as lines of a terminal; heads says how many of them are heads.
func (l *layout) lines() (all []string, heads int) {
	heads = tallest(l.heads)
	for k := range heads { // heads stand on the first row
		line := make([]string, len(l.heads))
		for i, head := range l.heads {
			if at := k - (heads - len(head)); at >= 0 {
				line[i] = head[at]
			}
		}
		all = append(all, l.line(line))
	}
	for _, row := range l.cells {
		for k := range tallest(row) {
			line := make([]string, len(row))
			for i, cell := range row {
				if k < len(cell) {
					line[i] = cell[k]
				}
			}
			all = append(all, l.line(line))
		}
	}
	return all, heads
}

// tallest returns the most lines of any cell of a row.
func tallest(cells [][]string) int {
	n := 1
	for _, cell := range cells {
		n = max(n, len(cell))
	}
	return n
}

// line returns the cells of one line side by side.
func (l *layout) line(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		pad := strings.Repeat(" ", max(0, l.widths[i]-text.StringWidthWithoutEscSequences(cell)))
		if l.columns[i].Number {
			cell, pad = pad+cell, ""
		}
		b.WriteString(cell + pad + strings.Repeat(" ", gap))
	}
	return strings.TrimRight(b.String(), " ")
}
