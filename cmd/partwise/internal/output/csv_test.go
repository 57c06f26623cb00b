package output_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/metric"
)

// TestRowsOfLists: lists stand below each other, each with its time unit. Columns are matched by their keys, an interval
// has three cells in every row, and what does not exist is empty; a one-sided interval keeps the end that it has.
func TestRowsOfLists(t *testing.T) {
	times := []metric.Interval{{Mean: 2, Low: 1, High: 3, HalfWidth: 1}, {Mean: math.NaN()},
		{Mean: 4, Low: 3, High: math.Inf(1), HalfWidth: math.Inf(1)}}
	r := &output.Result{}
	r.List(&output.List{Len: 3, TimeUnit: "s", Row: func(i int) output.Row {
		return output.Row{output.Data("k", i), output.Data("t", times[i])}
	}})
	r.List(&output.List{Len: 1, TimeUnit: "min", Form: output.Long, Row: func(int) output.Row {
		return output.Row{output.Col("k", "").Naming().Is(7), output.Data("x", .5)}
	}})
	want := [][]string{
		{"k", "t", "t_low", "t_high", "time_unit", "measure", "value"},
		{"0", "2", "1", "3", "s", "", ""},
		{"1", "", "", "", "s", "", ""},
		{"2", "4", "3", "", "s", "", ""},
		{"7", "", "", "", "min", "x", "0.5"},
	}
	if diff := cmp.Diff(want, r.Rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
