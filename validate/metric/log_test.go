package metric_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// rigid returns a job that ran on the nodes that it asked for.
func rigid(id int, submit float64, nodes int, run float64) workload.Job {
	return workload.Job{ID: id, Submit: submit, Nodes: nodes, Run: run, Work: run * float64(nodes)}
}

// records returns what becomes of jobs on a machine.
func records(t testing.TB, c machine.Config, jobs []workload.Job) []machine.Record {
	t.Helper()
	var all []machine.Record
	c.Jobs, c.Done = machine.List(jobs), func(r *machine.Record) { all = append(all, *r) }
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
	return all
}

// logOf returns a log of records.
func logOf(nodes int, date func(float64) time.Time, records []machine.Record) *metric.Log {
	l := metric.NewLog(metric.Machine{Nodes: nodes}, date)
	for i := range records {
		l.Add(&records[i])
	}
	return l
}

// some returns the measures that are in both maps.
func some(v metric.Values, in map[string]float64) map[string]float64 {
	found := map[string]float64{}
	for name := range in {
		if x, ok := v[name]; ok {
			found[name] = x
		}
	}
	return found
}

// february returns the date of a second of a log whose 100th begins a month.
func february(seconds float64) time.Time {
	start := time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC).Add(-100 * time.Second)
	return start.Add(time.Duration(math.Floor(seconds)) * time.Second)
}

// Three jobs on ten nodes around the first of a month, which is at 100: the second waits for the first, the third is
// short.
func TestLog(t *testing.T) {
	jobs := []workload.Job{rigid(1, 0, 10, 120), rigid(2, 20, 5, 100), rigid(3, 110, 5, 2)}
	jobs[2].Estimate = 10
	l := logOf(10, february, records(t, machine.Config{Nodes: 10, Policy: policy.FCFS{}}, jobs))
	near := cmpopts.EquateApprox(1e-12, 0)
	// Responses 120, 200, 12; waits 0, 100, 10; bounded slowdowns 1, 2, 12/10, slowdowns 1, 2, 12/2; 1710 of 2200
	// node-seconds.
	want := map[string]float64{measure.MeanResponseTime: 332. / 3, measure.MeanWaitingTime: 110. / 3,
		measure.MeanBoundedSlowdown: 4.2 / 3, measure.MeanSlowdown: 9. / 3, measure.Utilization: 1710. / 2200,
		measure.OfferedLoad: 1710. / 1100, measure.Efficiency: 1}
	if diff := cmp.Diff(want, some(l.Measures(), want), near); diff != "" {
		t.Error(diff)
	}
	// The first job held ten nodes for 100 s of January and 20 s of February.
	months := []struct {
		from time.Time
		jobs int
		want map[string]float64
	}{
		{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 2, map[string]float64{measure.MeanResponseTime: 160,
			measure.MeanWaitingTime: 50, measure.MeanBoundedSlowdown: 1.5, measure.Utilization: 1,
			measure.OfferedLoad: 1700. / 1000, measure.Efficiency: 1, measure.UsefulUtilization: 1}},
		{time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC), 1, map[string]float64{measure.MeanResponseTime: 12,
			measure.MeanWaitingTime: 10, measure.MeanBoundedSlowdown: 1.2, measure.Utilization: 710. / 1200,
			measure.OfferedLoad: 10. / 100, measure.Efficiency: 1, measure.UsefulUtilization: 710. / 1200}},
	}
	found := l.Months()
	if len(found) != len(months) {
		t.Fatalf("%d months", len(found))
	}
	for i, m := range months {
		if !found[i].From.Equal(m.from) || found[i].Jobs != m.jobs {
			t.Errorf("month %d: %v with %d jobs", i, found[i].From, found[i].Jobs)
		}
		if diff := cmp.Diff(m.want, some(found[i].Values, m.want), near); diff != "" {
			t.Errorf("month %d: %s", i, diff)
		}
	}
	if wait, _ := l.Intervals(0.9); !math.IsInf(wait.HalfWidth, 1) {
		t.Errorf("an interval of three jobs: %+v", wait)
	}
	if l.Jobs() != 3 || logOf(10, nil, nil).Months() != nil {
		t.Errorf("%d jobs; months of a log without dates: %v", l.Jobs(), logOf(10, nil, nil).Months())
	}
}

// Months begin with whole seconds, also if the first that happens in one is the start of a job within a second: a job
// that runs across the turn of the month is counted in the same months as those that came before it.
func TestMonthsOfFractionsOfSeconds(t *testing.T) {
	l := logOf(1, february, []machine.Record{
		{Job: rigid(1, 90, 1, 5), Start: 100.75, End: 105.75, Held: 1, Busy: 5, Useful: 5, Promised: math.NaN()},
		{Job: rigid(2, 80, 1, 20.75), Start: 80, End: 100.75, Held: 1, Busy: 20.75, Useful: 20.75, Promised: math.NaN()},
		{Job: rigid(3, 100, 1, 4.25), Start: 105.75, End: 110, Held: 1, Busy: 4.25, Useful: 4.25, Promised: math.NaN()},
	})
	months := l.Months()
	if len(months) != 2 || months[0].Jobs != 2 || months[1].Jobs != 1 {
		t.Fatalf("%+v", months)
	}
	for _, m := range months {
		if m.Values[measure.Utilization] != 1 {
			t.Errorf("%v: utilization %v", m.From, m.Values[measure.Utilization])
		}
	}
}

// Jobs that end very late are counted where jobs were submitted, and nowhere else: that takes no time.
func TestMonthsOfLongJobs(t *testing.T) {
	date := func(seconds float64) time.Time { return time.Unix(int64(seconds), 0) }
	l := logOf(2, date, []machine.Record{
		{Job: rigid(1, 100, 1, 1e10), Start: 100, End: 1e10 + 100, Held: 1, NodeTime: 1e10, Busy: 1e10, Useful: 1e10, Promised: math.NaN()},
		{Job: rigid(2, 100, 1, 1e10), Start: 1e10 + 100, End: 1e18, Held: 1, NodeTime: 1e18, Busy: 1e18, Useful: 1e18, Promised: math.NaN()},
	})
	if months := l.Months(); len(months) != 1 || months[0].Jobs != 2 || months[0].Values[measure.Utilization] != 0.5 {
		t.Errorf("%+v", months)
	}
}

// TestIntervals: the means are those of all jobs, and the intervals cover the expected ones as often as they say. Of jobs that all
// run for 100 s the slowdown is 1 + wait/100 s.
func TestIntervals(t *testing.T) {
	const logs, jobs, truth = 400, 500, 30
	random := rand.New(rand.NewPCG(1, 2))
	covered := 0
	for range logs {
		l := metric.NewLog(metric.Machine{Nodes: 1}, nil)
		for i := range jobs {
			start := truth * random.ExpFloat64()
			l.Add(&machine.Record{Job: rigid(i, 0, 1, 100), Number: i, Start: start, End: start + 100, Held: 1, Promised: math.NaN()})
		}
		wait, slowdown := l.Intervals(0.9)
		if all := l.Measures(); wait.Mean != all[measure.MeanWaitingTime] || slowdown.Mean != all[measure.MeanBoundedSlowdown] {
			t.Fatalf("means %v and %v, measures %v", wait.Mean, slowdown.Mean, all)
		}
		if math.Abs(slowdown.StdErr/wait.StdErr-0.01) > 1e-9 { // of sums of 500 numbers, rounding
			t.Fatalf("waiting time %+v, slowdown %+v", wait, slowdown)
		}
		if wait.Low <= truth && truth <= wait.High {
			covered++
		}
	}
	// Of 400 intervals of 90 % some 360 cover, with a standard deviation of 6.
	if covered < 335 || covered > 385 {
		t.Errorf("%d of %d intervals cover the mean", covered, logs)
	}
}

// TestPositiveIntervals: intervals of positive means stay above 0, and cover the mean of skewed times at least as often as
// intervals that are symmetric about it, for lognormal times whose coefficient of variation is 4.
func TestPositiveIntervals(t *testing.T) {
	const logs, parts = 2000, 16
	const sigma = 1.683 // √log(1 + 4²)
	truth := math.Exp(sigma * sigma / 2)
	random := rand.New(rand.NewPCG(3, 4))
	symmetric, positive := 0, 0
	mean := func(x []float64) float64 { return x[0] / x[1] }
	for range logs {
		var sums [][]float64
		for range parts {
			sum := []float64{0, 5}
			for range 5 {
				sum[0] += math.Exp(sigma * random.NormFloat64())
			}
			sums = append(sums, sum)
		}
		a, b := metric.Jackknife(sums, mean, 0.9), metric.JackknifePositive(sums, mean, 0.9)
		if !(b.Low > 0) || b.Mean != a.Mean || math.Abs((b.High-b.Low)/2-b.HalfWidth) > 1e-12*b.High {
			t.Fatalf("%+v, symmetric %+v", b, a)
		}
		if a.Low <= truth && truth <= a.High {
			symmetric++
		}
		if b.Low <= truth && truth <= b.High {
			positive++
		}
	}
	// Means of 80 such times are skewed, so that both cover less than 90 %; a share has a standard deviation of 0.9 %.
	t.Logf("of %d intervals of 90 %%, %d cover, and %d of the symmetric ones", logs, positive, symmetric)
	if positive < symmetric || positive < 81*logs/100 {
		t.Errorf("of %d intervals, %d cover, and %d of the symmetric ones", logs, positive, symmetric)
	}
	none := metric.JackknifePositive([][]float64{{0, 1}, {0, 1}, {3, 1}}, mean, 0.9)
	if none.Low != 0 || !(none.High > 1) {
		t.Errorf("an interval whose mean is 0 without the last part: %+v", none)
	}
}

func TestPromises(t *testing.T) {
	l := metric.NewLog(metric.Machine{Nodes: 1}, nil)
	for _, promised := range []float64{math.NaN(), 5, 4.5, 7} {
		l.Add(&machine.Record{Job: rigid(1, 0, 1, 1), Start: 5, End: 6, Held: 1, Promised: promised})
	}
	if made, broken := l.Promises(); made != 3 || broken != 1 {
		t.Errorf("%d promised, %d broken", made, broken)
	}
}

func TestMerge(t *testing.T) {
	a := metric.Values{measure.MeanResponseTime: 10, measure.MeanSlowdown: 3}
	a.Merge(metric.Values{measure.MeanResponseTime: 20, measure.MeanSlowdown: 5}, 2)
	a.Merge(metric.Values{measure.MeanResponseTime: 60, measure.MeanSlowdown: 7}, 3)
	if diff := cmp.Diff(metric.Values{measure.MeanResponseTime: 30, measure.MeanSlowdown: 5}, a); diff != "" {
		t.Error(diff)
	}
}

// In Paraguay October 2017 had no midnight at its begin: clocks went from 30 September, 23:59, to 1 October, 1:00. Each
// month has its own job.
func TestMonthsWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Asuncion")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2017, 9, 30, 23, 0, 0, 0, zone)
	date := func(seconds float64) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	l := logOf(1, date, []machine.Record{
		{Job: rigid(1, 0, 1, 3600), Start: 0, End: 3600, Held: 1, Busy: 3600, Useful: 3600, Promised: math.NaN()},
		{Job: rigid(2, 3600, 1, 1800), Start: 3600, End: 5400, Held: 1, Busy: 1800, Useful: 1800, Promised: math.NaN()},
		{Job: rigid(3, 31*86400, 1, 7200), Start: 31 * 86400, End: 31*86400 + 7200, Held: 1, Busy: 7200, Useful: 7200, Promised: math.NaN()},
	})
	months := l.Months()
	if len(months) != 3 {
		t.Fatalf("%d months: %v", len(months), months)
	}
	for i, m := range months {
		if want := time.Month(9 + i); m.From.Month() != want || m.Jobs != 1 {
			t.Errorf("a month begins at %v, in place of %v, with %d jobs", m.From, want, m.Jobs)
		}
	}
}
