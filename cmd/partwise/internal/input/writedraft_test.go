package input_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// jobsOf returns jobs that ran for 10 to 59 s on 1 to so many nodes.
func jobsOf(n, sizes int) (all []joblog.Job) {
	for i := range n {
		all = append(all, joblog.Job{ID: i + 1, Submit: float64(i * i), Run: float64(10 + i*7%50), Processors: 1 + i%sizes, Status: joblog.Completed})
	}
	return all
}

func ExampleWriteDraft() {
	d, err := study.NewDraft(context.Background(), joblog.ListOf(jobsOf(1000, 1)), policy.Machine{Nodes: 2, Unit: 1}, replay.Usual(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	if err := input.WriteDraft(&b, d, "My cluster", "", "jobs.swf"); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "fit:") || strings.Contains(line, "overhead:") {
			fmt.Print(line)
		}
	}
	// Output:
	// arrivals: {interarrival: {fit: {file: jobs.swf, swf: interarrival, resolution: 1s, phases: 4}}}
	//   demand: {fit: {file: jobs.swf, swf: work, resolution: 1s, phases: 3}}
	//   overhead: {exponential: {mean: 60}}
}

// TestDraftsAreModels: a draft is written once, as a model with its numbers or with the log that it was fitted to. Both are read
// as the system of the draft, whatever the names in them hold.
func TestDraftsAreModels(t *testing.T) {
	for name, c := range map[string]struct {
		jobs    []joblog.Job
		title   string
		assume  replay.Assumptions
		unit    int
		classes bool
	}{
		"all alike": {jobsOf(120, 1), "#1: 'x'", replay.Assumptions{Most: 12, Stops: models.ResizedStop, Cost: replay.Cost{Seconds: 0.25}}, 2, false},
		"free":      {jobsOf(50, 12), "two\twords", replay.Assumptions{Most: 12, Speedup: workload.Amdahl{Serial: 0.1}}, 2, false},
		"classes":   {jobsOf(400, 12), "two classes", replay.Assumptions{Most: 1, Stops: models.ResizedStop, Cost: replay.Cost{Seconds: 1}}, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := study.NewDraft(t.Context(), joblog.ListOf(c.jobs), policy.Machine{Nodes: 12, Unit: c.unit}, c.assume, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(d.System.Classes) > 0; got != c.classes {
				t.Fatalf("%d classes", len(d.System.Classes))
			}
			dir, log := t.TempDir(), "it's: {a log}.swf"
			var swf bytes.Buffer
			if err := joblog.WriteSWF(&swf, &joblog.Header{}, joblog.ListOf(c.jobs).All()); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, log), swf.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, named := range []string{"", log} {
				var text bytes.Buffer
				if err := input.WriteDraft(&text, d, c.title, "", named); err != nil {
					t.Fatal(err)
				}
				m, err := modelfile.Parse(filepath.Join(dir, "m.yaml"), text.Bytes())
				if err != nil {
					t.Fatalf("%v in\n%s", err, &text)
				}
				if fits := strings.Contains(text.String(), "fit:"); fits != (named != "") || m.Title != c.title {
					t.Errorf("title %q, fits %v in\n%s", m.Title, fits, &text)
				}
				same(t, d.System, m.System)
			}
		})
	}
}

// same compares two systems.
func same(t *testing.T, want, got *models.System) {
	t.Helper()
	if got.Nodes != want.Nodes || got.MinNodes != want.MinNodes || got.Stops != want.Stops || len(got.Classes) != len(want.Classes) {
		t.Fatalf("%+v became %+v", want, got)
	}
	means := func(s *models.System) (all []float64) {
		all = append(all, s.Arrivals.Rate())
		for _, list := range [][]phasetype.Dist{s.Service, s.Shrink, s.Expand} {
			for _, d := range list {
				all = append(all, d.Mean())
			}
		}
		return all
	}
	wants, gots := means(want), means(got)
	for i := range wants {
		if math.Abs(gots[i]-wants[i]) > 1e-12*wants[i] { // the digits of the file give the same numbers back, the rounding of a scale apart
			t.Errorf("mean %d: %v became %v", i, wants[i], gots[i])
		}
	}
	for k, c := range want.Classes {
		if g := got.Classes[k]; g.Name != c.Name || g.Share != c.Share || g.MaxNodes != c.MaxNodes {
			t.Errorf("class %+v became %+v", c, g)
		}
	}
}
