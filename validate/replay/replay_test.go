package replay_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/sched"
)

// jobs returns jobs of a log: submission, run time and nodes of each.
func jobs(rows ...[3]float64) []joblog.Job {
	var all []joblog.Job
	for i, r := range rows {
		all = append(all, joblog.Job{ID: i + 1, Submit: r[0], Run: r[1], Processors: int(r[2]), Estimate: r[1], Status: joblog.Completed})
	}
	return all
}

// chosen returns the log of all jobs that a machine can run.
func chosen(t *testing.T, jobs []joblog.Job, nodes int) *replay.Log {
	t.Helper()
	l, err := replay.FromJobs(jobs, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// offered returns the jobs of a log at a load.
func offered(t *testing.T, l *replay.Log, load float64) *joblog.List {
	t.Helper()
	at, err := l.At(load)
	if err != nil {
		t.Fatal(err)
	}
	list, err := at.List()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestUnsortedLog: a log is sorted where it needs to be, a stream as well as a list.
func TestUnsortedLog(t *testing.T) {
	rows := jobs([3]float64{5, 100, 6}, [3]float64{1, 50, 8})
	stream, err := replay.Choose(joblog.ListOf(rows).All(), replay.Choice{Nodes: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*replay.Log{chosen(t, rows, 10), stream} {
		if !l.Sorted {
			t.Error("not sorted")
		}
		if all := offered(t, l, 0); all.At(0).ID != 2 || all.At(1).ID != 1 {
			t.Errorf("%+v", all.Jobs())
		}
	}
}

// TestLogsStayAsTheyAre: stretching a log and offering its jobs at a load leaves the log as it was.
func TestLogsStayAsTheyAre(t *testing.T) {
	rows := append(jobs([3]float64{0, 10, 4}, [3]float64{30, 20, 4}), jobs([3]float64{40, 1, 100})...)
	l := chosen(t, rows, 8)
	before := l.Load()
	slower, err := l.AtLoad(before / 2)
	if err != nil {
		t.Fatal(err)
	}
	if offered(t, slower, 0).At(1).Submit != 60 || math.Abs(slower.Load()/before-0.5) > 1e-12 {
		t.Errorf("at half the load %g of %g: %+v", slower.Load(), before, offered(t, slower, 0).Jobs())
	}
	if again := offered(t, slower, before); again.At(1).Submit != 30 {
		t.Errorf("back at the load of the log: %+v", again.Jobs())
	}
	if l.Stretch != 0 || l.Load() != before || offered(t, l, 0).At(1).Submit != 30 || len(l.Skipped) != 1 {
		t.Errorf("the log became %+v", l)
	}
}

// TestJobsAtLoad: jobs are stretched to a load, the first staying where it is; a single job has no load.
func TestJobsAtLoad(t *testing.T) {
	var logged []joblog.Job
	for i := range 1000 {
		logged = append(logged, joblog.Job{ID: i + 1, Submit: float64(100*i + 7), Run: 300, Processors: 2, Status: joblog.Completed})
	}
	offer, err := workload.OfferOfLog(offered(t, chosen(t, logged, 16), 0.75).All())
	if err != nil || offer.First != 7 || math.Abs(offer.Load(16)-0.75) > 1e-12 {
		t.Errorf("%v: from %g on, load %g", err, offer.First, offer.Load(16))
	}
	if _, err := chosen(t, logged[:1], 16).At(0.75); err == nil {
		t.Error("a single job has a load")
	}
}

// TestWhoStops: of three jobs on four nodes the first keeps its two nodes when the third comes, and stands still then only if
// all jobs do.
func TestWhoStops(t *testing.T) {
	rows := jobs([3]float64{0, 10, 4}, [3]float64{3, 2, 4}, [3]float64{4, 2, 4})
	mean := func(stops models.Stops) float64 {
		a := replay.Assumptions{Cost: replay.Cost{Seconds: 1}, Stops: stops, Least: 0.5, Most: 2}
		s := replay.Study{Log: chosen(t, rows, 4), Policies: []policy.Policy{policy.Dynamic{}}, Assumptions: a}
		runs, err := s.Run(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return runs[0].Measures[measure.MeanResponseTime]
	}
	if resized, all := mean(models.ResizedStop), mean(models.AllStop); !(all > resized) {
		t.Errorf("response times of %v where all stop, of %v where the resized jobs stop", all, resized)
	}
}

// TestSettings: what policies do to jobs.
func TestSettings(t *testing.T) {
	type does struct {
		kind                            workload.Kind
		resizes, bounded, divides, mold bool
	}
	for _, c := range []struct {
		policy policy.Policy
		mixed  bool
		want   does
	}{
		{policy.EASY{}, false, does{kind: workload.Rigid}},
		{policy.EASY{}, true, does{kind: workload.Rigid}},
		{policy.EASYMalleable{}, false, does{workload.Malleable, true, true, true, false}},
		{policy.Dynamic{}, false, does{workload.Malleable, true, false, true, false}},
		{policy.Dynamic{}, true, does{workload.Malleable, true, true, true, false}},
		{policy.Static{Partitions: 2}, false, does{workload.Moldable, false, false, true, false}},
		{policy.Molding{Size: policy.ASP}, false, does{workload.Moldable, false, false, false, true}},
	} {
		s := replay.Setting{Policy: c.policy, Nodes: 8, Unit: 2, Mixed: c.mixed, Share: 0.5, Assumptions: replay.Usual()}
		if got := (does{s.Kind(), s.Resizes(), s.Bounded(), c.want.divides, s.Molds()}); got != c.want {
			t.Errorf("%v, mixed %v: %+v, want %+v", c.policy, c.mixed, got, c.want)
		}
		m, err := s.Machine()
		if unit := map[bool]int{false: 1, true: 2}[c.want.divides]; err != nil || m.Unit != unit || (m.Costs != nil) != c.want.resizes {
			t.Errorf("%v: unit %d, costs %v, %v", c.policy, m.Unit, m.Costs, err)
		}
	}
}

// TestMisfits: settings that do not fit each other are named.
func TestMisfits(t *testing.T) {
	log := chosen(t, jobs([3]float64{0, 10, 4}, [3]float64{3, 2, 4}), 8)
	usual := replay.Usual()
	of := func(change func(*replay.Study)) replay.Study {
		s := replay.Study{Log: log, Policies: []policy.Policy{policy.Dynamic{}}, Assumptions: usual}
		change(&s)
		return s
	}
	table := replay.Cost{Name: "costs.csv", Table: machine.Resizes{{Nodes: 1, Shrink: 1, Expand: 1}}}
	type misfit struct {
		setting string
		change  func(*replay.Study)
	}
	var more []misfit
	for _, x := range []float64{-1, 50, math.NaN(), math.Inf(1)} {
		more = append(more, misfit{"load", func(s *replay.Study) { s.Loads = []float64{0.5, x} }},
			misfit{"factors", func(s *replay.Study) { s.Shares = []float64{x} }})
	}
	for _, c := range append(more, misfit{"study", func(s *replay.Study) { s.Unit = -1 }},
		misfit{"stops", func(s *replay.Study) { s.Stops = "foo" }},
		misfit{"study", func(s *replay.Study) { s.Replications = -1 }},
		misfit{"study", func(s *replay.Study) { s.Present = -1 }},
		misfit{"study", func(s *replay.Study) { s.Deadline = math.NaN() }},
		misfit{"policy", func(s *replay.Study) { s.Policies = []policy.Policy{nil} }}) {
		var e *replay.SettingError
		s := of(c.change)
		if _, err := s.Run(t.Context(), 1); !errors.As(err, &e) || e.Setting != c.setting {
			t.Errorf("%s: %v", c.setting, err)
		}
	}
	for _, share := range []float64{-1, 2, math.NaN()} {
		var e *replay.SettingError
		s := of(func(*replay.Study) {})
		if _, err := s.Variations(t.Context(), 1, share); !errors.As(err, &e) || e.Setting != "factors" {
			t.Errorf("variations of the share %v: %v", share, err)
		}
	}
	if _, err := log.AtLoad(-1); err == nil {
		t.Error("a load of -1 is no error")
	}
	for setting, s := range map[string]replay.Study{
		"min_nodes": of(func(s *replay.Study) { s.Unit = 3 }),
		"factors":   of(func(s *replay.Study) { s.Least = 2 }),
		"malleable": of(func(s *replay.Study) {
			s.Policies, s.Shares = []policy.Policy{policy.Folding{}}, []float64{0.5}
		}),
		"policy":      of(func(s *replay.Study) { s.Table = policy.Standard()[:1]; s.Policies = []policy.Policy{policy.EASY{}} }),
		"nodes":       of(func(s *replay.Study) { s.Log = chosen(t, jobs([3]float64{0, 10, 4}), machine.MostNodes+1) }),
		"stops":       of(func(s *replay.Study) { s.Cost, s.Stops = table, models.AllStop }),
		"resize_cost": of(func(s *replay.Study) { s.Cost.Seconds = math.NaN() }),
	} {
		var e *replay.SettingError
		if _, err := s.Run(t.Context(), 1); !errors.As(err, &e) || e.Setting != setting {
			t.Errorf("%s: %v", setting, err)
		}
	}
	var nothing *replay.Study
	if err := nothing.Check(); err == nil {
		t.Error("no study is a study")
	}
}

// sliced is a policy that cannot be compared with others.
type sliced struct {
	policy.EASY
	weights []float64
}

// TestMisfitsOfPolicies: a study says what is wrong with a policy of one's own, or with its entry of the table.
func TestMisfitsOfPolicies(t *testing.T) {
	own := policy.Entry{Name: "own", RunsOn: policy.WholeNodes, New: func(string) (policy.Policy, error) { return policy.EASY{}, nil }}
	log := chosen(t, jobs([3]float64{0, 10, 4}), 8)
	for _, c := range []struct {
		p     policy.Policy
		table policy.Table
		want  string
	}{
		{policy.EASY{}, policy.Standard()[:1], "replay: policy: the table does not say what jobs easy runs; set the field Table to " +
			"policy.Standard().With(an entry for the policy)"},
		{policy.Gang{}, nil, "replay: policy: gs does not run on the simulated machine"},
		{sliced{weights: []float64{1}}, nil, "replay: policy: values of the type of easy cannot be compared; use a type without slices, " +
			"maps and functions"},
		{policy.EASY{}, policy.Standard().With(own), ""},
		{policy.EASY{}, policy.Standard().With(policy.Entry{Name: "own", RunsOn: policy.WholeNodes}),
			"policy own: its entry of the table has no function New"},
	} {
		s := replay.Study{Log: log, Table: c.table, Policies: []policy.Policy{c.p, c.p}, Assumptions: replay.Usual()}
		if _, err := s.Run(t.Context(), 1); err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestBestStatic: of static policies the best one is shown, and EASY only if it was named.
func TestBestStatic(t *testing.T) {
	asked, err := policy.Standard().Select(policy.Machine{Nodes: 8, Unit: 1}, policy.WholeNodes, "dynamic", policy.BestStatic)
	if err != nil {
		t.Fatal(err)
	}
	s := replay.Study{Log: chosen(t, jobs([3]float64{0, 10, 4}, [3]float64{3, 2, 4}, [3]float64{5, 20, 1}), 8),
		Policies: asked.Run, Assumptions: replay.Usual()}
	runs, err := s.Run(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	shown := replay.Asked(runs, asked, measure.MeanResponseTime)
	if len(runs) != 1+len(policy.Statics(policy.Machine{Nodes: 8, Unit: 1}))+1 || len(shown) != 2 {
		t.Fatalf("%d runs, %d shown", len(runs), len(shown))
	}
	for _, run := range runs {
		if _, static := run.Policy.(policy.Static); static && run.Measures[measure.MeanResponseTime] <
			shown[1].Measures[measure.MeanResponseTime] {
			t.Errorf("%v is better than %v", run.Policy, shown[1].Policy)
		}
	}
}

// broken is a policy whose scheduler starts jobs on no nodes, or that has none.
type broken struct {
	policy.EASY
	without bool
}

func (b broken) Scheduler() (sched.Policy, error) {
	if b.without {
		return nil, errors.New("not today")
	}
	return b, nil
}

func (broken) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	return append(do, sched.Allocate(v.Queued(0).Job, 0))
}

// TestRunError: a policy that cannot run is named, and the error is that of the machine.
func TestRunError(t *testing.T) {
	for _, c := range []struct {
		p    broken
		want string
	}{{broken{without: true}, "replay: policy easy: not today"},
		{broken{}, "replay: policy easy: gives 0 of 8 nodes to job 1; the time is 0"}} {
		s := replay.Study{Log: chosen(t, jobs([3]float64{0, 10, 4}), 8), Policies: []policy.Policy{c.p}, Assumptions: replay.Usual()}
		_, err := s.Run(t.Context(), 1)
		var run *replay.RunError
		var own *machine.PolicyError
		if !errors.As(err, &run) || !errors.As(err, &own) || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestSharedLog: studies may share a log, and run at the same time. Jobs that no machine could run are left out.
func TestSharedLog(t *testing.T) {
	needs.Concurrency(t)
	rows := jobs([3]float64{5, 10, 4}, [3]float64{3, 2, 4}, [3]float64{math.NaN(), 1, 1}, [3]float64{4, math.NaN(), 1}, [3]float64{4, 1, 1})
	rows[4].Estimate = math.Inf(1)
	s := replay.Study{Log: chosen(t, rows, 8), Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
	other := s
	err := parallel.Each(t.Context(), 4, 4, func(i int) error {
		runs, err := []*replay.Study{&s, &other}[i%2].Run(t.Context(), 2)
		if err == nil && runs[0].Jobs != 2 {
			err = fmt.Errorf("%d jobs ran", runs[0].Jobs)
		}
		return err
	})
	if err != nil || len(s.Log.Skipped) != 3 {
		t.Errorf("%v, left out %v", err, s.Log.Skipped)
	}
}

// Nothing is offered by the zero value: no jobs, no load, no dates.
func TestNothingOffered(t *testing.T) {
	var o replay.Offered
	list, err := o.List()
	if err != nil || list.Len() != 0 || o.Log() != nil || o.Date() != nil || !math.IsNaN(o.Load()) {
		t.Errorf("the zero value offers %v: %v", o, err)
	}
}

// TestNilEntries: entries of lists that are nil are left out.
func TestNilEntries(t *testing.T) {
	log := chosen(t, jobs([3]float64{0, 10, 4}, [3]float64{1, 20, 4}), 4)
	s := &replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual(), Known: []*replay.Run{nil}}
	runs, err := s.Run(t.Context(), 1)
	if err != nil || len(runs) == 0 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	named := &policy.Selection{Named: []policy.Policy{policy.EASY{}}, Best: true}
	if asked := replay.Asked(append(runs, nil), named, measure.MeanResponseTime); len(asked) != len(runs) {
		t.Errorf("%d of %d runs", len(asked), len(runs))
	}
}

// TestKnownInAnotherUnit: EASY divides no machine, so that a known run in another unit has its results. A run of dynamic
// partitioning, which divides the machine, is replayed.
func TestKnownInAnotherUnit(t *testing.T) {
	study := lublinStudy(t, policy.EASY{})
	study.Policies = []policy.Policy{policy.EASY{}, policy.Dynamic{}}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	study.Unit, study.Known, study.Ended = 2, runs, func() { ended++ }
	again, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if again[0].Log != runs[0].Log || ended != again[1].Jobs {
		t.Errorf("%d jobs are replayed, expected %d", ended, again[1].Jobs)
	}
}
