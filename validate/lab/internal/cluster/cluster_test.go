package cluster_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"pgregory.net/rapid"
)

// policies returns all policies of the table that share nodes in time.
func policies(t testing.TB) []policy.Policy {
	var all []policy.Policy
	table := policy.Standard().On(policy.TimeShared)
	for _, e := range table {
		p, err := table.Parse(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// A job that is alone takes its dedicated time if there is no skew, and the first context switch more. Where processes
// block, a first delay beyond the spin time may cost a block that causes the next one, and messages of trees always do.
func TestAloneAsDedicated(t *testing.T) {
	for _, p := range policies(t) {
		for _, pattern := range cluster.Patterns() {
			for _, n := range []int{2, 7} {
				c := cluster.Defaults(p)
				c.Nodes, c.Skew, c.Pattern = n, 0, pattern
				first := c.Costs.Switch
				if (p == policy.Gang{}) {
					first = c.Costs.GangSwitch
				}
				for _, of := range cluster.Types() {
					r := run(t, c, []cluster.Job{{Nodes: n, Dedicated: .25, Type: of}})
					record := &r.Records[0]
					s := (record.Execution() - first.Seconds()) / record.Nominal
					most := 1e-3
					if o, _ := p.(policy.Coscheduling); o.Wait == policy.SpinBlock {
						most = .25
					}
					if s < 1-1e-3 || s > 1+most {
						t.Errorf("%v, %v, %d nodes, %s: slowdown %.5f", p, pattern, n, of.Name, s)
					}
				}
			}
		}
	}
}

func run(t testing.TB, c cluster.Config, jobs []cluster.Job) *cluster.Result {
	t.Helper()
	r, err := cluster.Run(t.Context(), c, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The ideal time of the communication of an iteration, which is measured, has a closed form but for trees: latency L,
// K messages to each neighbour, and the time N of an interface.
func TestIdealCommunication(t *testing.T) {
	of := cluster.Types()[4]
	for _, k := range []int{1, 4} {
		for _, n := range []int{2, 3, 9} {
			for pattern, messages := range map[cluster.Pattern]int{cluster.NearestNeighbour: 2 * k, cluster.Linear: k,
				cluster.AllToAll: k * (n - 1)} {
				c := cluster.Defaults(policy.Coscheduling{})
				c.Nodes, c.Skew, c.Pattern, c.Messages = n, 0, pattern, k
				r := run(t, c, []cluster.Job{{Nodes: n, Dedicated: 1e-9, Type: of}})
				want := latency(&c.Costs) + time.Duration(messages-1)*c.Costs.Interface
				if got := r.Records[0].Nominal * of.Communicate; math.Abs(got-want.Seconds()) > 1e-9 {
					t.Errorf("%v, %d messages, %d processes: %v s, not %v", pattern, k, n, got, want)
				}
			}
		}
	}
}

// latency returns the time of a message that meets no other, sent and received by processors that wait for it.
func latency(c *cluster.Costs) time.Duration { return 2*c.Host + 2*c.Interface + c.Wire }

// TestAllWorkIsDone: under all policies, patterns and choices all jobs end, in time that all processors account for, and
// the work is that of the jobs.
func TestAllWorkIsDone(t *testing.T) {
	all := policies(t)
	rapid.Check(t, func(t *rapid.T) {
		c := cluster.Defaults(rapid.SampledFrom(all).Draw(t, "policy"))
		if o, ok := c.Policy.(policy.Coscheduling); ok && o.Arrival == policy.PeriodicBoost {
			o.Boost = policy.Heuristic{Rule: rapid.Uint8Range(0, 4).Draw(t, "rule"), Fair: rapid.Bool().Draw(t, "fair")}
			c.Policy = o
		}
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		c.Nodes = rapid.IntRange(1, 9).Draw(t, "nodes")
		c.MPL = rapid.IntRange(1, 6).Draw(t, "MPL")
		c.Pattern = rapid.SampledFrom(cluster.Patterns()).Draw(t, "pattern")
		c.Messages = rapid.IntRange(0, 3).Draw(t, "messages")
		c.Skew = rapid.SampledFrom([]float64{0, .2, 2}).Draw(t, "skew")
		c.Choices = cluster.Choices{PreemptedFirst: flag("preempted first"), WeakBoost: flag("weak boost"),
			StrongWakeUp: flag("strong wake-up"), HalfDuplex: flag("half duplex"),
			LowestFirst: flag("lowest first")}
		jobs := make([]cluster.Job, rapid.IntRange(1, 12).Draw(t, "jobs"))
		now, work, useful := 0., 0., 0.
		for i := range jobs {
			now += rapid.Float64Range(0, .01).Draw(t, "gap")
			jobs[i] = cluster.Job{Arrival: now, Nodes: rapid.IntRange(1, c.Nodes).Draw(t, "size"),
				Dedicated: rapid.Float64Range(0, .02).Draw(t, "dedicated") + 1e-6, Type: rapid.SampledFrom(cluster.Types()).Draw(t, "type")}
		}
		r, err := cluster.Run(context.Background(), c, jobs)
		if err != nil {
			t.Fatal(err)
		}
		if r.Unfinished > 0 {
			t.Fatalf("%d jobs have not ended", r.Unfinished)
		}
		end := 0.
		for i := range r.Records {
			j := &r.Records[i]
			if j.Wait() < 0 || j.Start < end && c.MPL == 1 && j.Nodes == c.Nodes {
				t.Fatalf("job %d: %+v", i, j)
			}
			// Iterations are shorter than without skew by a factor that the skew bounds.
			if j.Execution() < j.Nominal*(1-c.Skew/2)*(1-1e-6)-1e-6 {
				t.Fatalf("job %d took %v s of %v", i, j.Execution(), j.Nominal)
			}
			end = max(end, j.End)
			work += float64(j.Nodes) * j.Nominal
			share := 1 - j.Type.Communicate
			if j.Nodes == 1 {
				share = 1
			}
			useful += float64(j.Nodes) * j.Nominal * share
		}
		capacity := r.Span * float64(c.Nodes)
		if math.Abs(r.Work*capacity-work) > 1e-9*work || math.Abs(r.Useful*capacity-useful) > 1e-9*work {
			t.Fatalf("work %v, useful %v; want %v, %v", r.Work*capacity, r.Useful*capacity, work, useful)
		}
		sum := 0.
		for _, v := range r.Profile {
			if v < 0 {
				t.Fatalf("profile %+v", r.Profile)
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the profile sums to %v", sum)
		}
		again, err := cluster.Run(context.Background(), c, jobs)
		if err != nil || again.Events != r.Events || again.Profile != r.Profile || again.Records[len(jobs)-1] != r.Records[len(jobs)-1] {
			t.Fatal("the same run has another result")
		}
	})
}

// Under gang scheduling two jobs on the same nodes take turns, and one whose nodes the other row leaves idle runs all the
// time; with one row jobs run one after the other.
func TestGangScheduling(t *testing.T) {
	of := cluster.Type{Name: "computing", Compute: .99, Communicate: .01}
	jobs := []cluster.Job{{Nodes: 2, Dedicated: 10, Type: of}, {Nodes: 2, Dedicated: 10, Type: of}, {Nodes: 3, Dedicated: 10, Type: of}}
	c := cluster.Defaults(policy.Gang{})
	c.Nodes, c.Skew, c.MPL = 5, 0, 2 // rows: 0 and 2 together, then 1
	jobs[1], jobs[2] = jobs[2], jobs[1]
	r := run(t, c, jobs)
	for i, want := range []float64{2, 1, 2} {
		if i == 1 {
			want = 1 // nobody else needs the last three nodes
		}
		if s := r.Records[i].Slowdown(); math.Abs(s-want) > .05 {
			t.Errorf("job %d: slowdown %.3f, not %v", i, s, want)
		}
	}
	c.MPL = 1
	r = run(t, c, []cluster.Job{{Nodes: 5, Dedicated: 3, Type: of}, {Nodes: 2, Dedicated: 3, Type: of}, {Nodes: 4, Dedicated: 1, Type: of}})
	for i := 1; i < 3; i++ {
		if d := r.Records[i].Start - r.Records[i-1].End; d < 0 || d > 1e-9 {
			t.Errorf("job %d starts %v s after the one before has ended", i, d)
		}
	}
}

// Nodes that spin do not idle, and those that block do; interrupts cost where policies have them.
func TestWaysToWait(t *testing.T) {
	jobs := backlog(t, "wl5", 60)
	profile := map[string]cluster.Profile{}
	for _, p := range policies(t) {
		c := cluster.Defaults(p)
		c.From, c.To, c.Stop = .4, .9, .9
		r := run(t, c, jobs)
		profile[p.String()] = r.Profile
		if math.Abs(r.Span-.5) > 1e-9 || r.Unfinished == 0 {
			t.Errorf("%v: %v s, %d jobs left", p, r.Span, r.Unfinished)
		}
	}
	if p := profile["local"]; p[4] > .001 || p[2] < .7 || p[5] > .1 {
		t.Errorf("local: %+v", p)
	}
	if p := profile["sb"]; p[2] > .3 || p[5] < .05 {
		t.Errorf("sb: %+v", p)
	}
	if a, b := profile["dcs"][4], profile["pb"][4]; a < 3*b {
		t.Errorf("overhead of dcs %v, of pb %v", a, b)
	}
}

func TestMistakes(t *testing.T) {
	good := cluster.Defaults(policy.Gang{})
	job := cluster.Job{Nodes: 2, Dedicated: 1, Type: cluster.Types()[0]}
	for field, change := range map[string]func(*cluster.Config){
		"Skew": func(c *cluster.Config) { c.Skew = math.NaN() },
	} {
		c := good
		change(&c)
		_, err := cluster.Run(t.Context(), c, []cluster.Job{job})
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, change := range []func(*cluster.Job){
		func(j *cluster.Job) { j.Nodes = 33 }, func(j *cluster.Job) { j.Dedicated = math.Inf(1) },
		func(j *cluster.Job) { j.Arrival = -1 }, func(j *cluster.Job) { j.Dedicated = 1e9 },
	} {
		bad := job
		change(&bad)
		_, err := cluster.Run(t.Context(), good, []cluster.Job{job, bad})
		if err == nil || !strings.Contains(err.Error(), "job 1: ") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cluster.Run(ctx, good, []cluster.Job{job}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if r := run(t, good, nil); len(r.Records) != 0 {
		t.Errorf("of no jobs: %+v", r)
	}
}

// Nothing is allocated but at the start and for each job.
func TestEventsDoNotAllocate(t *testing.T) {
	for _, name := range []string{"gs", "sb", "dcs-sy", "pb:d'"} {
		p, err := policy.Standard().Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		c := cluster.Defaults(p)
		c.Nodes, c.MPL = 4, 3
		jobs := make([]cluster.Job, 3)
		for i := range jobs {
			jobs[i] = cluster.Job{Nodes: 4, Dedicated: 100, Type: cluster.Types()[4]}
		}
		allocations := func(stop float64) float64 {
			c.Stop = stop
			return testing.AllocsPerRun(3, func() {
				if _, err := cluster.Run(context.Background(), c, jobs); err != nil {
					t.Fatal(err)
				}
			})
		}
		if short, long := allocations(.2), allocations(1); long > short+2*4 { // the rings of messages may double
			t.Errorf("%s: %v allocations in .2 s, %v in 1 s", name, short, long)
		}
	}
}

// TestNamesOfWorkloads: names are read as they are written.
func TestNamesOfWorkloads(t *testing.T) {
	for _, m := range cluster.Mixes() {
		var got cluster.Mix
		if err := got.UnmarshalText([]byte(m.Name)); err != nil || got.Name != m.Name || len(got.Types) != len(m.Types) {
			t.Errorf("%s is read as %v, %v", m.Name, got, err)
		}
	}
	if new(cluster.Mix).UnmarshalText([]byte("wl9")) == nil {
		t.Error("wl9 is read")
	}
}
