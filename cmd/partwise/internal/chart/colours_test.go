package chart

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOneLookOneMeaning: a policy looks the same beside whatever others, with whatever parameter and in whatever case, and no two
// series of a picture look the same.
func TestOneLookOneMeaning(t *testing.T) {
	a, b := looks([]string{"SEV", "AVG", "simplified SEV"}), looks([]string{"load 1", "avg", "sev:stubborn"})
	if a[0] != b[2] || a[1] != b[1] || slices.Contains([]int{a[0], a[1]}, a[2]) {
		t.Errorf("places %v and %v", a, b)
	}
	if got := looks([]string{"dynamic", "best static"}); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("dynamic and static partitioning have the places %v", got)
	}
	names := []string{"gs", "sb", "opt:1", "opt:2", "heuristic", "static:2", "static:4", "a", "b", "load 0.3", "PWS", "pb-sb", ""}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, "names")
		at := looks(some)
		slices.Sort(at)
		if n := len(slices.Compact(at)); n != len(some) {
			t.Fatalf("%d series look like %d", len(some), n)
		}
	})
	for i, c := range palette {
		if slices.Index(palette, c) != i || slices.Index(darkPalette, darkPalette[i]) != i {
			t.Errorf("colour %d is there twice", i)
		}
	}
	if one, two := stroke(0, Solid), stroke(len(palette), Solid); one.Color != two.Color || len(two.Dashes) == len(one.Dashes) {
		t.Errorf("series of one colour have the strokes %v and %v", one, two)
	}
	for job := range 27 {
		for other := range job {
			if jobColour(job) == jobColour(other) {
				t.Errorf("jobs %d and %d have one colour", other, job)
			}
		}
	}
}

// TestPanelsShareAScale: panels of one quantity have one scale, unless one of them were flat on it.
func TestPanelsShareAScale(t *testing.T) {
	x := Values{0, 1}
	of := func(label string, high float64, log bool) Panel {
		return Panel{YLabel: label, MayLog: log, FromZero: true, Lines: []Line{{X: x, Y: Values{1, high}}}}
	}
	f := &Figure{Panels: []Panel{of("a", 2, false), of("a", 5, false), of("b", 2, false), of("b", 50, false), of("c", 100, true), of("c", 5000, true)}}
	for i, want := range []bool{true, false, true} {
		p, q := f.axes(&f.Panels[2*i]), f.axes(&f.Panels[2*i+1])
		if got := p.y == q.y && p.logY == q.logY; got != want {
			t.Errorf("panels of %s share a scale: %v", f.Panels[2*i].YLabel, got)
		}
	}
}

// TestPanelsShareALegend: panels beside each other with the same series have one legend; otherwise names stand at the curves of
// each panel.
func TestPanelsShareALegend(t *testing.T) {
	x := Values{0, 1}
	both := Panel{Lines: []Line{{X: x, Y: x}, {X: x, Y: x, Series: 1}}}
	f := &Figure{Series: []string{"a", "b"}, Panels: []Panel{both, both}}
	if n := len(f.sheet().legend); n != 2 {
		t.Errorf("a legend of %d entries, want 2", n)
	}
	f.Panels[1].Lines = both.Lines[:1]
	all, others := f.labels()
	if len(all[0]) != 2 || len(all[1]) != 1 || len(others) > 0 {
		t.Errorf("%d and %d names at curves; in a legend: %q", len(all[0]), len(all[1]), others)
	}
}
