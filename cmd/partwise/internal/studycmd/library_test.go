package studycmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/studycmd"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// TestLibraryGivesTheNumbersOfTheCommand: study.Of and partwise study say the same of a log, to the last digit.
func TestLibraryGivesTheNumbersOfTheCommand(t *testing.T) {
	const name = "../../../../testdata/joblogs/sacct.txt"
	var out bytes.Buffer
	p := &cli.Program{Unlisted: []cli.Command{studycmd.Study()}, Policies: policy.Standard()}
	line := []string{"study", name, "--nodes", "64", "--format", "json", "--quiet", "--output", filepath.Join(t.TempDir(), "study.md")}
	if code := p.Run(context.Background(), line, os.Stdin, &out, os.Stderr); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	type mean struct {
		Mean float64 `json:"mean"`
	}
	var said struct {
		Load     float64 `json:"load"`
		Forecast []struct {
			Ratio mean `json:"ratio_to_easy"`
		} `json:"forecast"`
		Breakeven []struct {
			Cost mean `json:"resize_cost"`
		} `json:"breakeven"`
		Chain struct {
			Policies []struct {
				Predicted float64 `json:"predicted"`
				Replayed  float64 `json:"replayed"`
			} `json:"policies"`
		} `json:"chain"`
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	text, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	_, jobs, err := joblog.Pack(text, name, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := study.Of(t.Context(), jobs.All(), policy.Machine{Nodes: 64}, replay.Usual(), study.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if said.Load != a.Log.Load || len(said.Forecast) != len(a.Gains.Runs) || len(said.Chain.Policies) != len(a.Chain.Report.Policies) {
		t.Fatalf("load %v and %v, %d and %d shares, %d and %d policies", said.Load, a.Log.Load, len(said.Forecast), len(a.Gains.Runs),
			len(said.Chain.Policies), len(a.Chain.Report.Policies))
	}
	for i, run := range a.Gains.Runs {
		if said.Forecast[i].Ratio.Mean != run.Ratio().Mean || said.Breakeven[i].Cost.Mean != a.Breakevens[i].ResizeCost.Mean {
			t.Errorf("%g malleable: ratio %v and %v, break-even %v and %v", run.Share, said.Forecast[i].Ratio.Mean, run.Ratio().Mean,
				said.Breakeven[i].Cost.Mean, a.Breakevens[i].ResizeCost.Mean)
		}
	}
	replayed := &a.Chain.Report.Replayed
	if a.Chain.Report.Unbounded != nil {
		replayed = a.Chain.Report.Unbounded
	}
	for i, p := range said.Chain.Policies {
		if p.Predicted != a.Chain.Report.Predicted.Means[i] || p.Replayed != replayed.Means[i] {
			t.Errorf("policy %d: the chain %v and %v, the log %v and %v", i, p.Predicted, a.Chain.Report.Predicted.Means[i], p.Replayed, replayed.Means[i])
		}
	}
}
