package metric_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// aJob draws a rigid job of at most eight nodes. Times are small whole numbers, so that many things happen at once.
func aJob(t *rapid.T) workload.Job {
	run, nodes := rapid.IntRange(0, 40).Draw(t, "run"), rapid.IntRange(1, 8).Draw(t, "nodes")
	return workload.Job{User: -1, Application: -1, Submit: float64(rapid.IntRange(-5, 300).Draw(t, "submission")), Nodes: nodes,
		Run: float64(run), Work: float64(run * nodes), Estimate: float64(rapid.IntRange(0, 60).Draw(t, "estimate"))}
}

// TestNodeHoursAddUp: what jobs hold and what is idle is what the machine has, and what is held is useful or lost, for
// all policies, costs, scheduling points and kills; an observer that looks at every node has the same.
func TestNodeHoursAddUp(t *testing.T) {
	entries := policy.Standard().On(policy.WholeNodes)
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 8 // a power of two, as buddies want
		jobs := rapid.SliceOfN(rapid.Custom(aJob), 1, 60).Draw(t, "jobs")
		slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Submit, b.Submit) })
		e := rapid.SampledFrom(entries).Draw(t, "policy")
		p, err := policy.Standard().Parse(e.Example)
		if err != nil {
			t.Fatal(err)
		}
		for i := range jobs {
			j := &jobs[i]
			j.Kind, j.Speedup = e.Jobs, workload.Downey{A: float64(j.Nodes), Sigma: 0.5}
			j.Work = j.Run * j.SpeedupOn(j.Nodes)
		}
		c := machine.Config{Nodes: nodes, Policy: p, Jobs: machine.List(jobs),
			KillAtEstimate: rapid.Bool().Draw(t, "kill")}
		switch rapid.IntRange(0, 2).Draw(t, "costs") {
		case 1:
			c.Costs = machine.Resizes{{Nodes: 1, Shrink: 1, Expand: 2}, {Nodes: nodes, Shrink: 3}}
		case 2:
			c.Costs = pause(0.5)
		}
		c.Points = rapid.SampledFrom([]machine.Points{{}, {Number: 4}, {Every: []float64{3}}}).Draw(t, "points")
		log := metric.NewLog(metric.Machine{Nodes: nodes}, nil)
		var idle, standing float64 // node-time, as an observer sees it
		now, last := jobs[0].Submit, jobs[0].Submit
		free, still := nodes, 0
		c.Observe = func(v sched.View, _ []sched.Event) {
			if log.Jobs() == len(jobs) { // alarms behind the last end
				return
			}
			idle += (v.Now() - now) * float64(free)
			standing += (v.Now() - now) * float64(still)
			now, free, still = v.Now(), nodes, 0
			for k := range v.Running() {
				j := v.Started(k)
				free -= v.Occupied(j)
				if !v.Working(j) {
					still += v.Occupied(j)
				}
			}
		}
		c.Done = func(r *machine.Record) {
			log.Add(r)
			last = max(last, r.End)
		}
		switch _, err := machine.Run(t.Context(), c, des.Seed(1)); {
		case err != nil && strings.Contains(err.Error(), "cannot wait for a scheduling point"):
			return // a policy that places jobs
		case err != nil:
			t.Fatal(err)
		}
		v := log.Measures()
		capacity := v[measure.NodeHoursCapacity]
		for what, off := range map[string]float64{
			"held and idle":    v[measure.NodeHoursHeld] + v[measure.NodeHoursIdle] - capacity,
			"useful and lost":  v[measure.NodeHoursUseful] + v[measure.NodeHoursReconfiguration] + v[measure.NodeHoursImperfectSpeedup] - v[measure.NodeHoursHeld],
			"capacity":         (last-jobs[0].Submit)*nodes/3600 - capacity,
			"utilization":      v[measure.NodeHoursHeld] - v[measure.NodeHoursReconfiguration] - v[measure.Utilization]*capacity,
			"idle, observed":   idle/3600 - v[measure.NodeHoursIdle],
			"paused, observed": standing/3600 - v[measure.NodeHoursReconfiguration],
			"no losses":        max(0, -v[measure.NodeHoursImperfectSpeedup], -v[measure.NodeHoursReconfiguration]),
		} {
			if math.Abs(off) > 1e-12*capacity {
				t.Errorf("%s: off by %v of %v", what, off, capacity)
			}
		}
	})
}

// Five jobs on one node, one at a time, come together: response times 1, 3, 6, 10 and 15 times their unit; two of them
// ask for a node and the others for two.
func TestDistributions(t *testing.T) {
	jobs := []workload.Job{rigid(1, 0, 1, 100), rigid(2, 0, 2, 200), rigid(3, 0, 2, 300), rigid(4, 0, 1, 400), rigid(5, 0, 2, 500)}
	for i := range jobs { // in turn, whatever they ask for
		jobs[i].Nodes, jobs[i].Kind = 2, workload.Rigid
	}
	all := records(t, machine.Config{Nodes: 2, Policy: policy.FCFS{}}, jobs)
	for i := range all { // as if the first and the fourth had asked for one node
		if all[i].ID%3 == 1 {
			all[i].Nodes, all[i].Work = 1, all[i].Run
		}
	}
	l := metric.NewLog(metric.Machine{Nodes: 2}, nil)
	l.Deadline = 600
	for i := range all {
		l.Add(&all[i])
	}
	v := l.Measures()
	if v[measure.ProbabilityLate] != 0.4 {
		t.Errorf("late: %v", v[measure.ProbabilityLate])
	}
	sizes := l.Sizes()
	if len(sizes) != 2 || sizes[0].From != 1 || sizes[0].To != 1 || sizes[1].From != 2 || sizes[1].To != 2 ||
		sizes[0].Jobs != 2 || sizes[1].Jobs != 3 || sizes[0].MeanResponse() != 550 || sizes[1].MeanResponse() != 800 {
		t.Errorf("%+v", sizes)
	}
	// Slowdowns 1 and 2.5, and 1.5, 2 and 3: means 1.75 and 6.5/3.
	a, b := 1.75, 6.5/3
	mean := (a + b) / 2
	if got, want := v[measure.CVSlowdownBySize], math.Abs(a-b)/2/mean; math.Abs(got-want) > 1e-12 {
		t.Errorf("CV over sizes %v, want %v", got, want)
	}
	if p := v[measure.ResponseTimePercentile(0.5)]; math.Abs(p-600) > 600./256 {
		t.Errorf("median response %v", p)
	}
	if p := v[measure.P99Slowdown]; math.Abs(p-3) > 3./256 {
		t.Errorf("p99 slowdown %v", p)
	}
}

// TestRatioOf: the ratio of the means of the same jobs, with an interval that covers the true ratio as often as it says
// and that is narrow where the same chance makes both long.
func TestRatioOf(t *testing.T) {
	const logs, jobs, truth = 400, 500, 1.5
	random := rand.New(rand.NewPCG(1, 2))
	covered := 0
	for range logs {
		base, other := metric.NewLog(metric.Machine{Nodes: 1}, nil), metric.NewLog(metric.Machine{Nodes: 1}, nil)
		var a, b []machine.Record
		for n := range jobs {
			common := random.ExpFloat64()
			of := func(mean float64) machine.Record {
				return machine.Record{Job: rigid(1, 0, 1, 1), Number: n, End: mean * (common + random.ExpFloat64()/10),
					Promised: math.NaN()}
			}
			a, b = append(a, of(3)), append(b, of(2))
		}
		random.Shuffle(jobs, func(i, k int) { b[i], b[k] = b[k], b[i] }) // jobs end in another order than they came
		for n := range jobs {
			base.Add(&a[n])
			other.Add(&b[n])
		}
		e, err := other.RatioOf(base, 0.9)
		if err != nil || e.HalfWidth > 0.04 {
			t.Fatalf("%+v, %v", e, err)
		}
		if e.Low <= truth && truth <= e.High {
			covered++
		}
		other.Add(&b[0])
		if _, err := other.RatioOf(base, 0.9); err == nil {
			t.Fatalf("the ratio of logs of %d and %d jobs: %v", other.Jobs(), base.Jobs(), err)
		}
	}
	// Of 400 intervals of 90 % some 360 cover, with a standard deviation of 6.
	if covered < 335 || covered > 385 {
		t.Errorf("%d of %d intervals cover the ratio", covered, logs)
	}
	if e, err := metric.NewLog(metric.Machine{}, nil).RatioOf(metric.NewLog(metric.Machine{}, nil), 0.9); err != nil ||
		!math.IsNaN(e.Mean) {
		t.Errorf("the ratio of nothing: %v, %v", e, err)
	}
}

// TestLateBeside: of every ten jobs one is late under a policy, and three under the other, in all parts of a log.
func TestLateBeside(t *testing.T) {
	of := func(late func(i int) bool, deadline float64, jobs int) *metric.Log {
		l := metric.NewLog(metric.Machine{Nodes: 1}, nil)
		l.Deadline = deadline
		for i := range jobs {
			r := machine.Record{Job: workload.Job{Submit: float64(i)}, Number: i, Start: float64(i), End: float64(i) + 1}
			if late(i) {
				r.End += 10
			}
			l.Add(&r)
		}
		return l
	}
	one := func(i int) bool { return i%10 == 0 }
	three := func(i int) bool { return i%10 < 3 }
	e, err := of(three, 5, 20_000).LateBeside(of(one, 5, 20_000), 0.9)
	if err != nil || math.Abs(e.Mean-0.2) > 1e-12 || e.Low < 0.19 || e.High > 0.21 {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := of(one, 5, 40).LateBeside(of(one, 5, 40), 0.9); err != nil || !math.IsInf(e.HalfWidth, 1) {
		t.Errorf("of 40 jobs: %+v, %v", e, err)
	}
	if _, err := of(one, 5, 200).LateBeside(of(one, 6, 200), 0.9); err == nil {
		t.Error("different deadlines")
	}
}
