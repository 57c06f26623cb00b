package machine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

func TestMain(m *testing.M) { needs.Main(m) }

// A policy that asks for what cannot be ends the run with an error that says what it asked for.
func TestMisbehaviourIsRefused(t *testing.T) {
	moldable := malleable(1, 0, 40)
	moldable.Kind = workload.Moldable
	bounded := malleable(1, 0, 40)
	bounded.Min, bounded.Max = 3, 6
	large := malleable(1, 0, 40)
	large.Memory = 5
	second := rigid(2, 1, 2, 10)
	start := []sched.Action{sched.Allocate(0, 4)}
	then := func(a ...sched.Action) [][]sched.Action { return [][]sched.Action{start, a} }
	at := func(a ...sched.Action) [][]sched.Action { return [][]sched.Action{a} }
	for _, c := range []struct {
		name   string
		unit   int
		job    workload.Job
		script [][]sched.Action
		want   string
	}{
		{"unknown action", 1, rigid(1, 0, 4, 40), at(sched.Action{Kind: 99, Nodes: 4, Offset: -1}), "asks for an action of the unknown kind 99"},
		{"unknown job", 1, rigid(1, 0, 4, 40), at(sched.Allocate(7, 4)), "there is no job 7"},
		{"negative job", 1, rigid(1, 0, 4, 40), at(sched.Allocate(-1, 4)), "there is no job -1"},
		{"job that has ended", 1, rigid(1, 0, 4, 0.5), then(sched.Allocate(0, 4)), "there is no job 0"},
		{"too many nodes", 1, malleable(1, 0, 40), at(sched.Allocate(0, 9)), "gives 9 of 8 nodes to job 1"},
		{"no nodes", 1, malleable(1, 0, 40), at(sched.Allocate(0, 0)), "gives 0 of 8 nodes to job 1"},
		{"negative nodes", 1, malleable(1, 0, 40), at(sched.Allocate(0, -2)), "gives -2 of 8 nodes to job 1"},
		{"more than there are", 1, malleable(1, 0, 40), then(sched.Allocate(0, 7), sched.Allocate(1, 2)),
			"hands out 9 of 8 nodes"},
		{"rigid job on others", 1, rigid(1, 0, 4, 40), at(sched.Allocate(0, 3)),
			"starts job 1, which asks for 4 nodes, on 3"},
		{"resized rigid job", 1, rigid(1, 0, 4, 40), then(sched.Allocate(0, 3)),
			"gives 3 nodes to job 1, which is rigid and runs on 4"},
		{"resized moldable job", 1, moldable, then(sched.Allocate(0, 3)),
			"gives 3 nodes to job 1, which is moldable and runs on 4"},
		{"suspended rigid job", 1, rigid(1, 0, 4, 40), then(sched.Suspend(0)),
			"gives 0 nodes to job 1, which is rigid and runs on 4"},
		{"suspended moldable job", 1, moldable, then(sched.Suspend(0)),
			"gives 0 nodes to job 1, which is moldable and runs on 4"},
		{"suspended before it starts", 1, malleable(1, 0, 40), at(sched.Suspend(0)), "gives 0 of 8 nodes to job 1"},
		{"below the least", 1, bounded, at(sched.Allocate(0, 2)), "gives 2 nodes to job 1, which runs on 3 to 6"},
		{"above the most", 1, bounded, then(sched.Allocate(0, 7)), "gives 7 nodes to job 1, which runs on 3 to 6"},
		{"too little memory", 1, large, at(sched.Allocate(0, 2)), "gives 2 nodes to job 1, which runs on 3 to 8"},
		{"no multiple of the unit", 4, malleable(1, 0, 40), at(sched.Allocate(0, 6)),
			"gives 6 nodes to job 1: not a multiple of 4"},
		{"placed beyond the end", 1, rigid(1, 0, 4, 40), at(sched.Place(0, 5, 4)),
			"places job 1 on 4 nodes from node 5 on; the machine has nodes 0 to 7"},
		{"placed before the first", 1, rigid(1, 0, 4, 40), at(sched.Place(0, -2, 4)),
			"places job 1 on 4 nodes from node -2 on; the machine has nodes 0 to 7"},
		{"placed beyond all numbers", 1, rigid(1, 0, 4, 40), at(sched.Place(0, math.MaxInt-2, 4)),
			fmt.Sprintf("places job 1 on 4 nodes from node %d on; the machine has nodes 0 to 7", math.MaxInt-2)},
		{"placed on another", 1, rigid(1, 0, 4, 40), [][]sched.Action{{sched.Place(0, 2, 4)}, {sched.Place(1, 1, 2)}},
			"places job 2 on node 2, which job 1 has"},
		{"alarm in the past", 1, rigid(1, 0, 4, 40), then(sched.Wake(0.5)), "asks for an alarm at 0.5"},
		{"alarm at no time", 1, rigid(1, 0, 4, 40), then(sched.Wake(math.NaN())), "asks for an alarm at NaN"},
		{"alarm at the end of time", 1, rigid(1, 0, 4, 40), then(sched.Wake(math.Inf(1))),
			"asks for an alarm at +Inf"},
		{"job never started", 1, rigid(1, 0, 4, 40), then(), "1 jobs were never finished"},
		{"job never resumed", 1, malleable(1, 0, 40), then(sched.Suspend(0), sched.Allocate(1, 2)),
			"1 jobs were never finished"},
	} {
		config := machine.Config{Nodes: 8, Unit: c.unit, NodeMemory: 2, Policy: scripted(c.script...).policy(),
			Jobs: machine.List{c.job, second}}
		_, err := machine.Run(context.Background(), config, des.Seed(1))
		refused(t, c.name, err, c.want)
	}
}

// refused checks that an error is one of the policy, and says when.
func refused(t *testing.T, name string, err error, want string) {
	t.Helper()
	var own *machine.PolicyError
	if !errors.As(err, &own) || own.Policy != "own" || !strings.HasPrefix(own.Error(), "policy own: "+want+"; the time is ") {
		t.Errorf("%s: error %v, want %q", name, err, want)
	}
}

// A policy that goes round in circles, asking for one alarm after another at the same time, does not hang the machine.
func TestEndlessAlarmsAreRefused(t *testing.T) {
	restless := decider(func(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
		return append(do, sched.Wake(v.Now()))
	})
	c := machine.Config{Nodes: 1, Policy: restless.policy(), Jobs: machine.List{rigid(1, 2, 1, 1)}}
	_, err := machine.Run(context.Background(), c, des.Seed(1))
	refused(t, "endless alarms", err, "asks for more than 1048576 alarms while no job makes progress")
}

// Many alarms are no circle while time goes on.
func TestManyAlarms(t *testing.T) {
	ticks := 0
	clock := decider(func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
		if events[0].Kind == sched.Alarm {
			ticks++
		}
		switch {
		case ticks <= 100_000:
			do = append(do, sched.Wake(v.Now()+1))
		case v.Waiting() > 0:
			do = append(do, sched.Allocate(v.Queued(0).Job, 1))
		}
		return do
	})
	c := machine.Config{Nodes: 1, Policy: clock.policy(), Jobs: machine.List{rigid(1, 0, 1, 1)}}
	if records, _ := lived(t, c); records[0].Start != 100_001 {
		t.Errorf("%+v", records[0])
	}
}

// A policy that starts nobody and asks for one alarm after another, as time goes on, does not hang the machine.
func TestAlarmsWithoutJobsAreRefused(t *testing.T) {
	idle := decider(func(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
		return append(do, sched.Wake(v.Now()+1))
	})
	c := machine.Config{Nodes: 1, Policy: idle.policy(), Jobs: machine.List{rigid(1, 2, 1, 1)}}
	_, err := machine.Run(t.Context(), c, des.Seed(1))
	refused(t, "idle", err, "asks for more than 1048576 alarms while no job makes progress")
}

// scheduling is a policy whose scheduler is given.
type scheduling struct {
	policy.FCFS
	scheduler sched.Policy
	err       error
}

func (s scheduling) Scheduler() (sched.Policy, error) { return s.scheduler, s.err }

// pausing are costs of a given time.
type pausing float64

func (p pausing) Pause(*machine.Change, *des.Ahead) machine.Pause {
	return machine.Pause{Reconfigures: true, Time: float64(p), Kind: simulation.Shrinks, Stops: machine.AllJobs}
}

// stops are costs that each job pays for itself.
type stops float64

func (s stops) Stop(int, int) float64                         { return float64(s) }
func (stops) Pause(*machine.Change, *des.Ahead) machine.Pause { return machine.Pause{} }

// guess is an estimator that always says the same.
type guess float64

func (guess) Name() string                                                { return "guess" }
func (g guess) Estimate(*workload.Job, float64, workload.Uniform) float64 { return float64(g) }

// What a machine is given by other programs and cannot be is refused.
func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	malleables := machine.List{malleable(1, 0, 40), malleable(2, 1, 40)}
	rigids := machine.List{rigid(1, 0, 2, 10), rigid(2, 1, 2, 10)}
	read := machine.Once(workload.Jobs(rigids))
	if _, err := machine.Run(t.Context(), machine.Config{Nodes: 4, Policy: policy.FCFS{}, Jobs: read}, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
	type refusal struct {
		want string
		c    machine.Config
	}
	all := []refusal{
		{"policy fcfs: sched: policy fcfs has no scheduler", machine.Config{Policy: scheduling{}, Jobs: rigids}},
		{"policy fcfs: not today", machine.Config{Policy: scheduling{err: errors.New("not today")}, Jobs: rigids}},
		{"there is no source of jobs", machine.Config{Policy: policy.FCFS{}, Jobs: read}},
	}
	for _, x := range []float64{-50, math.NaN(), math.Inf(1)} {
		for _, cost := range []machine.Costs{machine.Standstill(x), pausing(x), stops(x), machine.Resizes{{Nodes: 1, Shrink: x, Expand: x}}} {
			all = append(all, refusal{"cannot take the time", machine.Config{Policy: policy.Dynamic{}, Jobs: malleables, Costs: cost}})
		}
		if x < 0 {
			continue // unknown estimates
		}
		estimates := &machine.Estimates{New: func() workload.Estimator { return guess(x) }}
		for _, p := range []policy.Policy{policy.EASY{}, policy.Conservative{}} {
			for _, kills := range []bool{false, true} {
				all = append(all, refusal{"job 1 is expected to run for", machine.Config{Policy: p, Jobs: rigids, Estimates: estimates,
					KillAtEstimate: kills}})
			}
		}
	}
	for _, every := range []float64{-50, 0, math.NaN(), math.Inf(1)} {
		p := machinetest.Own{New: func() sched.Policy { return sched.NewPolled(scripted(), every) }}
		all = append(all, refusal{"asks for an alarm at NaN", machine.Config{Policy: p, Jobs: malleables}})
	}
	for _, r := range all {
		r.c.Nodes = 4
		if _, err := machine.Run(t.Context(), r.c, des.Seed(1)); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%v, %v, want %q", r.c, err, r.want)
		}
	}
}

// A run is divided into parts of at least one departure: with less it would make empty parts without end.
func TestEmptyPartsAreRefused(t *testing.T) {
	c := machine.Config{Nodes: 4, Policy: policy.FCFS{}, Jobs: machine.List{rigid(1, 0, 2, 10)}}
	for _, size := range []int{0, -3} {
		ctx, cancel := context.WithCancel(t.Context())
		parts := 0
		_, err := machine.RunInParts(ctx, c, des.Seed(1), 1, size, simulation.Observer{}, func(*simulation.Tally) {
			if parts++; parts > 10 {
				cancel()
			}
		})
		cancel()
		if err == nil || !strings.Contains(err.Error(), "must have at least 1") || parts > 0 {
			t.Errorf("size %d: %d parts, %v", size, parts, err)
		}
	}
}

// A policy that hands every job the whole machine is refused when the second comes.
func TestMachineEnforcesCapacity(t *testing.T) {
	greedy := decider(func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
		if events[0].Kind == sched.Arrival {
			do = append(do, sched.Allocate(events[0].Job, v.Nodes()))
		}
		return do
	})
	m, err := machine.New(machine.Config{Nodes: 4, Unit: 2, Policy: greedy.policy(),
		Jobs: &machine.Random{Arrivals: machinetest.Poisson(2), Demand: machinetest.Exponential(1)}})
	if err != nil {
		t.Fatal(err)
	}
	r := m.Start(des.Seed(1))
	var x simulation.Tally
	for range 2 { // the run is over, and stays so
		refused(t, "greedy", r.Advance(1000, &x), "hands out 8 of 4 nodes")
	}
}

// A speedup that says nothing of a number of nodes is refused with the job.
func TestUnknownSpeedupIsRefused(t *testing.T) {
	table, err := workload.NewSpeedup("table", 1, 1, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	job := malleable(1, 0, 40)
	job.Speedup = table
	p := scripted([]sched.Action{sched.Allocate(0, 8)}).policy()
	c := machine.Config{Nodes: 8, Policy: p, Jobs: machine.List{job}}
	_, err = machine.Run(context.Background(), c, des.Seed(1))
	refused(t, "speedup", err, "the speedup of job 1 on 8 nodes is NaN")
}

// A run with an alarm every microsecond ends with an error, not after hours.
func TestTooManyAlarms(t *testing.T) {
	equi, err := policy.Standard().Parse("equi:1e-6")
	if err != nil {
		t.Fatal(err)
	}
	var jobs machine.List // more than nodes, so that they take turns
	for id := range 3 {
		jobs = append(jobs, malleable(id+1, 0, 1e6))
	}
	var often *parallel.LimitError
	_, err = machine.Run(context.Background(), machine.Config{Nodes: 2, Policy: equi, Jobs: jobs}, des.Seed(1))
	if !errors.As(err, &often) || !strings.Contains(often.What, " for 3 jobs ") {
		t.Errorf("an alarm every microsecond: %v", err)
	}
}

// Jobs whose turns end before their resizes never work. The run ends with an error, not after 10,000 alarms for each job.
func TestResizesLongerThanTurnsAreRefused(t *testing.T) {
	equi, err := policy.Standard().Parse("equi:60")
	if err != nil {
		t.Fatal(err)
	}
	var jobs machine.List // more than nodes, so that they take turns of half a minute
	for id := range 128 {
		jobs = append(jobs, malleable(id+1, 0, 1e6))
	}
	c := machine.Config{Nodes: 64, Policy: equi, Jobs: jobs}
	for name, costs := range map[string]machine.Costs{"each job": stops(30.5), "all jobs": machine.Standstill(30.5)} {
		c.Costs = costs
		var endless *parallel.LimitError
		_, err = machine.Run(t.Context(), c, des.Seed(1))
		const want = "none of 128 jobs makes progress during "
		if !errors.As(err, &endless) || endless.Resource != parallel.Events || !strings.Contains(endless.What, want) {
			t.Errorf("%s stands still longer than a turn: %v, want %q", name, err, want)
		}
	}
	for i := range c.Jobs.(machine.List) {
		jobs[i].Work = 1
	}
	c.Costs = stops(29.5)
	lived(t, c) // half a second of each turn is left
}

// Jobs that are resized often before they work are no reason to refuse a run that goes on: on a machine of many nodes, each job
// that comes may resize thousands.
func TestManyResizesBeforeJobsWorkAreNotRefused(t *testing.T) {
	needs.Long(t, "resizes jobs 1.2 million times")
	const alarms = 300
	passed := 0
	restless := decider(func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
		if passed == alarms || events[0].Kind != sched.Alarm && passed > 0 {
			return do
		}
		for i := range v.Waiting() {
			do = append(do, sched.Allocate(v.Queued(i).Job, 1))
		}
		for k := range v.Running() {
			do = append(do, sched.Allocate(v.Started(k), 1+passed%2))
		}
		passed++
		return append(do, sched.Wake(float64(passed)))
	})
	var jobs machine.List
	for id := range 4096 {
		jobs = append(jobs, malleable(id+1, 0, 2))
	}
	lived(t, machine.Config{Nodes: 1 << 17, Policy: restless.policy(), Jobs: jobs, Costs: stops(1.5)})
	if passed != alarms {
		t.Errorf("%d alarms, want %d", passed, alarms)
	}
}

// As many jobs may be in the system at a time as the configuration says, and one more ends the run.
func TestTooManyJobsAtATime(t *testing.T) {
	jobs := machine.List{rigid(1, 0, 1, 5), rigid(2, 1, 1, 5), rigid(3, 2, 1, 5)}
	c := machine.Config{Nodes: 1, Policy: policy.FCFS{}, Jobs: jobs, Most: 3}
	if out, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil || out.MostJobs != 3 {
		t.Errorf("%d jobs of at most three: %v", out.MostJobs, err)
	}
	c.Most = 2
	var many *parallel.LimitError
	if _, err := machine.Run(t.Context(), c, des.Seed(1)); !errors.As(err, &many) || !strings.HasSuffix(many.What, " at time 2") {
		t.Errorf("three jobs of at most two: %v", err)
	}
}
