package logview

import (
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/study"
)

// TestMachineWarning: jobs that hold more nodes than a log names must share nodes. A number of nodes that the user gave may be
// wrong, too.
func TestMachineWarning(t *testing.T) {
	use := &logstats.Use{Peak: 112, Beyond: 0.047}
	for assumed, want := range map[bool]string{
		true:  "more than the 105 nodes that the log names for 4.7 % of the time: jobs shared nodes, and a shared node counts for each of its jobs",
		false: "more than the machine of 105 nodes has for 4.7 % of the time: is --nodes right, or do jobs share nodes?",
	} {
		if text := (Machine{105, "node", assumed}).Warning(use); !strings.Contains(text, want) {
			t.Errorf("%s; want %s", text, want)
		}
	}
}

// warningsOf returns the warnings of a log in Standard Workload Format of jobs with the given gaps between submissions, in seconds. Each
// job runs an hour on a machine of two nodes.
func warningsOf(t *testing.T, gaps []float64) string {
	t.Helper()
	jobs, at := new(joblog.List), 0.0
	var offer workload.Offer
	for i := range len(gaps) + 1 {
		j := joblog.Job{ID: i + 1, Submit: at, Wait: -1, Run: 3600, Processors: 1}
		jobs.Add(&j)
		offer.Jobs, offer.Last = i+1, at
		offer.NodeTime += 3600
		if i < len(gaps) {
			at += gaps[i]
		}
	}
	statistics, err := logstats.Of(t.Context(), jobs, logstats.Options{Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	l := &Log{Log: &study.Log{Jobs: jobs, Offer: offer, Load: offer.Load(2), Statistics: statistics},
		source: &joblog.Log{Format: joblog.SWF}, nodes: 2, unit: "node"}
	return strings.Join(l.Warnings(false), "\n")
}

// TestDoubtfulDates: gaps of months that are most of a log are told with the load without them, and a log of more than 50 years may count
// milliseconds. A log that ends in a year has no warning, nor has a log whose jobs are rare.
func TestDoubtfulDates(t *testing.T) {
	const day = 86400
	hourly := slices.Repeat([]float64{3600}, 100)
	for _, c := range []struct {
		name  string
		gaps  []float64
		wants []string
	}{
		{"no gap", hourly, nil},
		{"a gap of 59 days", append(slices.Clone(hourly), 59*day), nil},
		{"a gap of 900 days", append(slices.Concat(hourly, []float64{900 * day}), hourly...),
			[]string{"in 99.1 % of the time of the log no job was submitted: a gap of 900 days begins 4.17 days after the first submission",
				"without this gap the load would be 0.505", "--to or --from"}},
		{"a wrong year in the middle", append(slices.Concat(hourly, []float64{365 * day, 365 * day}), hourly...),
			[]string{"2 gaps, the longest of 365 days", "without these gaps"}},
		{"a short gap in a long log", append(slices.Repeat([]float64{10 * day}, 20), 100*day), nil},
		{"few jobs", append(slices.Repeat([]float64{20 * day}, 20), 900*day), nil},
		{"milliseconds", slices.Repeat([]float64{3.6e6 * 24}, 1000),
			[]string{"are the times of the log in milliseconds?"}},
		{"49 years", slices.Repeat([]float64{49 * 3.66 * day}, 100), nil},
	} {
		text := warningsOf(t, c.gaps)
		if len(c.wants) == 0 && text != "" {
			t.Errorf("%s: %s", c.name, text)
		}
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q lacks %q", c.name, text, want)
			}
		}
	}
}
