package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulesOf returns the modules of others that are part of the program, in order: path, version, folder.
func modulesOf(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	return slices.DeleteFunc(slices.Compact(modules), func(s string) bool { return s == "" })
}

// TestNotices holds the notices of the licences of others to the modules that are part of the program, with their versions,
// and to what is embedded; -update writes them anew.
func TestNotices(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	modules := append(modulesOf(t),
		"uPlot (embedded in pages) internal/chart/web/uplot",
		"JSON Schemas of Kubernetes, KEDA, Kubeflow, Kueue, KubeRay and Volcano (data of tests, no part of the program) ../../testdata/schemas",
		"Go (its library, and the script that runs WebAssembly in the page of the explorer) "+strings.TrimSpace(string(root)))
	var text bytes.Buffer
	text.WriteString("# Notices\n\nThe program contains the following software of others, under these licences.\n")
	for _, m := range modules {
		i := strings.LastIndex(m, " ")
		fmt.Fprintf(&text, "\n## %s\n", m[:i])
		files, err := filepath.Glob(filepath.Join(m[i+1:], "*"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			name := strings.ToUpper(filepath.Base(file))
			if !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "NOTICE") && !strings.HasPrefix(name, "PATENTS") {
				continue
			}
			licence, err := os.ReadFile(file)
			if err != nil {
				continue // a folder
			}
			found = true
			fmt.Fprintf(&text, "\n```text\n%s\n```\n", bytes.TrimSpace(bytes.ReplaceAll(licence, []byte("\r"), nil)))
		}
		if !found {
			t.Errorf("no licence of %s", m)
		}
	}
	const name = "../../NOTICES.md"
	if *update {
		if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, text.Bytes()) {
		t.Errorf("NOTICES.md is not what the modules say now, %v; -update rewrites it", err)
	}
}
