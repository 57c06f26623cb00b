package replay_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// TestSample: weeks that are drawn from a long log give the break-evens, the worth and the variations of the whole log, within their intervals.
// Half widths of ratios are at most 2 %, or a tenth wider than those of the whole log.
func TestSample(t *testing.T) {
	needs.Study(t, "replays 150,000 jobs a hundred times")
	random := rand.New(rand.NewPCG(3, 4))
	var jobs []joblog.Job
	at := 0.0
	for range 150_000 {
		at += 250 * random.ExpFloat64()
		run := 1200 * random.ExpFloat64()
		jobs = append(jobs, joblog.Job{Submit: at, Run: run, Processors: 1 << random.IntN(5), Estimate: 2 * run})
	}
	log := chosen(t, jobs, 48)
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}, policy.EASYMalleable{}}, Shares: []float64{0.2}, Assumptions: replay.Usual()}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := study.DrawSample(t.Context(), 0, runs)
	if err != nil || sample == nil {
		t.Fatalf("no weeks are drawn: %v", err)
	}
	t.Logf("%d of %d weeks, %d jobs", sample.Weeks, sample.Of, sample.Log.Offer.Jobs)
	in := study
	in.Sample, in.Policies = sample, study.Policies[1:]
	study.Policies = in.Policies
	whole, err := study.Variations(t.Context(), 0, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	weeks, err := in.Variations(t.Context(), 0, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	everyFlip(t, whole)
	for i := range whole {
		a, b := whole[i].Run.Ratio(), weeks[i].Run.Ratio()
		if far := math.Abs(math.Log(a.Mean / b.Mean)); far > 2*b.HalfWidth/b.Mean {
			t.Errorf("%s %s: %v in the weeks, %v in the log", whole[i].Setting, whole[i].Value, b, a)
		}
	}
	costs, err := study.Breakevens(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sampled, err := in.Breakevens(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range costs {
		a, b := costs[i].ResizeCost, sampled[i].ResizeCost
		t.Logf("%g malleable: break-even %.0f (%.0f to %.0f) s in the weeks, %.0f (%.0f to %.0f) s in the log", costs[i].Share, b.Mean, b.Low, b.High,
			a.Mean, a.Low, a.High)
		if math.Abs(b.Mean/a.Mean-1) > 0.1 {
			t.Errorf("%g malleable: break-even at %g s in the weeks, at %g s in the log", costs[i].Share, b.Mean, a.Mean)
		}
	}
}

// TestShortLogsAreWhole: no weeks are drawn from a log of a few thousand jobs, or without a begin and an end.
func TestShortLogsAreWhole(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.2)
	study.Loads = nil
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if sample, err := study.DrawSample(t.Context(), 0, runs); err != nil || sample != nil {
		t.Errorf("weeks of a short log: %v, %v", sample, err)
	}
	if sample, err := study.DrawSample(t.Context(), 0, nil); err != nil || sample != nil {
		t.Errorf("weeks without runs: %v, %v", sample, err)
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
	if sample, err := study.DrawSample(t.Context(), 1, study.Runs()); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "load" {
		t.Errorf("sample %v, error %v", sample, err)
	}
	runs := study.Runs()
	study.Loads = nil
	if sample, err := study.DrawSample(t.Context(), 1, runs); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "load" {
		t.Errorf("sample %v, error %v for runs at another load", sample, err)
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
	if sample, err := study.DrawSample(t.Context(), 1, study.Runs()); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "nodes" {
		t.Errorf("sample %v, error %v", sample, err)
	}
	runs := study.Runs()
	study.Nodes = nil
	if sample, err := study.DrawSample(t.Context(), 1, runs); sample != nil || !errors.As(err, &wrong) || wrong.Setting != "nodes" {
		t.Errorf("sample %v, error %v for runs on other nodes", sample, err)
	}
	study.Sample = new(replay.Sample)
	study.Nodes = []int{own, 2 * own}
	if err := study.Check(); !errors.As(err, &wrong) || wrong.Setting != "nodes" {
		t.Errorf("a study with a sample and more nodes: %v", err)
	}
}

// TestForetellInWeeks: in the weeks of a sample, the effect of the load on a run is the same whatever other runs the sample has: with another
// cost of a resize, or without EASY.
func TestForetellInWeeks(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.5)
	study.Loads, study.Costs = nil, []replay.Cost{{Name: "0s"}, {Name: "30min", Seconds: 1800}}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	free, slow, easy := runs[0], runs[1], runs[2]
	var first [2]replay.Forecast
	for i, whole := range [][]*replay.Run{{slow, easy}, {free, slow, easy}, {slow}, {free}} {
		in := study
		if in.Sample, err = replay.SampleOf(t.Context(), &study, []int{0, 1}, whole); err != nil {
			t.Fatal(err)
		}
		if err := in.Foretell(t.Context(), 0, []*replay.Run{slow}); err != nil {
			t.Fatal(err)
		}
		ratio, response := slow.Forecasts()
		if i == 0 {
			first = [2]replay.Forecast{ratio, response}
		}
		if ratio != first[0] || response != first[1] || !(response.ForecastLow < response.SameLoadLow) {
			t.Errorf("sample %d: ratio %+v, response time %+v", i, ratio, response)
		}
	}
}
