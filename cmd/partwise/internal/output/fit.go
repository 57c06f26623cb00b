package output

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// gap is between two columns.
const gap = 2

// narrowestText is to how many columns of a terminal text in a table is wrapped at most.
const narrowestText = 16

// Keys returns a name without spaces and units for each column, by which a flag chooses columns. The key of a column ± begins
// with that of the column before it.
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

// fit returns the table with as many columns as fit into a width, and the keys of the other columns. First heads are broken
// into lines, then extra columns are left out, then text in cells is broken. If the table is still too wide, it loses the
// columns that matter least, see leastOf. The first column always stays. Width 0 is without limit.
func (t *Table) fit(width int) (l *Table, left []string) {
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

// layOut returns the table with some columns, with lines broken as far as a width demands.
func (t *Table) layOut(columns []int, width int) *Table {
	l := t.with(columns)
	if width > 0 && l.width() > width {
		for i, c := range l.Columns { // heads that are wider than the cells below them
			l.Columns[i].Name = broken(c.Name, max(l.widestCell(i), widest(strings.Fields(c.Name)...)))
		}
	}
	if width > 0 && !slices.ContainsFunc(l.Columns[1:], func(c Column) bool { return c.Extra }) {
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

// broken returns words in lines of a width, as far as the words allow.
func broken(words string, width int) string { return strings.Join(Wrap(words, width), "\n") }

// widest returns how wide the widest line of some texts is on a terminal.
func widest(texts ...string) int {
	n := 0
	for _, one := range texts {
		n = max(n, text.LongestLineLen(one))
	}
	return n
}

func (t *Table) widestCell(i int) int {
	n := 0
	for _, row := range t.Rows {
		n = max(n, widest(row[i]))
	}
	return n
}

// widths returns how wide the columns are.
func (t *Table) widths() []int {
	all := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		all[i] = max(widest(c.Name), t.widestCell(i))
	}
	return all
}

func (t *Table) width() int {
	n := -gap
	for _, w := range t.widths() {
		n += w + gap
	}
	return n
}

// breakText breaks the text of one column after the other, the widest first, until the table fits.
func (t *Table) breakText(width int) {
	for range t.Columns {
		most, widths, over := -1, t.widths(), t.width()-width
		for i, c := range t.Columns {
			if !c.Number && widths[i] > narrowestText && (most < 0 || widths[i] > widths[most]) {
				most = i
			}
		}
		if over <= 0 || most < 0 {
			return
		}
		to := max(widths[most]-over, narrowestText)
		for _, row := range t.Rows {
			row[most] = broken(row[most], to)
		}
		t.Columns[most].Name = broken(t.Columns[most].Name, to)
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
func (t *Table) lines() (all []string, heads int) {
	for _, c := range t.Columns {
		heads = max(heads, 1+strings.Count(c.Name, "\n"))
	}
	p := t.writer(func(cell string) string { return cell })
	p.SetStyle(table.Style{Box: table.BoxStyle{PaddingRight: strings.Repeat(" ", gap)}, Options: table.OptionsNoBordersAndSeparators})
	p.SuppressTrailingSpaces()
	return strings.Split(p.Render(), "\n"), heads
}
