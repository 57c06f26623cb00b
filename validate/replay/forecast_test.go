package replay_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// drawn returns jobs of Lublin's model on 64 nodes at a load of 0.7.
func drawn(t *testing.T, seed uint64, n int) []joblog.Job {
	t.Helper()
	jobs, err := replay.Lublin(rand.New(rand.NewPCG(seed, 0)), 64, n)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// TestForecasts: forecasts lie around the interval of the log, and that of another load is the wider one.
func TestForecasts(t *testing.T) {
	study := sacctStudy(t)
	study.Log, study.Loads = chosen(t, drawn(t, 1, 2000), 64), []float64{0, 0.9}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, response := runs[0].Forecasts(); response.ForecastHigh != response.SameLoadHigh {
		t.Errorf("another load is foretold without a replay of it: %+v", response)
	}
	if err := study.Foretell(t.Context(), 0, runs); err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		ratio, response := run.Forecasts()
		if ratio.Mean != run.Ratio().Mean || response.Mean != run.Measures[measure.MeanResponseTime] {
			t.Errorf("%v at %g: the means are %g and %g", run.Policy, run.Load, ratio.Mean, response.Mean)
		}
		checkIntervals(t, run)
		for name, f := range map[string]replay.Forecast{"ratio": ratio, "response": response} {
			if f.HalfWidth == 0 { // EASY against itself
				continue
			}
			if math.IsInf(f.HalfWidth, 0) || math.IsInf(f.ForecastHigh, 0) || !(f.SameLoadLow < f.Low && f.High < f.SameLoadHigh) {
				t.Errorf("%v at %g: %s %+v", run.Policy, run.Load, name, f)
			}
			if run.Load > 0 != (f.ForecastLow == f.SameLoadLow) || f.ForecastLow > f.SameLoadLow || f.ForecastHigh < f.SameLoadHigh {
				t.Errorf("%v at %g: %s %+v", run.Policy, run.Load, name, f)
			}
		}
	}
}

// checkIntervals expects intervals about the measures.
func checkIntervals(t *testing.T, run *replay.Run) {
	t.Helper()
	response, wait, slowdown := run.Intervals()
	for name, e := range map[string]metric.Interval{measure.MeanResponseTime: response, measure.MeanWaitingTime: wait,
		measure.MeanBoundedSlowdown: slowdown} {
		if e.Mean != run.Measures[name] || !math.IsInf(e.HalfWidth, 1) && !(e.Low < e.Mean && e.Mean < e.High) {
			t.Errorf("%v at %g: %s is %v, %+v", run.Policy, run.Load, name, run.Measures[name], e)
		}
	}
}

// TestNoForecast: of ten jobs nothing is foretold.
func TestNoForecast(t *testing.T) {
	study := sacctStudy(t)
	few, err := study.Log.First(10)
	if err != nil {
		t.Fatal(err)
	}
	study.Log = few
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []replay.Forecast{first(runs[0].Forecasts()), second(runs[0].Forecasts())} {
		if !math.IsInf(f.HalfWidth, 1) || f.ForecastLow != 0 || !math.IsInf(f.ForecastHigh, 1) {
			t.Errorf("%+v", f)
		}
	}
}

// TestIntervalsOfReplications: the means are those over several replications, and have no intervals.
func TestIntervalsOfReplications(t *testing.T) {
	study := sacctStudy(t)
	estimates, err := workload.ParseEstimator("uniform:5")
	if err != nil {
		t.Fatal(err)
	}
	study.Replications, study.Estimates = 2, estimates
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		checkIntervals(t, run)
		if _, wait, _ := run.Intervals(); !math.IsInf(wait.HalfWidth, 1) {
			t.Errorf("%v: %+v", run.Policy, wait)
		}
	}
}

// TestPartsOfReplicationsAddUp: the sizes and the groups of jobs have means over the replications, as all jobs have.
func TestPartsOfReplicationsAddUp(t *testing.T) {
	study := sacctStudy(t)
	estimates, err := workload.ParseEstimator("uniform:5")
	if err != nil {
		t.Fatal(err)
	}
	study.Replications, study.Estimates = 3, estimates
	if study.Groupings, err = study.Log.Groupings(logstats.BySize); err != nil || len(study.Groupings) == 0 {
		t.Fatalf("no groups: %v", err)
	}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		sizes, groups := 0.0, 0.0
		for _, s := range run.Sizes {
			sizes += float64(s.Jobs) * s.MeanResponse() / float64(run.Jobs)
		}
		for _, g := range run.Groups[0].Groups {
			groups += float64(g.Jobs) * g.MeanResponseTime / float64(run.Jobs)
		}
		if all := run.Measures[measure.MeanResponseTime]; math.Abs(sizes-all) > 1e-9*all || math.Abs(groups-all) > 1e-9*all {
			t.Errorf("%v: mean response time %v, of all sizes %v, of all groups %v", run.Policy, all, sizes, groups)
		}
	}
}

func first(f, _ replay.Forecast) replay.Forecast  { return f }
func second(_, f replay.Forecast) replay.Forecast { return f }
