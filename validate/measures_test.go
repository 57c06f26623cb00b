package validate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// TestTheTableSaysWhoComputesWhat: every measure that comes from a simulation stands in the table of measures, with what
// computes it, and nothing else says so.
func TestTheTableSaysWhoComputesWhat(t *testing.T) {
	simulated := make([]string, len(formulas))
	for i, f := range formulas {
		simulated[i] = f.name
	}
	for _, p := range measure.ResponseTimePercentiles() {
		simulated = append(simulated, measure.ResponseTimePercentile(p), measure.WaitingTimePercentile(p))
	}
	log := metric.NewLog(metric.Machine{Nodes: 1}, nil)
	log.Deadline = 1
	replayed := log.Measures()
	for _, c := range []struct {
		source string
		names  []string
	}{
		{"simulation", simulated},
		{"replay", slices.Collect(maps.Keys(replayed))},
	} {
		want := computedBy(c.source)
		slices.Sort(want)
		slices.Sort(c.names)
		if !slices.Equal(want, c.names) {
			t.Errorf("%v computes %v, the table says %v", c.source, c.names, want)
		}
	}
}

// computedBy returns the names of the measures that the table says a source computes.
func computedBy(source string) (names []string) {
	for _, m := range measure.Table() {
		if slices.Contains(strings.Split(m.ComputedBy, ", "), source) {
			names = append(names, m.Name)
		}
	}
	return names
}
