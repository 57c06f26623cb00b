package logmodel

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/logstats"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

const hour = 3600.0

// made returns the jobs of a log of so many weeks: one an hour on average, Poisson, three times as many by day as by
// night, and exponential works with a mean of an hour.
func made(weeks int) []workload.Job {
	stream := des.Seed(7).Stream()
	var jobs []workload.Job
	for t := stream.Exp() * hour / 1.5; t < float64(weeks)*perWeek*hour; t += stream.Exp() * hour / 1.5 {
		if day := math.Mod(t/hour, hours) < 12; !day && stream.Float64() > 1.0/3 {
			continue
		}
		jobs = append(jobs, workload.Job{ID: len(jobs) + 1, Submit: t, Kind: workload.Malleable, Work: stream.Exp() * hour})
	}
	return jobs
}

// Clock undoes Operational, weeks are as long in either, and the hours of the day are found.
func TestCycle(t *testing.T) {
	var times []float64
	for _, j := range made(40) {
		times = append(times, j.Submit)
	}
	c := newCycle(times, hour)
	for _, at := range []float64{0, 1, 1234.5, 11.5 * hour, 12 * hour, 167.99 * hour, 168 * hour, 1000 * hour} {
		if back := c.Clock(c.Operational(at)); math.Abs(back-at) > 1e-6 {
			t.Errorf("%g becomes %g", at, back)
		}
	}
	if week := c.Operational(perWeek * hour); math.Abs(week-perWeek*hour) > 1e-6 {
		t.Errorf("a week takes %g s", week)
	}
	day, night := 0.0, 0.0
	for h := range perWeek {
		if h%hours < 12 {
			day += c.Rate(h)
		} else {
			night += c.Rate(h)
		}
	}
	if ratio := day / night; math.Abs(ratio-3) > 0.2 { // some 6,700 jobs: four standard errors are .2
		t.Errorf("%.2f times as many by day", ratio)
	}
}

// A level has the mean 1, the deviation asked for, and, in windows of one week and of four, the variances that it was made
// of.
func TestLevel(t *testing.T) {
	const week = perWeek * hour
	s := levelOf(0.03, 0.02, week)
	stream := des.Seed(1).Stream()
	const weeks = 40_000
	p := s.path(0, weeks*week, &stream)
	mean := make([]float64, weeks)
	for i, from := range p.at {
		to := weeks * week
		if i+1 < len(p.at) {
			to = p.at[i+1]
		}
		for from < to {
			w := int(from/week + 1e-9)
			end := min(to, float64(w+1)*week)
			if w < weeks {
				mean[w] += p.level[i] * (end - from) / week
			}
			from = end
		}
	}
	for _, c := range []struct {
		weeks int
		want  float64
	}{{1, 0.03}, {4, 0.02}} {
		var sum, square float64
		n := weeks / c.weeks
		for i := range n {
			x := 0.0
			for k := range c.weeks {
				x += mean[i*c.weeks+k] / float64(c.weeks)
			}
			sum += x
			square += x * x
		}
		m := sum / float64(n)
		v := square/float64(n) - m*m
		if math.Abs(m-1) > 0.02 || math.Abs(v/c.want-1) > 0.1 { // some 5,000 correlation times: four standard errors
			t.Errorf("windows of %d weeks: mean %.4f, variance %.4f, want %.4f", c.weeks, m, v, c.want)
		}
	}
}

// A model of a log without bursts has neither bursts nor a level, and draws logs with as many jobs and as much work, the
// same for the same key.
func TestFit(t *testing.T) {
	jobs := made(30)
	m, err := Fit(t.Context(), jobs, hour, Structure{Shares: []float64{0.3}, Phases: 2}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m.Slow != (Slow{}) || len(m.Classes) != 2 {
		t.Errorf("level %+v, %d classes", m.Slow, len(m.Classes))
	}
	if share := m.Classes[0].Share; math.Abs(share-0.3) > 0.01 {
		t.Errorf("the lower class has %.3f of the work", share)
	}
	for i := range m.Classes {
		if d := m.Classes[i].Arrivals.Dispersion(); d > 1.3 {
			t.Errorf("class %d: dispersion %.2f of Poisson arrivals", i, d)
		}
	}
	like := m.Draw(des.Seed(1).At(3))
	if n := float64(len(like)) / float64(len(jobs)); math.Abs(n-1) > 4*math.Sqrt(2/float64(len(jobs))) {
		t.Errorf("%d jobs, the log has %d", len(like), len(jobs))
	}
	if r := WorkRate(like) / WorkRate(jobs); math.Abs(r-1) > 0.12 { // four standard errors of two logs
		t.Errorf("%.3f times the work of the log", r)
	}
	if again := m.Draw(des.Seed(1).At(3)); !reflect.DeepEqual(like, again) {
		t.Error("two logs of one key differ")
	}
	Stretch(like, WorkRate(jobs))
	if r := WorkRate(like) / WorkRate(jobs); math.Abs(r-1) > 1e-12 {
		t.Errorf("stretched to %.15g of the work", r)
	}
}

// The cycle is what a log without one lacks.
func TestWithoutCycle(t *testing.T) {
	jobs := made(40)
	flat := WithoutCycle(jobs, hour)
	half := func(jobs []workload.Job) float64 { return logstats.DispersionOf(jobs, 12*hour).Counts }
	if with, without := half(jobs), half(flat); with < 2 || math.Abs(without-1) > 0.3 {
		t.Errorf("dispersion in half days %.2f, without the cycle %.2f", with, without)
	}
}

// Of a cycle and none, and of one class and two of which nothing differs, the halves of a log choose.
func TestChoose(t *testing.T) {
	jobs := made(12)
	variation := func(_ context.Context, jobs []workload.Job) ([]float64, error) {
		return []float64{logstats.DispersionOf(jobs, 6*hour).Variation, logstats.DispersionOf(jobs, 24*hour).Variation}, nil
	}
	structures := []Structure{{Phases: 1}, {Shares: []float64{0.5}, Phases: 1}}
	first, err := Choose(t.Context(), jobs, hour, structures, 2, variation, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Choose(t.Context(), jobs, hour, structures, 2, variation, 1, 4)
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("by one worker %v, by four %v (%v)", first, second, err)
	}
	if first[0].Error > 0.25 || first[0].Error > first[1].Error {
		t.Errorf("%+v", first)
	}
	if _, err := Choose(t.Context(), jobs, hour, nil, 3, variation, 1, 1); err == nil {
		t.Error("no candidates are accepted")
	}
	if _, err := Fit(t.Context(), jobs[:50], hour, structures[0], 1); err == nil {
		t.Error("a model of 50 jobs")
	}
}

// A log of batches of five jobs with the same work is drawn as one: as many jobs, as large a dispersion of their number in six
// hours, which is 5 of Poisson batches of five. Without batches the dispersion is 1, and what the fitted cycle adds, which takes
// chance for hours of the week.
func TestBatches(t *testing.T) {
	stream := des.Seed(5).Stream()
	var jobs []workload.Job
	for at := stream.Exp() * 3 * hour; at < 40*perWeek*hour; at += stream.Exp() * 3 * hour {
		work := stream.Exp() * hour
		for k := range 5 {
			jobs = append(jobs, workload.Job{ID: len(jobs) + 1, Submit: at + 60*float64(k), Kind: workload.Malleable, Work: work})
		}
	}
	slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	// Some 1,100 windows: four standard errors of a dispersion are 17 %. The batches of the log that overlap are one.
	for _, c := range []struct{ batch, from, to float64 }{{0, 1, 2.5}, {0.25, 4, 6.2}} {
		m, err := Fit(t.Context(), jobs, hour, Structure{Phases: 1, Batch: c.batch}, 0)
		if err != nil {
			t.Fatal(err)
		}
		like := m.Draw(des.Seed(1))
		if n := float64(len(like)) / float64(len(jobs)); math.Abs(n-1) > 4*math.Sqrt(10/float64(len(jobs))) { // batches of both logs are random
			t.Errorf("batches of %g hours: %d jobs, the log has %d", c.batch, len(like), len(jobs))
		}
		if d := logstats.DispersionOf(like, 6*hour).Counts; d < c.from || d > c.to {
			t.Errorf("batches of %g hours: dispersion %.2f, want %g to %g", c.batch, d, c.from, c.to)
		}
	}
}
