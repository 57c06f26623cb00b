package replay_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// weekly returns jobs of so many weeks. The number of jobs of a week depends on the week before, so that a few busy weeks
// have most of the waiting. between is the mean time between jobs in seconds.
func weekly(random *rand.Rand, weeks int, between float64) (jobs []joblog.Job) {
	const week = 7 * 86400.0
	at, level := 0.0, 0.0
	for n := range weeks {
		level = 0.5*level + 0.1*random.NormFloat64()
		for at < week*float64(n+1) {
			run := 2 * between * math.Exp(random.NormFloat64()-0.5)
			jobs = append(jobs, joblog.Job{Submit: at, Run: run, Processors: 1 << random.IntN(4), Estimate: 2 * run})
			at += between * math.Exp(-level) * random.ExpFloat64()
		}
	}
	return jobs
}

// TestSearchInWeeks: the worth in nodes that is searched in some weeks of a log is that of the whole log, with its interval,
// whichever weeks these are.
func TestSearchInWeeks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	log := chosen(t, weekly(random, 16, 2000), 12)
	study, runs := searchedWhole(t, log)
	for range 6 {
		sample, err := replay.SampleOf(log, random.Perm(16)[:3])
		if err != nil {
			t.Fatal(err)
		}
		worthInSample(t, study, runs, sample)
	}
}

// TestSearchOfLongLog: searches of a log of 240,000 jobs find the break-evens and the worth in nodes that replays near every
// crossing find.
func TestSearchOfLongLog(t *testing.T) {
	needs.Study(t, "replays 240,000 jobs a hundred times")
	log := chosen(t, weekly(rand.New(rand.NewPCG(3, 4)), 50, 125), 12)
	study, runs := searchedWhole(t, log)
	sample, err := study.DrawSample(runs[0])
	if err != nil || sample == nil {
		t.Fatalf("no weeks are taken: %v", err)
	}
	t.Logf("%d of %d weeks, %d of %d jobs", sample.Weeks, sample.Of, sample.Log.Offer.Jobs, log.Offer.Jobs)
	worthInSample(t, study, runs, sample)
	fewBreakevens(t, study, runs, sample)
}

// searchedWhole returns the study of two shares of malleable jobs of a log, and its runs with their worth in nodes.
func searchedWhole(t *testing.T, log *replay.Log) (*replay.Study, []*replay.Run) {
	t.Helper()
	study := &replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}, policy.EASYMalleable{}}, Shares: []float64{0.2, 1},
		Assumptions: replay.Usual()}
	runs, err := study.Run(t.Context(), 0)
	if err == nil {
		err = study.WorthInNodes(t.Context(), 0, runs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return study, runs
}

// worthInSample compares the worth in nodes of runs with the worth that is searched in a sample.
func worthInSample(t *testing.T, study *replay.Study, runs []*replay.Run, sample *replay.Sample) {
	t.Helper()
	in := *study
	in.Sample, in.Known = sample, runs
	again := make([]*replay.Run, len(runs))
	for i, run := range runs {
		copied := *run
		again[i] = &copied
	}
	if err := in.WorthInNodes(t.Context(), 0, again); err != nil {
		t.Fatal(err)
	}
	for i, run := range again {
		t.Logf("%g malleable: worth %v, %v in the log", run.Share, run.Worth.Nodes, runs[i].Worth.Nodes)
		alike(t, "worth", runs[i].Worth.Nodes, run.Worth.Nodes, 0.5)
	}
}

// fewBreakevens compares break-evens from few replays with those from replays at every cost near the crossings, wherever the
// search begins.
func fewBreakevens(t *testing.T, study *replay.Study, runs []*replay.Run, sample *replay.Sample) {
	t.Helper()
	costs, err := study.Breakevens(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []float64{0, 60, 3840} {
		few := *study
		few.Sample, few.Known, few.Cost = sample, runs, replay.Cost{Name: "first", Seconds: first}
		found, err := few.Breakevens(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range costs {
			a, b := costs[i].ResizeCost, found[i].ResizeCost
			t.Logf("from %g s, %g malleable: break-even %.0f (%.0f to %.0f) s from %d replays, %.0f (%.0f to %.0f) s from %d replays", first, costs[i].Share,
				b.Mean, b.Low, b.High, len(found[i].Replays), a.Mean, a.Low, a.High, len(costs[i].Replays))
			alike(t, "break-even", a, b, 0)
			if most := 12; len(found[i].Replays) > most {
				t.Errorf("%g malleable: the log is replayed at %d costs, expected at most %d", costs[i].Share, len(found[i].Replays), most)
			}
		}
	}
}

// alike reports values of two intervals that differ by more than a tenth of the length of the first, and by more than the
// given distance. Nodes are whole, so that half a node is between two numbers that can be replayed.
func alike(t *testing.T, what string, a, b metric.Interval, distance float64) {
	t.Helper()
	for k, pair := range [][2]float64{{a.Mean, b.Mean}, {a.Low, b.Low}, {a.High, b.High}} {
		if x, y := pair[0], pair[1]; x != y && !(math.Abs(x-y) <= max(distance, (a.High-a.Low)/10)) {
			t.Errorf("%s: value %d is %g, from the whole log %g with %v", what, k, y, x, a)
		}
	}
}

// TestShortLogsAreWhole: no weeks are taken from a log of a few thousand jobs, or without a begin and an end.
func TestShortLogsAreWhole(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.2)
	study.Loads = nil
	for _, log := range []*replay.Log{study.Log, chosen(t, []joblog.Job{{Run: 1, Processors: 1}, {Run: 1, Processors: 1}}, 1)} {
		study.Log = log
		runs, err := study.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if sample, err := study.DrawSample(runs[0]); err != nil || sample != nil {
			t.Errorf("weeks of a log of %d jobs: %v, %v", log.Offer.Jobs, sample, err)
		}
	}
}

// TestWeeksWithoutJobs: weeks without jobs are not taken.
func TestWeeksWithoutJobs(t *testing.T) {
	jobs := weekly(rand.New(rand.NewPCG(1, 2)), 12, 33) // 220,000 jobs
	for i := range jobs {
		if i > 0 {
			jobs[i].Submit += 500 * 7 * 86400
		}
	}
	study := replay.Study{Log: chosen(t, jobs, 12), Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual(), Brief: true}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := study.DrawSample(runs[0])
	if err != nil || sample == nil {
		t.Fatalf("sample %v, error %v", sample, err)
	}
	if sample.Of > 13 || sample.Log.Offer.Jobs < 10_000 {
		t.Errorf("%d jobs in %d of %d weeks", sample.Log.Offer.Jobs, sample.Weeks, sample.Of)
	}
}

// TestTypicalWeeks: the weeks of a sample are different weeks of the log, with about the mean response time of all weeks.
func TestTypicalWeeks(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		response, mean := make([]float64, 60), 0.0
		for k := range response {
			response[k] = math.Exp(0.7 * random.NormFloat64())
			mean += response[k] / 60
		}
		slices.Sort(response)
		taken, typical := replay.TypicalWeeks(15, response), 0.0
		if n := len(slices.Compact(slices.Sorted(slices.Values(taken)))); n != 15 {
			t.Fatalf("%d different weeks in %v", n, taken)
		}
		for _, k := range taken {
			typical += response[k] / 15
		}
		if math.Abs(typical/mean-1) > 0.1 {
			t.Errorf("the weeks have a mean of %g, all weeks of %g", typical, mean)
		}
	}
}

// TestSampleOfPools: the weeks of a log keep the jobs of each pool, at the same hours of the week, and their number.
func TestSampleOfPools(t *testing.T) {
	log, err := packed(t, "slurm-a.txt.gz", 42).InPools()
	if err != nil {
		t.Fatal(err)
	}
	in, err := replay.OfWeeks(log, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	jobs := 0
	for i, p := range in.Pools.List {
		if whole := log.Pools.List[i]; p.Name != whole.Name || p.Nodes != whole.Nodes || p.Jobs > whole.Jobs {
			t.Errorf("pool %+v of a week, of %+v", p, whole)
		}
		jobs += p.Jobs
	}
	if jobs != in.Offer.Jobs || jobs == 0 || jobs >= log.Offer.Jobs || in.Offer.Last-in.Offer.First > 7*86400 {
		t.Errorf("%d of %d jobs in a week of %g days", jobs, log.Offer.Jobs, (in.Offer.Last-in.Offer.First)/86400)
	}
}

// TestSampleStandsForTheLoadOfTheLog: runs at another load have no sample, because the runs of a sample have the load of the log.
func TestSampleStandsForTheLoadOfTheLog(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{})
	study.Loads = []float64{0.5}
	var wrong *replay.SettingError
	runs := study.Runs()
	if sample, err := study.DrawSample(runs[0]); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "load" {
		t.Errorf("sample %v, error %v", sample, err)
	}
	study.Loads = nil
	if sample, err := study.DrawSample(runs[0]); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "load" {
		t.Errorf("sample %v, error %v for a run at another load", sample, err)
	}
	study.Sample = new(replay.Sample)
	study.Loads = []float64{0.5}
	if err := study.Check(); !errors.As(err, &wrong) || wrong.Setting != "load" {
		t.Errorf("a study with a sample and a load: %v", err)
	}
	study.Loads = nil
	if err := study.WorthInNodes(t.Context(), 1, runs); err == nil {
		t.Error("the worth of runs at another load was found from a sample")
	}
}

// TestSampleStandsForTheMachineOfTheLog: runs on other numbers of nodes have no sample, because the sample compares the
// weeks with EASY on the nodes of the log.
func TestSampleStandsForTheMachineOfTheLog(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{})
	study.Loads = nil
	own := study.Log.Nodes
	study.Nodes = []int{own, 2 * own}
	var wrong *replay.SettingError
	runs := study.Runs()
	if sample, err := study.DrawSample(runs[0]); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "nodes" {
		t.Errorf("sample %v, error %v", sample, err)
	}
	study.Nodes = nil
	if sample, err := study.DrawSample(runs[1]); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "nodes" {
		t.Errorf("sample %v, error %v for a run on other nodes", sample, err)
	}
	study.Sample = new(replay.Sample)
	study.Nodes = []int{own, 2 * own}
	if err := study.Check(); !errors.As(err, &wrong) || wrong.Setting != "nodes" {
		t.Errorf("a study with a sample and more nodes: %v", err)
	}
}

// TestForetellInWeeks: in the weeks of a sample, the effect of the load on a run is the same whatever other runs are
// foretold.
func TestForetellInWeeks(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.5)
	study.Loads, study.Costs = nil, []replay.Cost{{Name: "0s"}, {Name: "30min", Seconds: 1800}}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	in := study
	if in.Sample, err = replay.SampleOf(study.Log, []int{0, 1}); err != nil {
		t.Fatal(err)
	}
	slow := runs[1]
	var first [2]replay.Forecast
	for i, of := range [][]*replay.Run{{slow}, runs} {
		if err := in.Foretell(t.Context(), 0, of); err != nil {
			t.Fatal(err)
		}
		ratio, response := slow.Forecasts()
		if i == 0 {
			first = [2]replay.Forecast{ratio, response}
		}
		if ratio != first[0] || response != first[1] || !(response.ForecastLow < response.SameLoadLow) {
			t.Errorf("ratio %+v, response time %+v beside %d runs", ratio, response, len(of))
		}
	}
}
