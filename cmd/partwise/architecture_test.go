package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/partwise/partwise/"

// allowed says which packages of the module each may import; "models" stands for itself, not for what is beneath it.
// Imports point one way: from what is said to what says it.
var allowed = map[string][]string{
	"phasetype":                         {},
	"phasetype/phdraw":                  {"phasetype"},
	"markov/internal/gemm":              {"markov/internal/gemm/openblas"},
	"markov/internal/gemm/openblas":     {},
	"markov":                            {"markov/internal/gemm"},
	"models/workload/internal/textfile": {},
	"models/workload/swf":               {"models/workload/internal/textfile"},
	"models/workload":                   {"models/workload/swf", "models/workload/internal/textfile"},
	"validate/estimate":                 {},
	"validate/internal/cputime":         {},
	"fit":                               {"phasetype"},
	"models":                            {"phasetype", "markov", "models/workload"},
	"models/spec":                       {"models", "models/workload", "fit", "phasetype"},
	"validate/des":                      {},
	"validate/draws":                    {},
	"validate/machine":                  {"validate/des", "models/workload", "phasetype"},
	"validate/batch":                    {"validate/des", "models/workload", "models/workload/swf", "validate/estimate"},
	"validate/counterpart": {"fit", "models", "models/workload", "phasetype", "markov", "validate/batch", "validate/days",
		"validate/des", "validate/estimate", "validate/machine"},
	"validate/days": {"validate/batch", "validate/des", "validate/estimate", "models/workload",
		"models/workload/swf"},
	"validate/protocol": {"validate/machine"},
	"validate": {"models", "models/workload", "phasetype", "validate/des", "validate/batch", "validate/machine",
		"validate/estimate"},
}

// TestImportsPointOneWay holds the packages to their places.
func TestImportsPointOneWay(t *testing.T) {
	for name, imports := range goList(t, `{{join .Imports " "}}`) {
		permitted, known := allowed[name]
		if strings.HasPrefix(name, "cmd/") || strings.HasSuffix(name, "test") {
			continue // commands may import everything; packages of tests serve the package above them
		}
		if !known {
			t.Errorf("package %s has no place in the architecture; say here what it may import", name)
		}
		for _, imported := range imports {
			imported, ours := strings.CutPrefix(imported, module)
			if ours && !slices.Contains(permitted, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	}
}

// TestPropertiesDrawTheSameCases: where a package's tests draw cases, they are the same in every run.
func TestPropertiesDrawTheSameCases(t *testing.T) {
	drawing := 0
	for name, imports := range goList(t, `{{join .TestImports " "}} {{join .XTestImports " "}}`) {
		if !slices.Contains(imports, "pgregory.net/rapid") {
			continue
		}
		drawing++
		if !slices.Contains(imports, module+"validate/draws") {
			t.Errorf("tests of %s use rapid, and none of their files imports validate/draws for a seed", name)
		}
	}
	if drawing == 0 {
		t.Error("no package uses rapid")
	}
}

// goList returns what a template of go list, words separated by spaces, says of each package of the module.
func goList(t *testing.T, template string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} "+template, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	words := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		words[strings.TrimPrefix(fields[0], module)] = fields[1:]
	}
	return words
}
