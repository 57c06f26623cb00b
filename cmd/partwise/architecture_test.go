package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module  = "github.com/partwise/partwise/"
	program = "cmd/partwise/internal/"
)

// allowed says which packages of the module each may import; "models" stands for itself, not for what is beneath it.
// Imports point one way: from what is said to what says it.
var allowed = map[string][]string{
	"phasetype":                              {},
	"phasetype/phdraw":                       {"phasetype"},
	"markov/internal/krylov":                 {},
	"markov/internal/together":               {},
	"markov/internal/block":                  {"markov/internal/block/openblas", "markov/internal/together"},
	"markov/internal/block/openblas":         {},
	"markov/internal/reduction":              {"markov/internal/block"},
	"markov":                                 {"markov/internal/block", "markov/internal/krylov", "markov/internal/reduction"},
	"markov/laplace":                         {"markov", "markov/internal/block", "markov/internal/together"},
	"markov/multiserver/internal/statespace": {"markov", "markov/internal/block"},
	"markov/multiserver/internal/spectrum":   {"markov", "markov/internal/block", "markov/multiserver/internal/statespace"},
	"markov/multiserver": {"markov", "markov/multiserver/internal/statespace", "markov/multiserver/internal/spectrum",
		"markov/internal/block", "markov/internal/krylov", "markov/internal/reduction", "markov/internal/together"},
	"fit":                               {"phasetype"},
	"models/parallel":                   {},
	"models/measure":                    {},
	"models/workload/internal/textfile": {},
	"models/workload/internal/timetext": {"models/quantity"},
	"models/workload/internal/jsonpath": {},
	"models/workload/swf":               {"models/workload/internal/textfile"},
	"models/workload/joblog": {"models/workload/swf", "models/workload/internal/textfile",
		"models/workload/internal/timetext"},
	"models/workload": {"models/workload/swf", "models/workload/joblog", "models/workload/internal/textfile",
		"models/workload/internal/timetext", "models/workload/internal/jsonpath", "models/quantity"},
	"models/workload/elastisim": {"models/workload"},
	"models/workload/logstats":  {"models/workload", "models/workload/swf"},
	"models/workload/jobmodel":  {"models/workload", "models/workload/swf"},
	"models/policy":             {"models/workload", "phasetype"},
	"models/internal/counts":    {},
	"models/internal/levels":    {"markov", "phasetype"},
	"models": {"phasetype", "markov", "markov/laplace", "markov/multiserver", "models/workload", "models/policy",
		"models/measure", "models/internal/counts", "models/internal/levels"},
	"models/timesharing": {"models", "models/internal/levels", "markov", "phasetype"},
	"models/mdp":         {"models", "models/policy", "markov", "phasetype"},
	"models/decide": {"models", "models/measure", "models/parallel", "models/policy", "models/workload", "phasetype",
		"markov", "markov/multiserver"},
	"models/bootstrap":              {"models", "models/decide", "models/parallel", "models/policy", "markov"},
	"models/export":                 {"models", "models/policy", "markov"},
	"models/quantity":               {},
	"models/modelfile/tree":         {"models/quantity"},
	"models/modelfile/distribution": {"models/modelfile/tree", "models/quantity", "models/workload", "models/workload/swf", "fit", "phasetype"},
	"models/modelfile": {"models/modelfile/distribution", "models/quantity", "models/modelfile/tree", "models", "models/decide",
		"models/measure", "models/policy", "models/workload", "phasetype"},
	"validate/des":         {},
	"validate/draws":       {},
	"validate/estimate":    {},
	"validate/sim":         {"validate/des", "phasetype"},
	"validate/sched/epoch": {"models/policy"},
	"validate/sched":       {"validate/sched/epoch", "validate/sim", "validate/des", "models/policy", "models/workload"},
	"validate/machine": {"validate/sched", "validate/sim", "validate/des", "models/policy", "models/workload",
		"phasetype"},
	"validate/cluster":                  {"validate/des", "models/policy"},
	"validate/chain":                    {"validate/sim", "validate/des", "phasetype"},
	"validate/metric":                   {"validate/machine", "validate/estimate", "models/measure", "models/workload/swf"},
	"validate/protocol":                 {"validate/sched"},
	"validate/testbed/internal/scratch": {},
	"validate/testbed": {"validate/testbed/internal/scratch", "validate/sched", "validate/des", "models/parallel", "models/policy",
		"models/workload"},
	"validate/experiment/prediction": {"validate/testbed", "validate/machine", "validate/sim", "validate/des", "validate/estimate",
		"models", "models/parallel", "models/policy", "models/workload", "markov", "phasetype"},
	"validate": {"validate/chain", "validate/machine", "validate/metric", "validate/sched", "validate/sim", "validate/des",
		"validate/estimate", "models", "models/measure", "models/parallel", "models/policy", "models/workload", "phasetype"},
	"validate/replay": {"validate/machine", "validate/metric", "validate/sched", "validate/des", "validate/estimate", "models",
		"models/measure", "models/parallel", "models/policy", "models/workload", "models/workload/swf", "phasetype", "markov"},
	"validate/experiment/days": {"validate/machine", "validate/metric", "validate/sched", "validate/des", "validate/estimate",
		"models/measure", "models/modelfile/tree", "models/parallel", "models/policy", "models/quantity", "models/workload",
		"models/workload/swf"},
	"validate/experiment/epochs": {"validate/sched/epoch", "validate/machine", "validate/metric", "validate/sim",
		"validate/des", "validate/estimate", "models/measure", "models/parallel", "models/policy", "models/workload", "phasetype"},
	"validate/experiment/families": {"validate/cluster", "validate/machine", "validate/replay", "validate/des", "validate/estimate", "models",
		"models/parallel", "models/policy", "models/workload", "models/workload/swf"},
	"validate/experiment/logmodel": {"validate/sim", "validate/des", "models/parallel", "models/workload", "fit", "phasetype"},
	"validate/experiment/assumptions": {"validate/experiment/logmodel", "validate", "validate/machine", "validate/sim", "validate/des", "models",
		"models/decide",
		"models/measure", "models/parallel", "models/policy", "models/workload"},
	"validate/experiment/advise": {"validate", "validate/machine", "validate/sched", "validate/replay", "validate/metric", "validate/sim", "validate/des",
		"validate/estimate", "models", "models/mdp", "models/measure", "models/parallel", "models/policy", "models/workload",
		"models/workload/swf"},
	"validate/experiment/coscheduling": {"validate/cluster", "validate/sim", "validate/des", "validate/estimate",
		"models/measure", "models/parallel", "models/policy", "models/workload/swf", "phasetype"},
	"validate/experiment/crosscheck": {"validate/experiment/days", "validate/sched", "validate/machine", "validate/des", "validate/estimate",
		"models", "models/decide", "models/parallel", "models/policy", "models/workload", "fit", "phasetype", "markov"},
	"validate/testbed/slurm": {"validate/testbed", "validate/des"},
	"validate/testbed/mpi":   {"validate/testbed", "validate/testbed/internal/scratch", "validate/des"},
}

// commandImports says which packages beneath the program each may import, besides those of the libraries: the program
// knows the commands, commands know what they share. One command knows another where it goes on with what that makes.
var commandImports = importTable(`
escape:
chart: escape
journal:
output: escape
progress:
cli: chart output escape progress
model: cli output
sentence: output
solution: cli model output
solvecmd: cli model output progress sentence solution
checkcmd: cli model output
explorer:
points: cli model output chart journal solution escape
curvecmd: cli output points
sweepcmd: cli model output points sentence solution
mergecmd: cli curvecmd journal points sweepcmd
breakevencmd: cli chart logflags model output solution sentence
reportcmd: cli model output chart solution explorer sentence points escape
fitcmd: cli output chart logflags
logflags: cli output
logcmd: cli output chart logflags
lab/workloadcmd: cli logflags
replaycmd: cli model output chart logflags
simulatecmd: cli model output chart progress logflags
validatecmd: cli model output simulatecmd
studycmd: cli model output chart progress solution logcmd logflags replaycmd reportcmd validatecmd
lab/allocatecmd: cli model output chart
lab/epochscmd: cli model output chart
lab/gangcmd: cli model output
systems:
advisecmd: cli model output chart progress logflags systems
lab/comparecmd: cli model output chart logflags
initcmd: cli
policiescmd: cli output
schemacmd: cli
lab/overheadscmd: cli output chart
lab/testbedcmd: cli output chart
explorer/answer: output sentence
lab/coschedulecmd: cli output chart
`)

// importTable reads lines such as "cli: chart output".
func importTable(lines string) map[string][]string {
	table := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		table[name] = strings.Fields(imports)
	}
	return table
}

// TestImportsPointOneWay holds the packages to their places.
func TestImportsPointOneWay(t *testing.T) {
	for name, imports := range goList(t, `{{join .Imports " "}}`) {
		permitted, known := allowed[name]
		command := strings.HasPrefix(name, program)
		if name == "cmd/partwise" || ofTests(name) {
			continue // the program imports all commands; packages of tests serve the package above them
		}
		if command {
			permitted, known = commandImports[strings.TrimPrefix(name, program)]
		}
		if !known {
			t.Errorf("package %s has no place in the architecture; say here what it may import", name)
		}
		for _, imported := range imports {
			imported, ours := strings.CutPrefix(imported, module)
			if command {
				imported, ours = strings.CutPrefix(imported, program)
			}
			if ours && !slices.Contains(permitted, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	}
}

// ofTests reports whether only tests import a package.
func ofTests(name string) bool {
	return strings.HasSuffix(name, "test") || strings.Contains(name, "test/") || strings.HasSuffix(name, "/testcase") ||
		strings.HasSuffix(name, "/docpage")
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

// The sizes of packages beyond which nobody reads them from one end to the other, in lines without tests.
const (
	mostLines          = 3500
	mostLinesOfProgram = 2500
	mostLinesOfMain    = 400
)

// TestPackagesAreOfReadableSize: the packages of the models, of the simulator and of the program are small, and package
// main is a table.
func TestPackagesAreOfReadableSize(t *testing.T) {
	for name, files := range goList(t, `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}} {{end}}`) {
		most := mostLines
		switch room, _, _ := strings.Cut(name, "/"); {
		case name == "cmd/partwise":
			most = mostLinesOfMain
		case room == "cmd":
			most = mostLinesOfProgram
		case room != "models" && room != "validate":
			continue
		}
		lines := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
		if lines > most {
			t.Errorf("%s has %d lines, more than %d", name, lines, most)
		}
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
