package machine_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// run returns the sums of n jobs.
func run(tb testing.TB, c machine.Config, seed uint64, n int) simulation.Tally {
	tb.Helper()
	m, err := machine.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	var t simulation.Tally
	if err := m.Start(des.Seed(seed)).Advance(n, &t); err != nil {
		tb.Fatal(err)
	}
	return t
}

// lived runs jobs to their end and returns their records, in the order of the ends.
func lived(tb testing.TB, c machine.Config) ([]machine.Record, machine.Outcome) {
	tb.Helper()
	var records []machine.Record
	c.Done = func(r *machine.Record) { records = append(records, *r) }
	out, err := machine.Run(context.Background(), c, des.Seed(1))
	if err != nil {
		tb.Fatal(err)
	}
	return records, out
}

// rigid returns a job that runs for the given time on the nodes that it asks for.
func rigid(id int, submit float64, nodes int, run float64) workload.Job {
	return workload.Job{ID: id, User: -1, Application: -1, Submit: submit, Nodes: nodes, Run: run,
		Work: run * float64(nodes)}
}

// malleable returns a job of linear speedup that can be resized.
func malleable(id int, submit, work float64) workload.Job {
	return workload.Job{ID: id, User: -1, Application: -1, Submit: submit, Kind: workload.Malleable, Work: work}
}

// decider is a scheduler that is a function.
type decider func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action

func (decider) Name() string { return "own" }

func (d decider) Decide(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
	return d(v, events, do)
}

// policy returns a policy with that scheduler.
func (d decider) policy() policy.Policy {
	return machinetest.Own{New: func() sched.Policy { return d }}
}

// A job is never lost, and time goes to one thing or another.
func TestBooksBalance(t *testing.T) {
	x := run(t, machinetest.Eight(0.05), 2, 100_000)
	if x[simulation.Repartitions] != x[simulation.Shrinks]+x[simulation.Expands] {
		t.Error("repartitions are not shrinks and expands")
	}
	if x[simulation.Arrived] < x[simulation.Departed] || x[simulation.Arrived] > x[simulation.Departed]+1000 {
		t.Errorf("%v arrived, %v departed", x[simulation.Arrived], x[simulation.Departed])
	}
	if x[simulation.PausedTime] <= 0 || x[simulation.EmptyTime]+x[simulation.BusyTime] > x[simulation.Elapsed]*(1+1e-12) {
		t.Errorf("times do not add up: %v", x)
	}
}

// The node-time of the tally is that of the records.
func TestTallyAndRecordsAgree(t *testing.T) {
	var nodeTime, paused, useful, response, wait float64
	c := machinetest.Eight(0.05)
	c.Done = func(r *machine.Record) {
		nodeTime += r.Busy
		paused += r.Paused
		useful += r.Useful
		response += r.Response()
		wait += r.Wait()
	}
	x := run(t, c, 2, 20_000)
	// What the tally has more belongs to jobs that have not left, at most eight of them; what it has less is rounding.
	for name, pair := range map[string][2]float64{
		"busy": {x[simulation.BusyTime] * 8, nodeTime}, "useful": {x[simulation.UsefulTime] * 8, useful},
		"response": {x[simulation.ResponseSum], response}, "wait": {x[simulation.WaitSum], wait},
	} {
		if d := pair[0]/pair[1] - 1; d < -1e-9 || d > 1e-3 {
			t.Errorf("%s: %v in the tally, %v in the records", name, pair[0], pair[1])
		}
	}
	if paused == 0 {
		t.Error("nobody stood still: the test does not test")
	}
}

// sleepy lets the machine lie idle until an alarm a fixed time after each arrival.
func sleepy(delay float64) decider {
	return func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
		if events[0].Kind == sched.Arrival {
			return append(do, sched.Wake(v.Now()+delay))
		}
		if v.Waiting() > 0 && v.Free() == v.Nodes() && events[0].Kind == sched.Alarm {
			do = append(do, sched.Allocate(v.Queued(0).Job, v.Nodes()))
		}
		return do
	}
}

func TestAlarmsWakeThePolicy(t *testing.T) {
	got := run(t, machine.Config{Nodes: 1, Policy: sleepy(3).policy(), Jobs: &machine.Random{
		Arrivals: machinetest.Poisson(0.001), Demand: machinetest.Exponential(0.01)}}, 1, 1000)
	if wait := got[simulation.WaitSum] / got[simulation.Started]; math.Abs(wait-3) > 1e-9 {
		t.Errorf("mean wait %v, want the delay of the alarm, 3", wait)
	}
}

// A policy is asked once about all that happens at one time: arrivals first, in the order of the source, then departures
// in the order of the starts, then ends of reconfigurations, then alarms. What it brings about at that time is told anew.
func TestSimultaneousEvents(t *testing.T) {
	type told struct {
		kind sched.EventKind
		id   int
	}
	var got [][]told
	p := scripted(
		[]sched.Action{sched.Wake(10), sched.Place(0, 0, 1), sched.Place(1, 1, 1)},
		[]sched.Action{sched.Place(0, 3, 1), sched.Place(2, 2, 1)}, // at 5: the end of the first job is entered anew
		nil, // job 3 ends at 6
		[]sched.Action{sched.Allocate(2, 1), sched.Allocate(3, 1), sched.Wake(10)},
		nil, // at 10 once more
	)
	c := machine.Config{Nodes: 4, Policy: p.policy(), Costs: pauses{time: 5, stops: machine.NoJobs},
		Jobs: machine.List{rigid(1, 0, 1, 10), rigid(2, 0, 1, 10), rigid(3, 5, 1, 1), rigid(4, 10, 1, 1),
			rigid(5, 10, 1, 1)}}
	c.Observe = func(v sched.View, events []sched.Event) {
		if v.Now() != 10 {
			return
		}
		var all []told
		for _, why := range events {
			event := told{kind: why.Kind}
			if why.Kind == sched.Arrival || why.Kind == sched.Departure {
				event.id = v.Job(why.Job).ID
			}
			all = append(all, event)
		}
		got = append(got, all)
	}
	lived(t, c)
	want := [][]told{{{sched.Arrival, 4}, {sched.Arrival, 5}, {sched.Departure, 1}, {sched.Departure, 2},
		{sched.Resume, 0}, {sched.Alarm, 0}}, {{sched.Alarm, 0}}}
	if !slices.EqualFunc(got, want, slices.Equal[[]told]) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	random := machine.Random{Arrivals: machinetest.Poisson(1), Demand: machinetest.Exponential(1)}
	good := machine.Config{Nodes: 4, Unit: 2, Policy: policy.Dynamic{}}
	for name, spoil := range map[string]func(*machine.Config, *machine.Random){
		"nodes":    func(c *machine.Config, _ *machine.Random) { c.Nodes = 0 },
		"unit":     func(c *machine.Config, _ *machine.Random) { c.Unit = 3 },
		"memory":   func(c *machine.Config, _ *machine.Random) { c.NodeMemory = -1 },
		"policy":   func(c *machine.Config, _ *machine.Random) { c.Policy = nil },
		"static":   func(c *machine.Config, _ *machine.Random) { c.Policy = policy.Static{Partitions: 3} },
		"no jobs":  func(c *machine.Config, _ *machine.Random) { c.Jobs = nil },
		"arrivals": func(_ *machine.Config, r *machine.Random) { r.Arrivals = phasetype.MAP{} },
		"demand":   func(_ *machine.Config, r *machine.Random) { r.Demand = phasetype.Dist{} },
		"sample":   func(_ *machine.Config, r *machine.Random) { r.Sample = []float64{} },
		"classes":  func(_ *machine.Config, r *machine.Random) { r.Classes = []simulation.Class{{Phases: 2}} },
		"sample of classes": func(_ *machine.Config, r *machine.Random) {
			r.Sample, r.Classes = []float64{1}, []simulation.Class{{Phases: 1}}
		},
		"zero": func(_ *machine.Config, r *machine.Random) { r.Sample = []float64{1, 0} },
	} {
		c, r := good, random
		c.Jobs = &r
		spoil(&c, &r)
		if _, err := machine.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Jobs that no policy could run, and jobs out of order, end a run with an error of theirs.
func TestJobsAreChecked(t *testing.T) {
	bounded := func(least, most int) workload.Job {
		return workload.Job{ID: 2, Kind: workload.Malleable, Work: 1, Min: least, Max: most}
	}
	large := rigid(2, 1, 2, 1)
	large.Memory = 5
	endless := bounded(0, 0)
	endless.Work = math.Inf(1)
	for name, j := range map[string]workload.Job{
		"too many nodes":        rigid(2, 1, 5, 1),
		"no nodes":              rigid(2, 1, 0, 1),
		"submitted before":      rigid(2, -1, 1, 1),
		"more memory than has":  large,
		"least above most":      bounded(3, 2),
		"more than the machine": bounded(5, 0),
		"no multiple of 4":      bounded(1, 3),
		"without an end":        endless,
	} {
		c := machine.Config{Nodes: 4, Unit: 4, NodeMemory: 2, Policy: policy.FCFS{},
			Jobs: machine.List{rigid(1, 0, 1, 1), j}}
		_, err := machine.Run(context.Background(), c, des.Seed(1))
		var own *machine.PolicyError
		if err == nil || errors.As(err, &own) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	c := machine.Config{Nodes: 4, Policy: policy.FCFS{}, Jobs: machine.List{rigid(1, 3, 1, 1), rigid(2, 2, 1, 1)}}
	_, err := machine.Run(context.Background(), c, des.Seed(1))
	var order *workload.OrderError
	if !errors.As(err, &order) || order.ID != 2 || order.Last != 3 {
		t.Errorf("jobs out of order: %v", err)
	}
}

// The error of the source ends a run.
func TestErrorOfTheSource(t *testing.T) {
	broken := errors.New("broken")
	source := workload.SourceFunc(func(*workload.Job) error { return broken })
	c := machine.Config{Nodes: 1, Policy: policy.FCFS{}, Jobs: machine.Once(source)}
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := machine.Run(ctx, machinetest.Eight(0.05), des.Seed(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestNoJobsAreNoWork(t *testing.T) {
	c := machine.Config{Nodes: 1, Policy: policy.EASY{}, Jobs: machine.List{}}
	out, err := machine.Run(context.Background(), c, des.Seed(1))
	if diff := cmp.Diff(machine.Outcome{}, out); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// anyFree gives the first of the queue whatever is free.
func anyFree(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	if v.Waiting() > 0 && v.Free() > 0 {
		do = append(do, sched.Allocate(v.Queued(0).Job, v.Free()))
	}
	return do
}

// The second job waits for the first; what both do after 12 is not in the window.
func TestMoldableJobsAndWindow(t *testing.T) {
	jobs := machine.List{
		{ID: 1, Kind: workload.Moldable, Work: 100},
		{ID: 2, Submit: 5, Kind: workload.Moldable, Work: 50},
	}
	c := machine.Config{Nodes: 10, Policy: decider(anyFree).policy(), Jobs: jobs, Window: machine.Window{To: 12}}
	records, out := lived(t, c)
	want := simulation.Tally{simulation.Elapsed: 15, simulation.JobTime: 20, simulation.JobSquareTime: 30, simulation.QueueTime: 5,
		simulation.ExecutingTime: 15, simulation.BusyTime: 15, simulation.UsefulTime: 15, simulation.Arrived: 2, simulation.Queued: 1,
		simulation.Departed: 2, simulation.ResponseSum: 20, simulation.WaitSum: 5, simulation.Started: 2, simulation.EmptyPeriods: 1, simulation.Events: 4}
	if diff := cmp.Diff(machine.Outcome{Tally: want, MostJobs: 2}, out); diff != "" {
		t.Error(diff)
	}
	held := []machine.Record{
		{Number: 0, Start: 0, End: 10, NodeTime: 100, Busy: 100, Useful: 100},
		{Number: 1, Start: 10, End: 15, NodeTime: 50, Busy: 20, Useful: 20},
	}
	for i := range held {
		held[i].Job, held[i].Promised = jobs[i], math.NaN()
		held[i].Held, held[i].First, held[i].Fewest, held[i].Widest = 10, 10, 10, 10
	}
	if diff := cmp.Diff(held, records, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

// Resizes are exact: the first does 4 of its 8 alone, then both do 2 a unit of time until 3.5, and the first does the
// last 1 on all nodes.
func TestResizedJobs(t *testing.T) {
	c := machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Jobs: machine.List{malleable(1, 1, 8), malleable(2, 2, 3)}}
	records, out := lived(t, c)
	want := []machine.Record{
		{Job: malleable(2, 2, 3), Number: 1, Start: 2, End: 3.5, Held: 2, First: 2, Fewest: 2, Widest: 2,
			NodeTime: 3, Busy: 3, Useful: 3, Promised: math.NaN()},
		{Job: malleable(1, 1, 8), Number: 0, Start: 1, End: 3.75, Held: 4, First: 4, Fewest: 2, Widest: 4, Resized: 2,
			NodeTime: 8, Busy: 8, Useful: 8, Promised: math.NaN()},
	}
	if diff := cmp.Diff(want, records, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if out.Tally[simulation.ResponseSum] != 4.25 || out.Tally[simulation.Departed] != 2 {
		t.Errorf("%v", out.Tally)
	}
}

// Each job may have a speedup of its own. The first, which gains nothing from a second node, does 1 of its 4 alone on
// four nodes until 2, when the second comes, and goes on at the same speed on two until 5. The second, of linear
// speedup, has done 6 of its 10 by then, and the rest on four nodes by 6.
func TestSpeedupsOfTheirOwn(t *testing.T) {
	serial := malleable(1, 1, 4)
	serial.Speedup = workload.Amdahl{Serial: 1}
	records, _ := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{},
		Jobs: machine.List{serial, malleable(2, 2, 10)}})
	if records[0].End != 5 || records[1].End != 6 {
		t.Errorf("ends %v and %v, want 5 and 6", records[0].End, records[1].End)
	}
}

// A set-up precedes the work, occupies the nodes and is not repeated when a job is resized.
func TestSetup(t *testing.T) {
	c := machinetest.Eight(0)
	c.Costs, c.Setup = nil, machinetest.Exponential(0.1)
	var total float64
	c.Done = func(r *machine.Record) { total += r.NodeTime - r.Work } // the speedup is linear: held during set-ups
	x := run(t, c, 2, 20_000)
	if total <= 0 || x[simulation.PausedTime] != 0 {
		t.Errorf("set-ups held nodes for %v, repartitions took %v", total, x[simulation.PausedTime])
	}
	one := machine.Config{Nodes: 8, Policy: policy.Static{Partitions: 1}, Setup: c.Setup, Jobs: c.Jobs}
	var setup float64
	one.Done = func(r *machine.Record) { setup += r.End - r.Start - r.Work/8 }
	run(t, one, 2, 20_000)
	if mean := setup / 20_000; math.Abs(mean-0.1) > 4*0.1/math.Sqrt(20_000) { // four standard errors
		t.Errorf("mean set-up %v, want 0.1", mean)
	}
}

// Demands drawn from a sample have its mean: four standard errors of 50,000 draws.
func TestSampleOfDemands(t *testing.T) {
	sample := []float64{1, 2, 3, 10}
	var n, sum float64
	c := machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Jobs: &machine.Random{Arrivals: machinetest.Poisson(0.5),
		Sample: sample, Speedup: workload.Amdahl{Serial: 0.05}}}
	c.Done = func(r *machine.Record) {
		if !slices.Contains(sample, r.Work) {
			t.Fatalf("demand %v", r.Work)
		}
		n++
		sum += r.Work
	}
	run(t, c, 4, 50_000)
	if mean := sum / n; math.Abs(mean-4) > 4*3.54/math.Sqrt(n) {
		t.Errorf("mean demand %v, want 4", mean)
	}
}

// Every policy sees the same jobs under the same key.
func TestJobsDoNotDependOnThePolicy(t *testing.T) {
	jobs := func(p policy.Policy) []workload.Job {
		seen := make([]workload.Job, 1000)
		c := machinetest.Eight(0.05)
		c.Policy = p
		c.Done = func(r *machine.Record) {
			if r.Number < len(seen) {
				seen[r.Number] = r.Job
			}
		}
		run(t, c, 3, 2000)
		return seen
	}
	if diff := cmp.Diff(jobs(policy.Dynamic{}), jobs(policy.Static{Partitions: 4})); diff != "" {
		t.Error(diff)
	}
}

// What an observer is told are the responses of the tally.
func TestObserverHearsResponses(t *testing.T) {
	m, err := machine.New(machinetest.Eight(0.05))
	if err != nil {
		t.Fatal(err)
	}
	var x simulation.Tally
	var responses float64
	r := m.Start(des.Seed(3))
	r.Watch(simulation.Observer{Times: func(times []simulation.Time) {
		for _, x := range times {
			responses += x.Value
		}
	}})
	if err := r.Advance(1000, &x); err != nil {
		t.Fatal(err)
	}
	if responses != x[simulation.ResponseSum] {
		t.Errorf("responses %v, %v in the tally", responses, x[simulation.ResponseSum])
	}
}

// Policies see copies: what they do to them changes nothing.
func TestPoliciesCannotChangeJobs(t *testing.T) {
	jobs := machine.List{rigid(1, 0, 3, 10), malleable(2, 1, 8), malleable(3, 2, 20)}
	jobs[1].Nodes, jobs[2].Nodes = 2, 4
	spoil := func(v sched.View) {
		for i := range v.Waiting() {
			w := v.Queued(i)
			j := v.Job(w.Job)
			w.Nodes, w.Estimate, w.Job = 99, -1, -1
			j.Nodes, j.Work, j.Run, j.Submit, j.Speedup = 0, 0, 0, -1, workload.Amdahl{Serial: 1}
		}
		for i := range v.Running() {
			e := v.Ending(i)
			j := v.Job(e.Job)
			e.At, e.Nodes = -1, 99
			j.Work, j.Kind = 1e9, workload.Rigid
		}
	}
	honest := machine.Config{Nodes: 4, Policy: policy.EASY{}, Jobs: jobs}
	want, _ := lived(t, honest)
	easy, err := sched.New(policy.EASY{})
	if err != nil {
		t.Fatal(err)
	}
	c := honest
	c.Policy = decider(func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
		spoil(v)
		do = easy.Decide(v, events, do)
		spoil(v)
		return do
	}).policy()
	c.Observe = func(v sched.View, _ []sched.Event) { spoil(v) }
	got, _ := lived(t, c)
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsAllocatedPerEvent(t *testing.T) {
	bounded := machinetest.Eight(0.05)
	random := *bounded.Jobs.(*machine.Random)
	bounded.Jobs = withBounds{&random}
	recorded := machinetest.Eight(0.05)
	recorded.Done = func(*machine.Record) {}
	for name, c := range map[string]machine.Config{
		"dynamic": machinetest.Eight(0.05), "bounded": bounded, "records": recorded,
	} {
		m, err := machine.New(c)
		if err != nil {
			t.Fatal(err)
		}
		var tally simulation.Tally
		r := m.Start(des.Seed(1))
		advance := func(n int) {
			if err := r.Advance(n, &tally); err != nil {
				t.Fatal(err)
			}
		}
		advance(200_000) // the queue has been as long as it will be
		if n := testing.AllocsPerRun(10, func() { advance(2000) }); n != 0 {
			t.Errorf("%s: %v allocations in 2000 jobs", name, n)
		}
	}
}

// withBounds are jobs that run on 1 to 4 nodes.
type withBounds struct{ *machine.Random }

func (w withBounds) Jobs(key des.Key) workload.Source {
	source := w.Random.Jobs(key)
	return workload.SourceFunc(func(j *workload.Job) error {
		err := source.Next(j)
		j.Max = 4
		return err
	})
}
