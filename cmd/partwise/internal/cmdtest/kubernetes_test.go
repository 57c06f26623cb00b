package cmdtest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/sweepcmd"
	"github.com/partwise/partwise/models/policy"
)

// TestKubernetesJobsFitTheSchemas: the two jobs that --kubernetes prints fit the schema that Kubernetes publishes, and the schema of
// the package, which has the fields that are written and no others.
func TestKubernetesJobsFitTheSchemas(t *testing.T) {
	p := &cli.Program{Unlisted: []cli.Command{sweepcmd.Sweep(policy.Standard())}, Policies: policy.Standard()}
	line := []string{"sweep", "../../../../testdata/ips96/w1.yaml", "--set", "title=it's $(HOME) $$", "--kubernetes", "3",
		"--output", "the grid.csv", "--format", "csv"}
	var stdout, stderr bytes.Buffer
	if code := p.Run(t.Context(), line, strings.NewReader(""), &stdout, &stderr); code != fault.ExitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for _, dir := range []string{published, "testdata"} {
		known, err := compileSchemas(dir)
		if err != nil || len(known) == 0 {
			t.Fatalf("%s: %d schemas, %v", dir, len(known), err)
		}
		if jobs, err := known.check(stdout.String()); err != nil || len(jobs) != 2 {
			t.Errorf("schemas of %s: %d jobs: %v\n%s", dir, len(jobs), err, &stdout)
		}
	}
}
