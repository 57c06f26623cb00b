package metric_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// pause is a time for which the jobs that a change starts or resizes stand still.
type pause float64

func (p pause) Pause(*machine.Change, *des.Ahead) machine.Pause {
	return machine.Pause{Reconfigures: true, Time: float64(p), Kind: machine.ShrinkPause, Stops: machine.ResizedJobs}
}

// columns are the measures of the table of definitions.
var columns = []string{measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanRunTime, measure.MeanSlowdown,
	measure.MeanBoundedSlowdown, measure.Utilization, measure.Efficiency, measure.UsefulUtilization, measure.LoadAverage,
	measure.MeanClusterSize, measure.CVClusterSize, measure.BackfilledShare, measure.KilledShare, measure.OfferedLoad}

// TestDefinitions has every measure of a few jobs on four nodes, worked out by hand.
func TestDefinitions(t *testing.T) {
	half := workload.Downey{A: 2, Sigma: 1} // S(2) = 1.6, S(4) = 2
	malleable := func(id int, submit, work float64) workload.Job {
		return workload.Job{ID: id, Submit: submit, Kind: workload.Malleable, Work: work}
	}
	asks := malleable(1, 100, 20)
	asks.Nodes, asks.Run = 2, 10
	limited := rigid(1, 0, 2, 100)
	limited.Limit = 60
	for _, c := range []struct {
		name    string
		machine machine.Config
		jobs    []workload.Job
		want    []float64
	}{
		// The second waits for 90 s: responses 100 and 140, slowdowns 1 and 2.8; 400 of 600 node-seconds are held. Work
		// for 400 node-seconds is submitted within 10 s.
		{"rigid", machine.Config{Policy: policy.FCFS{}}, []workload.Job{rigid(1, 0, 3, 100), rigid(2, 10, 2, 50)},
			[]float64{120, 45, 75, 1.9, 1.9, 2. / 3, 1, 2. / 3, 8. / 3, 2.5, 0.2, 0, 0, 10}},
		// The third overtakes the second: responses 100, 140, 50, waits 0, 90, 0; 550 of 600 node-seconds.
		{"backfilled", machine.Config{Policy: policy.EASY{}},
			[]workload.Job{rigid(1, 0, 3, 100), rigid(2, 10, 4, 50), rigid(3, 20, 1, 50)},
			[]float64{290. / 3, 30, 200. / 3, 4.8 / 3, 4.8 / 3, 550. / 600, 1, 550. / 600, 550. / 150, 8. / 3,
				math.Sqrt(26*3/64. - 1), 1. / 3, 0, 550. / 80}},
		// Both get two nodes: the first runs for 800/1.6 s, the second for 2000/2 s to 1100; on all four they would run
		// for 400 and 500 s. 3000 node-seconds of 4400 are held for work of 2800.
		{"moldable, asks for no nodes", machine.Config{Policy: policy.Molding{Size: policy.AVG}}, []workload.Job{
			{ID: 1, Kind: workload.Moldable, Work: 800, Speedup: half},
			{ID: 2, Submit: 100, Kind: workload.Moldable, Work: 2000, Speedup: workload.Downey{A: 4}}},
			[]float64{750, 0, 750, 1.625, 1.625, 30. / 44, 28. / 30, 28. / 44, 30. / 11, 2, 0, 0, 0, 7}},
		// First come, first served gives a job that asks for no nodes its average parallelism, two, for 500 s. The second
		// waits 400 s for all nodes, on which it would run for 5 s as it does.
		{"asks for no nodes, in order", machine.Config{Policy: policy.FCFS{}}, []workload.Job{
			{ID: 1, Kind: workload.Moldable, Work: 800, Speedup: half}, rigid(2, 100, 4, 5)},
			[]float64{452.5, 200, 252.5, (1.25 + 81) / 2, (1.25 + 40.5) / 2, 1020. / 2020, 820. / 1020, 820. / 2020,
				1020. / 505, 3, 1. / 3, 0, 0, 820. / 400}},
		// All four nodes for 2 s, two nodes for 6 s; and the other way round. The first asks for two nodes, on which it
		// would run for 10 s; the second asks for none and would run for 5 s on all.
		{"malleable", machine.Config{Policy: policy.Dynamic{}}, []workload.Job{asks, malleable(2, 102, 20)},
			[]float64{8, 0, 8, 1.3, 1, 1, 1, 1, 4, 2.5, 0, 0, 0, 5}},
		// It stands still for a second, then works for five on all nodes: 20 of 24 node-seconds count as held.
		{"paused", machine.Config{Policy: policy.Dynamic{}, Costs: pause(1)},
			[]workload.Job{malleable(1, 0, 20)},
			[]float64{6, 0, 6, 1.2, 1, 20. / 24, 1, 20. / 24, 20. / 6, 4, 0, 0, 0, math.Inf(1)}},
		// The first is ended after 60 s, and with it its work; 280 of 400 node-seconds.
		{"killed", machine.Config{Policy: policy.FCFS{}, KillAtEstimate: true}, []workload.Job{limited, rigid(2, 60, 4, 40)},
			[]float64{50, 0, 50, 1, 1, 0.7, 1, 0.7, 2.8, 3, 1. / 3, 0, 0.5, 280. / 240}},
		// The second waits for 50 s and does nothing: it has a bounded slowdown of 50/10 and no other.
		{"zero run time", machine.Config{Policy: policy.FCFS{}}, []workload.Job{rigid(1, 0, 4, 100), rigid(2, 50, 2, 0)},
			[]float64{75, 25, 50, 1, 3, 1, 1, 1, 4, 3, 1. / 3, 0, 0, 2}},
	} {
		c.machine.Nodes = 4
		got := logOf(4, nil, records(t, c.machine, c.jobs)).Measures()
		for i, name := range columns {
			if got[name] != c.want[i] && !(math.Abs(got[name]-c.want[i]) <= 1e-12*c.want[i]) {
				t.Errorf("%s: %s is %v, want %v", c.name, name, got[name], c.want[i])
			}
		}
	}
}

// drawRun draws a policy with jobs for it, of which some ask for nodes and some run for no time. Jobs are malleable
// under dynamic partitioning, which resizes all of them, and of any kind under other policies.
func drawRun(t *rapid.T, nodes int) (policy.Policy, []workload.Job) {
	p := rapid.SampledFrom([]policy.Policy{policy.FCFS{}, policy.EASY{}, policy.Conservative{},
		policy.Molding{Size: policy.AVG}, policy.Dynamic{}}).Draw(t, "policy")
	least := workload.Rigid
	if p == (policy.Dynamic{}) {
		least = workload.Malleable
	}
	var jobs []workload.Job
	now := 0.0
	for i := range rapid.IntRange(1, 30).Draw(t, "jobs") {
		now += rapid.Float64Range(0, 40).Draw(t, "gap")
		j := workload.Job{ID: i, Submit: now, Work: rapid.Float64Range(0, 500).Draw(t, "work")}
		j.Kind = workload.Kind(rapid.IntRange(int(least), int(workload.Malleable)).Draw(t, "kind"))
		j.Speedup = workload.Downey{A: rapid.Float64Range(1, float64(nodes)).Draw(t, "A"), Sigma: 1}
		if j.Kind == workload.Rigid || rapid.Bool().Draw(t, "asks") {
			j.Nodes = rapid.IntRange(1, nodes).Draw(t, "nodes")
			j.Run = j.Work / j.SpeedupOn(j.Nodes)
		}
		if rapid.IntRange(0, 9).Draw(t, "nothing") == 0 {
			j.Work, j.Run = 0, 0
		}
		jobs = append(jobs, j)
	}
	return p, jobs
}

// TestOneValueForEachMeasure: sums, the log and the function of a measure have the same value, to the last digit.
func TestOneValueForEachMeasure(t *testing.T) {
	const nodes = 8
	rapid.Check(t, func(rt *rapid.T) {
		on := metric.Machine{Nodes: nodes}
		p, jobs := drawRun(rt, nodes)
		var sums metric.Sums
		last := 0.0
		all := records(t, machine.Config{Nodes: nodes, Policy: p}, jobs)
		for i := range all {
			sums.Add(&all[i], on, nil)
			last = max(last, all[i].End)
		}
		sums[metric.Capacity] = (last - jobs[0].Submit) * nodes
		values, log := sums.Measures(nodes), logOf(nodes, nil, all).Measures()
		for name, v := range values {
			of, ok := metric.Of(name, nodes)
			if !ok || !same(v, of(sums[:])) || !same(v, log[name]) {
				rt.Errorf("%s: %v by sums, %v by the log, %v by its function", name, v, log[name], of(sums[:]))
			}
			if _, known := measure.Named(name); !known {
				rt.Errorf("%s is in no table", name)
			}
		}
		if _, ok := metric.Of(measure.MeanJobs, nodes); ok || len(log) <= len(values) {
			rt.Errorf("%d measures of sums, %d of the log", len(values), len(log))
		}
	})
}

// same reports whether two values are equal, or both do not exist.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestNodeTimeAddsUp: what jobs hold is what the machine has given away; the parts of months and of windows are all of
// it; and utilization is the share of it that is useful, divided by the efficiency.
func TestNodeTimeAddsUp(t *testing.T) {
	const nodes = 8
	rapid.Check(t, func(rt *rapid.T) {
		p, jobs := drawRun(rt, nodes)
		var sums, parts metric.Sums
		c := machine.Config{Nodes: nodes, Policy: p, Costs: pause(0.5)}
		cut := rapid.Float64Range(0, 500).Draw(rt, "cut")
		var all []machine.Record
		c.Jobs, c.Done = machine.List(jobs), func(r *machine.Record) {
			all = append(all, *r)
			sums.Add(r, metric.Machine{Nodes: nodes}, nil)
			parts.AddJob(r, metric.Machine{Nodes: nodes}, nil)
			parts.AddNodeTime(r, math.Inf(-1), cut)
			parts.AddNodeTime(r, cut, math.Inf(1))
			if r.Busy > r.NodeTime+1e-9 || r.Useful > r.Busy+1e-9 { // rounding of times
				rt.Errorf("%+v does more than it can", r)
			}
		}
		out, err := machine.Run(rt.Context(), c, des.Seed(1))
		if err != nil {
			rt.Fatal(err)
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) { // rounding of sums in another order
				rt.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		near("held by the machine", sums[metric.Held], out.Tally[simulation.BusyTime]*nodes)
		near("useful", sums[metric.Useful], out.Tally[simulation.UsefulTime]*nodes)
		for k := range sums {
			near(fmt.Sprintf("component %d of parts", k), parts[k], sums[k])
		}
		held := 0.0
		log := logOf(nodes, february, all)
		first := jobs[0].Submit
		last := first
		for i := range all {
			last = max(last, all[i].End)
		}
		for _, m := range log.Months() {
			begin := m.From.Sub(february(0)).Seconds()
			end := m.From.AddDate(0, 1, 0).Sub(february(0)).Seconds()
			held += m.Values[measure.LoadAverage] * (min(end, last) - max(begin, first))
		}
		if len(log.Months()) == 2 || last < 100 { // no job may have come in the last month, which is left out then
			near("held by month", held, sums[metric.Held])
		}
		if v := log.Measures(); sums[metric.Held] > 0 {
			near("useful utilization", v[measure.UsefulUtilization], v[measure.Utilization]*v[measure.Efficiency])
			near("load average", v[measure.LoadAverage], v[measure.Utilization]*nodes)
		}
	})
}
