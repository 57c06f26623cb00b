package output

import (
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
)

// Column says how a quantity is called in JSON, CSV and tables, and how people read its values. A column that several
// tables have is declared once, in commoncolumns.go or by [Measure]; its methods return a column that differs in one respect.
type Column struct {
	Key  string       // in JSON and CSV; "": it is in tables only
	Name string       // the head in tables, without its unit; "": it is not in tables, unless [List.Shown] names the key
	Unit measure.Unit // of a time or a rate, which tables show behind the head

	Text   func(value any) string // of the cells of tables; nil: shares in per cent, other numbers with four digits
	None   string                 // the cell of a table where the value does not exist
	Number bool                   // it stands to the right, as all numbers do
	Extra  bool                   // it is left out first where a table is too wide

	ID       bool // it names the row, and is a cell of each row of CSV in Long form
	OnlyJSON bool // it is not in CSV
	OnlyCSV  bool // it is not in JSON
	MeanOnly bool // JSON has the mean of the interval; its ends are in the object "intervals" of the row
	HalfOnly bool // CSV has half of the width of the interval, in a cell KEY_half_width, in place of its ends
}

// Col returns a column of JSON, CSV and tables.
func Col(key, head string) Column { return Column{Key: key, Name: head} }

// Measure returns the column of a measure. Its head, its unit, and whether people read per cent are those of the table of
// measures: another measure is one line there, and nothing here.
func Measure(name string) Column {
	m := measure.Must(name)
	return Column{Key: m.Name, Name: m.Title, Unit: m.Unit, Number: true}
}

// Data returns a cell of JSON and CSV.
func Data(key string, value any) Cell { return Col(key, "").Is(value) }

// InJSON returns a cell of JSON only.
func InJSON(key string, value any) Cell { return Column{Key: key, OnlyJSON: true}.Is(value) }

// InCSV returns a cell of CSV only.
func InCSV(key string, value any) Cell { return Column{Key: key, OnlyCSV: true}.Is(value) }

// InTable returns the column that only tables have.
func InTable(head string) Column { return Column{Name: head} }

// Is returns the cell of a row that has the value. The value is a text, a bool, a number, a [metric.Interval], an [Object], a
// [*List], or a slice of these. It does not exist if it is nil, an empty text, a nil slice, or a number that is not finite.
func (c Column) Is(value any) Cell { return Cell{c, value} }

// If returns the cell of a row that has the value if ok.
func (c Column) If(ok bool, value any) Cell { return Cell{c, When(ok, value)} }

// Headed returns the column with another head, "" for none.
func (c Column) Headed(head string) Column {
	c.Name = head
	return c
}

// Time returns the column of times.
func (c Column) Time() Column {
	c.Unit = measure.Time
	return c
}

// Written returns the column whose values people read as text returns them.
func (c Column) Written(text func(value any) string) Column {
	c.Text = text
	return c
}

// Right returns the column with its cells to the right.
func (c Column) Right() Column {
	c.Number = true
	return c
}

// Digits returns the column of numbers with so many significant digits.
func (c Column) Digits(n int) Column { return c.Right().Written(Digits(n)) }

// Decimals returns the column of numbers with so many decimals.
func (c Column) Decimals(n int) Column { return c.Right().Written(decimals(n)) }

// Shortest returns the column of numbers with the fewest digits that read back as the same number.
func (c Column) Shortest() Column { return c.Right().Written(number(words.Shortest)) }

// Shares returns the column of shares in per cent, with as many digits as make a difference.
func (c Column) Shares() Column { return c.Right().Written(shares) }

// Percents returns the column of shares in per cent, with one decimal.
func (c Column) Percents() Column { return c.Right().Written(percents) }

// Factors returns the column of factors with three digits: ×1.25.
func (c Column) Factors() Column {
	return c.Right().Written(func(value any) string { return "×" + Digits(3)(value) })
}

// WithHalfWidth returns the column of intervals, written as the mean with so many digits and half of the width: 12.5 ±0.3.
func (c Column) WithHalfWidth(digits int) Column {
	return c.Right().Written(WithHalfWidth(digits, 2))
}

// HalfWidth returns the column of tables that stands behind the column of an interval: half of its width.
func (c Column) HalfWidth(digits int) Column {
	c.Name, c.Unit = "±", ""
	return c.Right().Written(func(value any) string {
		if e, ok := value.(metric.Interval); ok && e.IsKnown() {
			return words.Round(e.HalfWidth, digits)
		}
		return ""
	})
}

// Else returns the column with a text for cells of tables whose value does not exist.
func (c Column) Else(none string) Column {
	c.None = none
	return c
}

// Aside returns the column that is left out first where a table is too wide.
func (c Column) Aside() Column {
	c.Extra = true
	return c
}

// Naming returns the column that names the row.
func (c Column) Naming() Column {
	c.ID = true
	return c
}

// JSON returns the column that is not in CSV.
func (c Column) JSON() Column {
	c.OnlyJSON = true
	return c
}

// CSV returns the column that is not in JSON.
func (c Column) CSV() Column {
	c.OnlyCSV = true
	return c
}

// MeanFirst returns the column of intervals of which JSON has the mean, and the ends in the object "intervals" of the row.
func (c Column) MeanFirst() Column {
	c.MeanOnly = true
	return c
}

// HalfInCSV returns the column of intervals of which CSV has the mean and half of the width.
func (c Column) HalfInCSV() Column {
	c.HalfOnly = true
	return c
}

// inJSON reports whether JSON has the column.
func (c *Column) inJSON() bool { return c.Key != "" && !c.OnlyCSV }

// inCSV reports whether CSV has the column.
func (c *Column) inCSV() bool { return c.Key != "" && !c.OnlyJSON }

// inTable reports whether a table has the column, if the list does not choose the columns of its table.
func (c *Column) inTable() bool { return c.Name != "" }

// same reports whether two columns are the same. Columns of tables are compared by their heads, too. A column of CSV differs from a
// column of JSON with the same key.
func (c *Column) same(d *Column) bool {
	return c.Key == d.Key && (c.Key != "" || c.Name == d.Name) && c.OnlyCSV == d.OnlyCSV && c.OnlyJSON == d.OnlyJSON
}

// InUnit returns the head of a column, with the unit of its values if they have one.
func InUnit(head, unit string) string {
	if unit == "" {
		return head
	}
	return head + " [" + unit + "]"
}
