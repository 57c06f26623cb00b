package days_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/days"
)

// named returns policies by their names.
func named(t testing.TB, names ...string) []policy.Policy {
	t.Helper()
	all, err := policies(names...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func policies(names ...string) (all []policy.Policy, err error) {
	for _, name := range names {
		p, err := policy.Standard().Parse(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// downey returns the workload of the paper on 64 nodes.
func downey(t testing.TB, load float64) days.Workload {
	t.Helper()
	w := days.Downey(64, load)
	return w
}

func simulate(t testing.TB, w days.Workload, policies []policy.Policy, n int, o days.Options) []days.Outcome {
	t.Helper()
	all, err := days.Simulate(context.Background(), w, policies, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The measures of the paper.
const (
	meanResponse  = measure.MeanResponseTime
	meanWaiting   = measure.MeanWaitingTime
	utilization   = measure.Utilization       // the paper's load average
	useful        = measure.UsefulUtilization // the paper's utilization
	clusterSize   = measure.MeanClusterSize
	cvClusterSize = measure.CVClusterSize
	meanSlowdown  = measure.MeanSlowdown
	p90           = measure.P90Slowdown
)

// five are the greedy policies of the paper.
var five = []string{"sev", "avg", "pws", "max", "asp"}

// cell is a cell of table 1.
type cell struct {
	measure     string
	paper       [5]float64 // 120 days; in the order of five
	independent [5]float64 // the mean of 40 × 120 days of an independent program; NaN where it has none
	tolerance   float64    // between the means over 4800 days
}

var nan = math.NaN()

// table1 is table 1 of the paper beside the independent program. The tolerances are about four standard deviations of a
// mean over 4800 days: both programs have one.
var table1 = []cell{
	{utilization, [5]float64{.64, .70, .73, .81, .77}, [5]float64{.641, .702, .734, .808, .771}, 0.01},
	{useful, [5]float64{.52, .52, .52, .51, .49}, [5]float64{.523, .528, .525, .510, .495}, 0.01},
	{meanResponse, [5]float64{5858, 5782, 6017, 6597, 7510}, [5]float64{6001, 5941, 6163, 6804, 7459}, 0.01},
	{meanWaiting, [5]float64{204, 372, 566, 1115, 402}, [5]float64{217, 425, 591, 1190, 388}, 0.05},
	{clusterSize, [5]float64{7.8, 9.4, 10.2, 10.7, 9.9}, [5]float64{7.62, 9.25, 10.05, 10.45, 9.76}, 0.01},
	{cvClusterSize, [5]float64{1.04, 1.07, 1.10, 1.11, 1.24}, [5]float64{nan, nan, nan, nan, nan}, 0},
	{p90, [5]float64{11.6, 35.3, 77.8, 249, 63.6}, [5]float64{12.4, 39.5, 74.6, 240, 56.4}, 0.06},
}

// TestTable1 simulates 8 times the 120 days of table 1, and 40 times with -long. The paper's cells lie within 3.5 standard
// deviations between such runs of their mean, and the means agree with those of the independent program.
func TestTable1(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	const most = 40
	runs := 8
	if needs.IsLong() {
		runs = most
	}
	w, policies := downey(t, 0.75), named(t, five...)
	all := make([][]days.Outcome, runs)
	for r := range all {
		all[r] = simulate(t, w, policies, 120, days.Options{Seed: uint64(r + 1)})
	}
	worst := 0.0
	for _, c := range table1 {
		for k, name := range five {
			var sum, squares float64
			for r := range all {
				x := all[r][k].Of(c.measure).Mean
				sum, squares = sum+x, squares+x*x
			}
			mean := sum / float64(runs)
			sd := math.Sqrt((squares - sum*mean) / float64(runs-1))
			z := (c.paper[k] - mean) / sd
			if worst = math.Max(worst, math.Abs(z)); math.Abs(z) > 3.5 {
				t.Errorf("%s of %s: the paper has %v, z = %.2f (mean %.4g, standard deviation %.2g)", c.measure, name,
					c.paper[k], z, mean, sd)
			}
			t.Logf("%-4s %-18s mean %8.4g  sd %7.2g  paper %6v  z %5.2f  independent %6v", name, c.measure, mean, sd,
				c.paper[k], z, c.independent[k])
			if off := mean/c.independent[k] - 1; math.Abs(off) > c.tolerance*math.Sqrt(most/float64(runs)) {
				t.Errorf("%s of %s: %.4g, an independent program has %v (%+.1f %%)", c.measure, name, mean, c.independent[k],
					100*off)
			}
		}
	}
	t.Logf("largest |z| %.2f", worst)
}

// TestWorkersDoNotMatter compares everything but the time it took.
func TestWorkersDoNotMatter(t *testing.T) {
	needs.Concurrency(t)
	w, policies := downey(t, 0.9), named(t, "sev", "max:stubborn", "asp")
	clock := cmpopts.IgnoreFields(days.Outcome{}, "Seconds")
	hidden := cmpopts.IgnoreUnexported(days.Outcome{})
	one := simulate(t, w, policies, 40, days.Options{Seed: 5, Workers: 1})
	for _, workers := range []int{2, 7} {
		many := simulate(t, w, policies, 40, days.Options{Seed: 5, Workers: workers})
		if diff := cmp.Diff(one, many, clock, hidden); diff != "" {
			t.Error(diff)
		}
		for k := range one {
			for _, name := range days.Measures() {
				if a, b := one[k].Of(name), many[k].Of(name); a != b {
					t.Errorf("%s of %s: %v with one worker, %v with %d", name, one[k].Policy, a, b, workers)
				}
			}
		}
	}
}

// TestDaysAreTheSameForAllPolicies: alone or with others, a policy sees the same days.
func TestDaysAreTheSameForAllPolicies(t *testing.T) {
	needs.Concurrency(t)
	w := downey(t, 0.6)
	alone := simulate(t, w, named(t, "pws"), 40, days.Options{Seed: 9})
	among := simulate(t, w, named(t, "asp", "pws", "k:0.5"), 40, days.Options{Seed: 9})
	for _, name := range days.Measures() {
		if a, b := alone[0].Of(name), among[1].Of(name); a != b {
			t.Errorf("%s: %v alone, %v among others", name, a, b)
		}
	}
	d := among[1].Difference(&alone[0], days.Measures()[0])
	if d.Mean != 0 || d.HalfWidth != 0 {
		t.Errorf("difference to itself: %v", d)
	}
}

// TestDayIsWhatItSays compares 600 days of jobs with the moments of the workload. Bounds are five standard errors.
func TestDayIsWhatItSays(t *testing.T) {
	const n = 600
	w := downey(t, 0.75)
	var jobs []workload.Job
	for day := range n {
		jobs = w.Day(des.Seed(3).At(uint64(day)), jobs)
	}
	want := w.Rate() * w.Length // a day; section 4 of the paper: 80 at load .5, 160 at load 1
	if want < 120 || want > 130 {
		t.Errorf("%v jobs a day expected", want)
	}
	count := float64(len(jobs))
	if z := (count - n*want) / math.Sqrt(n*want); math.Abs(z) > 5 {
		t.Errorf("%v jobs, %v expected", count, n*want)
	}
	sequential := 0.0
	for _, c := range []struct {
		name string
		of   func(q *workload.Job) float64
		mean float64
		sd   float64
	}{
		{"lifetime", func(q *workload.Job) float64 { return q.Work }, w.Lifetimes.Mean(),
			w.Lifetimes.Mean() * math.Sqrt(w.Lifetimes.(days.UniformLog).SCV())},
		{"A", func(q *workload.Job) float64 { return q.Speedup.(workload.Downey).A }, w.Parallelism.Mean(),
			w.Parallelism.Mean() * math.Sqrt(w.Parallelism.SCV())},
		{"sigma", func(q *workload.Job) float64 { return q.Speedup.(workload.Downey).Sigma }, 1, math.Sqrt(4. / 12)},
		{"submission", func(q *workload.Job) float64 { return q.Submit }, w.Length / 2, w.Length / math.Sqrt(12)},
	} {
		sum := 0.0
		for i := range jobs {
			sum += c.of(&jobs[i])
		}
		if z := (sum/count - c.mean) / (c.sd / math.Sqrt(count)); math.Abs(z) > 5 {
			t.Errorf("mean %s %v, want %v", c.name, sum/count, c.mean)
		}
	}
	for i := range jobs {
		if jobs[i].Speedup.(workload.Downey).A < 2 { // section 3.2: about 17 % of the jobs are sequential
			sequential += 1 / count
		}
	}
	if math.Abs(sequential-0.17) > 0.01 {
		t.Errorf("%.3f of the jobs are sequential", sequential)
	}
}

// TestOneJobByHand: a job of lifetime 1000 on four nodes, of A 2 and sigma 0, and one that waits for it.
func TestOneJobByHand(t *testing.T) {
	s := workload.Downey{A: 2}
	jobs := []workload.Job{
		{ID: 1, Submit: 0, Kind: workload.Moldable, Work: 1000, Speedup: s},
		{ID: 2, Submit: 100, Kind: workload.Moldable, Work: 2000, Speedup: workload.Downey{A: 4}},
		{ID: 3, Submit: 1000, Kind: workload.Moldable, Work: 8, Speedup: workload.Downey{A: 1}},
	}
	// k:1 gives 1 two nodes until 500, 2 four nodes from 500 to 1000, and 3 one node until 1008.
	out, err := days.Replay(context.Background(), 4, jobs, named(t, "k:1"), days.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		utilization:             3008 / 4032.,
		"efficiency":            1,
		useful:                  3008 / 4032.,
		"load_average":          3008 / 1008.,
		meanResponse:            (500 + 900 + 8) / 3.,
		meanWaiting:             400 / 3.,
		"mean_run_time":         (500 + 500 + 8) / 3.,
		clusterSize:             7 / 3.,
		cvClusterSize:           math.Sqrt(21./9/(49./9)*3 - 1),
		meanSlowdown:            (1 + 900/500. + 1) / 3,
		"mean_bounded_slowdown": (1 + 900/500. + 1) / 3,
	} {
		if got := out[0].Of(name).Mean; math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if out[0].Jobs != 3 || out[0].Days != 1 || math.Abs(out[0].Load-3008/4000.) > 1e-12 {
		t.Errorf("%d jobs, %d days, load %v", out[0].Jobs, out[0].Days, out[0].Load)
	}
}

// TestReplayOfAStream: the days of a workload one after the other as one log, each beginning when the machine has long
// been empty, give the means of the days themselves.
func TestReplayOfAStream(t *testing.T) {
	const n, far = 60, 30 * 24 * 3600.
	w := downey(t, 0.7)
	var log []workload.Job
	for day := range n {
		for _, q := range w.Day(des.Seed(2).At(uint64(day)), nil) {
			q.Submit += float64(day) * far
			log = append(log, q)
		}
	}
	policies := named(t, "avg", "asp", "fcfs", "easy")
	a := simulate(t, w, policies, n, days.Options{Seed: 2})
	b, err := days.Replay(context.Background(), 64, log, policies, days.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range a {
		for _, name := range []string{meanResponse, meanWaiting, cvClusterSize, meanSlowdown} {
			x, y := a[k].Of(name), b[k].Of(name)
			if math.Abs(x.Mean-y.Mean) > 1e-9*x.Mean { // sums in another order, times with 4 fewer digits
				t.Errorf("%s of %s: %v by days, %v as a log", name, a[k].Policy, x.Mean, y.Mean)
			}
		}
		if a[k].Jobs != b[k].Jobs {
			t.Errorf("%d and %d jobs", a[k].Jobs, b[k].Jobs)
		}
	}
}

func TestFromLog(t *testing.T) {
	needs.Concurrency(t)
	jobs := []joblog.Job{
		{ID: 1, Submit: 50, Run: 100, Processors: 8},
		{ID: 2, Submit: 10, Run: 60, Processors: -1, RequestedProcessors: 4},
		{ID: 3, Submit: 10, Run: 0, Processors: 4},
		{ID: 4, Submit: -1, Run: 5, Processors: 4},
		{ID: 5, Submit: 10, Run: 5, Processors: -1, RequestedProcessors: -1},
	}
	got, skipped, err := days.FromLog(jobs, 16, 0.5, 1.5, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"no submit time": 1, "no processors": 1}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Error(diff)
	}
	if len(got) != 3 || got[0].ID != 2 || got[1].ID != 3 || got[2].ID != 1 {
		t.Fatalf("%+v", got)
	}
	for _, q := range got {
		if run := q.RunOn(q.Nodes); math.Abs(run-q.Run) > 1e-9 {
			t.Errorf("job %d runs for %v on its nodes, logged are %v", q.ID, run, q.Run)
		}
		if s := q.Speedup.(workload.Downey); s.A != float64(q.Nodes) || s.Sigma < 0.5 || s.Sigma > 1.5 {
			t.Errorf("job %d: %+v", q.ID, s)
		}
	}
	if err := workload.Rescale(got, 16, 0.25); err != nil {
		t.Fatal(err)
	}
	if load := workload.OfferOf(got).Load(16); math.Abs(load-0.25) > 1e-12 || got[0].Submit != 10 {
		t.Errorf("load %v from %v", load, got[0].Submit)
	}
	if err := workload.Rescale(got[:1], 16, 0.25); err == nil {
		t.Error("a single job has been given a load")
	}
}

func TestLike(t *testing.T) {
	u := days.NewUniformLog(10, 1e5)
	jobs := []joblog.Job{{Run: -1, Processors: 4}}
	for i := range 2000 {
		jobs = append(jobs, joblog.Job{Run: u.Quantile((float64(i)+0.5)/2000) / 8, Processors: 8})
	}
	for _, stages := range []int{1, 2} {
		w, f, err := days.Like(jobs, stages, 32, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		s := w.Lifetimes.(days.StagedUniformLog).Stages()
		if len(s) != stages || math.Abs(s[0].Min/10-1) > 0.01 || math.Abs(s[stages-1].Max/1e5-1) > 0.01 || f.Values != 2000 ||
			w.Nodes != 32 || w.Load != 0.5 {
			t.Errorf("%d stages: %+v, %d values", stages, s, f.Values)
		}
	}
	for name, f := range map[string]func() error{
		"three stages": func() error { _, _, err := days.Like(jobs, 3, 32, 0.5); return err },
		"no jobs":      func() error { _, _, err := days.Like(jobs[:1], 1, 32, 0.5); return err },
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	w := downey(t, 0.5)
	bad := w
	bad.Load = 1e9
	if bad.Check(0) == nil {
		t.Error("too many jobs would be simulated")
	}
	if _, err := days.Replay(ctx, 4, nil, named(t, "avg"), days.Options{}); err == nil {
		t.Error("no jobs are replayed")
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := days.Simulate(stop, w, named(t, "avg"), 10, days.Options{}); err != context.Canceled {
		t.Errorf("interrupted: %v", err)
	}
}

// A single day has no scatter: its intervals are infinite, and nothing fails.
func TestOneDay(t *testing.T) {
	out := simulate(t, downey(t, 0.5), named(t, "avg"), 1, days.Options{})
	if i := out[0].Of(meanResponse); !math.IsInf(i.HalfWidth, 1) || !(i.Mean > 0) {
		t.Errorf("%+v", i)
	}
}

// Jobs that are all alike have no variation, and no slowdown below one, by rounding or otherwise.
func TestJobsThatAreAlike(t *testing.T) {
	w := downey(t, 0.3)
	w.Lifetimes = days.NewUniformLog(100, 100)
	w.Parallelism = days.NewUniformLog(3, 3)
	w.SigmaMax = 0
	out := simulate(t, w, named(t, "avg"), 4, days.Options{})
	if v := out[0].Of(cvClusterSize); v.Mean != 0 || v.HalfWidth != 0 {
		t.Errorf("variation %+v", v)
	}
	if v := out[0].Of("p50_slowdown"); !(v.Mean >= 1) {
		t.Errorf("median slowdown %v", v.Mean)
	}
}

// The bar is 1.5 s on one core.
func BenchmarkFivePolicies1200Days(b *testing.B) {
	w, policies := downey(b, 0.75), named(b, five...)
	b.ReportAllocs()
	for b.Loop() {
		simulate(b, w, policies, 1200, days.Options{Seed: 1, Workers: 1})
	}
}

// TestOptimalFraction looks for the fraction k of A at which the useful utilization is largest, as figure 9 does. The
// paper has .8, .7, .6, .4 and .3 at loads .2 to 1; it must be among those that do not differ significantly from the
// best in 600 days.
func TestOptimalFraction(t *testing.T) {
	needs.Long(t, "simulates tens of thousands of days")
	names := []string{"k:0.1", "k:0.2", "k:0.3", "k:0.4", "k:0.5", "k:0.6", "k:0.7", "k:0.8", "k:0.9", "k:1"}
	for i, want := range []float64{.8, .7, .6, .4, .3} {
		load := 0.2 * float64(i+1)
		out := simulate(t, downey(t, load), named(t, names...), 600, days.Options{Seed: 1})
		best, tied := days.Best(out, useful, true)
		ok := false
		for _, k := range tied {
			ok = ok || math.Abs(float64(k+1)/10-want) < 1e-9
		}
		if !ok {
			t.Errorf("load %.1f: best %s, does not differ significantly from %d others, the paper has %v", load, names[best],
				len(tied)-1, want)
		}
		t.Logf("load %.1f: %s with useful utilization %.4f; tied with %v", load, names[best], out[best].Of(useful).Mean, tied)
	}
}
