package logstats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Verdict is what a log says of an assumption.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"    // nothing significant speaks against it
	Slight   Verdict = "slightly" // it is violated, but little
	Violated Verdict = "violated"
	Untested Verdict = "untested" // the log is too short
	NotTold  Verdict = "not told" // by any log
)

// Assumption is one that chains make of jobs.
type Assumption struct {
	Name    string
	Claim   string // what is assumed
	Verdict Verdict
	// Effect is how large the departure is, and P the probability of one at least as large if the assumption holds; NaN
	// where there is none.
	Effect float64
	P      float64
	Shown  string // the figures that show it
}

// The names of the assumptions.
const (
	singleArrivals  = "one_at_a_time"
	renewalArrivals = "renewal_arrivals"
	independentWork = "independent_work"
	unrelatedWork   = "work_independent_of_arrivals"
	noDailyCycle    = "no_daily_cycle"
	noWeeklyCycle   = "no_weekly_cycle"
	steadyRate      = "steady_rate"
	anyNodes        = "any_size"
)

// significanceLevel is the probability below which a departure is significant. What is significant but smaller than the threshold of
// its assumption is slight: with many jobs everything is significant.
const significanceLevel = 0.001

// What departures are more than slight: correlations of ranks, shares of jobs, and rates over their mean.
const (
	muchCorrelation = 0.1
	muchShare       = 0.05
	muchPeak        = 1.25
)

// judged returns an assumption with its verdict. A departure counts if its effect is at least much.
func judged(name, claim string, effect, p, much float64, shown string) Assumption {
	a := Assumption{Name: name, Claim: claim, Verdict: Violated, Effect: effect, P: p, Shown: shown}
	switch {
	case math.IsNaN(p) || math.IsNaN(effect):
		a.Verdict = Untested
	case p >= significanceLevel:
		a.Verdict = Holds
	case math.Abs(effect) < much:
		a.Verdict = Slight
	}
	return a
}

// assumptions judges all of them.
func (s *Statistics) assumptions(nodes int) []Assumption {
	a := []Assumption{s.oneAtATime(), s.renewal(), s.uncorrelated(independentWork, "the work of jobs is independent", s.Work.N,
		func(l *Lag) float64 { return l.WorkRanks }), s.unrelated()}
	a = append(a, s.steady()...)
	return append(a, s.anySize(nodes))
}

// oneAtATime: the number of jobs in the same second is compared with a Poisson number.
func (s *Statistics) oneAtATime() Assumption {
	share := float64(s.SameSecond) / float64(s.Jobs)
	expected := s.SameSecondExpected
	p := 1.0
	switch {
	case math.IsNaN(expected):
		p = expected
	case s.SameSecond > 0 && expected > 0:
		p = mathext.GammaIncReg(float64(s.SameSecond), expected) // of at least so many
	case s.SameSecond > 0:
		p = 0
	}
	shown := fmt.Sprintf("%.1f %% came in the same second as the one before", 100*share)
	if !math.IsNaN(expected) {
		shown += fmt.Sprintf(", %.1f %% by chance", 100*expected/float64(s.Jobs))
	}
	return judged(singleArrivals, "jobs come one at a time", share-expected/float64(s.Jobs), p, muchShare, shown)
}

// noCorrelation is shown in place of a correlation with values that are all equal.
const noCorrelation = "no correlation is defined: all values are equal"

// uncorrelated: the ranks of n values have no autocorrelation. The largest one shows it.
func (s *Statistics) uncorrelated(name, claim string, n int, of func(*Lag) float64) Assumption {
	var r []float64
	var at *Lag
	for i := range s.Lags {
		l := &s.Lags[i]
		if r = append(r, of(l)); at == nil || math.Abs(of(l)) > math.Abs(of(at)) {
			at = l
		}
	}
	if at == nil {
		return judged(name, claim, math.NaN(), math.NaN(), muchCorrelation, "")
	}
	shown := fmt.Sprintf("rank autocorrelation %.2f at lag %d", of(at), at.Lag)
	if math.IsNaN(of(at)) {
		shown = noCorrelation
	}
	return judged(name, claim, of(at), portmanteau(n, r).P, muchCorrelation, shown)
}

// renewal: the ranks of gaps are uncorrelated.
func (s *Statistics) renewal() Assumption {
	a := s.uncorrelated(renewalArrivals, "gaps between submissions are independent", s.Gaps.N,
		func(l *Lag) float64 { return l.GapRanks })
	if n := len(s.Lags); n > 0 {
		last := s.Lags[n-1]
		a.Shown += fmt.Sprintf("; index of dispersion for intervals %.3g, of %d together %.3g", s.Lags[0].Dispersion, last.Lag,
			last.Dispersion)
	}
	return a
}

// unrelated: work is uncorrelated with the gap before, and as irregular as the counts of jobs are.
func (s *Statistics) unrelated() Assumption {
	shown := fmt.Sprintf("rank correlation with the gap before %.2f", s.GapWork)
	if math.IsNaN(s.GapWork) {
		shown = noCorrelation
	}
	p := math.Erfc(math.Abs(s.GapWork) * math.Sqrt(float64(s.Gaps.N)/2))
	a := judged(unrelatedWork, "work does not depend on when jobs come", s.GapWork, p, muchCorrelation, shown)
	for _, d := range s.Windows {
		if d.Window == 86400 {
			a.Shown += fmt.Sprintf("; index of dispersion of a day: %.3g of jobs, %.3g of work", d.Counts, d.Work)
		}
	}
	return a
}

// steady: no hour, day or period has more jobs than another.
func (s *Statistics) steady() []Assumption {
	c := s.Calendar
	if c == nil {
		c = &Calendar{hourly: untested, daily: untested, periodic: untested}
	}
	var periods []Rate
	for _, p := range c.Periods {
		if p.Hours >= daysOfWeek*hoursOfDay {
			periods = append(periods, p.Rate)
		}
	}
	of := func(name, claim, what string, rates []Rate, t assumptionTest) Assumption {
		busiest := peak(rates)
		a := judged(name, claim, busiest, t.P, muchPeak, fmt.Sprintf("the busiest %s has %.2f times the mean rate", what, busiest))
		if a.Verdict == Untested {
			a.Shown = ""
		}
		return a
	}
	return []Assumption{
		of(noDailyCycle, "as many jobs come at every hour of the day", "hour", c.Hours[:], c.hourly),
		of(noWeeklyCycle, "as many jobs come on every day of the week", "day", c.Days[:], c.daily),
		of(steadyRate, "as many jobs come in every month", "month", periods, c.periodic),
	}
}

// anySize: what jobs could have done on other numbers of nodes, no log tells.
func (s *Statistics) anySize(nodes int) Assumption {
	a := Assumption{Name: anyNodes, Claim: "jobs run on any number of nodes", Verdict: NotTold, Effect: math.NaN(), P: math.NaN(),
		Shown: fmt.Sprintf("%.0f %% asked for a power of two", 100*float64(s.PowersOfTwo)/float64(s.Jobs))}
	if nodes > 0 {
		jobs, work := s.UpTo(float64(nodes) / 4)
		a.Shown += fmt.Sprintf("; %.0f %%, with %.0f %% of the work, for at most a quarter of the machine", 100*jobs, 100*work)
	}
	return a
}
