package output

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// gap is between two columns.
const gap = 2

// narrowestText is to how many columns of a terminal text in a table is wrapped at most.
const narrowestText = 16

// names returns the heads of the columns without their units. The name of a column ± begins with that of the column before it.
func (t *Table) names() []string {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		all[i], _, _ = strings.Cut(c.Name, " [")
		if all[i] == "±" && i > 0 {
			all[i] = all[i-1] + " ±"
		}
	}
	return all
}

// with returns the table with some of its columns, given by their indices, in that order.
func (t *Table) with(columns []int) *Table {
	out := &Table{Title: t.Title, Rows: make([][]string, len(t.Rows))}
	for _, i := range columns {
		out.Columns = append(out.Columns, t.Columns[i])
		for r, row := range t.Rows {
			out.Rows[r] = append(out.Rows[r], row[i])
		}
	}
	return out
}

// fit returns the table with as many columns as fit into a width, and the names of the other columns. First heads are broken
// into lines, then extra columns are left out, then text in cells is broken. If the table is still too wide, it loses the
// columns that matter least. The first column always stays. Width 0 is without limit.
func (t *Table) fit(width int) (l *Table, left []string) {
	var others []int
	for i := range t.Columns[1:] {
		others = append(others, 1+i)
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(t.rank(a), t.rank(b)) })
	shown := []int{0}
	for _, i := range others { // a narrow one may fit where a wide one before it did not
		more := append(slices.Clone(shown), i)
		slices.Sort(more)
		if width == 0 || t.layOut(more, width).width() <= width {
			shown = more
		}
	}
	for i, name := range t.names() {
		if !slices.Contains(shown, i) && strings.TrimSpace(name) != "" {
			left = append(left, name)
		}
	}
	return t.layOut(shown, width), left
}

// layOut returns the table with some columns, with lines broken as far as a width demands.
func (t *Table) layOut(columns []int, width int) *Table {
	l := t.with(columns)
	if width > 0 && l.width() > width {
		for i, c := range l.Columns { // heads that are wider than the cells below them
			l.Columns[i].Name = broken(c.Name, max(l.cells(i), widest(strings.Fields(c.Name)...)))
		}
	}
	if width > 0 && !slices.ContainsFunc(l.Columns[1:], func(c Column) bool { return c.Extra }) {
		l.breakText(width)
	}
	return l
}

// rank orders columns by what they say: 0, 1 for numbers that are the same in all rows, 2 for extra columns.
func (t *Table) rank(column int) int {
	c := &t.Columns[column]
	differs := func(row []string) bool { return row[column] != t.Rows[0][column] }
	switch {
	case c.Extra:
		return 2
	case c.Number && len(t.Rows) > 1 && !slices.ContainsFunc(t.Rows, differs):
		return 1
	}
	return 0
}

// broken returns words in lines of a width, as far as the words allow.
func broken(words string, width int) string { return strings.Join(Wrap(words, width), "\n") }

// widest returns how wide the widest line of some texts is on a terminal.
func widest(texts ...string) int { return text.LongestLineLen(strings.Join(texts, "\n")) }

// narrowScreen is how many columns of text a telephone shows.
const narrowScreen = 40

// Stacks reports whether the table is too wide for the screen of a telephone, even with each word in a line of its own. There its
// cells stand below each other, each with the head of its column.
func (t Table) Stacks() bool {
	n := -gap
	for i, c := range t.Columns {
		all := strings.Fields(c.Name)
		for _, row := range t.Rows {
			all = append(all, strings.Fields(row[i])...)
		}
		n += widest(all...) + gap
	}
	return n > narrowScreen
}

// cells returns the width of the widest cell of a column, in columns of a terminal, without the head.
func (t *Table) cells(column int) int {
	n := 0
	for _, row := range t.Rows {
		n = max(n, widest(row[column]))
	}
	return n
}

// widthOf returns how wide a column is.
func (t *Table) widthOf(column int) int { return max(widest(t.Columns[column].Name), t.cells(column)) }

// width returns how many columns of a terminal the table takes.
func (t *Table) width() int {
	n := -gap
	for i := range t.Columns {
		n += t.widthOf(i) + gap
	}
	return n
}

// breakText breaks the text of one column after the other, the widest first, until the table fits.
func (t *Table) breakText(width int) {
	for range t.Columns {
		over, most, wide := t.width()-width, -1, narrowestText
		for i, c := range t.Columns {
			if w := t.widthOf(i); !c.Number && w > wide {
				most, wide = i, w
			}
		}
		if over <= 0 || most < 0 {
			return
		}
		to := max(wide-over, narrowestText)
		for _, row := range t.Rows {
			row[most] = broken(row[most], to)
		}
		t.Columns[most].Name = broken(t.Columns[most].Name, to)
	}
}

// Wrap breaks a text at its spaces into lines of a width, as far as its words allow. Width 0 is without limit.
func Wrap(words string, width int) []string {
	return WrapIf(words, func(line string) bool { return width == 0 || text.StringWidthWithoutEscSequences(line) <= width })
}

// WrapIf breaks a text at its spaces into lines that fit, as far as its words allow.
func WrapIf(words string, fits func(line string) bool) []string {
	if fits(words) {
		return []string{words}
	}
	lines := []string{""}
	for word := range strings.FieldsSeq(words) {
		last := &lines[len(lines)-1]
		switch longer := *last + " " + word; {
		case *last == "":
			*last = word
		case fits(longer):
			*last = longer
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// lines returns the heads and the rows as lines of a terminal; heads says how many of them are heads.
func (t *Table) lines() (all []string, heads int) {
	for _, c := range t.Columns {
		heads = max(heads, 1+strings.Count(c.Name, "\n"))
	}
	p := t.writer(func(cell string) string { return cell })
	p.SetStyle(table.Style{Box: table.BoxStyle{PaddingRight: strings.Repeat(" ", gap)}, Options: table.OptionsNoBordersAndSeparators})
	p.SuppressTrailingSpaces()
	return strings.Split(p.Render(), "\n"), heads
}
