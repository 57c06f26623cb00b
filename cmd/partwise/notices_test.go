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

// notChosen is the licence of FreeType that the program does not use: its LICENSE offers the FreeType License or the GPL.
const notChosen = "gpl.txt"

// licences returns the files of a module's folder that state licences. Some modules keep licences in folders of their own: that to
// which LICENSE refers, or those of code that the module took from others.
func licences(t *testing.T, module string) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*", "THIRD_PARTY_LICENSES/*", "licenses/*"} {
		files, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().IsRegular() && (pattern != "*" || statesLicence(file)) && filepath.Base(file) != notChosen {
				all = append(all, file)
			}
		}
	}
	return all
}

// statesLicence reports whether the name of a file is one of those of licences.
func statesLicence(file string) bool {
	name := strings.ToUpper(filepath.Base(file))
	return slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(beginning string) bool {
		return strings.HasPrefix(name, beginning)
	})
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
		files := licences(t, m[i+1:])
		if len(files) == 0 {
			t.Errorf("no licence of %s", m)
		}
		for _, file := range files {
			licence, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "\n```text\n%s\n```\n", bytes.TrimSpace(bytes.ReplaceAll(licence, []byte("\r"), nil)))
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
