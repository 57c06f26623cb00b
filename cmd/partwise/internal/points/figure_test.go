package points

import (
	"fmt"
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

// TestPanelsShowFewPairsOfLines: the ratio comes first and is large. With many series, the response times beside it are those of
// dynamic partitioning only; alone, they are those of both.
func TestPanelsShowFewPairsOfLines(t *testing.T) {
	few, many := Figure(studyOf(mostPairs), nil), Figure(studyOf(mostPairs+1), nil)
	for _, f := range []*chart.Figure{few, many} {
		if len(f.Panels) != 3 || !f.Lead || !f.Panels[0].HasRule {
			t.Errorf("%d panels, the first is large: %v", len(f.Panels), f.Lead)
		}
	}
	if n := len(few.Panels[1].Lines); n != 2*mostPairs || few.Dashed == "" {
		t.Errorf("%d series: %d lines of response times, want pairs", mostPairs, n)
	}
	if n := len(many.Panels[1].Lines); n != mostPairs+1 || many.Dashed != "" {
		t.Errorf("%d series: %d lines of response times, want one each", mostPairs+1, n)
	}
	response, err := parsePanels("response")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Figure(studyOf(mostPairs+1), response).Panels[0].Lines); n != 2*(mostPairs+1) {
		t.Errorf("%d lines without the ratio, want pairs", n)
	}
}
