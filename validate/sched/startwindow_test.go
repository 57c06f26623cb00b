package sched

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseStartRule(t *testing.T) {
	for _, c := range []struct {
		text  string
		times int
		bound time.Duration
	}{
		{"weekdays 8:00,17:00", 10, 63 * time.Hour}, {" daily 0:00 ", 7, 24 * time.Hour}, {"mon 12:00", 1, 7 * 24 * time.Hour},
		{"weekdays 8:00, 17:00 up to 15h", 10, 15 * time.Hour}, {"fri-mon 6:30; fri 6:30", 4, 4 * 24 * time.Hour},
		{"Sat,SUN 8:00 up to 30m in Europe/Berlin", 2, 30 * time.Minute}, {"weekends 23:59 in Etc/GMT-1", 2, 6 * 24 * time.Hour},
	} {
		r, err := ParseStartRule(c.text)
		if err != nil || len(r.times) != c.times || r.bound != c.bound.Seconds() || r.String() != strings.TrimSpace(c.text) {
			t.Errorf("%q: %d times, up to %g s: %v", c.text, len(r.times), r.bound, err)
		}
	}
	for _, c := range []struct{ text, problem string }{
		{"", "needs days and times"}, {"weekdays", "needs days and times"}, {"8:00", "needs days and times"},
		{"workdays 8:00", `the day "workdays" is unknown`},
		{"mon 24:00", `"24:00" is not a time of the day`}, {"mon 8", `"8" is not a time of the day`}, {"mon 8:00;", "needs days and times"},
		{"mon 8:00 up to 15", `"15" is not a limit of jobs`}, {"mon 8:00 in Berlin", `"Berlin" is not a time zone`}, {"mon -1:00", "is not a time"},
		{"mon 8:00 up to -1h", "is not a limit of jobs"}, {"mon 8:00,", `"" is not a time of the day`},
	} {
		if _, err := ParseStartRule(c.text); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	if w := (StartRule{}).On(0, nil); w != nil || w.Rule().String() != "" || w.Next(5) < 1e300 || w.firstStart(5, 1e9) != 5 {
		t.Error("the zero rule has a window")
	}
}

// TestStartWindow: when jobs may start in the week of Monday, 23 March 2026, after which clocks in Berlin are put forward.
func TestStartWindow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	rule, err := ParseStartRule("weekdays 8:00,17:00")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 3, 23, 0, 0, 0, 0, berlin) // Monday
	w := rule.On(begin.Unix(), berlin)
	at := func(day, hour, minute int) float64 {
		return time.Date(2026, 3, day, hour, minute, 0, 0, berlin).Sub(begin).Seconds()
	}
	for _, c := range []struct{ now, limit, opens float64 }{
		{at(23, 7, 0), 3600, at(23, 7, 0)},                // ends at 8:00
		{at(23, 7, 0), 3601, at(23, 8, 0)},                // fits into the day
		{at(23, 9, 0), 9 * 3600, at(23, 17, 0)},           // longer than what is left of the day
		{at(23, 17, 1), 15 * 3600, at(24, 17, 0)},         // a minute late for the night
		{at(23, 17, 0), 16 * 3600, at(27, 17, 0)},         // waits for the weekend
		{at(27, 18, 0), 62 * 3600, at(34, 17, 0)},         // which has 62 h this time, of which one has passed
		{at(27, 17, 0), 62 * 3600, at(27, 17, 0)},         //
		{at(23, 12, 0), 63*3600 + 1, at(23, 12, 0)},       // longer than any weekend: not bound
		{at(23, 7, 59) + 59.5, 0.5, at(23, 7, 59) + 59.5}, //
	} {
		if got := w.firstStart(c.now, c.limit); got != c.opens {
			t.Errorf("at %v a job with a limit of %g s may start at %v, not %v", begin.Add(time.Duration(c.now)*time.Second), c.limit,
				begin.Add(time.Duration(got)*time.Second), begin.Add(time.Duration(c.opens)*time.Second))
		}
	}
}

// The calendar has no time of a rule after these times, nor of a window without a rule.
func TestStartWindowOutsideOfTheCalendar(t *testing.T) {
	rule, err := ParseStartRule("fri 8:00")
	if err != nil {
		t.Fatal(err)
	}
	w := rule.On(0, nil)
	for _, now := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e300, 1e18} {
		if got := w.Next(now); !math.IsInf(got, 1) {
			t.Errorf("a time of the rule after %g: %g", now, got)
		}
	}
	for _, none := range []*StartWindow{nil, {}} {
		if got := none.Next(0); !math.IsInf(got, 1) || none.Rule().String() != "" {
			t.Errorf("a window without a rule has a time: %g", got)
		}
	}
}

// TestStartWindowOfLostTimes: Samoa left out Friday, 30 December 2011. On 4 November 2018 clocks in São Paulo went from
// Saturday, 23:59, to Sunday, 1:00.
func TestStartWindowOfLostTimes(t *testing.T) {
	for _, c := range []struct {
		rule        string
		from, until [4]int // year, month, day, hour
	}{
		{"fri 8:00 in Pacific/Apia", [4]int{2011, 12, 28, 0}, [4]int{2012, 1, 6, 8}},
		{"daily 8:00 in Pacific/Apia", [4]int{2011, 12, 29, 9}, [4]int{2011, 12, 31, 8}},
		{"sun 8:00 in America/Sao_Paulo", [4]int{2018, 11, 3, 12}, [4]int{2018, 11, 4, 8}},
		{"daily 8:00 in America/Sao_Paulo", [4]int{2018, 11, 3, 9}, [4]int{2018, 11, 4, 8}},
	} {
		rule, err := ParseStartRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		at := func(x [4]int) time.Time { return time.Date(x[0], time.Month(x[1]), x[2], x[3], 0, 0, 0, rule.zone) }
		from := at(c.from)
		if got, want := rule.On(from.Unix(), nil).Next(0), at(c.until).Sub(from).Seconds(); got != want {
			t.Errorf("%s: the next time after %v is %g s later, not %g s", c.rule, from, got, want)
		}
	}
}
