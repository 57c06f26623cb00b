//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// TestCloneToPicture: whoever has Go and this repository gets a picture of curves by one command, the first of the README.
// What "go run" compiles of a fresh clone is complete, and the program under test makes the picture of what the clone holds.
func TestCloneToPicture(t *testing.T) {
	needs.Long(t, "reads the source of everything in a fresh clone")
	t.Parallel()
	for _, program := range []string{"git", "go"} {
		needs.Program(t, program)
	}
	clone := filepath.Join(t.TempDir(), "partwise")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "--depth=1", "../..", clone).CombinedOutput(); err != nil {
		t.Skipf("this is no repository that can be cloned: %v\n%s", err, out)
	}
	read := sources{files: token.NewFileSet(), of: map[string]*ast.File{}}
	read.checkTypes(t, clone, runtime.GOOS, runtime.GOARCH, "./cmd/partwise")
	first := strings.Fields("curve testdata/examples/rigid-costs.yaml --format table --plot rigid.svg")
	cmd := exec.CommandContext(t.Context(), "partwise", first...)
	cmd.Dir = clone
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("partwise %v: %v\n%s", first, err, out)
	}
	if !strings.Contains(string(out), "dynamic partitioning pays") {
		t.Errorf("no answer among\n%s", out)
	}
	picture, err := os.ReadFile(filepath.Join(clone, "rigid.svg"))
	if err != nil || !strings.Contains(string(picture), "</svg>") {
		t.Errorf("no picture: %v", err)
	}
}

// TestTimesToAnswer: from a table of run times to an answer by three commands.
func TestTimesToAnswer(t *testing.T) {
	dir := t.TempDir()
	var times strings.Builder
	times.WriteString("job,runtime\n")
	r := rand.New(rand.NewPCG(3, 5))
	for i := range 100 {
		fmt.Fprintf(&times, "%d,%.1f\n", i+1, 600*r.ExpFloat64()*(1+9*float64(i%2)))
	}
	if err := os.WriteFile(filepath.Join(dir, "runtimes.csv"), []byte(times.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var last []byte
	for _, line := range []string{
		"fit runtimes.csv --column runtime --on-nodes 1 --phases 1:3 --output work.ph.json",
		"init from-log --output model.yaml",
		"solve model.yaml --format table",
	} {
		cmd := exec.CommandContext(t.Context(), "partwise", strings.Fields(line)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("partwise %s: %v\n%s", line, err, out)
		}
		last = out
	}
	if !strings.Contains(string(last), "under dynamic partitioning") {
		t.Errorf("no answer among\n%s", last)
	}
}
