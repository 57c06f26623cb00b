package points

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// studyOf returns a study of so many series, static partitioning four times as slow as dynamic.
func studyOf(series int) []*Study {
	s := &Study{Loads: 2}
	for i := range series {
		s.Series = append(s.Series, Series{Name: fmt.Sprint("machine ", i), TimeUnit: "s"})
		for _, load := range []float64{0.2, 0.4} {
			d := decide.NewDecision([]decide.Solved{
				{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: true, MeanResponseTime: 1 + load}},
				{Policy: policy.Static{Partitions: 1}, Measures: models.Measures{Stable: true, MeanResponseTime: 4 + load}}})
			s.Points = append(s.Points, decide.Point{Load: load, Decision: d, Done: true})
		}
	}
	return []*Study{s}
}

// TestPanelsShowFewPairsOfLines: with many series dynamic and static partitioning have a panel each, over one axis.
func TestPanelsShowFewPairsOfLines(t *testing.T) {
	few, many := Figure(studyOf(mostPairs), nil), Figure(studyOf(mostPairs+1), nil)
	if len(few.Panels) != 3 || len(few.Panels[0].Lines) != 2*mostPairs || few.Dashed == "" || few.Columns != 0 {
		t.Errorf("%d series: %d panels, %d lines in the first", mostPairs, len(few.Panels), len(few.Panels[0].Lines))
	}
	if len(many.Panels) != 4 || many.Columns != 2 || many.Dashed != "" {
		t.Fatalf("%d series: %d panels", mostPairs+1, len(many.Panels))
	}
	for i := range 2 {
		if p := many.Panels[i]; len(p.Lines) != mostPairs+1 || least(p) != 1.2 || most(p) != 4.4 {
			t.Errorf("panel %d shows %d lines and has room for %v to %v, want 1.2 to 4.4", i+1, len(p.Lines), least(p), most(p))
		}
	}
}

func least(p chart.Panel) float64 {
	v := math.Inf(1)
	for _, l := range append(p.Lines, p.Beside...) {
		v = min(v, l.Y[0])
	}
	return v
}

func most(p chart.Panel) float64 {
	v := 0.0
	for _, l := range append(p.Lines, p.Beside...) {
		v = max(v, l.Y[1])
	}
	return v
}
