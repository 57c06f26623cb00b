package output_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/metric"
)

// TestListOf: the columns of a list are the tagged fields of its rows, in their order. Fields of embedded structs are included.
func TestListOf(t *testing.T) {
	type kind string
	type embedded struct {
		Nodes int `key:"nodes" form:"json"`
	}
	type row struct {
		embedded
		Kind   kind            `key:"kind" head:"kind" form:"text id"`
		Load   float64         `key:"load" head:"load" form:"shortest"`
		Delay  metric.Interval `key:"delay" head:"delay [s]" form:"half=3 extra halfwidth omitzero"`
		Hidden float64
	}
	l := output.ListOf("", "", output.Wide, []row{{embedded{4}, "a", 0.123, metric.Interval{Mean: 2, HalfWidth: 0.5}, 1}, {embedded{8}, "b", math.NaN(), metric.Interval{}, 1}}, "")
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

// TestColumnsOf: the tags of fields say where a value stands, how it is written, and when it does not exist.
func TestColumnsOf(t *testing.T) {
	type name struct {
		Policy string `key:"policy" head:"policy" form:"id"`
	}
	type row struct {
		name
		Response float64         `key:"response" head:"response [unit]" form:"digits=3 none=unstable"`
		Share    float64         `key:"share" head:"share" form:"percents extra"`
		Cycles   int             `key:"cycles" form:"omitzero json"`
		Cell     string          `key:"cell" form:"csv"`
		Mean     metric.Interval `key:"mean" head:"mean" form:"decimals=1"`
		Other    any             `key:"other" head:"other" form:"number shares"`
		Exact    float64         `head:"exact" form:"shortest"`
		unseen   int
	}
	rows := []row{{name{"dynamic"}, 12.345, 0.25, 3, "x", metric.Interval{Mean: 2, Low: 1, High: 3, HalfWidth: 1}, 0.5, 0.125, 1},
		{name{"static:2"}, math.NaN(), 0, 0, "", metric.Interval{Mean: math.Inf(1)}, nil, 1, 1}}
	l := output.ListOf("rows", "Title", output.Wide, rows, "s")
	table := l.Table()
	heads := output.RowsOf(table.Columns, func(c output.Column) string { return c.Name })
	if want := []string{"policy", "response [s]", "share", "mean", "other", "exact"}; !reflect.DeepEqual(heads, want) {
		t.Errorf("heads %q, not %q", heads, want)
	}
	if want := [][]string{{"dynamic", "12.3", "25.0 %", "2.0", "50 %", "0.125"}, {"static:2", "unstable", "0.0 %", "", "", "1"}}; !reflect.DeepEqual(table.Rows, want) {
		t.Errorf("cells %q, not %q", table.Rows, want)
	}
	if c := table.Columns; !c[2].Extra || c[1].Extra || !c[4].Number || c[0].Number {
		t.Errorf("columns %+v", c)
	}
	if want := [][]string{{"policy", "response", "share", "cell", "mean", "mean_low", "mean_high", "other"},
		{"dynamic", "12.345", "0.25", "x", "2", "1", "3", "0.5"}, {"static:2", "", "0", "", "", "", "", ""}}; !reflect.DeepEqual(l.Rows(), want) {
		t.Errorf("CSV %q, not %q", l.Rows(), want)
	}
	if want := output.Pairs("policy", "static:2", "share", 0.0); !reflect.DeepEqual(l.Objects()[1], want) {
		t.Errorf("JSON %v, not %v", l.Objects()[1], want)
	}
	if o := l.Objects()[0]; len(o) != 6 || o[3].Name != "cycles" {
		t.Errorf("JSON %v", o)
	}
	if c := output.ColumnsOf(rows, "")[1]; c.Name != "response" || l.Column("response").Name != "response [s]" {
		t.Errorf("a column without a unit has the head %q", c.Name)
	}
	defer func() {
		if recover() == nil {
			t.Error("a word that is not known passes")
		}
	}()
	output.ColumnsOf([]struct {
		Wrong int `key:"wrong" form:"jsno"`
	}{{1}}, "")
}

// TestPairs: what does not exist is not added.
func TestPairs(t *testing.T) {
	o := output.Pairs("a", 1, "b", nil, "c", math.NaN(), "d", "", "e", output.When(false, 1), "f", output.Positive(-1.0))
	if want := (output.Object{{"a", 1}, {"d", ""}}); !reflect.DeepEqual(o, want) {
		t.Errorf("%v, not %v", o, want)
	}
}
