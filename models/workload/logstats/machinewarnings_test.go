package logstats_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/logstats"
)

// TestMachineWarnings: each warning arises from its own figures of the use of 100 nodes, and few jobs raise no warning.
func TestMachineWarnings(t *testing.T) {
	usual := logstats.Use{Peak: 90, Load: 0.7, Edges: logstats.Edges{Span: 1e6, Running: 20, Filling: 1e4, Tail: 5e4, Residual: 6e4}}
	for _, c := range []struct {
		change func(u *logstats.Use)
		want   logstats.MachineWarnings
	}{
		{func(u *logstats.Use) {}, logstats.MachineWarnings{}},
		{func(u *logstats.Use) { u.Beyond = 0.006 }, logstats.MachineWarnings{Exceeded: true}},
		{func(u *logstats.Use) { u.Beyond = 0.004 }, logstats.MachineWarnings{}},
		{func(u *logstats.Use) { u.Peak, u.Load = 50, 0.05 }, logstats.MachineWarnings{HardlyUsed: true}},
		{func(u *logstats.Use) { u.Peak, u.Load = 51, 0.05 }, logstats.MachineWarnings{}},
		{func(u *logstats.Use) { u.Edges.Filling = 6e4 }, logstats.MachineWarnings{FillsLate: true}},
		{func(u *logstats.Use) { u.Edges.Tail = 2e4 }, logstats.MachineWarnings{EndsEarly: true}},
		{func(u *logstats.Use) { u.Edges.Tail, u.Edges.Running = 2e4, 3 }, logstats.MachineWarnings{}},
	} {
		l := &logstats.Logged{Jobs: 100, Use: usual}
		c.change(&l.Use)
		if got := l.MachineWarnings(100); got != c.want {
			t.Errorf("%+v: warnings %+v, want %+v", l.Use, got, c.want)
		}
		if l.Jobs = 99; l.MachineWarnings(100) != (logstats.MachineWarnings{}) {
			t.Errorf("%+v: 99 jobs raise warnings", l.Use)
		}
	}
}

// TestRunTimesInMinutes: jobs that wait for many run times beside free nodes, at a small load, seem to have run times in minutes. Jobs
// that wait for the nodes of their partition do not.
func TestRunTimesInMinutes(t *testing.T) {
	waits := logstats.Waits{Jobs: 100, Mean: 15390, NoNodes: 60, NodesFree: 15330}
	minutes := logstats.Logged{Jobs: 100, MeanResponseTime: 15540, Waiting: waits, Use: logstats.Use{Peak: 90, Load: 0.01}}
	for _, c := range []struct {
		change func(l *logstats.Logged)
		want   bool
	}{
		{func(l *logstats.Logged) {}, true},
		{func(l *logstats.Logged) { l.Use.Load = 0.2 }, false},
		{func(l *logstats.Logged) { l.MeanResponseTime = 17390 }, false},
		{func(l *logstats.Logged) { l.Waiting.NodesFree = 14000 }, false},
		{func(l *logstats.Logged) {
			l.Pools = []logstats.LoggedPool{{Waiting: logstats.Waits{Jobs: 100, Mean: 15390, NoNodes: 15000, NodesFree: 390}}}
		}, false},
	} {
		l := minutes
		c.change(&l)
		if got := l.MachineWarnings(100); got.RunsShort != c.want {
			t.Errorf("%+v: %t", l, got.RunsShort)
		}
	}
}
