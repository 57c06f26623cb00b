package output

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/validate/metric"
)

// TestListOf: the columns of a list are the tagged fields of its rows, in their order, those of embedded structs among them.
func TestListOf(t *testing.T) {
	type kind string
	type embedded struct {
		Nodes int `key:"nodes" form:"json"`
	}
	type row struct {
		embedded
		Kind   kind            `key:"kind" head:"kind" form:"id"`
		Load   float64         `key:"load" head:"load" form:"shortest"`
		Delay  metric.Interval `key:"delay" head:"delay [s]" form:"half=3 extra halfwidth omitzero"`
		Hidden float64
	}
	l := ListOf("", "", Wide, []row{{embedded{4}, "a", 0.123, metric.Interval{Mean: 2, HalfWidth: 0.5}, 1}, {embedded{8}, "b", math.NaN(), metric.Interval{}, 1}}, "")
	want := [][]string{{"kind", "load", "delay", "delay_half_width"}, {"a", "0.123", "2", "0.5"}, {"b", "", "", ""}}
	if diff := cmp.Diff(want, l.Rows()); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
	want = [][]string{{"a", "0.123", "2.00 ±0.50"}, {"b", "", ""}}
	if diff := cmp.Diff(want, l.Table().Rows); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if o := l.Objects(); len(o) != 2 || len(o[0]) != 4 || len(o[1]) != 2 || o[1][0].Name != "nodes" || o[1][0].Value != 8 {
		t.Errorf("objects %+v", o)
	}
	if !l.Column("kind").ID || !l.Column("delay").Extra {
		t.Errorf("columns %+v", l.Columns)
	}
}
