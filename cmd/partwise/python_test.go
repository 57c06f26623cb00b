package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

var pythonFence = pattern("(?s)```python\n(.*?)```")

// TestPythonPage runs the Python of docs/python.md, from the first fence to the last, as a notebook does.
func TestPythonPage(t *testing.T) {
	needs.Long(t, "imports pandas and matplotlib, and studies a log three times")
	t.Parallel()
	python := needs.Python(t, "pandas", "matplotlib")
	page, err := os.ReadFile("../../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, fence := range pythonFence().FindAllStringSubmatch(string(page), -1) {
		script.WriteString(fence[1])
	}
	dir := t.TempDir()
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testdata, filepath.Join(dir, "testdata")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	run := exec.CommandContext(t.Context(), python, "-c", script.String())
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"dynamic", "times as fast as the best static split", "mean_response_time", "60s"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page does not print %q:\n%s", want, out)
		}
	}
	picture, err := os.ReadFile(filepath.Join(dir, "curve.png"))
	if err != nil || !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("curve.png: %v, %d bytes", err, len(picture))
	}
}
