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
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		permitted, known := allowed[name]
		if strings.HasPrefix(name, "cmd/") || strings.HasSuffix(name, "test") {
			continue // commands may import everything; packages of tests serve the package above them
		}
		if !known {
			t.Errorf("package %s has no place in the architecture; say here what it may import", name)
		}
		for _, imported := range fields[1:] {
			imported, ours := strings.CutPrefix(imported, module)
			if ours && !slices.Contains(permitted, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	}
}
