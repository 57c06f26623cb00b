package advise_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/sched"
)

var (
	searches = flag.Int("models", 20, "the number of models to compare on, with -long")
)

// machineOf returns a system of nodes that are units, with exponential demands of mean 1, repartitions that take a
// constant share of that, and a load.
func machineOf(t testing.TB, nodes int, cost, load float64, stops string) *models.System {
	t.Helper()
	list := strings.TrimSuffix(strings.Repeat(fmt.Sprint(cost)+",", nodes-1), ",")
	text := fmt.Sprintf(`version: 1
machine: {nodes: %d}
arrivals: {interarrival: {exponential: {mean: 1}}, load: %g}
jobs: {demand: {exponential: {mean: 1}}, speedup: {power: {exponent: 0.7}}}
dynamic: {stops: %s, shrink: {means: [null, %s]}, expand: {means: [%s]}}
`, nodes, load, stops, list, list)
	if cost == 0 {
		text = text[:strings.Index(text, "dynamic:")] + "dynamic: {stops: " + stops + "}\n"
	}
	m, err := modelfile.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m.System
}

// advised returns the advice on a small grid of cooldowns, which are told in mean times between arrivals, and hysteresis.
func advised(t *testing.T, q advise.Problem, o advise.Options) *advise.Advice {
	t.Helper()
	over := []advise.Parameter{{Name: "cooldown", Values: []float64{0, 2 * q.Gap}}, {Name: "hysteresis", Values: []float64{0, 2}}}
	o.MaxJobs = 400_000
	a, err := q.Advise(t.Context(), over, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// exact returns the mean response time of a policy by its chain; +Inf if it cannot keep up.
func exact(t *testing.T, sys *models.System, p policy.Policy) float64 {
	t.Helper()
	chain, err := sys.Chain(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := chain.Solve(t.Context(), markov.Settings{Method: markov.Auto})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Stable {
		return math.Inf(1)
	}
	return m.MeanResponseTime
}

// With free resizes and exponential demands equi-partitioning is optimal (Berg, Dorsman, Harchol-Balter 2018): no rule is
// better, and the value is that of the exact chain.
func TestFreeResizesNeedNoRule(t *testing.T) {
	sys := machineOf(t, 4, 0, 0.6, "all")
	a := advised(t, advise.OfSystem(sys, validate.Options{}, 1), advise.Options{Seed: 1})
	dynamic := exact(t, sys, policy.Dynamic{})
	if a.Value.Mean < dynamic-2*a.Value.HalfWidth || a.Value.Mean > 1.01*dynamic+2*a.Value.HalfWidth {
		t.Errorf("%v has the mean response time %v ± %v, dynamic %v", a.Rule, a.Value.Mean, a.Value.HalfWidth, dynamic)
	}
	for _, f := range a.Flat {
		for i, w := range f.Worse {
			if w.High < -0.011 { // the indifference
				t.Errorf("%s = %v is better than the rule %v by %v ± %v", f.Name, f.Values[i], a.Rule, w.Mean, w.HalfWidth)
			}
		}
	}
}

// With resizes that take longer than jobs nobody should be resized: the rule is the best static split, exactly.
func TestCostsBeyondAllNeedStaticPartitions(t *testing.T) {
	sys := machineOf(t, 4, 50, 0.6, "all")
	a := advised(t, advise.OfSystem(sys, validate.Options{}, 1), advise.Options{Seed: 2})
	best := math.Inf(1)
	for _, k := range []int{1, 2, 4} {
		best = min(best, exact(t, sys, policy.Static{Partitions: k}))
	}
	if a.Rule.Floor == 0 || a.Rule.Floor != a.Rule.Cap {
		t.Errorf("the rule is %v", a.Rule)
	}
	if math.Abs(a.Value.Mean-best) > 2*a.Value.HalfWidth {
		t.Errorf("the value %v ± %v, exactly %v", a.Value.Mean, a.Value.HalfWidth, best)
	}
}

// The rule is no worse than dynamic, than the best static split and than any other of the grid, and the same for any
// number of workers.
func TestAdviceIsNoWorseAndTheSame(t *testing.T) {
	sys := machineOf(t, 6, 0.1, 0.6, "resized")
	q := advise.OfSystem(sys, validate.Options{}, 1)
	o := advise.Options{Seed: 3, Workers: 1}
	a := advised(t, q, o)
	for _, g := range a.Gains {
		if g.Share.Mean < 0 {
			t.Errorf("%v is better than the rule %v by %v", g.Over, a.Rule, g.Share.Mean)
		}
	}
	for _, f := range a.Flat {
		for i, w := range f.Worse {
			if w.High < -0.01 {
				t.Errorf("%s = %v is better than the rule %v by %v ± %v", f.Name, f.Values[i], a.Rule, w.Mean, w.HalfWidth)
			}
		}
	}
	o.Workers = 3
	if b := advised(t, q, o); !reflect.DeepEqual(a, b) {
		t.Error("another number of workers, another advice")
	}
}

// logged are rigid jobs that come one after the other.
func logged(n int) []joblog.Job {
	var log bytes.Buffer
	for i := range n {
		run := 20 + 37*(i%7)*(i%3)
		fmt.Fprintf(&log, "%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 1 1 1 -1 -1\n", i+1, 40*i, run, 1+i%5, 1+i%5, 2*run)
	}
	l, err := joblog.Read(&log, "test", joblog.Options{})
	if err != nil {
		panic(err)
	}
	return l.Jobs
}

// TestIntervalOnALog: the mean response time of EASY has the interval of a replay, also where busy times last for several blocks
// of jobs.
func TestIntervalOnALog(t *testing.T) {
	jobs := logged(3200)
	for i := range jobs {
		if i/400%2 == 1 {
			jobs[i].Run *= 1 + float64(i/400) // busy for four blocks of 100 jobs, then quiet
		}
	}
	q, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(jobs), replay.Usual())
	if err != nil {
		t.Fatal(err)
	}
	log, err := replay.FromJobs(jobs, 8)
	if err != nil {
		t.Fatal(err)
	}
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := runs[0].Intervals()
	a := advised(t, q, advise.Options{})
	for _, g := range a.Gains {
		if e := g.Value; g.Over == policy.Policy(policy.EASY{}) && math.Abs(e.HalfWidth-want.HalfWidth) > 0.01*want.HalfWidth {
			t.Errorf("EASY takes %v ± %v, in a replay %v ± %v", e.Mean, e.HalfWidth, want.Mean, want.HalfWidth)
		}
	}
}

// On a log the values are those of a replay, EASY is among what the rule is compared with, and nothing is sure.
func TestAdviceOnALog(t *testing.T) {
	assume := replay.Assumptions{Speedup: workload.Amdahl{Serial: 0.1}, Cost: replay.Cost{Seconds: 10}}
	q, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(logged(640)), assume)
	if err != nil {
		t.Fatal(err)
	}
	for _, objective := range advise.Objectives() {
		a := advised(t, q, advise.Options{Objective: objective})
		if n := len(a.Gains); n != 3 || a.Gains[2].Over != policy.Policy(policy.EASY{}) || a.Selection.Sure {
			t.Errorf("%s: gains %+v, sure %v", objective, a.Gains, a.Selection.Sure)
		}
		for _, e := range a.Selection.Candidates {
			if e.Value < a.Value.Mean*(1-1e-12) {
				t.Errorf("%s: %v has %v, the rule %v only %v", objective, e.Policy, e.Value, a.Rule, a.Value.Mean)
			}
		}
		if objective != advise.Mean {
			continue
		}
		c, err := q.Config(a.Rule)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		c.Done = func(r *machine.Record) { sum += r.Response() }
		if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil || math.Abs(sum/640-a.Value.Mean) > 1e-9*a.Value.Mean {
			t.Errorf("the mean response time is %v, in a replay %v, %v", a.Value.Mean, sum/640, err)
		}
	}
	if _, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(logged(10)), replay.Usual()); err == nil {
		t.Error("ten jobs are enough")
	}
}

// TestStepsByHand: a machine of four units of two nodes.
func TestStepsByHand(t *testing.T) {
	m := policy.Machine{Nodes: 8, Unit: 2}
	want := []advise.Step{
		{Jobs: 1, Shares: 1, Least: 8, Most: 8, More: 2},
		{Jobs: 2, Shares: 2, Least: 4, Most: 4, More: 4, Fewer: 1},
		{Jobs: 3, Shares: 3, Least: 2, Most: 4, More: 6, Fewer: 1},
		{Jobs: 4, Shares: 4, Least: 2, Most: 2, Fewer: 2},
		{Jobs: 5, Shares: 4, Least: 2, Most: 2, Waiting: 1, Fewer: 2},
	}
	if got := advise.Steps(policy.Resize{Hysteresis: 2}, m); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, s := range advise.Steps(policy.Resize{Floor: 2, Cap: 2}, m) {
		if s.Shares != 2 || s.More != 0 || s.Fewer != 0 {
			t.Errorf("static partitions are divided anew: %+v", s)
		}
	}
	if s := advise.Steps(policy.Resize{Batch: 3}, m); s[0].More != 4 || s[3].Fewer != 1 {
		t.Errorf("after three changes: %+v", s)
	}
}

// TestLosses: a rule that looks at the queue very often loses nothing; the longer it looks away, the more, until jobs cannot
// keep up. Restarts that take longer than any resize lose more, those that are shorter nothing. Without limits a rule is itself;
// jobs that keep the nodes of their start are in static partitions.
func TestLosses(t *testing.T) {
	q := advise.OfSystem(machineOf(t, 4, 0.05, 0.7, "resized"), validate.Options{}, 1)
	o := advise.Options{MaxJobs: 200_000, Memory: 1 << 28, Carried: func(a *advise.Advice) (all []advise.Carried) {
		r := a.Rule
		for _, poll := range []float64{1e-4, 0.1, 0.5, 50} {
			all = append(all, advise.Carried{Resize: r, Poll: poll})
		}
		return append(all, advise.Carried{Resize: r, Poll: 0.1, Shrink: 1e-9, Expand: 1e-9}, advise.Carried{Resize: r, Poll: 0.1, Shrink: 0.3, Expand: 0.3},
			advise.Carried{Resize: r}, advise.Carried{Resize: r, Width: sched.Free},
			advise.Carried{Resize: policy.Resize{Floor: 4, Cap: 4}},
			advise.Carried{Resize: r, Poll: 0.1, Expand: 0.3},
			advise.Carried{Resize: policy.Resize{Floor: 1, Cap: 1}})
	}}
	a, err := q.Advise(t.Context(), []advise.Parameter{{Name: "wait", Values: []float64{0, 2}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	l := a.Losses
	if math.Abs(l[0].Worse.Mean) > 0.005 { // polls that come two thousand times in a time between arrivals
		t.Errorf("at many polls the rule loses %+v", l[0].Worse)
	}
	if !(l[0].Worse.High < l[1].Worse.Low && l[1].Worse.High < l[2].Worse.Low) {
		t.Errorf("the losses do not grow with the time between polls: %+v", l)
	}
	if !l[3].Unstable {
		t.Errorf("a poll every fifty run times: %+v", l[3])
	}
	if math.Abs(l[4].Value.Mean/l[1].Value.Mean-1) > 1e-6 {
		t.Errorf("restarts that take no time: %+v, without them %+v", l[4].Value, l[1].Value)
	}
	if !(l[5].Worse.Low > l[1].Worse.High) {
		t.Errorf("restarts of six times an overhead: %+v, without them %+v", l[5].Worse, l[1].Worse)
	}
	if l[6].Value != a.Value || l[6].Worse.Mean != 0 {
		t.Errorf("without limits: %+v, the rule %+v", l[6], a.Value)
	}
	if !l[7].Unstable { // a partition of four nodes, whose load is 0.7·4/4^0.7
		t.Errorf("one job at a time: %+v", l[7])
	}
	if !l[10].Unstable { // the same partition, as a rule; the policies compared afterwards do without it
		t.Errorf("a static split that cannot keep up: %+v", l[10])
	}
	static := simulated(t, machineOf(t, 4, 0.05, 0.7, "resized"), policy.Static{Partitions: 4}, 0.01)
	if math.Abs(l[8].Value.Mean-static.Mean) > 2*(l[8].Value.HalfWidth+static.HalfWidth) {
		t.Errorf("jobs of a node: %+v, static:4 %+v", l[8].Value, static)
	}
	if !(l[1].Worse.High < l[9].Worse.Low && l[9].Worse.High < l[5].Worse.Low) {
		t.Errorf("restarts of jobs that grow: %+v, without them %+v, of all %+v", l[9].Worse, l[1].Worse, l[5].Worse)
	}
	losing := a.Losing()
	for i := range l {
		if split := a.Gains[a.Rival()]; slices.Contains(losing, i) != (l[i].Unstable ||
			l[i].Value.Mean > split.Value.Mean && l[i].Gains[a.Rival()].High < 0) {
			t.Errorf("way %d: %+v, %v %+v; losing are %v", i, l[i].Value, split.Over, split.Value, losing)
		}
	}
	if split := a.Split(policy.Machine{Nodes: 4, Unit: 1}); split != a.BestStatic() || split < 1 {
		t.Errorf("the best split has %d partitions, or %d", a.BestStatic(), split)
	}
	if none := (&advise.Advice{}); none.Rival() != -1 || none.Losing() != nil {
		t.Errorf("without rivals: %d, %v", none.Rival(), none.Losing())
	}
	for i, g := range a.Gains { // what is left of a gain is what the two values say
		if want := 1 - l[1].Value.Mean/g.Value.Mean; math.Abs(l[1].Gains[i].Mean-want) > 1e-3 {
			t.Errorf("the gain over %v is %v, want %v", g.Over, l[1].Gains[i].Mean, want)
		}
	}
}

// countedRuns is a workload that counts the runs of its jobs.
type countedRuns struct {
	machine.Workload
	runs *int
}

func (c countedRuns) Jobs(key des.Key) workload.Source {
	*c.runs++
	return c.Workload.Jobs(key)
}

// TestBoundsBelowTheCostAreNoRun: a way whose bounds on resizes are below their cost has the results of the way without
// them, without a run. The results are those of its own run.
func TestBoundsBelowTheCostAreNoRun(t *testing.T) {
	assume := replay.Assumptions{Speedup: workload.Amdahl{Serial: 0.1}, Cost: replay.Cost{Seconds: 60}}
	q, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(logged(640)), assume)
	if err != nil {
		t.Fatal(err)
	}
	var runs int
	config := q.Config
	q.Config = func(p policy.Policy) (machine.Config, error) {
		c, err := config(p)
		c.Jobs = countedRuns{c.Jobs, &runs}
		return c, err
	}
	losses := func(bounds ...float64) ([]advise.Loss, int) {
		runs = 0
		a := advised(t, q, advise.Options{Workers: 1, Carried: func(a *advise.Advice) (ways []advise.Carried) {
			for _, least := range bounds {
				ways = append(ways, advise.Carried{Resize: policy.Resize{Cap: 4}, Poll: 90, Shrink: least, Expand: least})
			}
			return ways
		}})
		return a.Losses, runs
	}
	one, alone := losses(0)
	same, below := losses(0, 30, 60)
	if alone != below || !reflect.DeepEqual(same, []advise.Loss{one[0], one[0], one[0]}) {
		t.Errorf("bounds below the cost: %d runs, %+v; the way without them: %d runs, %+v", below, same, alone, one)
	}
	if own, _ := losses(30); !reflect.DeepEqual(own, one) {
		t.Errorf("a bound below the cost: %+v, without it %+v", own, one)
	}
	if longer, above := losses(0, 61); above != alone+1 || longer[1].Value == longer[0].Value {
		t.Errorf("a bound above the cost: %d runs, %+v; without it: %d runs, %+v", above, longer[1], alone, longer[0])
	}
}

// TestRulesThatResizeNobodyHaveTheSetUp: a rule that keeps as many shares as jobs is the static split, set-up included.
func TestRulesThatResizeNobodyHaveTheSetUp(t *testing.T) {
	m, err := modelfile.Parse("test", []byte(`version: 1
machine: {nodes: 4}
arrivals: {rate: 1, load: 0.6}
jobs: {demand: {exponential: {mean: 1}}, speedup: linear}
dynamic: {overhead: 50}
static: {setup: {exponential: {mean: 0.5}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	o := advise.Options{MaxJobs: 100_000, Memory: 1 << 28, Carried: func(a *advise.Advice) []advise.Carried {
		return []advise.Carried{{Resize: policy.Resize{Floor: a.BestStatic(), Cap: a.BestStatic()}}}
	}}
	q := advise.OfSystem(m.System, validate.Options{}, 1)
	a, err := q.Advise(t.Context(), []advise.Parameter{{Name: "cooldown", Values: []float64{0}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range a.Gains {
		_, split := g.Over.(policy.Static)
		if gain := a.Losses[0].Gains[i]; split && (math.Abs(gain.Mean) > 1e-9 || gain.HalfWidth > 1e-9) {
			t.Errorf("the split carried out gains %+v over %v", gain, g.Over)
		}
	}
}

func TestWrongQuestions(t *testing.T) {
	q := advise.OfSystem(machineOf(t, 4, 0.1, 0.6, "all"), validate.Options{}, 1)
	for what, ask := range map[string]func() error{
		"a grid of a million": func() error {
			many := advise.Parameter{Name: "cooldown"}
			for i := range 10_000 {
				many.Values = append(many.Values, float64(i))
			}
			_, err := q.Grid([]advise.Parameter{many})
			return err
		},
		"a cap above the machine": func() error {
			_, err := q.Grid([]advise.Parameter{{Name: "cap", Values: []float64{5}}})
			return err
		},
		"no parameter": func() error {
			_, err := q.Grid([]advise.Parameter{{Name: "magic", Values: []float64{5}}})
			return err
		},
		"no candidates": func() error { _, err := q.Select(t.Context(), nil, advise.Options{}); return err },
	} {
		if ask() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestScreening: a rule that is selected on a part of the jobs has the values and gains of all jobs, and is compared with
// the same policies.
func TestScreening(t *testing.T) {
	problem := func(jobs []joblog.Job) advise.Problem {
		q, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(jobs), replay.Usual())
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	jobs := logged(960)
	q, part := problem(jobs), problem(jobs[:320])
	whole, screened := advised(t, q, advise.Options{}), advised(t, q, advise.Options{Screening: &part})
	if !reflect.DeepEqual(screened.Selection.Candidates, advised(t, part, advise.Options{}).Selection.Candidates) {
		t.Error("the candidates do not have their values on the part of the jobs")
	}
	if screened.Rule == whole.Rule && !reflect.DeepEqual(screened.Value, whole.Value) {
		t.Errorf("%v has %v, without screening %v", whole.Rule, screened.Value, whole.Value)
	}
	if len(screened.Gains) != len(whole.Gains) || len(screened.Gains) == 0 {
		t.Fatalf("compared with %d policies, without screening with %d", len(screened.Gains), len(whole.Gains))
	}
	for i, g := range screened.Gains {
		if want := whole.Gains[i]; g.Over != want.Over || g.Value != want.Value {
			t.Errorf("%v has %v, without screening %v has %v", g.Over, g.Value, want.Over, want.Value)
		}
	}
}

// handed is a workload that counts, by policy, how many jobs a run has taken.
type handed struct {
	machine.Workload
	policy policy.Policy
	counts *sync.Map
}

func (h handed) Jobs(key des.Key) workload.Source {
	source, count := h.Workload.Jobs(key), 0
	return workload.SourceFunc(func(j *workload.Job) error {
		err := source.Next(j)
		if err == nil {
			count++
			h.counts.Store(h.policy, count)
		}
		return err
	})
}

// TestWorseSplitsAreGivenUp: on all jobs of a log, a static split ends before its last job if another split is better.
// With the 95th percentile, which is no sum, all splits run to their end. The answer is that of a run of all splits.
func TestWorseSplitsAreGivenUp(t *testing.T) {
	needs.Concurrency(t)
	m := policy.Machine{Nodes: 8, Unit: 1}
	problem := func(jobs []joblog.Job) advise.Problem {
		q, err := advise.OfLog(m, joblog.ListOf(jobs), replay.Usual())
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	jobs := logged(960)
	for i := range jobs {
		jobs[i].Submit *= 5 // so that jobs end while others come
	}
	q, part := problem(jobs), problem(jobs[:320])
	for _, objective := range advise.Objectives() {
		whole := advised(t, q, advise.Options{Objective: objective})
		counting, counts := q, new(sync.Map)
		counting.Config = func(p policy.Policy) (machine.Config, error) {
			c, err := q.Config(p)
			c.Jobs = handed{c.Jobs, p, counts}
			return c, err
		}
		a := advised(t, counting, advise.Options{Objective: objective, Screening: &part})
		if a.BestStatic() != whole.BestStatic() || !reflect.DeepEqual(a.Gains[1].Value, whole.Gains[1].Value) {
			t.Errorf("%s: the best split is %d with %v, of all splits %d with %v",
				objective, a.BestStatic(), a.Gains[1].Value, whole.BestStatic(), whole.Gains[1].Value)
		}
		gone := 0
		for _, p := range policy.Statics(m) {
			if n, _ := counts.Load(p); n.(int) < len(jobs) {
				gone++
				if p == policy.Policy(policy.Static{Partitions: a.BestStatic()}) {
					t.Errorf("%s: the best split, %v, has run %d jobs", objective, p, n)
				}
			}
		}
		if percentile := objective == advise.P95; gone > 0 == percentile {
			t.Errorf("%s: %d splits are given up", objective, gone)
		}
	}
}

// TestJobsOfALongLog: the jobs of a log that is too long for a list in memory are those of the list, in each run, and so is the load.
func TestJobsOfALongLog(t *testing.T) {
	jobs, some := make([]joblog.Job, 200_001), logged(100)
	for i := range jobs {
		jobs[i] = some[i%len(some)]
		jobs[i].ID, jobs[i].Submit = i+1, 40*float64(i)
	}
	m, list := policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(jobs)
	set := replay.Setting{Policy: policy.Resize{}, Nodes: m.Nodes, Unit: m.Unit, Assumptions: replay.Assumptions{Speedup: workload.Amdahl{Serial: 0.1}}}
	want, err := workload.FromLog(list, set.Shape())
	if err != nil {
		t.Fatal(err)
	}
	q, err := advise.OfLog(m, list, set.Assumptions)
	if err != nil {
		t.Fatal(err)
	}
	config, err := q.Config(set.Policy)
	if err != nil {
		t.Fatal(err)
	}
	if load := workload.OfferOf(want).Load(m.Nodes); math.Abs(config.Load-load) > 1e-9*load {
		t.Errorf("load %v, want %v", config.Load, load)
	}
	for range 2 {
		source := config.Jobs.Jobs(des.Seed(1))
		for i := range want {
			var j workload.Job
			if err := source.Next(&j); err != nil || j != want[i] {
				t.Fatalf("job %d is %+v, %v; want %+v", i, j, err, want[i])
			}
		}
		if err := source.Next(new(workload.Job)); err != io.EOF {
			t.Errorf("after the last job: %v", err)
		}
	}
}

// TestNoAdviceBesideAnError: if the last step of the search fails, here because its context has ended, there is no advice.
func TestNoAdviceBesideAnError(t *testing.T) {
	q, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, joblog.ListOf(logged(640)), replay.Assumptions{Speedup: workload.Linear{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	options := advise.Options{Carried: func(*advise.Advice) []advise.Carried { end(); return nil }}
	a, err := q.Advise(ctx, []advise.Parameter{{Name: "cap", Values: []float64{2, 4, 8}}}, options)
	if a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("advice %v, error %v", a != nil, err)
	}
}

// TestRulesAreComparedWithRigidJobs: fcfs has the value of the exact chain, and the rule gains over fcfs what both values say. Where
// fcfs cannot keep up, no policy of rigid jobs is compared.
func TestRulesAreComparedWithRigidJobs(t *testing.T) {
	of := func(load float64) *models.System {
		sys := machineOf(t, 4, 0, load, "all")
		sys.JobNodes = 3 // one job runs at a time
		return sys
	}
	sys := of(0.3)
	a := advised(t, advise.OfSystem(sys, validate.Options{}, 1), advise.Options{Seed: 4})
	gains := map[string]advise.Gain{}
	for _, g := range a.Gains {
		gains[g.Over.Name()] = g
	}
	fcfs, want := gains["fcfs"], exact(t, sys, policy.FCFS{})
	if math.Abs(fcfs.Value.Mean-want) > 3*fcfs.Value.HalfWidth || !(fcfs.Share.Low > 0) {
		t.Errorf("fcfs: %+v, want %v", fcfs, want)
	}
	if share := 1 - a.Value.Mean/fcfs.Value.Mean; math.Abs(fcfs.Share.Mean-share) > 2*fcfs.Share.HalfWidth {
		t.Errorf("gain %v over fcfs, want %v", fcfs.Share, share)
	}
	if _, is := gains["easy"]; !is {
		t.Errorf("easy is not compared: %v", gains)
	}
	a = advised(t, advise.OfSystem(of(0.9), validate.Options{}, 1), advise.Options{Seed: 4})
	for _, g := range a.Gains {
		if g.Over == policy.Policy(policy.FCFS{}) || g.Over == policy.Policy(policy.EASY{}) {
			t.Errorf("%v keeps up: %+v", g.Over, g)
		}
	}
}
