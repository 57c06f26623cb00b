package replay_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/sched"
)

// windowOn returns a rule on the clock of a log.
func windowOn(t *testing.T, log *replay.Log, text string) *sched.StartWindow {
	t.Helper()
	rule, err := sched.ParseStartRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return rule.On(log.Header.UnixStartTime, log.Header.Location())
}

// TestStartWindowOfKTH: the machine started jobs by the clock, which showed UTC+1 all year. With its rule, EASY gives the order
// of the waits better than the 0.25 without, and the mean wait in the second half of the log.
func TestStartWindowOfKTH(t *testing.T) {
	log := packed(t, "KTH-SP2-1996-2.merged.swf.gz", 100)
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
	study.StartWindow = windowOn(t, log, "weekdays 8:00,17:00 up to 15h in Etc/GMT-1")
	jobs := offered(t, log, 0).Jobs()
	logged, replayed := make([]float64, len(jobs)), make([]float64, len(jobs))
	study.Done = func(_ *replay.Run, r *machine.Record) {
		logged[r.Number], replayed[r.Number] = jobs[r.Number].Wait, r.Wait()
	}
	runs, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if ranks := runs[0].Waits.RankCorrelation; ranks < 0.47 {
		t.Errorf("rank correlation %g with the window", ranks)
	}
	half := len(jobs) / 2
	second := logstats.Reproduction(logged[half:], replayed[half:])
	if math.Abs(second.Mean-9716) > 0.02*9716 || math.Abs(second.Logged-9647) > 1 {
		t.Errorf("jobs of the second half wait %g s, not 9716; in the log %g s, not 9647", second.Mean, second.Logged)
	}
}

// TestJobsStartWithinTheWindow: no job that the rule binds starts such that its limit reaches beyond the next time of the rule,
// whether jobs are rigid or malleable, the queue is short or long; all jobs run. Limits are exact here.
func TestJobsStartWithinTheWindow(t *testing.T) {
	jobs := lublinStudy(t, policy.EASY{}).Log
	for _, load := range []float64{0.8, 3} { // long queues are indexed
		list := offered(t, jobs, load).Jobs()
		log := chosen(t, list, 64)
		const begin = 1_700_000_000 // a Tuesday
		exact, err := workload.ParseEstimator("actual")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sched.ParseStartRule("weekdays 8:00,17:00 up to 15h; sat 12:00 in Europe/Berlin"); err == nil {
			t.Error("the limit of a rule stands before one of its clauses")
		}
		rule, err := sched.ParseStartRule("weekdays 8:00,17:00; sat 12:00 up to 15h in Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		window := rule.On(begin, nil)
		study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}, policy.EASYMalleable{}}, Shares: []float64{0.5},
			Assumptions: replay.Usual(), Estimates: exact}
		study.StartWindow = window
		late, bound := 0, 0
		study.Done = func(_ *replay.Run, r *machine.Record) {
			limit := r.Job.Run
			if limit > 15*3600 {
				return
			}
			bound++
			if r.Start+limit > window.Next(r.Start) {
				late++
			}
		}
		runs, err := study.Run(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if late > 0 || bound < 1000 || runs[0].Jobs != len(list) || runs[1].Jobs != len(list) {
			t.Errorf("load %g: %d of %d jobs start too late, %d and %d of %d jobs run", load, late, bound, runs[0].Jobs, runs[1].Jobs, len(list))
		}
	}
}

// TestStartWindowOfOtherPolicies: a policy that does not keep to the window is refused.
func TestStartWindowOfOtherPolicies(t *testing.T) {
	study := lublinStudy(t, policy.FCFS{})
	study.StartWindow = windowOn(t, study.Log, "daily 8:00")
	if err := study.Check(); !errors.As(err, new(*replay.SettingError)) {
		t.Errorf("first come first served within a start window: %v", err)
	}
}
