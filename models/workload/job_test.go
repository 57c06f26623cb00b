package workload_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// rounding: a few operations on doubles.
const rounding = 1e-14

// drawLogged draws a job of a log.
func drawLogged(t *rapid.T) joblog.Job {
	return joblog.Job{ID: rapid.IntRange(1, 1e6).Draw(t, "id"), Submit: rapid.Float64Range(0, 1e8).Draw(t, "submit"),
		Run: rapid.Float64Range(0, 1e6).Draw(t, "run"), Processors: rapid.IntRange(1, 4096).Draw(t, "processors"),
		Estimate: rapid.Float64Range(-1, 1e6).Draw(t, "estimate"), User: 3, Application: 4}
}

// TestRunOnWhatWasMeasured: on the nodes that it asks for a job of a log runs as long as logged, to the last digit,
// whatever its speedup; on others its demand over the speedup.
func TestRunOnWhatWasMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawLogged(t)
		a, sigma := rapid.Float64Range(1, 5000).Draw(t, "A"), rapid.Float64Range(0, 3).Draw(t, "sigma")
		shape := workload.WithSpeedup(workload.Malleable, workload.Downey{A: a, Sigma: sigma})
		j, err := shape.Job(0, &from)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.RunOn(j.Nodes); got != from.Run {
			t.Fatalf("on its %d nodes the job runs for %v, not %v", j.Nodes, got, from.Run)
		}
		n := rapid.IntRange(1, 5000).Draw(t, "nodes")
		want := from.Run * j.SpeedupOn(j.Nodes) / j.SpeedupOn(n)
		if got := j.RunOn(n); math.Abs(got-want) > rounding*want {
			t.Fatalf("on %d nodes %v, want %v", n, got, want)
		}
		if got := j.Offered(); got != from.Run*float64(from.Processors) && from.Run > 0 {
			t.Fatalf("offers %v", got)
		}
		if j.Reference(64) != from.Run {
			t.Fatalf("its slowdown is relative to %v", j.Reference(64))
		}
	})
}

// Jobs of a model know their demand alone.
func TestRunOnOfADemand(t *testing.T) {
	j := workload.Job{Kind: workload.Moldable, Work: 120}
	for n, want := range map[int]float64{1: 120, 4: 30, 120: 1} {
		if got := j.RunOn(n); got != want {
			t.Errorf("on %d nodes %v, want %v", n, got, want)
		}
	}
	if j.Offered() != 120 || j.Reference(8) != 15 || j.EstimateOn(4) != 30 || j.Asked(8) != 0 {
		t.Errorf("offers %v, reference %v, expected %v, asks for %d", j.Offered(), j.Reference(8), j.EstimateOn(4),
			j.Asked(8))
	}
	j.Speedup = workload.Downey{A: 5.5, Sigma: 1}
	if j.Asked(8) != 6 || j.Asked(4) != 4 {
		t.Errorf("asks for %d of 8 and %d of 4 nodes, want its average parallelism", j.Asked(8), j.Asked(4))
	}
}

func TestEstimateOn(t *testing.T) {
	j := workload.Job{Kind: workload.Moldable, Nodes: 4, Run: 100, Work: 400, Estimate: 150}
	for n, want := range map[int]float64{4: 150, 8: 75, 2: 300} {
		if got := j.EstimateOn(n); math.Abs(got-want) > rounding*want {
			t.Errorf("on %d nodes %v, want %v", n, got, want)
		}
	}
	short := j
	short.Estimate = 50
	if got := short.EstimateOn(2); got != 200 {
		t.Errorf("less than it runs: %v", got)
	}
	rigid := j
	rigid.Kind = workload.Rigid
	if got := rigid.EstimateOn(4); got != 150 {
		t.Errorf("rigid: %v", got)
	}
	exact := j
	exact.Estimate = 0
	if got := exact.EstimateOn(4); got != 100 {
		t.Errorf("without an estimate %v, want the run time", got)
	}
}

// TestEstimateAt: with the speedup that a job has, it runs and is expected to run as long as without it.
func TestEstimateAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := []float64{0, 50, 100, 300}
		j := workload.Job{Kind: workload.Kind(rapid.IntRange(0, 2).Draw(t, "kind")), Nodes: rapid.IntRange(0, 4).Draw(t, "nodes"),
			Run: rapid.SampledFrom(times).Draw(t, "run"), Work: rapid.SampledFrom(times).Draw(t, "work"),
			Estimate: rapid.SampledFrom(times).Draw(t, "estimate"), Speedup: workload.Amdahl{Serial: 0.1}}
		n := rapid.IntRange(1, 8).Draw(t, "n")
		at := j.SpeedupOn(n)
		if run, expected := j.RunAt(n, at), j.EstimateAt(n, at); run != j.RunOn(n) || expected != j.EstimateOn(n) {
			t.Fatalf("on %d nodes %v, expected %v, want %v and %v", n, run, expected, j.RunOn(n), j.EstimateOn(n))
		}
	})
}

// TestCut: what is ended at its limit has done as much work as fits before it.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawLogged(t)
		if from.Run < 1 {
			t.Skip("nothing to cut")
		}
		j, err := workload.WithSpeedup(workload.Moldable, workload.Amdahl{Serial: 0.1}).Job(0, &from)
		if err != nil {
			t.Fatal(err)
		}
		before := j
		limit := rapid.Float64Range(0, 1).Draw(t, "share") * from.Run
		if limit == 0 {
			t.Skip("of no time")
		}
		j.Cut(limit)
		if j.RunOn(j.Nodes) != limit || math.Abs(j.Work/before.Work-limit/before.Run) > rounding {
			t.Fatalf("cut at %v it runs for %v, with %v of the work", limit, j.RunOn(j.Nodes), j.Work/before.Work)
		}
		n := rapid.IntRange(1, 100).Draw(t, "nodes")
		if got, want := j.RunOn(n)/before.RunOn(n), limit/before.Run; math.Abs(got-want) > rounding {
			t.Fatalf("on %d nodes %v of the time, want %v", n, got, want)
		}
	})
}

// TestNodesOfJobs: fewest and most nodes, by kind and memory.
func TestNodesOfJobs(t *testing.T) {
	for name, c := range map[string]struct {
		job         workload.Job
		nodeMemory  float64
		least, most int
	}{
		"rigid":                      {workload.Job{Nodes: 5}, 0, 5, 5},
		"rigid, bounds do not count": {workload.Job{Nodes: 5, Min: 1, Max: 9}, 0, 5, 5},
		"rigid, too large in memory": {workload.Job{Nodes: 2, Memory: 10}, 4, 3, 2},
		"moldable":                   {workload.Job{Kind: workload.Moldable, Nodes: 5}, 0, 1, 16},
		"malleable with bounds":      {workload.Job{Kind: workload.Malleable, Min: 2, Max: 9}, 0, 2, 9},
		"a larger job":               {workload.Job{Kind: workload.Malleable, Min: 2, Max: 40}, 0, 2, 16},
		"memory beyond the bound":    {workload.Job{Kind: workload.Moldable, Min: 2, Memory: 10}, 4, 3, 16},
		"memory below the bound":     {workload.Job{Kind: workload.Moldable, Min: 4, Memory: 10}, 4, 4, 16},
		"memory that fits exactly":   {workload.Job{Kind: workload.Moldable, Memory: 12}, 4, 3, 16},
		"memory of unbounded nodes":  {workload.Job{Kind: workload.Moldable, Memory: 1e9}, 0, 1, 16},
	} {
		if least, most := c.job.Least(c.nodeMemory), c.job.Most(16); least != c.least || most != c.most {
			t.Errorf("%s: %d to %d nodes, want %d to %d", name, least, most, c.least, c.most)
		}
	}
}

func TestCheck(t *testing.T) {
	good := workload.Job{ID: 7, Kind: workload.Moldable, Nodes: 4, Min: 2, Max: 8, Memory: 3, Work: 10, Run: 3,
		Estimate: 5}
	if err := good.Check(16); err != nil {
		t.Fatal(err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for want, spoil := range map[string]func(j *workload.Job){
		"job 7 is submitted at NaN":                     func(j *workload.Job) { j.Submit = nan },
		"job 7 is submitted at -Inf":                    func(j *workload.Job) { j.Submit = -inf },
		"job 7 asks for 17 of 16 nodes":                 func(j *workload.Job) { j.Nodes = 17 },
		"job 7 asks for -1 of 16 nodes":                 func(j *workload.Job) { j.Nodes = -1 },
		"job 7 asks for 0 of 16 nodes":                  func(j *workload.Job) { j.Kind, j.Nodes = workload.Rigid, 0 },
		"job 7 needs at least 9 nodes, of 8":            func(j *workload.Job) { j.Min = 9 },
		"job 7 needs at least 17 nodes, of 16":          func(j *workload.Job) { j.Min, j.Max = 17, 0 },
		"job 7 has the demand -1 and the run time 3":    func(j *workload.Job) { j.Work = -1 },
		"job 7 has the demand 10 and the run time +Inf": func(j *workload.Job) { j.Run = inf },
		"job 7 has the demand NaN and the run time 3":   func(j *workload.Job) { j.Work = nan },
		"job 7 is expected to run for NaN":              func(j *workload.Job) { j.Estimate = nan },
		"job 7 is expected to run for +Inf":             func(j *workload.Job) { j.Estimate = inf },
		"job 7 may run for NaN":                         func(j *workload.Job) { j.Limit = nan },
		"job 7 needs the memory -1":                     func(j *workload.Job) { j.Memory = -1 },
		"job 7 needs the memory +Inf":                   func(j *workload.Job) { j.Memory = inf },
	} {
		j := good
		spoil(&j)
		if err := j.Check(16); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestShapes: what is assumed of the jobs of a log.
func TestShapes(t *testing.T) {
	log := []joblog.Job{
		{ID: 1, Submit: 30, Run: 100, Processors: 8, Estimate: 200, User: 5, Application: 6},
		{ID: 2, Submit: 10, Run: 50, Processors: -1, RequestedProcessors: 4, Estimate: -1, User: -1, Application: -1},
		{ID: 3, Submit: 20, Run: -1, Processors: 4},
		{ID: 4, Submit: 20, Run: 7, Processors: 64},
		{ID: 5, Submit: 30, Run: 0, Processors: 2},
	}
	jobs, skipped, err := workload.OnMachine(joblog.ListOf(log), 16, workload.Shape{})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Job{
		{ID: 2, User: -1, Application: -1, Submit: 10, Nodes: 4, Run: 50, Work: 200, Requested: -1, Estimate: -1},
		{ID: 1, User: 5, Application: 6, Submit: 30, Nodes: 8, Run: 100, Work: 800, Requested: 200, Estimate: 200},
		{ID: 5, Submit: 30, Nodes: 2},
	}
	if diff := cmp.Diff(want, jobs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"no run time": 1, "more processors than the machine has": 1}, skipped); diff != "" {
		t.Error(diff)
	}
	// With the parallelism that they ran on, jobs run half as long on half of the nodes at best, and longer with sigma.
	sigma := func(i int) float64 { return float64(i) }
	molded, _, err := workload.OnMachine(joblog.ListOf(log), 16, workload.WithParallelism(workload.Moldable, sigma))
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range molded {
		d, ok := j.Speedup.(workload.Downey)
		if !ok || j.Kind != workload.Moldable || d.A != float64(j.Nodes) || j.RunOn(j.Nodes) != jobs[i].Run {
			t.Errorf("job %d: %+v", j.ID, j)
		}
	}
	// The log is read in its order: job 1 is the first, job 2 the second.
	if molded[1].Speedup.(workload.Downey).Sigma != 0 || molded[0].Speedup.(workload.Downey).Sigma != 1 {
		t.Errorf("sigmas %v and %v", molded[1].Speedup, molded[0].Speedup)
	}
}

// TestShapesRefuse: a speedup that says nothing of the nodes of a job cannot tell its demand.
func TestShapesRefuse(t *testing.T) {
	table, err := workload.NewSpeedup("table", 1, 1, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	log := []joblog.Job{{ID: 9, Run: 10, Processors: 8}}
	_, _, err = workload.OnMachine(joblog.ListOf(log), 16, workload.WithSpeedup(workload.Moldable, table))
	var wrong *workload.ParameterError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "says nothing of job 9 on 8 nodes") {
		t.Errorf("%v", err)
	}
	none := errors.New("no speedup is known")
	failing := workload.Shape{Speedup: func(int, int) (workload.Speedup, error) { return nil, none }}
	if _, _, err := workload.OnMachine(joblog.ListOf(log), 16, failing); !errors.Is(err, none) {
		t.Errorf("%v", err)
	}
}

// allJobs reads a source to its end.
func allJobs(s workload.Source) (jobs []workload.Job, err error) {
	for {
		var j workload.Job
		switch err := s.Next(&j); {
		case errors.Is(err, io.EOF):
			return jobs, nil
		case err != nil:
			return nil, err
		}
		jobs = append(jobs, j)
	}
}

// TestSources: lists and functions give jobs, and the end.
func TestSources(t *testing.T) {
	list := []workload.Job{{ID: 1}, {ID: 2}, {ID: 3}}
	got, err := allJobs(workload.Jobs(list))
	if err != nil || !slices.Equal([]int{1, 2, 3}, []int{got[0].ID, got[1].ID, got[2].ID}) || len(got) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if none, err := allJobs(workload.Jobs(nil)); err != nil || len(none) != 0 {
		t.Errorf("of none: %+v, %v", none, err)
	}
	broken := errors.New("broken")
	n := 0
	_, err = allJobs(workload.SourceFunc(func(j *workload.Job) error {
		if n++; n == 3 {
			return broken
		}
		j.ID = n
		return nil
	}))
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if err := workload.Jobs(nil).Next(new(workload.Job)); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	late := &workload.OrderError{ID: 4, Submit: 5, Last: 6.5}
	if late.Error() != "job 4 is submitted at 5, after one submitted at 6.5" {
		t.Error(late)
	}
}

// Three jobs, from 10 to 50, of 60 node-seconds together, on ten nodes: 60/400.
func TestOffer(t *testing.T) {
	log := []joblog.Job{
		{Submit: 10, Run: 5, Processors: 4}, {Submit: 20, Run: 5, Processors: 4}, {Submit: 50, Run: 10, Processors: 2},
	}
	logged := joblog.ListOf(log).All()
	offer, err := workload.OfferOfLog(logged)
	if err != nil {
		t.Fatal(err)
	}
	if want := (workload.Offer{Jobs: 3, NodeTime: 60, First: 10, Last: 50}); offer != want {
		t.Errorf("%+v, want %+v", offer, want)
	}
	if got := offer.Load(10); math.Abs(got-60.0/400) > 1e-15 {
		t.Errorf("load %v", got)
	}
	slow, err := workload.OfferOfLog(joblog.Stretch(logged, 2))
	if err != nil {
		t.Fatal(err)
	}
	if got := slow.Load(10); math.Abs(got-60.0/800) > 1e-15 {
		t.Errorf("load %v after stretching", got)
	}
	jobs, _, err := workload.OnMachine(joblog.ListOf(log), 10, workload.WithSpeedup(workload.Malleable, workload.Amdahl{Serial: 0.5}))
	if err != nil {
		t.Fatal(err)
	}
	if got := workload.OfferOf(jobs); got != offer {
		t.Errorf("malleable jobs of the log offer %+v, the log %+v", got, offer)
	}
	if none := workload.OfferOf(nil); none != (workload.Offer{}) || !math.IsNaN(none.Load(10)) {
		t.Errorf("of none: %+v, load %v", none, none.Load(10))
	}
	if one := workload.OfferOf(jobs[:1]).Load(10); !math.IsInf(one, 1) {
		t.Errorf("of one: load %v", one)
	}
}

// TestRescale: the load that is asked for is reached, the first submission and the order stay.
func TestRescale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := make([]workload.Job, rapid.IntRange(2, 30).Draw(t, "jobs"))
		at := rapid.Float64Range(-1e6, 1e6).Draw(t, "first")
		for i := range jobs {
			work := rapid.Float64Range(0.1, 1e5).Draw(t, "work")
			jobs[i] = workload.Job{ID: i, Kind: workload.Moldable, Submit: at, Work: work}
			at += rapid.Float64Range(0.1, 1e4).Draw(t, "gap")
		}
		before := slices.Clone(jobs)
		nodes, load := rapid.IntRange(1, 1000).Draw(t, "nodes"), rapid.Float64Range(0.01, 5).Draw(t, "load")
		if err := workload.Rescale(jobs, nodes, load); err != nil {
			t.Fatal(err)
		}
		// The span is a difference of two times that are up to 1e8 times as large: eight of sixteen digits are left.
		if got := workload.OfferOf(jobs).Load(nodes); math.Abs(got/load-1) > 1e-7 {
			t.Fatalf("load %v, want %v", got, load)
		}
		if jobs[0].Submit != before[0].Submit {
			t.Fatalf("the first is submitted at %v, was at %v", jobs[0].Submit, before[0].Submit)
		}
		factor := (jobs[1].Submit - jobs[0].Submit) / (before[1].Submit - before[0].Submit)
		for i := range jobs[1:] {
			if jobs[i+1].Submit < jobs[i].Submit || jobs[i].Work != before[i].Work {
				t.Fatalf("job %d", i)
			}
			want := factor * (before[i+1].Submit - before[0].Submit)
			if got := jobs[i+1].Submit - jobs[0].Submit; math.Abs(got-want) > 1e-6*want+1e-6 {
				t.Fatalf("job %d is submitted %v after the first, want %v", i+1, got, want)
			}
		}
	})
}

func TestRescaleRefuses(t *testing.T) {
	two := func() []workload.Job { return []workload.Job{{Work: 1}, {Submit: 10, Work: 1}} }
	for name, c := range map[string]struct {
		jobs []workload.Job
		load float64
	}{
		"no jobs":       {nil, 0.5},
		"one job":       {two()[:1], 0.5},
		"all at once":   {[]workload.Job{{Work: 1}, {Work: 1}}, 0.5},
		"no work":       {[]workload.Job{{}, {Submit: 10}}, 0.5},
		"no load":       {two(), 0},
		"negative load": {two(), -1},
		"endless load":  {two(), math.Inf(1)},
		"NaN":           {two(), math.NaN()},
	} {
		before := slices.Clone(c.jobs)
		if err := workload.Rescale(c.jobs, 4, c.load); err == nil || !cmp.Equal(before, c.jobs) {
			t.Errorf("%s: %v, %+v", name, err, c.jobs)
		}
	}
	if err := workload.Rescale(two(), 0, 0.5); err == nil || !strings.Contains(err.Error(), "0 nodes") {
		t.Errorf("no nodes: %v", err)
	}
}

// TestEstimatesOfADemand: jobs that know their demand and the nodes they ask for are estimated as those of a log.
func TestEstimatesOfADemand(t *testing.T) {
	measured := workload.Job{Nodes: 4, Run: 25, Work: 100}
	demand := workload.Job{Nodes: 4, Work: 100}
	for _, text := range []string{"logged", "actual", "times:2"} {
		e, err := workload.ParseEstimator(text)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := e().Estimate(&measured, 0, nil), e().Estimate(&demand, 0, nil); a != b || a == 0 {
			t.Errorf("%s: %v of what was measured, %v of a demand", text, a, b)
		}
	}
}

func TestKinds(t *testing.T) {
	for k, want := range map[workload.Kind]string{workload.Rigid: "rigid", workload.Moldable: "moldable",
		workload.Malleable: "malleable", 7: "kind 7"} {
		if k.String() != want {
			t.Errorf("%v, want %s", k, want)
		}
	}
}

// Jobs of a log can be run again on another number of nodes if a speedup is assumed.
func ExampleOnMachine() {
	log := []joblog.Job{{ID: 1, Run: 3600, Processors: 8}, {ID: 2, Submit: 600, Run: 1800, Processors: 4}}
	jobs, _, err := workload.OnMachine(joblog.ListOf(log), 16, workload.WithSpeedup(workload.Malleable, workload.Amdahl{Serial: 0.1}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range jobs {
		fmt.Printf("job %d: %.0f s on the %d nodes of the log, %.0f s on 16\n", j.ID, j.RunOn(j.Nodes), j.Nodes, j.RunOn(16))
	}
	fmt.Printf("load %.3f\n", workload.OfferOf(jobs).Load(16))
	if err := workload.Rescale(jobs, 16, 0.7); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("load %.3f, the second job now comes after %.0f s\n", workload.OfferOf(jobs).Load(16), jobs[1].Submit)
	// Output:
	// job 1: 3600 s on the 8 nodes of the log, 2647 s on 16
	// job 2: 1800 s on the 4 nodes of the log, 865 s on 16
	// load 3.750
	// load 0.700, the second job now comes after 3214 s
}
