package points

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

// studyOf returns a study of so many series, static partitioning four times as slow as dynamic.
func studyOf(series int) []*Study {
	s := &Study{Study: &sweep.Study{Loads: 2}}
	for i := range series {
		s.Series = append(s.Series, sweep.Series{Name: fmt.Sprint("machine ", i), TimeUnit: "s"})
		for _, load := range []float64{0.2, 0.4} {
			d := decide.NewDecision([]decide.Solved{
				{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: true, MeanResponseTime: 1 + load}},
				{Policy: policy.Static{Partitions: 1}, Measures: models.Measures{Stable: true, MeanResponseTime: 4 + float64(i) + load}}})
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
	if n := len(few.Panels[1].Lines); n != 2*mostPairs || len(few.Strokes) != 2 {
		t.Errorf("%d series: %d lines of response times, want pairs", mostPairs, n)
	}
	if n := len(many.Panels[1].Lines); n != mostPairs+1 || len(many.Strokes) > 0 {
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

// withRigidJobs adds rigid jobs to the points of a study. They saturate at the load limit; everything else saturates at load 1.
// static is the response time of each series under static partitioning.
func withRigidJobs(s *Study, limit float64, static ...float64) *Study {
	for i := range s.Points {
		p := &s.Points[i]
		p.ArrivalRate = 2 * p.Load
		results := []decide.Solved{
			{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: true, MeanResponseTime: 1, MaxArrivalRate: 2}},
			{Policy: policy.Static{Partitions: 1}, Measures: models.Measures{Stable: true, MeanResponseTime: static[i/s.Loads], MaxArrivalRate: 2}},
			{Policy: policy.FCFS{}, Measures: models.Measures{Stable: p.Load < limit, MeanResponseTime: 4, MaxArrivalRate: 2 * limit}}}
		p.Decision = decide.NewDecision(results)
	}
	return s
}

// TestSaturationNearOneIsNotDrawnAsOne: the load at which a policy saturates has the digits of sentences.
func TestSaturationNearOneIsNotDrawnAsOne(t *testing.T) {
	study := studyOf(1)[0]
	study.Points[1].Load = 2
	f := Figure([]*Study{withRigidJobs(study, 0.9996, 2)}, nil)
	if got, want := f.Strokes[ofFCFS], "rigid, fcfs: saturated at load 0.9996"; got != want {
		t.Errorf("stroke %q, want %q", got, want)
	}
}

// TestRigidJobsAreDrawn: rigid jobs have a stroke of their own, and end at the load at which they saturate. A policy that is the same
// for all series is one line.
func TestRigidJobsAreDrawn(t *testing.T) {
	one := Figure([]*Study{withRigidJobs(studyOf(1)[0], 0.3, 2)}, nil)
	if got, want := one.Strokes, []string{"dynamic", "best static", "rigid, fcfs: saturated at load 0.300"}; !slices.Equal(got, want) {
		t.Errorf("strokes %q, want %q", got, want)
	}
	response, ratios := one.Panels[0], one.Panels[1]
	if n := len(response.Lines); n != 3 || response.Lines[2].Stroke != chart.Dotted || response.Lines[2].Limit != 0.3 || response.Lines[1].Limit != 0 {
		t.Errorf("%d lines of response times: %+v", n, response.Lines)
	}
	if rigid := ratios.Lines[1]; rigid.Y[0] != 4 || !math.IsNaN(rigid.Y[1]) || !ratios.Log {
		t.Errorf("ratio of rigid jobs %v", rigid.Y)
	}
	for _, c := range []struct {
		static []float64
		series []string
		lines  int
	}{
		{[]float64{2, 2}, []string{"machine 0", "machine 1", "best static", "rigid, fcfs: saturated at load 0.300"}, 4},
		{[]float64{2, 3}, []string{"machine 0", "machine 1", "rigid, fcfs: saturated at load 0.300"}, 5},
	} {
		f := Figure([]*Study{withRigidJobs(studyOf(2)[0], 0.3, c.static...)}, nil)
		if !slices.Equal(f.Series, c.series) || len(f.Panels[0].Lines) != c.lines || len(f.Panels[1].Lines) != 4 {
			t.Errorf("static %v: series %q, %d and %d lines", c.static, f.Series, len(f.Panels[0].Lines), len(f.Panels[1].Lines))
		}
	}
}
