package coscheduling_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/zhang"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

func TestMain(m *testing.M) { needs.Main(m) }

// The first two moments of a mixture of Erlang distributions are those asked for: five standard errors, of which the
// fourth moment of the shape bounds that of the second moment.
func TestHyperErlang(t *testing.T) {
	const n, mean, scv = 400_000, 2, 1.5
	next := coscheduling.HyperErlang(mean, des.Seed(1))
	var m1, m2, m4 float64
	for range n {
		x := next()
		m1, m2, m4 = m1+x/n, m2+x*x/n, m4+x*x*x*x/n
	}
	if want := 2.; math.Abs(m1-want) > 5*mean*math.Sqrt(scv/n) {
		t.Errorf("mean %v, want %v", m1, want)
	}
	if want := mean * mean * (1 + scv); math.Abs(m2-want) > 5*math.Sqrt(m4/n) {
		t.Errorf("second moment %v, want %v", m2, want)
	}
}

// Sizes of classes have the same probability.
func TestRandomJobs(t *testing.T) {
	s := coscheduling.Random{MaxNodes: 20, Dedicated: 3}
	const n = 20_000
	jobs := s.Draw(des.Seed(1), n)
	counts := map[int]float64{}
	for i, j := range jobs {
		if j.Nodes < 2 || j.Nodes > 20 || i > 0 && j.Arrival < jobs[i-1].Arrival {
			t.Fatalf("job %d: %+v", i, j)
		}
		class := 0
		for 1<<class < j.Nodes {
			class++
		}
		counts[class] += 1. / n
	}
	for class := 1; class <= 5; class++ {
		if math.Abs(counts[class]-.2) > 5*math.Sqrt(.2*.8/n) {
			t.Errorf("class %d: %v of the jobs", class, counts[class])
		}
	}
}

func small(load float64) coscheduling.Case {
	mixes := cluster.Mixes()
	c := coscheduling.Paper(mixes[7])
	c.Cluster.Nodes, c.Load, c.Jobs = 4, load, coscheduling.Random{MaxNodes: 4, Dedicated: .1}
	return c
}

// The load is exact, and results do not depend on the number of workers.
func TestSimulate(t *testing.T) {
	needs.Concurrency(t)
	var runs []coscheduling.Run
	for _, p := range []policy.Policy{policy.Gang{}, policy.Coscheduling{Wait: policy.SpinBlock}} {
		two := small(.6)
		two.Clusters = 2
		runs = append(runs, coscheduling.Run{Case: small(.6), Policy: p}, coscheduling.Run{Case: two, Policy: p},
			coscheduling.Run{Case: small(0), Policy: p})
	}
	var first string
	for _, workers := range []int{1, 3} {
		o := coscheduling.Options{Seed: 1, Jobs: 40, Replications: 3, Seconds: .5, Workers: workers}
		all, err := coscheduling.Simulate(t.Context(), runs, o)
		if err != nil {
			t.Fatal(err)
		}
		stored := text(t, all)
		if first == "" {
			first = stored
		} else if diff := cmp.Diff(first, stored); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
		for i := range all {
			one := &all[i]
			backlog := one.Case.Load == 0
			counted, _, _ := one.Effort()
			if r := one.Of(measure.MeanResponseTime); math.IsNaN(r.Mean) != backlog || !backlog && counted != 3*36 {
				t.Errorf("%s under %s: %d jobs, %+v", one.Case.Name, one.Policy, counted, r)
			}
			sum := 0.
			for _, v := range one.Profile() {
				sum += v.Mean
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s under %s: the profile sums to %v", one.Case.Name, one.Policy, sum)
			}
		}
		again, err := zhang.Read(strings.NewReader(stored), runs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(stored, text(t, again)); diff != "" {
			t.Errorf("what is stored and read: %s", diff)
		}
		if r := ratio(&all[0], &all[0], measure.MeanResponseTime); r.Mean != 1 || r.HalfWidth != 0 {
			t.Errorf("a policy over itself: %+v", r)
		}
	}
}

func TestStoredNonsense(t *testing.T) {
	runs := []coscheduling.Run{{Case: small(.5), Policy: policy.Gang{}}}
	all, err := coscheduling.Simulate(t.Context(), runs, coscheduling.Options{Seed: 1, Jobs: 10, Replications: 2})
	if err != nil {
		t.Fatal(err)
	}
	good := text(t, all)
	for _, change := range [][2]string{{good, ""}, {good, strings.SplitAfter(good, "\n")[0]}, {"wl8,gs,1", "wl7,gs,1"}, {"wl8,gs", "wl8,sb"},
		{"gs,1,0,", "gs,1,none,"}, {"gs,0,0,", "gs,0,0,x"}, {",9 ", ",9 x "}, {",9 ", ",9 1 "}, {",0 0 0,", ",0 0,"}} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if _, err := zhang.Read(strings.NewReader(bad), runs); err == nil || bad == good {
			t.Errorf("with %q for %q: read", change[1], change[0])
		}
	}
}
