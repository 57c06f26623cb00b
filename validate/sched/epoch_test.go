package sched_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/sched"
)

// policies makes each policy, with several k.
var policies = []struct {
	name string
	make func() sched.EpochPolicy
}{
	{"buddy", func() sched.EpochPolicy { return sched.Rule(policy.Buddy, 0) }},
	{"hybrid-1", func() sched.EpochPolicy { return sched.Rule(policy.Hybrid, 1) }},
	{"equi", func() sched.EpochPolicy { return sched.Rule(policy.EquiEpoch, 0) }},
	{"opt-0", func() sched.EpochPolicy { return sched.Rule(policy.OptEpoch, 0) }},
	{"opt-1", func() sched.EpochPolicy { return sched.Rule(policy.OptEpoch, 1) }},
	{"heuristic-0", func() sched.EpochPolicy { return sched.Rule(policy.HeuristicEpoch, 0) }},
	{"heuristic-1", func() sched.EpochPolicy { return sched.Rule(policy.HeuristicEpoch, 1) }},
	{"heuristic-4", func() sched.EpochPolicy { return sched.Rule(policy.HeuristicEpoch, 4) }},
	{"heuristic-32", func() sched.EpochPolicy { return sched.Rule(policy.HeuristicEpoch, 32) }},
}

// problem draws a problem in which any policy can schedule.
func problem(t *rapid.T) sched.EpochProblem {
	p := sched.EpochProblem{Nodes: 1 << rapid.IntRange(0, 8).Draw(t, "log2 of the nodes")}
	most := rapid.IntRange(1, p.Nodes).Draw(t, "largest minimum")
	p.Min = rapid.SliceOfN(rapid.IntRange(1, most), 1, 40).Draw(t, "jobs")
	return p
}

// TestSchedulesAreValid: whatever the problem, the checker finds nothing wrong, a policy that is used again makes the
// same schedule as a new one, and one that places jobs in epochs has whole epochs.
func TestSchedulesAreValid(t *testing.T) {
	used := make([]sched.EpochPolicy, len(policies))
	for i := range policies {
		used[i] = policies[i].make()
	}
	rapid.Check(t, func(t *rapid.T) {
		p := problem(t)
		var again, s sched.EpochSchedule
		for i := range policies {
			if policies[i].name == "buddy" && len(p.Min)&(len(p.Min)-1) != 0 {
				continue
			}
			fresh := policies[i].make()
			if err := errors.Join(fresh.Schedule(p, &s), used[i].Schedule(p, &again), s.Check(p, fresh.Spread())); err != nil {
				t.Fatalf("%s: %v", policies[i].name, err)
			}
			if !slices.Equal(s.Pieces, again.Pieces) {
				t.Fatalf("%s: %v, and then %v", policies[i].name, s.Pieces, again.Pieces)
			}
		}
	})
}

// TestPowersOfTwoOfJobs: with them, BUDDY and HYBRID are one policy.
func TestPowersOfTwoOfJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problem(t)
		for len(p.Min)&(len(p.Min)-1) != 0 {
			p.Min = p.Min[1:]
		}
		var buddy, other sched.EpochSchedule
		err := errors.Join(sched.Rule(policy.Buddy, 0).Schedule(p, &buddy), sched.Rule(policy.Hybrid, 3).Schedule(p, &other))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(buddy.Pieces, other.Pieces) {
			t.Fatalf("%v, and HYBRID has %v", buddy.Pieces, other.Pieces)
		}
	})
}

// TestNoAllocations: once a policy has made room for its work, schedules need none, unless they are searched for.
func TestNoAllocations(t *testing.T) {
	for _, c := range policies {
		policy := c.make()
		if c.name == "opt-1" {
			continue
		}
		all := problems(16, 12)
		var s sched.EpochSchedule
		run := func() {
			for _, p := range all {
				if err := errors.Join(policy.Schedule(p, &s), s.Check(p, policy.Spread())); err != nil {
					t.Fatal(err)
				}
			}
		}
		run()
		if n := testing.AllocsPerRun(10, run); n > 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// TestErrors: what cannot be scheduled is refused with the reason.
func TestErrors(t *testing.T) {
	hard := sched.EpochProblem{Nodes: 128, Min: []int{16, 1, 20, 30, 22, 4, 12, 29, 27, 12, 22, 2, 20, 14, 30, 18, 28, 26, 26, 28,
		21, 10, 5, 19, 31, 26, 31, 15, 17, 13, 23, 25}}
	for _, c := range []struct {
		policy sched.EpochPolicy
		p      sched.EpochProblem
		want   string
	}{
		{sched.Rule(policy.EquiEpoch, 0), sched.EpochProblem{Nodes: 0}, "sched: 0 nodes; there must be 1 to 1073741824"},
		{sched.Rule(policy.EquiEpoch, 0), sched.EpochProblem{Nodes: 4}, "sched: no jobs"},
		{sched.Rule(policy.EquiEpoch, 0), sched.EpochProblem{Nodes: 4, Min: []int{1, 5}}, "sched: job 1 needs 5 nodes; on 4 nodes a job can need 1 to 4"},
		{sched.Rule(policy.Buddy, 0), sched.EpochProblem{Nodes: 6, Min: []int{1}}, "sched: buddy needs a number of nodes that is a power of two, not 6"},
		{sched.Rule(policy.Hybrid, 0), sched.EpochProblem{Nodes: 6, Min: []int{1}}, "sched: hybrid needs a number of nodes that is a power of two, not 6"},
	} {
		if err := c.policy.Schedule(c.p, &sched.EpochSchedule{}); fmt.Sprint(err) != c.want {
			t.Errorf("%v: %v, want %s", c.p, err, c.want)
		}
	}
	var limit *parallel.LimitError
	if testing.Short() {
		return
	}
	if err := sched.Rule(policy.OptEpoch, 16).Schedule(hard, &sched.EpochSchedule{}); !errors.As(err, &limit) {
		t.Errorf("OPT(16) with 32 jobs: %v", err)
	}
}

// TestCheckerFindsFaults: each fault put into a good schedule is found.
func TestCheckerFindsFaults(t *testing.T) {
	p := sched.EpochProblem{Nodes: 8, Min: []int{4, 2, 2, 1}}
	for fault, change := range map[string]func(*sched.EpochSchedule){
		"too narrow":      func(s *sched.EpochSchedule) { s.Pieces[0].Width = 3 },
		"a job twice":     func(s *sched.EpochSchedule) { s.Pieces[1].Job = s.Pieces[0].Job },
		"no such job":     func(s *sched.EpochSchedule) { s.Pieces[1].Job = 4 },
		"overlap":         func(s *sched.EpochSchedule) { s.Pieces[1].Offset-- },
		"outside":         func(s *sched.EpochSchedule) { s.Pieces[0].Offset = 5 },
		"too late":        func(s *sched.EpochSchedule) { s.Pieces[0].End = 5 },
		"nodes left over": func(s *sched.EpochSchedule) { s.Pieces[3].End-- },
		"a job too few":   func(s *sched.EpochSchedule) { s.Pieces = s.Pieces[1:] },
		"other nodes":     func(s *sched.EpochSchedule) { s.Nodes = 16 },
	} {
		var s sched.EpochSchedule
		if err := (sched.Rule(policy.HeuristicEpoch, 4)).Schedule(p, &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(p, 4); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(p, 1); err == nil {
			t.Error("a spread of more than 1 is not found")
		}
		change(&s)
		if err := s.Check(p, 4); err == nil {
			t.Errorf("%s: not found in %v", fault, s.Pieces)
		}
	}
}

// The schedule of figure 3 of the report.
func Example() {
	p := sched.EpochProblem{Nodes: 16, Min: []int{1, 2, 3, 3, 3, 3, 3, 8}}
	var s sched.EpochSchedule
	if err := sched.Rule(policy.Buddy, 0).Schedule(p, &s); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("overhead", s.Overhead(), "per node", s.NormalizedOverhead())
	for _, q := range s.Pieces {
		fmt.Println("job", q.Job, "on", q.Width, "nodes from", q.Offset, "in eighths", q.Start, "to", q.End)
	}
	// Output:
	// overhead 36 per node 2.25
	// job 7 on 8 nodes from 0 in eighths 0 to 2
	// job 2 on 8 nodes from 0 in eighths 2 to 4
	// job 3 on 4 nodes from 0 in eighths 4 to 8
	// job 4 on 4 nodes from 4 in eighths 4 to 8
	// job 5 on 4 nodes from 8 in eighths 0 to 4
	// job 6 on 4 nodes from 8 in eighths 4 to 8
	// job 1 on 2 nodes from 12 in eighths 0 to 8
	// job 0 on 2 nodes from 14 in eighths 0 to 8
}

func ExampleEpochSchedule_Check() {
	p := sched.EpochProblem{Nodes: 8, Min: []int{2, 5, 3}}
	s := sched.EpochSchedule{Nodes: 8, Pieces: []sched.EpochPiece{
		{Job: 1, Width: 8, End: 1},
		{Job: 2, Width: 4, Start: 1, End: 3},
		{Job: 0, Offset: 3, Width: 5, Start: 1, End: 3},
	}}
	fmt.Println(s.Check(p, 1))
	// Output: sched: job 0 overlaps another
}

// TestTimesAsShares: times of a schedule are shares and fractions of the quantum; without pieces there are none.
func TestTimesAsShares(t *testing.T) {
	s := &sched.EpochSchedule{Pieces: make([]sched.EpochPiece, 6)}
	for time, want := range map[int]string{0: "0", 2: "1/3", 3: "1/2", 6: "1"} {
		if got := s.Fraction(time); got != want || s.Share(time) != float64(time)/6 {
			t.Errorf("%d: %s and %v, want %s", time, got, s.Share(time), want)
		}
	}
	var none *sched.EpochSchedule
	if none.Fraction(1) != "" || !math.IsNaN(none.Share(1)) || !math.IsNaN(new(sched.EpochSchedule).Share(1)) {
		t.Error("a schedule without pieces has times")
	}
}
