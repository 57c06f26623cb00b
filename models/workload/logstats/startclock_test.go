package logstats_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/testdata/needs"
)

// dateIn returns the dates of a log that begins on a Monday at midnight in UTC, on the clocks of a place.
func dateIn(t *testing.T, place string) func(float64) time.Time {
	zone, err := time.LoadLocation(place)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	return func(seconds float64) time.Time { return time.Unix(begin+int64(math.Floor(seconds)), 0).In(zone) }
}

// drawnMachine draws a log of a machine of 32 nodes that starts jobs in the order of their submission, as nodes become free.
type drawnMachine struct {
	days  int
	load  float64
	batch bool // half of the jobs are submitted within an hour of each night
	// may says whether a job with a limit may start at a time; nil: always. It is asked again at each whole hour.
	may func(start, limit float64) bool
}

// jobs draws the jobs.
func (m *drawnMachine) jobs(draw *rand.Rand) []joblog.Job {
	const nodes = 32
	perDay := m.load * nodes * 86400 / (4.5 * 2 * 3600) // of 4.5 nodes and about two hours on average
	var jobs []joblog.Job
	for day := range m.days {
		for range int(perDay * (0.5 + draw.Float64())) {
			hourOfDay := 9 + 8*draw.Float64() // working hours
			switch {
			case m.batch && draw.IntN(2) == 0:
				hourOfDay = 2.8 + 0.2*draw.Float64()
			case draw.IntN(4) == 0:
				hourOfDay = 24 * draw.Float64()
			}
			run := 7200 * math.Exp(draw.NormFloat64()*1.2-0.72)
			jobs = append(jobs, joblog.Job{Submit: math.Floor(86400*float64(day) + 3600*hourOfDay), Run: math.Ceil(run),
				Estimate: math.Ceil(run * (1 + 2*draw.Float64())), Processors: 1 + draw.IntN(8), User: 1, Partition: -1, Queue: -1})
		}
	}
	slices.SortStableFunc(jobs, joblog.BySubmission)
	free := make([]float64, nodes) // when each node becomes free
	last := 0.0
	for i := range jobs {
		j := &jobs[i]
		slices.Sort(free)
		start := max(j.Submit, free[j.Processors-1])
		if m.may == nil {
			start = max(start, last) // no job starts before another one that came first
			last = start
		}
		for m.may != nil && !m.may(start, j.Estimate) {
			start = (math.Floor(start/3600) + 1) * 3600
		}
		for k := range j.Processors {
			free[k] = start + j.Run
		}
		j.Wait = start - j.Submit
	}
	return jobs
}

// rulesOf returns the hours of rules that the starts of jobs show.
func rulesOf(t *testing.T, jobs []joblog.Job, date func(float64) time.Time) (hours []int, s *logstats.StartClock) {
	l, err := logstats.LoggedOf(joblog.ListOf(jobs).All(), nil, 32, date)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range l.Starts.Classes {
		if c.RuleHour >= 0 {
			hours = append(hours, c.RuleHour)
		}
	}
	return hours, l.Starts
}

// Logs of machines without a clock show no rule, whatever the load, the working hours of users and jobs that come in batches at
// night.
func TestNoRuleWhereThereIsNone(t *testing.T) {
	draw := rand.New(rand.NewPCG(52, 6))
	logs, wrong := 60, 0
	if needs.IsStudy() {
		logs = 1000
	}
	for k := range logs {
		m := drawnMachine{days: 40 + draw.IntN(120), load: 0.4 + 0.58*draw.Float64(), batch: k%2 == 0}
		hours, _ := rulesOf(t, m.jobs(draw), dateIn(t, []string{"UTC", "Europe/Berlin", "Asia/Kolkata"}[k%3]))
		if len(hours) > 0 {
			wrong++
			t.Logf("log %d, %+v: %v", k, m, hours)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d logs without a rule show one", wrong, logs)
	}
}

// Logs of a machine on which long jobs start from 17 to 18 h alone show the rule, on clocks with daylight saving and without.
func TestRuleByTheClock(t *testing.T) {
	draw := rand.New(rand.NewPCG(52, 7))
	for k := range 20 {
		date := dateIn(t, "UTC")
		m := drawnMachine{days: 60 + draw.IntN(100), load: 0.4 + 0.3*draw.Float64(), may: func(start, limit float64) bool {
			h := date(start).Hour()
			return limit <= 4*3600 || h == 17 || h >= 20 && draw.IntN(3) == 0
		}}
		jobs := m.jobs(draw)
		hours, s := rulesOf(t, jobs, date)
		if rule := s.Rule(); rule == nil || rule.RuleHour < 0 || rule.Limits.Kind == logstats.UnlimitedJobs {
			t.Errorf("log %d: the rule is %+v", k, rule)
		}
		if !slices.Contains(hours, 17) {
			t.Errorf("log %d, load %.2f: %v, %+v", k, m.load, hours, s)
		}
		for _, c := range s.Classes {
			counted, submitted := 0, 0
			for h := range 24 {
				counted, submitted = counted+c.Starts[h], submitted+c.Submissions[h]
			}
			if counted != c.Jobs || submitted != c.Jobs || (c.Limits.Kind == logstats.AllJobs) != (c.Jobs == len(jobs)) {
				t.Errorf("%+v: %d starts, %d submissions of %d jobs", c.Limits, counted, submitted, len(jobs))
			}
		}
	}
}

// Hours are those of the machine's clocks, in summer and winter, and in zones whose offset is no whole hour.
func TestHoursOfStarts(t *testing.T) {
	for place, offset := range map[string]int{"UTC": 0, "Europe/Berlin": 1, "Asia/Kolkata": 5, "America/New_York": -5} {
		date := dateIn(t, place)
		var jobs []joblog.Job
		want := [24]int{}
		for i := range 3000 {
			submit := float64(i) * 10007
			jobs = append(jobs, joblog.Job{Submit: submit, Wait: 1800, Run: 60, Processors: 1})
			want[date(submit+1800).Hour()]++
		}
		_, s := rulesOf(t, jobs, date)
		standard := [24]int{}
		for i := range jobs {
			at := date(jobs[i].Submit + 1800).UTC().Add(time.Duration(offset) * time.Hour)
			if place == "Asia/Kolkata" {
				at = at.Add(30 * time.Minute)
			}
			standard[at.Hour()]++
		}
		if got := s.Classes[0].Starts; s.DaylightSaving && got != want || !s.DaylightSaving && got != standard {
			t.Errorf("%s, daylight saving %t: %v, want %v or %v", place, s.DaylightSaving, got, want, standard)
		}
	}
}

// On the machine KTH-SP2, 42 % of the starts of jobs over 4 h fall between 17 and 18 h, Central European Time.
func TestRuleOfKTH(t *testing.T) {
	file, err := os.Open(needs.JobLog(t, "KTH-SP2-1996-2.merged.swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := joblog.Read(file, "KTH-SP2", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	zone := log.Header.Location()
	hours, s := rulesOf(t, log.Jobs, func(seconds float64) time.Time { return time.Unix(log.Header.UnixStartTime+int64(seconds), 0).In(zone) })
	last := s.Classes[len(s.Classes)-1]
	share := float64(last.Starts[17]) / float64(last.Jobs)
	if !slices.Equal(hours, []int{17}) || s.DaylightSaving || last.Limits.From != 4*3600 || !(share > 0.415 && share < 0.425) {
		t.Errorf("hours %v, daylight saving %t, %.4f of the starts of %+v", hours, s.DaylightSaving, share, last.Limits)
	}
}

// TestUnknownLimitKind: a kind that does not exist has a name all the same.
func TestUnknownLimitKind(t *testing.T) {
	for kind, want := range map[logstats.LimitKind]string{logstats.LimitedJobs: "limited", 3: "LimitKind(3)", -1: "LimitKind(-1)"} {
		if got := kind.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
