package solution_test

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// TestRowHasEveryMeasure: a measure that chains compute is in JSON and CSV of every command without an entry here.
func TestRowHasEveryMeasure(t *testing.T) {
	m := models.Measures{Stable: true, MeanResponseTime: 2}
	row := solution.Row(&decide.Solved{Policy: policy.Dynamic{}, Measures: m}, nil)
	for _, q := range models.Table() {
		want, exists := m.Of(q.Name)
		if v := row.Of(output.Measure(q.Name)); v != output.When(exists, want) {
			t.Errorf("%s is %v, not %v", q.Name, v, want)
		}
	}
}

// TestShownAreInRow: the columns of tables are those of rows.
func TestShownAreInRow(t *testing.T) {
	row := solution.Row(&decide.Solved{Policy: policy.Dynamic{}}, nil)
	for _, c := range solution.Shown() {
		if !row.Has(c) {
			t.Errorf("no row has the column %s%s", c.Key, c.Name)
		}
	}
}
