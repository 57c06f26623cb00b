package logstats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// poisson returns jobs of a Poisson process of one job in ten minutes over so many days, with exponential run times.
func poisson(seed uint64, days float64) []joblog.Job {
	draw := rand.New(rand.NewPCG(seed, 1))
	var jobs []joblog.Job
	for at := draw.ExpFloat64() * 600; at < days*86400; at += draw.ExpFloat64() * 600 {
		jobs = append(jobs, joblog.Job{Submit: at, Run: 3600 * draw.ExpFloat64(), Processors: 1 + draw.IntN(16)})
	}
	return jobs
}

func of(t *testing.T, jobs []joblog.Job) *Statistics {
	t.Helper()
	s, err := Of(t.Context(), joblog.ListOf(jobs), Options{Nodes: 16, Date: func(seconds float64) time.Time {
		return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds * 1e9))
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func verdicts(s *Statistics) map[string]Verdict {
	all := map[string]Verdict{}
	for _, a := range s.Assumptions {
		all[a.Name] = a.Verdict
	}
	return all
}

// Nothing speaks against the assumptions where all of them hold: of 25 logs with 7 tests each at a level of 0.1 %, more
// than two rejections have a probability below 0.1 %.
func TestPoissonKeepsAllAssumptions(t *testing.T) {
	rejected := 0
	for seed := range uint64(25) {
		s := of(t, poisson(seed, 100))
		for name, v := range verdicts(s) {
			switch {
			case name == anyNodes && v != NotTold, name != anyNodes && v == Untested:
				t.Errorf("%s: %s", name, v)
			case v == Violated, v == Slight:
				rejected++
			}
		}
		last := s.Lags[len(s.Lags)-1]
		if math.Abs(s.Lags[0].Dispersion-1) > 0.1 || last.Lag != 1000 || !(last.Dispersion < 2) {
			t.Errorf("index of dispersion for intervals: %+v", last)
		}
	}
	if rejected > 2 {
		t.Errorf("%d rejections", rejected)
	}
}

// Each departure is found, and found where it is.
func TestDepartures(t *testing.T) {
	resort := func(jobs []joblog.Job) []joblog.Job {
		sort.SliceStable(jobs, func(i, k int) bool { return jobs[i].Submit < jobs[k].Submit })
		return jobs
	}
	thin := func(jobs []joblog.Job, keep func(joblog.Job) bool) []joblog.Job {
		draw := rand.New(rand.NewPCG(9, 9))
		var out []joblog.Job
		for _, j := range jobs {
			if keep(j) || draw.Float64() < 0.3 {
				out = append(out, j)
			}
		}
		return out
	}
	for name, change := range map[string]func([]joblog.Job) []joblog.Job{
		singleArrivals: func(jobs []joblog.Job) []joblog.Job {
			for i := 1; i < len(jobs); i += 5 {
				jobs[i].Submit = jobs[i-1].Submit
			}
			return jobs
		},
		renewalArrivals: func(jobs []joblog.Job) []joblog.Job { // rates that change every 20 jobs
			shift := 0.0
			for i := 1; i < len(jobs); i++ {
				gap := jobs[i].Submit + shift - jobs[i-1].Submit
				if i/20%2 == 0 {
					shift -= 0.9 * gap
				}
				jobs[i].Submit += shift
			}
			return resort(jobs)
		},
		independentWork: func(jobs []joblog.Job) []joblog.Job {
			for i := range jobs {
				if i/20%2 == 0 {
					jobs[i].Run *= 4
				}
			}
			return jobs
		},
		unrelatedWork: func(jobs []joblog.Job) []joblog.Job {
			for i := 1; i < len(jobs); i++ {
				jobs[i].Run *= jobs[i].Submit - jobs[i-1].Submit
			}
			return jobs
		},
		noDailyCycle: func(jobs []joblog.Job) []joblog.Job {
			return thin(jobs, func(j joblog.Job) bool { h := int(j.Submit/3600) % 24; return h >= 8 && h < 18 })
		},
		noWeeklyCycle: func(jobs []joblog.Job) []joblog.Job {
			return thin(jobs, func(j joblog.Job) bool { return int(j.Submit/86400)%7 < 5 })
		},
		steadyRate: func(jobs []joblog.Job) []joblog.Job {
			return thin(jobs, func(j joblog.Job) bool { return j.Submit > 60*86400 })
		},
	} {
		got := verdicts(of(t, change(poisson(3, 200))))
		if got[name] != Violated {
			t.Errorf("%s: %s", name, got[name])
		}
		for _, other := range []string{independentWork, noDailyCycle, noWeeklyCycle, steadyRate} {
			if other != name && got[other] == Violated {
				t.Errorf("%s violates %s as well", name, other)
			}
		}
	}
}

// Every hour of a week has ten jobs, but the log begins on a Wednesday at noon, and clocks are put forward.
func TestCalendar(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2024, 3, 27, 12, 0, 0, 0, zone)
	var jobs []joblog.Job
	for i := range 10 * 24 * 70 {
		jobs = append(jobs, joblog.Job{Submit: float64(i) * 360, Run: 720, Processors: 2})
	}
	s, err := Of(t.Context(), joblog.ListOf(jobs), Options{Nodes: 8, Date: func(x float64) time.Time { return begin.Add(time.Duration(x * 1e9)) }})
	if err != nil {
		t.Fatal(err)
	}
	for h, r := range s.Calendar.Hours {
		if math.Abs(r.PerHour()-10) > 0.05 {
			t.Errorf("%v jobs per hour at %d", r.PerHour(), h)
		}
	}
	if r := s.Calendar.Week[6][2]; r.Hours != 9 { // there was no such hour on 31 March
		t.Errorf("%v hours from two to three on Sundays", r.Hours)
	}
	if p := s.Calendar.Periods[1]; p.Name != "2024-04" || p.Hours != 720 || math.Abs(p.Load-0.5) > 1e-12 {
		t.Errorf("%+v", p)
	}
	if s.SameSecond != 0 || s.PowersOfTwo != len(jobs) {
		t.Errorf("%+v", s)
	}
}

// Friedman's and Fisher's statistics of examples that can be checked by hand, and the index of dispersion of
// alternating gaps: sums of two do not vary.
func TestStatistics(t *testing.T) {
	// Four blocks in the same order: 12/(nk(k+1))·ΣR² − 3n(k+1) = 12/48·(16+64+144) − 48 = 8.
	same := friedman([][]float64{{1, 2, 3}, {10, 20, 30}, {1, 5, 6}, {0, 1, 9}})
	if math.Abs(same.Statistic-8) > 1e-12 || math.Abs(same.P-math.Exp(-4)) > 1e-12 {
		t.Errorf("Friedman: %+v", same)
	}
	// Means 1 and 3, both with a sum of squares of 2: F = 6/1 over 4/4 with 1 and 4 degrees of freedom, the square of
	// Student's t, whose distribution is known in closed form.
	c := math.Sqrt(0.6)
	v := variance([][]float64{{0, 1, 2}, {2, 3, 4}})
	if math.Abs(v.Statistic-6) > 1e-12 || math.Abs(v.P-(1-c*(1+(1-c*c)/2))) > 1e-12 {
		t.Errorf("analysis of variance: %+v", v)
	}
	if s := seriesOf(valuesOf([]float64{1, 3, 1, 3, 1, 3})); s.intervalDispersion(1) != 0.25 || s.intervalDispersion(2) != 0 {
		t.Errorf("%v, %v", s.intervalDispersion(1), s.intervalDispersion(2))
	}
	if r := ranks([]float64{3, 1, 3, 2}); r[0] != 3.5 || r[1] != 1 || r[2] != 3.5 || r[3] != 2 {
		t.Errorf("ranks %v", r)
	}
}

func TestTooFew(t *testing.T) {
	jobs := make([]joblog.Job, 20)
	for name, jobs := range map[string][]joblog.Job{"none": nil, "few": jobs[:3], "at once": jobs} {
		if _, err := Of(t.Context(), joblog.ListOf(jobs), Options{}); !errors.Is(err, ErrTooFew) {
			t.Errorf("%s: %v", name, err)
		}
	}
	short := poisson(1, 1)[:12]
	s := of(t, short)
	for _, a := range s.Assumptions {
		if a.Name == steadyRate && a.Verdict != Untested {
			t.Errorf("%+v", a)
		}
	}
}

// TestEqualGapsHaveNoCorrelation: correlations of equal gaps and equal work are not defined, and no text shows a NaN.
func TestEqualGapsHaveNoCorrelation(t *testing.T) {
	var jobs []joblog.Job
	for i := range 60 {
		jobs = append(jobs, joblog.Job{Submit: float64(i) / 8, Run: 0.1, Processors: 1})
	}
	s := of(t, jobs)
	for _, l := range s.Lags {
		if !math.IsNaN(l.Gaps) || !math.IsNaN(l.Work) {
			t.Errorf("lag %d: correlations %g of gaps, %g of work", l.Lag, l.Gaps, l.Work)
		}
	}
	for _, a := range s.Assumptions {
		if strings.Contains(a.Shown, "NaN") {
			t.Errorf("%s: %s", a.Name, a.Shown)
		}
	}
}

// TestRanksByDigits: many values, which are sorted by the digits of their bits, have the order and the ranks of sorting by
// comparisons.
func TestRanksByDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	for name, draw := range map[string]func() float64{
		"whole seconds": func() float64 { return float64(random.IntN(1_000_000)) },
		"mostly zeros":  func() float64 { return max(0, math.Round(1000*random.NormFloat64())) },
		"both signs":    random.NormFloat64,
		"all sizes":     func() float64 { return math.Exp(600 * random.NormFloat64()) },
		"all equal":     func() float64 { return 7 },
	} {
		x := make([]float64, 5000)
		for i := range x {
			x[i] = draw()
		}
		x[17], x[4711] = math.Copysign(0, -1), 0
		got, sorted, twice := rankingOf(x), slices.Sorted(slices.Values(x)), twiceRanks(valuesOf(x))
		if !slices.Equal(got.sorted, sorted) {
			t.Fatalf("%s: values are not in order", name)
		}
		for i, v := range x {
			first, _ := slices.BinarySearch(sorted, v)
			behind, _ := slices.BinarySearchFunc(sorted, v, func(at, v float64) int {
				if at <= v {
					return -1
				}
				return 1
			})
			if got.ranks[i] != float64(first+behind+1)/2 {
				t.Fatalf("%s: %g has rank %g, not the mean of %d to %d", name, v, got.ranks[i], first+1, behind)
			}
			if twice.at(i) != 2*got.ranks[i] {
				t.Fatalf("%s: %g has twice the rank %g, want %g", name, v, twice.at(i), 2*got.ranks[i])
			}
		}
	}
}
