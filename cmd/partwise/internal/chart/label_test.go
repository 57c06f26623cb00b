package chart

import (
	"bytes"
	"strings"
	"testing"
)

// TestNamesStandAtCurves: curves are named at their ends, in the first panel of a row that shows them; only points that are not
// joined, or too many curves, need a legend.
func TestNamesStandAtCurves(t *testing.T) {
	x := []float64{1, 2, 3}
	f := &Figure{Series: []string{"slow", "fast"}, Strokes: []string{"dynamic", "static"}, Lead: true, Panels: []Panel{
		{Lines: []Line{{X: x, Y: x}, {X: x, Y: x, Series: 1}}},
		{Lines: []Line{{X: x, Y: x}, {X: x, Y: x, Stroke: Dashed}}},
		{Lines: []Line{{X: x, Y: x}}},
	}}
	all, others := f.labels()
	var names []string
	for _, panel := range all {
		for _, l := range panel {
			names = append(names, l.name)
		}
		names = append(names, "|")
	}
	if got, want := strings.Join(names, " "), "slow fast | solid: dynamic dashed: static | |"; got != want || len(others) > 0 {
		t.Errorf("names %q, want %q; others: %q", got, want, others)
	}
	if legend := f.sheet().legend; len(legend) > 0 {
		t.Errorf("a legend of %d entries beside names at the curves", len(legend))
	}
	for i := range f.Panels {
		f.Panels[i].Lines[0].Dots = true
	}
	if legend := f.sheet().legend; len(legend) != 1 || legend[0].name != "slow" {
		t.Errorf("the legend of points that are not joined has %+v", legend)
	}
}

// TestBandsAndCategories: an axis has room for the ends of intervals, which are drawn, and shows the names of categories.
func TestBandsAndCategories(t *testing.T) {
	x, low, high := []float64{1, 2}, []float64{.2, 1}, []float64{2, 9}
	joined := Panel{Lines: []Line{{X: x, Y: x, Low: low, High: high}}}
	if a := new(Figure).axes(&joined); a.y.lo > .2 || a.y.hi < 9 {
		t.Errorf("the axis from %v to %v has no room for intervals from .2 to 9", a.y.lo, a.y.hi)
	}
	rows := Panel{YNames: []Named{{1, "first"}, {2, "second"}}, Lines: []Line{{X: x, Y: x, Low: low, High: high, Dots: true}}}
	if a := new(Figure).axes(&rows); a.x.lo > .2 || a.x.hi < 9 || a.y != (span{.5, 2.5}) {
		t.Errorf("the axes of categories are %+v", a)
	}
	for _, p := range []Panel{joined, rows} {
		var with, without bytes.Buffer
		if err := Write(&with, &Figure{Series: []string{"a"}, Panels: []Panel{p}}, "svg"); err != nil {
			t.Fatal(err)
		}
		bare := p
		bare.Lines = []Line{p.Lines[0]}
		bare.Lines[0].Low, bare.Lines[0].High = nil, nil
		if err := Write(&without, &Figure{Series: []string{"a"}, Panels: []Panel{bare}}, "svg"); err != nil {
			t.Fatal(err)
		}
		drawn := func(b *bytes.Buffer) int { // areas, and strokes of a pen as thick as curves
			return strings.Count(b.String(), "fill-opacity") + strings.Count(b.String(), "stroke-width:1.3")
		}
		if got, want := drawn(&with), drawn(&without); got <= want {
			t.Errorf("%d areas and strokes with intervals, %d without", got, want)
		}
		if named := strings.Contains(with.String(), ">second<"); named != (len(p.YNames) > 0) {
			t.Errorf("the second category is named: %v", named)
		}
	}
}
