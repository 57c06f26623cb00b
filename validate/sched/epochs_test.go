package sched_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

var epochPolicies = []string{"equi", "opt:0", "opt:1", "opt:2", "heuristic:0", "heuristic:1", "heuristic:4"}

// Whatever comes, all jobs are finished, on nodes that they can run on, also where changes take time.
func TestEpochsFinishAllJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		units := rapid.SampledFrom([]int{1, 2, 4, 6, 8, 12, 16}).Draw(t, "units of the machine")
		jobs := boundedJobs(unit*units, unit).Draw(t, "jobs")
		c := machine.Config{Nodes: unit * units, Unit: unit, NodeMemory: 1, Jobs: machine.List(jobs)}
		if rapid.Bool().Draw(t, "changes take time") {
			c.Costs = machine.NewOverheads([]phasetype.Dist{machinetest.Exponential(0.1), machinetest.Exponential(0.1)}, nil,
				rapid.SampledFrom([]machine.Stops{machine.ResizedJobs, machine.AllJobs, machine.NoJobs}).Draw(t, "stops"))
		}
		quantum := rapid.SampledFrom([]string{"0.7", "10", "1000"}).Draw(t, "quantum")
		names := epochPolicies
		if units&(units-1) == 0 {
			names = append(names[:len(names):len(names)], "buddy", "hybrid:0", "hybrid:2")
		}
		for _, name := range names {
			separator := ":"
			if strings.Contains(name, ":") {
				separator = ","
			}
			c.Policy = parsed(t, name+separator+quantum)
			checked(t, c)
		}
	})
}

// together returns malleable jobs of the same demand that come at once and need so many nodes.
func together(demand float64, speedup workload.Speedup, least ...int) machine.List {
	var jobs machine.List
	for i, m := range least {
		jobs = append(jobs, workload.Job{ID: i + 1, Kind: workload.Malleable, Min: m, Work: demand, Speedup: speedup})
	}
	return jobs
}

// Equal shares: jobs of the same demand, whose speedup is linear, all end in the quantum in which each has had its
// demand, whatever they need. The schedule begins anew at each arrival, all at time 0, and not before the first of
// them ends.
func TestEqualShares(t *testing.T) {
	least := []int{1, 2, 3, 3, 3, 3, 3, 8}
	const quanta = 5
	for _, name := range []string{"buddy:60", "equi:60", "opt:0,60", "heuristic:0,60"} {
		jobs := together(quanta*60*16/8, nil, least...)
		for _, r := range lived(t, machine.Config{Nodes: 16, Policy: parsed(t, name), Jobs: jobs}) {
			if r.End <= (quanta-1)*60 || r.End > quanta*60 {
				t.Errorf("%s: job %d ends at %v, expected after 240 and until 300", name, r.ID, r.End)
			}
		}
	}
}

// With a quantum that is small beside the jobs, they progress together, at the rate S(n)·s of a schedule that gives them
// n nodes for the share s: the first to end does so when that says.
func TestSmallQuanta(t *testing.T) {
	least := []int{2, 5, 3, 1, 7}
	const demand, quantum = 1000, 0.01
	speedup, err := workload.NewSpeedup("dowdy", 30)
	if err != nil {
		t.Fatal(err)
	}
	for name, rule := range map[string]sched.EpochPolicy{"heuristic:1,0.01": sched.Rule(policy.HeuristicEpoch, 1),
		"equi:0.01": sched.Rule(policy.EquiEpoch, 0), "buddy:0.01": sched.Rule(policy.Buddy, 0),
		"opt:3,0.01": sched.Rule(policy.OptEpoch, 3), "hybrid:1,0.01": sched.Rule(policy.Hybrid, 1)} {
		var s sched.EpochSchedule
		if err := rule.Schedule(sched.EpochProblem{Nodes: 8, Min: least}, &s); err != nil {
			t.Fatal(err)
		}
		want := math.Inf(1)
		for _, q := range s.Pieces {
			want = min(want, demand/(speedup.At(float64(q.Width))*float64(q.End-q.Start)/float64(len(least))))
		}
		first := math.Inf(1)
		for _, r := range lived(t, machine.Config{Nodes: 8, Policy: parsed(t, name), Jobs: together(demand, speedup, least...)}) {
			first = min(first, r.End)
		}
		if math.Abs(first-want) > quantum {
			t.Errorf("%s: the first job ends at %v, expected %v", name, first, want)
		}
	}
}

// Jobs come faster than a quantum lasts, and yet none waits for more than a few of them: a schedule begins where the job
// is that has waited for the longest time. The first two need the whole machine, and so does each that comes.
func TestNobodyStarves(t *testing.T) {
	jobs := together(100, workload.Amdahl{Serial: 1}, 4, 4)
	for i := range 200 {
		jobs = append(jobs, workload.Job{ID: i + 3, Submit: float64(i + 1), Kind: workload.Malleable, Min: 4, Work: 0.5,
			Speedup: workload.Amdahl{Serial: 1}})
	}
	for _, r := range lived(t, machine.Config{Nodes: 4, Policy: parsed(t, "opt:1,1000"), Jobs: jobs}) {
		if r.ID < 190 && r.Start-r.Submit > 3 { // when no more come, turns last for a quantum
			t.Errorf("job %d comes at %v and starts at %v", r.ID, r.Submit, r.Start)
		}
	}
}

// A job that can use but some of its nodes leaves the others idle; memory is a bound like any other.
func TestBoundsOfEpochs(t *testing.T) {
	jobs := together(60, nil, 1, 1)
	jobs[0].Max, jobs[1].Memory = 2, 5.5
	sizes := map[int]int{}
	lived(t, machine.Config{Nodes: 8, NodeMemory: 1, Policy: parsed(t, "heuristic:4,10"), Jobs: jobs,
		Observe: func(v sched.View, _ []sched.Event) {
			for k := range v.Running() {
				j := v.Started(k)
				sizes[v.Job(j).ID] = max(sizes[v.Job(j).ID], v.Held(j))
			}
		}})
	if want := (map[int]int{1: 2, 2: 6}); fmt.Sprint(sizes) != fmt.Sprint(want) {
		t.Errorf("most nodes held %v, want %v", sizes, want)
	}
}

// Jobs that cannot be suspended run from start to end on the last nodes, others take turns before them: on eight nodes
// a rigid job has the last three, and of two that need four of the other five one waits for the other.
func TestRigidJobsKeepTheirNodes(t *testing.T) {
	jobs := together(100, nil, 4, 4)
	jobs = append(machine.List{rigid(9, 0, 3, 50)}, jobs...)
	for name, least := range map[string]int{"heuristic:1,10": 5, "buddy:10": 4} {
		records := lived(t, machine.Config{Nodes: 8, Policy: parsed(t, name), Jobs: jobs,
			Observe: func(v sched.View, _ []sched.Event) {
				for k := range v.Running() {
					j := v.Started(k)
					if v.Job(j).ID == 9 && (v.Offset(j) != 5 || v.Held(j) != 3) {
						t.Errorf("%s: the rigid job has %d nodes from %d on", name, v.Held(j), v.Offset(j))
					}
				}
			}})
		if records[0].End != 50 || records[0].Paused != 0 || records[1].Fewest != least || records[2].Fewest != least {
			t.Errorf("%s: the rigid job ends at %v, the others have %d and %d nodes at least", name, records[0].End,
				records[1].Fewest, records[2].Fewest)
		}
	}
	// One that leaves too few nodes for a job that is there waits for it, and so does what comes later.
	jobs = append(together(80, nil, 6), rigid(2, 1, 3, 10), rigid(3, 2, 1, 10))
	for _, r := range lived(t, machine.Config{Nodes: 8, Policy: parsed(t, "equi:10"), Jobs: jobs}) {
		if r.ID > 1 && r.Start != 10 {
			t.Errorf("job %d starts at %v, not when the first has ended", r.ID, r.Start)
		}
	}
}

// What cannot be scheduled ends the run with the reason.
func TestEpochsRefuse(t *testing.T) {
	least := []int{16, 1, 20, 30, 22, 4, 12, 29, 27, 12, 22, 2, 20, 14, 30, 18, 28, 26, 26, 28, 21, 10, 5, 19, 31, 26, 31, 15,
		17, 13, 23, 25}
	c := machine.Config{Nodes: 128, Policy: parsed(t, "opt:16,10"), Jobs: together(1e6, nil, least...)}
	var own *machine.PolicyError
	var limit *parallel.LimitError
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); !errors.As(err, &own) || !errors.As(err, &limit) {
		t.Errorf("a search that takes too long: %v", err)
	}
}
