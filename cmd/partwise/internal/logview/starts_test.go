package logview_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/sched"
	"github.com/partwise/partwise/validate/study"
)

// TestStartRule: the class with the longest limits gives the rule, which --start-window reads; jobs without a limit keep to no
// such rule.
func TestStartRule(t *testing.T) {
	class := func(limits logstats.Limits, hour int) logstats.StartClass {
		c := logstats.StartClass{Limits: limits, Jobs: 10, RuleHour: hour}
		c.Starts[max(hour, 0)] = 4
		return c
	}
	long := logstats.Limits{Kind: logstats.LimitedJobs, From: 4 * 3600, To: math.Inf(1)}
	all, unlimited := logstats.Limits{Kind: logstats.AllJobs}, logstats.Limits{Kind: logstats.UnlimitedJobs}
	const july = 867_000_000 // clocks in Stockholm are two hours ahead of UTC
	for _, c := range []struct {
		classes        []logstats.StartClass
		daylightSaving bool
		want           string
	}{
		{[]logstats.StartClass{class(all, -1), class(long, 17)}, false, "daily 17:00 in Etc/GMT-1"},
		{[]logstats.StartClass{class(all, 8), class(long, 17)}, true, "daily 17:00"},
		{[]logstats.StartClass{class(all, -1), class(unlimited, 17)}, true, ""},
	} {
		source := &joblog.Log{Header: joblog.Header{UnixStartTime: july, Fields: map[string]string{"TimeZoneString": "Europe/Stockholm"}}}
		starts := &logstats.StartClock{DaylightSaving: c.daylightSaving, Classes: c.classes}
		l := logview.New(&replay.Log{}, source, &study.Log{Logged: &logstats.Logged{Starts: starts}})
		seen, rule := l.StartRule()
		if rule != c.want || (seen == "") != (rule == "") {
			t.Errorf("%q, %q; want %q", seen, rule, c.want)
		}
		if _, err := sched.ParseStartRule(rule); rule != "" && err != nil {
			t.Error(err)
		}
	}
}
