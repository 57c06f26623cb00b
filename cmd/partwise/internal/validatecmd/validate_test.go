package validatecmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

const twoClasses = `version: 1
machine: {nodes: 8, min_nodes: 2}
arrivals: {rate: 1, load: 0.3}
jobs:
  classes:
    - {name: small, share: 3, demand: {erlang: {mean: 60, phases: 2}}, speedup: "power:0.9", max_nodes: 3}
    - {name: large, share: 1, demand: {exponential: {mean: 120}}, speedup: "amdahl:0.02"}
dynamic: {overhead: 1}
`

// slower is a speedup that is wrong by 3 % on more than one node.
type slower struct{ workload.Speedup }

func (s slower) At(n float64) float64 {
	if n == 1 {
		return 1
	}
	return s.Speedup.At(n) / 1.03
}

// TestWrongSpeedupsAreNoticed: with a chain in which one class is 3 % slower than in the model, partwise validate fails at either
// fidelity. With the right chain it passes.
func TestWrongSpeedupsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	file := filepath.Join(t.TempDir(), "classes.yaml")
	if err := os.WriteFile(file, []byte(twoClasses), 0o644); err != nil {
		t.Fatal(err)
	}
	program := cli.Program{Groups: []cli.Group{{Commands: []cli.Command{Command(policy.Standard())}}}, Policies: policy.Standard()}
	defer func() { solve = decide.Solve }()
	for class := -1; class < 2; class++ {
		solve = func(ctx context.Context, s *models.System, p []policy.Policy, st markov.Settings, workers int) (decide.Decision, error) {
			if class >= 0 {
				wrong := *s
				wrong.Classes = append([]models.Class{}, s.Classes...)
				wrong.Classes[class].Speedup = slower{s.Classes[class].Speedup}
				var err error
				if wrong.Service, err = wrong.ServiceTimes(); err != nil {
					return decide.Decision{}, err
				}
				s = &wrong
			}
			return decide.Solve(ctx, s, p, st, workers)
		}
		want, pass, on := fault.ExitFailed, `"pass": false,`, ""
		if class < 0 {
			want, pass = fault.ExitOK, `"pass": true,`
		}
		for _, fidelity := range []string{"model", "machine"} {
			if class >= 0 && fidelity == "machine" {
				on = " on divided nodes"
			}
			var stdout, stderr bytes.Buffer
			args := []string{"validate", file, "--policy", "dynamic", "--precision", "0.6%", "--fidelity", fidelity}
			code := program.Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
			if code != want || !strings.Contains(stdout.String(), "\n  "+pass) || !strings.HasSuffix(stderr.String(), ")"+on+"\n") && class >= 0 {
				t.Errorf("class %d slower, %s: exit code %d, want %d: %s", class, fidelity, code, want, &stderr)
			}
		}
	}
}
