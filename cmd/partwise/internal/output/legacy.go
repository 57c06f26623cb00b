package output

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/validate/metric"
)

// ListOf returns a list with the columns of [ColumnsOf].
func ListOf[T any](name, title string, form Form, rows []T, unit string) *List {
	return &List{Name: name, Title: title, Len: len(rows), Form: form, Columns: ColumnsOf(rows, unit)}
}

// ColumnsOf returns the columns that the fields of T declare by tags, in their order. The fields hold the values:
//
//	type row struct {
//		Policy   string  `key:"policy" head:"policy"`
//		Response float64 `key:"mean_response_time" head:"response [unit]" form:"digits=5 none=unstable"`
//		Cycles   int     `key:"cycles" form:"omitzero json"`
//	}
//
// The key is that of JSON and CSV, the head that of tables, where unit takes the place of "[unit]", or nothing if it is empty. The
// form is words:
//
//	digits=4, decimals=2           numbers have so many significant digits, or decimals
//	half=4                         so many significant digits, and half of the width of the interval
//	shortest                       with the fewest digits that read back as the same number
//	shares, percents               shares in per cent, see [Shares] and [Percents]
//	omitzero                       the zero value does not exist
//	text                           the value is a text, as fmt.Sprint writes it
//	none=TEXT                      the cell of a table where the value does not exist
//	halfwidth                      see HalfOnly of [Column]
//	number, extra, id, json, csv   see Number, Extra, ID, OnlyJSON and OnlyCSV of [Column]
//
// An embedded struct declares columns, too. ColumnsOf panics on a word that it does not know.
func ColumnsOf[T any](rows []T, unit string) (all []Column) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		c := Column{Key: field.Tag.Get("key"), Name: field.Tag.Get("head")}
		if c.Key+c.Name == "" {
			continue
		}
		if head, ok := strings.CutSuffix(c.Name, " [unit]"); ok {
			c.Name = InUnit(head, unit)
		}
		omitZero, text := c.form(field.Tag.Get("form"))
		c.Value = func(i int) any {
			v := reflect.ValueOf(&rows[i]).Elem().FieldByIndex(field.Index)
			value := v.Interface()
			if text {
				value = fmt.Sprint(value)
			}
			return When(!(omitZero && v.IsZero()) && !(v.CanFloat() && !Finite(v.Float())), value)
		}
		all = append(all, c)
	}
	return all
}

// form applies the words of a form, and reports whether omitzero and text are among them.
func (c *Column) form(words string) (omitZero, text bool) {
	switches := map[string]*bool{"omitzero": &omitZero, "text": &text, "number": &c.Number, "extra": &c.Extra, "id": &c.ID, "json": &c.OnlyJSON,
		"csv": &c.OnlyCSV, "halfwidth": &c.HalfOnly}
	for word := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "digits":
			c.Text = Digits(n)
		case "decimals":
			c.Text = Decimals(n)
		case "half":
			c.Text = WithHalfWidth(n, 2)
		case "shares":
			c.Text = Shares
		case "percents":
			c.Text = Percents
		case "shortest":
			c.Text = number(Shortest)
		case "none":
			c.None = value
		default:
			*switches[name] = true
		}
	}
	return omitZero, text
}

// Column returns the column of a key.
func (l *List) Column(key string) *Column {
	return &l.Columns[slices.IndexFunc(l.Columns, func(c Column) bool { return c.Key == key })]
}

// HalfWidth returns the column of tables that stands behind that of an interval: half of its width.
func HalfWidth(of Column, digits int) Column {
	return Column{Name: "±", Text: Digits(digits), Value: func(i int) any {
		e, ok := of.Value(i).(metric.Interval)
		return When(ok, e.HalfWidth)
	}}
}
