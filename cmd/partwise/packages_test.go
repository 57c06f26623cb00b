package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// TestDocsListThePublicPackages: the list at the beginning of docs/architecture.md names every public package, and nothing else
// by the path of a package.
func TestDocsListThePublicPackages(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(text), "\n## ")
	_, list, _ = strings.Cut(list, "\n```\n")
	all := goList(t, "")
	named := map[string]bool{}
	for _, path := range regexp.MustCompile("`((?:fit|markov|models|phasetype|validate)(?:/[a-z/]+)?)`").FindAllStringSubmatch(list, -1) {
		named[path[1]] = true
		if _, exists := all[path[1]]; !exists {
			t.Errorf("docs/architecture.md lists %s, which is no package", path[1])
		}
	}
	for _, name := range publicPackages(t) {
		if !named[name] {
			t.Errorf("docs/architecture.md does not list the package %s", name)
		}
	}
}

// TestFuzzTargetsCanBeNamed: go test -fuzz takes a pattern that must match one target of a package. So no name of a target is part of
// the name of another target of its folder.
func TestFuzzTargetsCanBeNamed(t *testing.T) {
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	targets := map[string][]string{}
	err := filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range target.FindAllSubmatch(text, -1) {
			targets[filepath.Dir(path)] = append(targets[filepath.Dir(path)], string(name[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(targets) < 8 {
		t.Fatalf("fuzz targets are found in %d folders only", len(targets))
	}
	for folder, names := range targets {
		for i, name := range names {
			for k, other := range names {
				if i != k && strings.Contains(other, name) {
					t.Errorf("%s: -fuzz %s matches %s, too", folder, name, other)
				}
			}
		}
	}
}
