package chart

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// TestDotsOnLogarithmicAxes: points are not joined, and of many decades few are labelled.
func TestDotsOnLogarithmicAxes(t *testing.T) {
	var dots Line
	dots.Dots = true
	for i := range 9 {
		dots.X = append(dots.X, math.Pow(10, float64(i-2)))
		dots.Y = append(dots.Y, math.Pow(10, float64(-i)))
	}
	figure := func(dotted bool) string {
		l := dots
		l.Dots = dotted
		f := Figure{Series: []string{"data", "fit"}, Panels: []Panel{{XLabel: "own label", MayLog: true, MayLogX: true,
			Lines: []Line{l}}}}
		var b bytes.Buffer
		if err := Write(&b, &f, "svg"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	joined, apart := figure(false), figure(true)
	if joined == apart || !strings.Contains(apart, "own label") {
		t.Error("dots look like a line, or the panel has lost its label")
	}
	labels := 0
	for _, tick := range sparse(1e-2, 1e6).Ticks(1e-2, 1e6) {
		if tick.Label != "" {
			labels++
		}
	}
	if labels < 3 || labels > 5 {
		t.Errorf("%d labels side by side", labels)
	}
}
