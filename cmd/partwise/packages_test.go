package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackagesHaveExamples: whoever looks a package up finds a doc comment and an example that runs.
func TestPackagesHaveExamples(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{if .GoFiles}}{{.Dir}}\t{{.Name}}\t{{len .Doc}}\t{{.ImportPath}}{{end}}", "../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 4 { // only tests
			continue
		}
		dir, name := fields[0], fields[1]
		if fields[2] == "0" {
			t.Errorf("package %s has no doc comment", dir)
		}
		// The examples of the program are those of its help and of its documents, which tests run.
		if name == "main" || strings.Contains(fields[3], "/internal/") || strings.Contains(fields[3], "test/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(text, []byte("\nfunc Example"))
		}
		if !found {
			t.Errorf("package %s has no example", dir)
		}
	}
}
