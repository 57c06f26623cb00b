package output

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// ListOf returns a list of rows. Its columns are the fields of T, also those of embedded structs, that have a tag:
//
//	Load  float64         `key:"offered_load" name:"load" digits:"3"`
//	Delay metric.Interval `key:"delay" name:"delay [s]" half:"4" in:"json" is:"mean"`
//
// The tags key and name are the Key and the Name of the [Column]. The tags digits, decimals and half write the cells of tables
// with so many significant digits ("all": with every digit), with so many decimals, or with half of the width of the interval. A column of the tag in is
// only in "json" or only in "csv". The tag is lists words: id and extra (see [Column]), mean for MeanOnly, halfwidth for HalfOnly,
// number for a column of a table that is aligned like numbers, and nonzero where a zero means that the value does not exist.
// Values that have a method String, and those of types of strings, are texts.
func ListOf[T any](rows []T) *List {
	l := &List{Len: len(rows)}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if c := columnOf(f.Tag); c.Key != "" || c.Name != "" {
			nonzero := has(f.Tag, "nonzero")
			c.Value = func(i int) any { return valueOf(reflect.ValueOf(&rows[i]).Elem().FieldByIndex(f.Index), nonzero) }
			l.Columns = append(l.Columns, c)
		}
	}
	return l
}

// has reports whether the tag is lists a word.
func has(tag reflect.StructTag, word string) bool {
	return strings.Contains(" "+tag.Get("is")+" ", " "+word+" ")
}

// columnOf returns the column that a tag describes, without its values.
func columnOf(tag reflect.StructTag) Column {
	c := Column{Key: tag.Get("key"), Name: tag.Get("name"), OnlyJSON: tag.Get("in") == "json", OnlyCSV: tag.Get("in") == "csv",
		ID: has(tag, "id"), Extra: has(tag, "extra"), Number: has(tag, "number"), MeanOnly: has(tag, "mean"), HalfOnly: has(tag, "halfwidth")}
	if tag.Get("digits") == "all" {
		c.Text = number(Shortest)
	}
	for name, text := range map[string]func(n int) func(any) string{"digits": Digits, "decimals": Decimals,
		"half": func(n int) func(any) string { return WithHalfWidth(n, 2) }} {
		if n, err := strconv.Atoi(tag.Get(name)); err == nil {
			c.Text = text(n)
		}
	}
	return c
}

// valueOf returns the value of a field for a cell.
func valueOf(v reflect.Value, nonzero bool) any {
	value := v.Interface()
	s, named := value.(fmt.Stringer)
	switch {
	case nonzero && v.IsZero():
		return nil
	case named:
		return s.String()
	case v.Kind() == reflect.String:
		return v.String()
	}
	return value
}

// Column returns the column of a key.
func (l *List) Column(key string) *Column {
	for i := range l.Columns {
		if l.Columns[i].Key == key {
			return &l.Columns[i]
		}
	}
	return nil
}

// NewResult returns a result of this version with fields; its times are in a unit.
func NewResult(timeUnit string, fields ...Field) *Result {
	return &Result{Object: append(Object{{"version", Version}, {TimeUnit, timeUnit}}, fields...)}
}
