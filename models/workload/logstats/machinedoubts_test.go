package logstats_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/logstats"
)

// TestDoubts: each doubt arises from its own figures of the use of 100 nodes, and few jobs raise no doubt.
func TestDoubts(t *testing.T) {
	usual := logstats.Use{Peak: 90, Load: 0.7, Edges: logstats.Edges{Span: 1e6, Running: 20, Filling: 1e4, Tail: 5e4, Residual: 6e4}}
	for _, c := range []struct {
		change func(u *logstats.Use)
		want   logstats.Doubts
	}{
		{func(u *logstats.Use) {}, logstats.Doubts{}},
		{func(u *logstats.Use) { u.Beyond = 0.006 }, logstats.Doubts{Exceeded: true}},
		{func(u *logstats.Use) { u.Beyond = 0.004 }, logstats.Doubts{}},
		{func(u *logstats.Use) { u.Peak, u.Load = 50, 0.05 }, logstats.Doubts{HardlyUsed: true}},
		{func(u *logstats.Use) { u.Peak, u.Load = 51, 0.05 }, logstats.Doubts{}},
		{func(u *logstats.Use) { u.Edges.Filling = 6e4 }, logstats.Doubts{FillsLate: true}},
		{func(u *logstats.Use) { u.Edges.Tail = 2e4 }, logstats.Doubts{EndsEarly: true}},
		{func(u *logstats.Use) { u.Edges.Tail, u.Edges.Running = 2e4, 3 }, logstats.Doubts{}},
	} {
		l := &logstats.Logged{Jobs: 100, Use: usual}
		c.change(&l.Use)
		if got := l.Doubts(100); got != c.want {
			t.Errorf("%+v: doubts %+v, want %+v", l.Use, got, c.want)
		}
		if l.Jobs = 99; l.Doubts(100) != (logstats.Doubts{}) {
			t.Errorf("%+v: 99 jobs raise doubts", l.Use)
		}
	}
}
