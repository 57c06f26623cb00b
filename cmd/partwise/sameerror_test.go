package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameErrorEachTime: of several mistakes on a command line the same one is named in each run.
func TestSameErrorEachTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const model = "version: 1\nmachine: {nodes: 4}\narrivals: {rate: 1, load: 0.5}\njobs: {demand: {exponential: {mean: 1}}, speedup: linear}\n"
	if err := os.WriteFile(filepath.Join(dir, "m.yaml"), []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"sweep m.yaml --shard 1/4 --plot x.svg --format csv --output x.csv": "error: --plot with --shard",
		"sweep m.yaml --shard 1/4 --resume":                                 "error: --resume needs a file",
		"curve m.yaml --shard 1/4":                                          "error: --shard needs a file",
	} {
		for range 6 { // two mistakes in an order that chance chooses are in the same order 5 times with probability 1/32
			cmd := exec.CommandContext(t.Context(), "partwise", strings.Fields(line)...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), want) {
				t.Fatalf("partwise %s: %v\n%s", line, err, out)
			}
		}
	}
}
