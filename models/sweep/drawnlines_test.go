package sweep_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

// described returns lines in words: their names, and the loads or values of their points.
func described(all []sweep.Line) (words []string) {
	for _, l := range all {
		text := l.Name + ":"
		for _, p := range l.Points {
			text += fmt.Sprint(" ", p.Load)
		}
		words = append(words, text)
	}
	return words
}

// A study with several loads has a line for each series. With one load, a line goes over the last axis of numbers.
func TestLines(t *testing.T) {
	points := func(loads ...float64) (all []decide.Point) {
		for _, load := range loads {
			all = append(all, decide.Point{Load: load, Done: true})
		}
		return all
	}
	over := &sweep.Study{Loads: 2, Series: []sweep.Series{{Name: "a", Of: "a"}, {Name: "b", Of: "b"}}, Points: points(0.5, 0.3, 0.5, 0.7)}
	if diff := cmp.Diff([]string{"a: 0.3 0.5", "b: 0.5 0.7"}, described(over.Lines())); diff != "" || over.DrawnOver() != -1 {
		t.Errorf("over loads (-want +got):\n%s", diff)
	}
	axes := &sweep.Study{Loads: 1, Axes: []string{"machine.nodes", "dynamic.stops"}, Points: points(0.5, 0.5, 0.5, 0.5)}
	for _, at := range [][]string{{"16", "all"}, {"8", "all"}, {"8", "resized"}, {"16", "resized"}} {
		axes.Series = append(axes.Series, sweep.Series{Name: fmt.Sprint("m, ", at), Of: "m", TimeUnit: "s", At: at})
	}
	want := []string{"dynamic.stops=all: 8 16", "dynamic.stops=resized: 8 16"}
	if diff := cmp.Diff(want, described(axes.Lines())); diff != "" || axes.DrawnOver() != 0 {
		t.Errorf("over nodes (-want +got):\n%s", diff)
	}
	if place := axes.Label(&axes.Series[0], -1, "load 0.5"); place != "machine.nodes=16, dynamic.stops=all, load 0.5" {
		t.Errorf("the place of a point is %q", place)
	}
}

// A policy that keeps up with 2 of the 4 jobs a second at load 0.8 saturates at load 0.4; a line over an axis has no
// loads.
func TestLimitOfALine(t *testing.T) {
	d := decide.Decision{Results: []decide.Solved{{Policy: policy.Dynamic{}, Measures: models.Measures{MaxArrivalRate: 2}},
		{Policy: policy.Static{Partitions: 2}, Measures: models.Measures{MaxArrivalRate: 5}}}}
	l := sweep.Line{Points: []decide.Point{{Load: 0.2}, {Load: 0.8, ArrivalRate: 4, Decision: d}}, OverLoads: true}
	dynamic := func(r *decide.Solved) bool { return r.Policy == policy.Dynamic{} }
	if limit := l.SaturationLoad(dynamic); limit != 0.4 {
		t.Errorf("saturated at load %v", limit)
	}
	if limit := l.SaturationLoad(func(r *decide.Solved) bool { return r.Partitions() > 0 }); limit != 0 {
		t.Errorf("a split that keeps up saturates at load %v", limit)
	}
	l.OverLoads = false
	if limit := l.SaturationLoad(dynamic); limit != 0 {
		t.Errorf("over an axis the limit is %v", limit)
	}
}
