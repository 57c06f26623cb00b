package input_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

func ExampleDraft_Write() {
	d := input.Draft{Title: "My cluster", Log: "jobs.swf", Jobs: 5000, Nodes: 64, Unit: 32, ResizeCost: 60,
		Stops: models.ResizedStop, Speedup: "amdahl:0.01"}
	var b strings.Builder
	if err := d.Write(&b); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "fit:") || strings.Contains(line, "overhead:") {
			fmt.Print(line)
		}
	}
	// Output:
	//   interarrival: {fit: {file: 'jobs.swf', swf: interarrival, resolution: 1s, phases: 4}}
	//   demand: {fit: {file: 'jobs.swf', swf: work, resolution: 1s, phases: 3}} # run time on ONE node
	//   overhead: 60s         # on average, exponentially distributed
}

// A draft is a model that can be read, whatever the names in it hold.
func TestDraftsAreModels(t *testing.T) {
	dir := t.TempDir()
	name := "it's: {a log}.swf"
	var log strings.Builder
	log.WriteString("; MaxProcs: 12\n")
	for i := range 120 {
		fmt.Fprintf(&log, "%d %d 0 %d %d -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n", i+1, i*i, 10+i*7%50, 1+i%12)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	names := map[joblog.Sizes]string{{From: 1, To: 1}: "1 node", {From: 1, To: 12}: "1 to 12 nodes", {From: 2, To: 12}: "2 to 12 nodes"}
	for _, d := range []input.Draft{
		{Title: "#1: 'x'", Log: name, Jobs: 120, Nodes: 12, Unit: 2, ResizeCost: 0.25, Stops: models.ResizedStop, Speedup: "linear"},
		{Title: "", Log: name, Jobs: 50, Nodes: 12, Unit: 6, Stops: models.AllStop, Speedup: "amdahl:0.1"},
		{Title: "one class", Log: name, Jobs: 120, Nodes: 12, Unit: 2, ResizeCost: 1, Stops: models.ResizedStop, Speedup: "linear",
			Classes: []replay.JobClass{{Sizes: joblog.Sizes{From: 1, To: 12}, Jobs: 120, MaxNodes: 8}}},
		{Title: "two classes", Log: name, Jobs: 120, Nodes: 12, Unit: 2, ResizeCost: 1, Stops: models.AllStop, Speedup: "linear",
			Classes: []replay.JobClass{{Sizes: joblog.Sizes{From: 1, To: 1}, Jobs: 10, MaxNodes: 2},
				{Sizes: joblog.Sizes{From: 2, To: 12}, Jobs: 110, MaxNodes: 12}}},
	} {
		file := filepath.Join(dir, "m.yaml")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Write(f), f.Close()); err != nil {
			t.Fatal(err)
		}
		m, err := modelfile.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		s := m.System
		if s.Nodes != d.Nodes || s.MinNodes != d.Unit || m.Title != d.Title || (d.ResizeCost > 0) != (s.Stops == d.Stops) ||
			s.ShrinkTo(2).Mean() != d.ResizeCost || !s.ShrinkTo(1).IsZero() || s.ExpandTo(1).Mean() != d.ResizeCost {
			t.Errorf("%+v became %+v", d, s)
		}
		if len(s.Classes) != len(d.Classes) {
			t.Fatalf("%d classes became %d", len(d.Classes), len(s.Classes))
		}
		for k, c := range d.Classes {
			got := s.Classes[k]
			// Jobs ran for 10 to 59 s, 34.5 s on average; the mean of the few jobs of a size is up to a fifth off.
			nodes := float64(c.Sizes.From+c.Sizes.To) / 2
			if got.Name != names[c.Sizes] || got.Share != float64(c.Jobs) || got.MaxNodes != c.MaxNodes || math.Abs(got.Demand.Mean()/nodes/34.5-1) > .2 {
				t.Errorf("class %+v became %+v with mean %v", c, got, got.Demand.Mean())
			}
		}
	}
}

func TestUnit(t *testing.T) {
	for nodes, want := range map[int]int{100: 10, 128: 16, 64: 8, 12: 2, 2: 1, 10: 1, 1152: 128} {
		if got, err := input.DivisionUnit(nodes); got != want || err != nil {
			t.Errorf("%d nodes: %d, %v", nodes, got, err)
		}
	}
	for _, nodes := range []int{0, 1, 97, -8} {
		if got, err := input.DivisionUnit(nodes); err == nil {
			t.Errorf("%d nodes: %d, %v", nodes, got, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	good := input.Draft{Log: "l", Nodes: 4, Unit: 2, Stops: models.AllStop, Speedup: "linear"}
	for name, change := range map[string]func(*input.Draft){
		"unit": func(d *input.Draft) { d.Unit = 3 }, "one unit": func(d *input.Draft) { d.Unit = 4 },
		"title": func(d *input.Draft) { d.Title = "a\nb" },
	} {
		d := good
		change(&d)
		var b strings.Builder
		if err := d.Write(&b); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, wrote %q", name, err, b.String())
		}
	}
}
