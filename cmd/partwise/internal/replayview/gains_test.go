package replayview

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

func ratio(mean, half float64) metric.Interval {
	return metric.Interval{Mean: mean, Low: mean - half, High: mean + half, HalfWidth: half}
}

// TestChanges: a ratio to EASY becomes a change of the response time, and its interval has the smaller change first.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		ratio      metric.Interval
		mean, both string
	}{
		{ratio(1.25, .05), "20 % less", "17 to 23 % less"},
		{ratio(1.1, .05), "9 % less", "5 to 13 % less"},
		{ratio(.8, .1), "25 % more", "11 to 43 % more"},
		{ratio(1.25, .5), "20 % less", "33 % more to 43 % less"},
		{ratio(1.25, 2), "20 % less", "any amount more to 69 % less"},
		{ratio(1, 0), "no change", "no change"},
		{ratio(1.01, .01), "1 % less", "0 to 2 % less"},
		{ratio(.99, .01), "1 % more", "0 to 2 % more"},
		{metric.Interval{Mean: 1.1, Low: 1.003, High: 1.25}, "9 % less", "0.3 to 20 % less"}, // significant, so not from 0 on
		{metric.Interval{Mean: .9, Low: .8, High: .9996}, "11 % more", "0.04 to 25 % more"},
		{metric.Interval{Mean: 1.1, Low: .997, High: 1.25}, "9 % less", "0 to 20 % less"},
		{ratio(1.25, math.Inf(1)), "20 % less", ""},
	} {
		if mean, both := change(c.ratio.Mean), changes(c.ratio); mean != c.mean || both != c.both {
			t.Errorf("%v: %q, %q; want %q, %q", c.ratio, mean, both, c.mean, c.both)
		}
	}
}

// TestImpossibleForecast: the reason why nothing can be replayed takes the place of the numbers.
func TestImpossibleForecast(t *testing.T) {
	why := &replay.RunError{Policy: policy.EASYMalleable{}, Err: errors.New("too many jobs wait")}
	f := Gains{Gains: &study.Gains{Impossible: why}}
	want := "The log cannot be replayed with malleable jobs: policy easy-malleable: too many jobs wait."
	if got := f.Sentences(); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if f.Table() != nil || f.Decision()[0].Value != string(replay.NotClear) || f.Object()[1].Value != f.impossible() {
		t.Errorf("%v, %v, %v", f.Table(), f.Decision(), f.Object())
	}
}

// TestWorthWithoutAnUpperEnd: where any number of nodes could be needed, the lower end of the interval is told.
func TestWorthWithoutAnUpperEnd(t *testing.T) {
	run := &replay.Run{Worth: replay.Worth{Own: 128, Nodes: metric.Interval{Mean: 136, Low: 134, High: math.Inf(1)}}}
	if got, want := boundsOfWorth(&run.Worth), " (at least 6)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWorthIsEnough: with the nodes that malleable jobs are worth, EASY is as fast. So a number between two whole ones is rounded up.
func TestWorthIsEnough(t *testing.T) {
	run := &replay.Run{Worth: replay.Worth{Own: 8, Nodes: metric.Interval{Mean: 15.086, Low: 15.07, High: 16}}}
	if got, want := boundsOfWorth(&run.Worth), " (8 to 8)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, err := json.Marshal((&Gains{}).worthObject(run)); err != nil || !strings.Contains(string(got), `"more":8}`) {
		t.Errorf("%s, %v; want 8 more nodes", got, err)
	}
}

// TestNoneResizable: jobs on machines of one node cannot be resized. Partitions without jobs do not count.
func TestNoneResizable(t *testing.T) {
	pools := func(nodes int) *replay.Run {
		return &replay.Run{Pools: []replay.PoolRun{{Pool: replay.Pool{Nodes: nodes, Jobs: 3}}, {Pool: replay.Pool{Nodes: 40}}}}
	}
	for _, c := range []struct {
		easy *replay.Run
		want string
	}{
		{&replay.Run{Setting: replay.Setting{Nodes: 1}}, "No job can be resized: the machine has one node."},
		{&replay.Run{Setting: replay.Setting{Nodes: 2}}, ""},
		{pools(1), "No job can be resized: the partition of each job has one node."},
		{pools(2), ""},
	} {
		g := Gains{Gains: &study.Gains{EASY: c.easy}}
		if got := g.NoneResizable(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if c.want != "" && g.VerdictSentence() != c.want {
			t.Errorf("the verdict is %q, not %q", g.VerdictSentence(), c.want)
		}
	}
}

// TestOnlyGroups: several ways to group jobs may have a group each with enough jobs, and the sentence does not speak of one.
func TestOnlyGroups(t *testing.T) {
	for want, ways := range map[string][]string{
		"By user, only one group has enough jobs to tell: it takes less time with 20 % of the jobs malleable.": {"user"},
		"By user and account, only one group each has enough jobs to tell: these groups take less time with 20 % of the jobs malleable.": {"user",
			"account"},
	} {
		if got := onlyGroups(ways, "less time", 0.2); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
