package logstats_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	_ "github.com/partwise/partwise/phasetype/phtest" // the seed of rapid
)

// A job of 2 nodes waits 10 s for nodes, then 5 s although both nodes are free: a limit or a priority keeps it waiting.
func ExampleWaitsOf() {
	w := logstats.WaitsOf([]logstats.Stay{
		{Submit: 0, Eligible: 0, Start: 0, End: 10, Nodes: 1},
		{Submit: 0, Eligible: 0, Start: 15, End: 20, Nodes: 2},
	}, 2)
	fmt.Println(w.Mean, w.Held, w.NoNodes, w.NodesFree)
	// Output: 7.5 0 5 2.5
}

// TestWaitsSecondBySecond compares the one pass over starts and ends with a count of every second of every wait.
func TestWaitsSecondBySecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const horizon = 60
		nodes := rapid.IntRange(1, 25).Draw(t, "nodes")
		stays := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) logstats.Stay {
			second := func(from int) int { return rapid.IntRange(from, horizon).Draw(t, "second") }
			submit := second(0)
			eligible := second(submit)
			start := second(eligible)
			return logstats.Stay{Submit: float64(submit), Eligible: float64(eligible), Start: float64(start),
				End: float64(second(start)), Nodes: rapid.IntRange(1, nodes+3).Draw(t, "nodes of the job")}
		}), 1, 30).Draw(t, "stays")

		var held, none, nearly, wait float64
		for _, s := range stays {
			wait += s.Start - s.Submit
			held += s.Eligible - s.Submit
			for second := s.Eligible; second < s.Start; second++ {
				used := 0
				for _, other := range stays {
					if other.Start <= second && second < other.End {
						used += other.Nodes
					}
				}
				short := max(nodes-used, 0) < s.Nodes
				if short {
					none++
				}
				if short || 10*used >= 9*nodes {
					nearly++
				}
			}
		}
		w := logstats.WaitsOf(stays, nodes)
		jobs := float64(len(stays))
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"mean", w.Mean, wait / jobs}, {"held", w.Held, held / jobs}, {"no nodes", w.NoNodes, none / jobs},
			{"nearly full", w.NearlyFull, nearly / jobs}, {"sum of parts", w.Held + w.NoNodes + w.NodesFree, wait / jobs}} {
			if math.Abs(c.got-c.want) > 1e-9 { // sums of whole seconds below 2⁵³, divided once
				t.Fatalf("%s: %v, by counting %v", c.what, c.got, c.want)
			}
		}
	})
}

func TestReproduction(t *testing.T) {
	rising := func(n int, of func(i int) float64) []float64 {
		waits := make([]float64, n)
		for i := range waits {
			waits[i] = of(i)
		}
		return waits
	}
	logged := rising(1000, func(i int) float64 { return float64(100 * i) })
	for _, c := range []struct {
		name       string
		replayed   []float64
		reproduced bool
		ranks      float64
	}{
		{"the same", logged, true, 1},
		{"a fifth longer", rising(1000, func(i int) float64 { return float64(120 * i) }), true, 1},
		{"a third longer", rising(1000, func(i int) float64 { return float64(133 * i) }), false, 1},
		{"the other way round", rising(1000, func(i int) float64 { return float64(100 * (999 - i)) }), false, -1},
		{"all equal", rising(1000, func(int) float64 { return 49950 }), false, math.NaN()},
	} {
		r := logstats.Reproduction(logged, c.replayed)
		if r.Reproduced != c.reproduced {
			t.Errorf("%s: reproduced is %v", c.name, r.Reproduced)
		}
		if math.Abs(r.RankCorrelation-c.ranks) > 1e-12 || math.IsNaN(r.RankCorrelation) != math.IsNaN(c.ranks) {
			t.Errorf("%s: rank correlation %v, not %v", c.name, r.RankCorrelation, c.ranks)
		}
	}
	if r := logstats.Reproduction(nil, nil); r.Reproduced {
		t.Error("a log without jobs is reproduced")
	}
}

func BenchmarkWaits1e6Jobs(b *testing.B) {
	stays := make([]logstats.Stay, 1_000_000)
	for i := range stays {
		submit := float64(60 * i)
		start := submit + float64(i*7919%100_000)
		stays[i] = logstats.Stay{Submit: submit, Eligible: submit, Start: start, End: start + float64(i*104729%20_000), Nodes: 1 + i%64}
	}
	for b.Loop() {
		logstats.WaitsOf(stays, 1024)
	}
}

// The machine of a log has the distinct nodes on which jobs ran; where one job does not name its nodes, it has the most that were in use.
func ExampleNodesOf() {
	jobs := []joblog.Job{{Submit: 0, Run: 10, Processors: 2, NodeList: 1}, {Submit: 20, Run: 10, Processors: 2, NodeList: 2}}
	names := joblog.Names{NodeLists: []string{"n[1-2]", "n[2-3]"}}
	fmt.Println(logstats.NodesOf(joblog.ListOf(jobs).All(), &names))
	jobs[1].NodeList = 0
	fmt.Println(logstats.NodesOf(joblog.ListOf(jobs).All(), &names))
	// Output:
	// 3 <nil>
	// 2 <nil>
}
