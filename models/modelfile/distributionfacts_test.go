package modelfile_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
)

// TestFacts: a file of an arrival process has the facts of its interarrival times, its rate and its correlations besides.
func TestFacts(t *testing.T) {
	for name, want := range map[string][]string{
		"checkpoint.ph.json": {"phases", "mean", "standard_deviation", "scv", "skewness", "moment_2", "moment_3"},
		"arrivals.map.json": {"phases", "rate", "mean", "standard_deviation", "scv", "skewness", "moment_2", "moment_3", "correlation_1",
			"correlation_2", "correlation_3", "dispersion"},
	} {
		file, err := modelfile.LoadDistribution("../../testdata/examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		law := file.Law(t.Context())
		facts, quantiles := map[string]float64{}, 0
		for _, f := range file.Facts(law) {
			facts[f.Name] = f.Value
			if strings.HasPrefix(f.Name, "quantile_") {
				quantiles++
			}
		}
		for _, fact := range want {
			if v, ok := facts[fact]; !ok || math.IsNaN(v) {
				t.Errorf("%s: %s is %v", name, fact, v)
			}
		}
		if quantiles != 8 || len(facts) != len(want)+quantiles {
			t.Errorf("%s: %d facts, %d of them quantiles", name, len(facts), quantiles)
		}
		if m := facts["mean"]; math.Abs(facts["moment_2"]-facts["standard_deviation"]*facts["standard_deviation"]-m*m) > 1e-9*m*m {
			t.Errorf("%s: the moments contradict each other: %v", name, facts)
		}
	}
}

// TestReadSample: values pass through a sketch, and the values of a log have the unit that is asked for.
func TestReadSample(t *testing.T) {
	s, skipped, err := modelfile.ReadSample(t.Context(), strings.NewReader("t,n\n2,3\n4,1\n"), "t.csv",
		workload.Columns{Value: "t", Weight: "n", Most: 10})
	if err != nil || len(skipped) > 0 || mean(&s) != 2.5 {
		t.Errorf("%+v, %v, %v; want the mean 2.5", s, skipped, err)
	}
	s, _, err = modelfile.ReadSample(t.Context(), strings.NewReader("low,high\n2,3\n4,5\n"), "t.csv",
		workload.Columns{Value: "low", Upper: "high", Most: 10})
	if err != nil || len(s.Values) != 2 || len(s.Upper) != 2 {
		t.Errorf("intervals: %+v, %v", s, err)
	}
	const log = "; MaxNodes: 4\n1 0 0 60 1 -1 -1 1 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 9 0 180 1 -1 -1 1 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
	s, _, err = modelfile.ReadSample(t.Context(), strings.NewReader(log), "log.swf", workload.Columns{Log: workload.RunTime, Second: 1. / 60, Most: 10})
	if err != nil || math.Abs(mean(&s)-2) > 1e-12 {
		t.Errorf("run times in minutes: %+v, %v; want the mean 2", s, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err = modelfile.ReadSample(ended, strings.NewReader(strings.Repeat("1\n", 70_000)), "t.csv",
		workload.Columns{Most: 1e6}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted reading: %v", err)
	}
}

// TestGapsOfZero: jobs that arrive in the same second are no reason to fit the other gaps alone. A finer clock has no resolution.
func TestGapsOfZero(t *testing.T) {
	log := func(submissions ...string) string {
		text := "; MaxNodes: 4\n"
		for i, at := range submissions {
			text += fmt.Sprintf("%d %s 0 60 1 -1 -1 1 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n", i+1, at)
		}
		return text
	}
	for _, c := range []struct {
		log        string
		quantity   workload.Quantity
		resolution float64
	}{
		{log("0", "0", "9", "10"), workload.Interarrival, 1. / 60},
		{log("0", "3", "9", "10"), workload.Interarrival, 0},
		{log("0", "0", "0.25", "10"), workload.Interarrival, 0},
		{log("0", "0", "9", "10"), workload.RunTime, 0},
	} {
		s, _, err := modelfile.ReadSample(t.Context(), strings.NewReader(c.log), "log.swf",
			workload.Columns{Log: c.quantity, Second: 1. / 60, Most: 10})
		if err != nil || s.Resolution != c.resolution {
			t.Errorf("%s of %q: resolution %v, %v; want %v", c.quantity, c.log, s.Resolution, err, c.resolution)
		}
	}
}

// mean returns the mean of a sample by its weights.
func mean(s *fit.Sample) float64 {
	sum, n := 0.0, 0.0
	for i, v := range s.Values {
		weight := 1.0
		if s.Weights != nil {
			weight = s.Weights[i]
		}
		sum, n = sum+weight*v, n+weight
	}
	return sum / n
}

// TestErrorsConcern: the mistakes of a file tell which fields are no part of its kind.
func TestErrorsConcern(t *testing.T) {
	_, err := modelfile.Parse("s.yaml", []byte("version: 1\nseries: [{model: m.yaml}]\n"))
	var found modelfile.Errors
	if !errors.As(err, &found) || !found.Concern("series") || !found.Concern("machine") || found.Concern("jobs.demand") {
		t.Errorf("%v", err)
	}
}
