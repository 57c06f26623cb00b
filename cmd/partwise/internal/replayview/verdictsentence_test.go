package replayview

import (
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// runOf returns a run with a share of malleable jobs, whose jobs take about the given time, and differ by up to a given spread.
func runOf(share, time, spread float64, easy *replay.Run) *replay.Run {
	log := metric.NewLog(metric.Machine{Nodes: 1}, nil)
	sum := 0.0
	const jobs = 1000
	for n := range jobs {
		response := time + spread*math.Sin(float64(n))
		log.Add(&machine.Record{Number: n, End: response, Promised: math.NaN()})
		sum += response
	}
	return &replay.Run{Setting: replay.Setting{Policy: policy.EASYMalleable{}, Nodes: 8, Share: share}, Baseline: easy, Log: log,
		Measures: metric.Values{measure.MeanResponseTime: sum / jobs}}
}

// TestVerdictClause: the headline says that resizing pays only where no share of malleable jobs makes response times longer.
func TestVerdictClause(t *testing.T) {
	easy := runOf(0, 1000, 1, nil)
	for _, c := range []struct {
		times [3]float64 // with 20, 50 and 100 % malleable
		mixed bool
		want  string
	}{
		{[3]float64{900, 800, 500}, false, "Resizing pays: with 20 % of the jobs malleable, jobs take 10 % less time than under EASY."},
		{[3]float64{1000, 800, 500}, false, "Resizing pays: with 50 % of the jobs malleable, jobs take 20 % less time than under EASY."},
		{[3]float64{1500, 2000, 900}, true, "Whether resizing pays depends on how many jobs are malleable: jobs take " +
			"50 % more time than under EASY with 20 % malleable, 100 % more with 50 % and 10 % less with 100 %."},
		{[3]float64{800, 1000, 2000}, true, "Whether resizing pays depends on how many jobs are malleable: jobs take " +
			"20 % less time than under EASY with 20 % malleable and 100 % more with 100 %."},
		{[3]float64{1100, 1200, 1300}, false, "Resizing does not pay: with 100 % of the jobs malleable, jobs take 30 % more time than under EASY."},
		{[3]float64{1500, 1000, 1000}, false, "It is not clear from this log whether resizing pays: with 100 % of the jobs malleable, jobs take " +
			"as much time as under EASY (95 % interval), but 50 % more time with 20 % malleable."},
		{[3]float64{1000, 1000, 1000}, false, "It is not clear from this log whether resizing pays: with 100 % of the jobs malleable, jobs take " +
			"as much time as under EASY (95 % interval). "},
	} {
		var runs []*replay.Run
		for i, share := range []float64{0.2, 0.5, 1} {
			runs = append(runs, runOf(share, c.times[i], 1, easy))
		}
		if got := replay.IsMixed(runs); got != c.mixed {
			t.Errorf("%v: mixed is %v", c.times, got)
		}
		g := Gains{Gains: &study.Gains{EASY: easy, Runs: runs}}
		text := strings.TrimPrefix(g.VerdictSentence(), "In a replay that this log cannot check, ")
		if text = strings.ToUpper(text[:1]) + text[1:]; !strings.HasPrefix(text, c.want) {
			t.Errorf("%v: %q, want %q", c.times, text, c.want)
		}
		all := strings.Join(g.GainSentences(), " ")
		if begins := strings.HasPrefix(all, "With 100 % malleable the mean response time is "); begins != c.mixed {
			t.Errorf("%v: %q", c.times, all)
		}
	}
}
