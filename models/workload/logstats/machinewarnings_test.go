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
