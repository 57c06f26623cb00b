package days_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/days"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// TestTheTableSaysWhatDaysCompute: the measures of days stand in the table of measures, and no others are said to be.
func TestTheTableSaysWhatDaysCompute(t *testing.T) {
	names := []string{measure.OfferedLoad} // which is given
	names = append(names, days.Measures()...)
	want := computedBy("days")
	slices.Sort(want)
	slices.Sort(names)
	if !slices.Equal(want, names) {
		t.Errorf("days compute %v, the table says %v", names, want)
	}
}

// A replay by days and one of the machine have the same measures, to the last digit.
func TestReplaysHaveTheSameMeasures(t *testing.T) {
	needs.Concurrency(t)
	const nodes = 5
	var jobs []workload.Job
	stream, now := des.Seed(7).Stream(), 0.0
	for i := range 400 {
		now += 1125 * stream.Exp()
		j := workload.Job{ID: i + 1, Submit: math.Floor(now), Kind: workload.Malleable, Nodes: 1 + int(stream.Float64()*nodes)}
		j.Speedup = workload.Downey{A: float64(j.Nodes), Sigma: 2 * stream.Float64()}
		j.Run = math.Floor(1500 * stream.Exp())
		j.Work = j.Run * j.SpeedupOn(j.Nodes)
		jobs = append(jobs, j)
	}
	for _, p := range []policy.Policy{policy.FCFS{}, policy.EASY{}, policy.Dynamic{}} {
		log := metric.NewLog(metric.Machine{Nodes: nodes}, nil)
		c := machine.Config{Nodes: nodes, Policy: p, Jobs: machine.List(jobs), Done: log.Add}
		if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		outcomes, err := days.Replay(context.Background(), nodes, jobs, []policy.Policy{p}, days.Options{})
		if err != nil {
			t.Fatal(err)
		}
		values := log.Measures()
		for _, name := range days.Measures() {
			v, ok := values[name]
			if x := outcomes[0].Of(name).Mean; ok && x != v || math.IsNaN(x) {
				t.Errorf("%s: %s is %v by days, %v of the log", p, name, x, v)
			}
		}
		if outcomes[0].Load != values[measure.OfferedLoad] || outcomes[0].Jobs != len(jobs) {
			t.Errorf("%s: load %v of %d jobs by days", p, outcomes[0].Load, outcomes[0].Jobs)
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
