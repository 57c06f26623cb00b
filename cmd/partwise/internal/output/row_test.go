package output_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"

	"github.com/google/go-cmp/cmp"
)

// delays is a list with every kind of column. The second row lacks values.
func delays(form output.Form) *output.List {
	type line struct {
		policy string
		delay  metric.Interval
		share  float64
	}
	all := []line{{"dynamic", metric.Interval{Mean: 12.345, Low: 12, High: 13, HalfWidth: 0.5}, 0.25},
		{"static:2", metric.Interval{Mean: math.NaN()}, math.Inf(1)}}
	return output.NewList("results", "Delays", form, all, func(l *line) output.Row {
		return output.Row{output.Col("policy", "policy").Naming().Is(l.policy), output.InJSON("stable", l.share < 1),
			output.Measure(measure.MeanWaitingTime).Digits(3).Else("unstable").Is(l.delay), output.Col("share", "share").Percents().Aside().Is(l.share),
			output.InCSV("code", 7), output.InTable(" ").Is("ok")}
	}).In("s")
}

// TestOneRowThreeWays: JSON, CSV and tables are views of the same rows.
func TestOneRowThreeWays(t *testing.T) {
	var b bytes.Buffer
	if err := output.WriteJSON(&b, delays(output.Wide).Objects()[0]); err != nil {
		t.Fatal(err)
	}
	const json = `{
  "policy": "dynamic",
  "stable": true,
  "mean_waiting_time": {
    "mean": 12.345,
    "low": 12,
    "high": 13,
    "half_width": 0.5
  },
  "share": 0.25
}
`
	if diff := cmp.Diff(json, b.String()); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	if o := delays(output.Wide).Objects()[1]; len(o) != 2 {
		t.Errorf("JSON has what does not exist: %v", o)
	}
	for form, want := range map[output.Form][][]string{
		output.Wide: {{"policy", "mean_waiting_time", "mean_waiting_time_low", "mean_waiting_time_high", "share", "code"},
			{"dynamic", "12.345", "12", "13", "0.25", "7"}, {"static:2", "", "", "", "", "7"}},
		output.Long: {{"policy", "measure", "value", "low", "high", "half_width"},
			{"dynamic", "mean_waiting_time", "12.345", "12", "13", "0.5"}, {"dynamic", "share", "0.25", "", "", ""},
			{"dynamic", "code", "7", "", "", ""}, {"static:2", "code", "7", "", "", ""}},
		output.NoCSV: nil,
	} {
		if diff := cmp.Diff(want, delays(form).Rows()); diff != "" {
			t.Errorf("CSV %d (-want +got):\n%s", form, diff)
		}
	}
	table := delays(output.Wide).Table()
	if diff := cmp.Diff([][]string{{"dynamic", "12.3", "25.0 %", "ok"}, {"static:2", "unstable", "", "ok"}}, table.Rows); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if heads := output.RowsOf(table.Columns, func(c output.Column) string { return c.Name }); !cmp.Equal(heads,
		[]string{"policy", "waiting [s]", "share", " "}) {
		t.Errorf("heads %q", heads)
	}
	if c := table.Columns; !c[1].Number || c[0].Number || !c[2].Extra {
		t.Errorf("columns %+v", c)
	}
}

// TestShow: a table is a choice of columns by their keys, which say how they look there.
func TestShow(t *testing.T) {
	waiting := output.Measure(measure.MeanWaitingTime)
	table := delays(output.Wide).Show(waiting.Decimals(1), waiting.HalfWidth(2), output.Col("policy", "rule")).Table()
	if diff := cmp.Diff([][]string{{"12.3", "0.50", "dynamic"}, {"", "", "static:2"}}, table.Rows); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if len(delays(output.Wide).Show().Table().Columns) > 0 {
		t.Error("a list that shows no columns has a table")
	}
}

// TestRowsOfOtherCells: a row may lack a column of another, and have one that the others lack.
func TestRowsOfOtherCells(t *testing.T) {
	l := output.ListOfRows("", "", output.Wide, []output.Row{{output.Data("a", 1), output.Data("b", 2)},
		{output.Data("b", 3), output.Data("c", 4)}}).Before(output.Data("id", 5))
	if diff := cmp.Diff([][]string{{"id", "a", "b", "c"}, {"5", "1", "2", ""}, {"5", "", "3", "4"}}, l.Rows()); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
	if o := l.Objects()[1]; len(o) != 3 || o[1].Name != "b" {
		t.Errorf("JSON %v", o)
	}
}

// TestMeasureIsOneEntry: the column of a measure is the line of the table of measures, whichever measure it is.
func TestMeasureIsOneEntry(t *testing.T) {
	for _, m := range measure.Table() {
		row := output.Row{output.Measure(m.Name).Is(0.5)}
		table := output.ListOfRows("", "", output.Wide, []output.Row{row}).In("min").Table()
		head, text := m.Title, "0.5000"
		if m.Unit == measure.Time || m.Unit == measure.Rate {
			head += " [" + m.Unit.In("min") + "]"
		}
		if m.Unit == measure.Share {
			text = "50 %"
		}
		if table.Columns[0].Name != head || table.Rows[0][0] != text || row.Object()[0].Name != m.Name {
			t.Errorf("%s: head %q, cell %q", m.Name, table.Columns[0].Name, table.Rows[0][0])
		}
	}
}
