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
var allowed = importTable(`
markov/parallel:
markov/internal/block: markov/parallel
markov/matmul: markov/internal/block
phasetype: markov/matmul
markov/internal/blocktest: markov/internal/block
markov/internal/poisson:
markov/internal/reduction: markov/internal/block
markov/internal/incomplete: markov/internal/block
markov/internal/inversion: markov/parallel
markov/internal/levelvectors: markov/internal/block
markov/internal/resolvent: markov/internal/block markov/internal/incomplete markov/internal/reduction
markov: markov/internal/block markov/internal/incomplete markov/internal/inversion markov/internal/levelvectors markov/internal/poisson markov/internal/reduction markov/internal/resolvent markov/parallel
markov/multiserver/internal/statespace: markov markov/internal/block markov/internal/poisson
markov/multiserver/internal/spectrum: markov markov/internal/block markov/multiserver/internal/statespace
markov/multiserver/internal/switchover: markov markov/internal/block markov/multiserver/internal/spectrum markov/multiserver/internal/statespace
markov/multiserver/internal/sensitivity: markov/internal/block
markov/multiserver/internal/solvesize: markov/internal/reduction markov/multiserver/internal/statespace markov/parallel
markov/multiserver: markov markov/internal/block markov/internal/reduction markov/multiserver/internal/sensitivity markov/multiserver/internal/solvesize markov/multiserver/internal/spectrum markov/multiserver/internal/statespace markov/multiserver/internal/switchover markov/parallel
fit/internal/elementary:
fit/internal/interpolation:
fit/internal/optimum: fit/internal/elementary
fit/internal/productlimit:
fit/internal/products:
fit: fit/internal/elementary fit/internal/interpolation fit/internal/optimum fit/internal/productlimit fit/internal/products markov/parallel phasetype
models/words:
models/measure: models/words
models/workload/internal/logtext: markov/parallel models/measure
models/workload/internal/filekind: models/workload/internal/logtext
models/workload/internal/packed:
models/workload/internal/kubernetes: models/workload/internal/logtext
models/workload/internal/pbs: models/workload/internal/logtext
models/workload/internal/slurm: models/workload/internal/logtext
models/workload/internal/wholelog:
models/workload/internal/executions: models/workload/internal/packed models/workload/internal/wholelog
models/workload/joblog: models/measure models/workload/internal/executions models/workload/internal/filekind models/workload/internal/kubernetes models/workload/internal/logtext models/workload/internal/packed models/workload/internal/pbs models/workload/internal/slurm models/workload/internal/wholelog models/words
models/workload: models/measure models/words models/workload/internal/logtext models/workload/joblog
models/workload/logstats: markov/parallel models/workload models/workload/joblog
models/policy: models/measure models/workload phasetype
models/internal/levels: markov markov/parallel
models/internal/chainfiles: markov
models/internal/counts:
models/internal/division: models/workload
models/internal/jobtimes: markov phasetype
models/internal/rigidjobs: models/internal/counts models/internal/jobtimes models/internal/levels phasetype
models: markov markov/multiserver markov/parallel models/internal/chainfiles models/internal/counts models/internal/division models/internal/jobtimes models/internal/levels models/internal/rigidjobs models/measure models/policy models/words models/workload phasetype
models/decide/internal/decisionprocess: markov markov/parallel models
models/decide: markov markov/multiserver markov/parallel models models/decide/internal/decisionprocess models/measure models/policy models/words models/workload phasetype
models/modelfile/internal/tree: models/measure models/words
models/modelfile: fit markov models models/decide models/measure models/modelfile/internal/tree models/policy models/words models/workload models/workload/joblog phasetype
models/sweep: markov markov/parallel models models/decide models/measure models/modelfile models/policy models/words
validate/internal/des: phasetype
validate/internal/simulation: validate/internal/des
validate/internal/batches:
validate/internal/calendar:
validate/internal/evenshares:
validate/internal/chain: markov/parallel phasetype validate/internal/des validate/internal/calendar validate/internal/simulation
validate/sched: markov/parallel models/policy models/workload validate/internal/des validate/internal/calendar validate/internal/evenshares
validate/machine: markov/parallel models/policy models/workload phasetype validate/internal/des validate/internal/calendar validate/internal/evenshares validate/internal/simulation validate/sched
validate/metric: models/measure models/workload/joblog validate/internal/batches validate/machine
validate: markov/parallel models models/decide models/measure models/policy models/workload phasetype validate/internal/des validate/internal/batches validate/internal/chain validate/internal/simulation validate/machine validate/metric validate/sched
validate/replay: markov/parallel models models/measure models/policy models/words models/workload models/workload/joblog models/workload/logstats phasetype validate validate/internal/des validate/machine validate/metric validate/sched
validate/advise: markov/parallel models models/measure models/policy models/workload models/workload/joblog validate validate/internal/des validate/internal/simulation validate/machine validate/metric validate/replay validate/sched
validate/lab/internal/cluster: models/policy validate/internal/des
validate/lab/internal/coscheduling: markov/parallel models/measure models/policy models/words validate/internal/des validate/lab/internal/cluster validate/metric
validate/lab/internal/families: markov/parallel models models/measure models/policy models/words models/workload models/workload/joblog validate/internal/des validate/lab/internal/cluster validate/machine validate/metric validate/replay
validate/lab/internal/testbed: markov markov/parallel models models/measure models/modelfile models/policy models/workload phasetype validate/internal/des validate/internal/simulation validate/machine validate/metric validate/sched
validate/lab/internal/days: markov/parallel models/measure models/policy models/workload validate/internal/des validate/machine validate/metric validate/sched
validate/lab/internal/epochs: markov/parallel models/measure models/policy models/workload validate/internal/des validate/machine validate/metric validate/sched
validate/lab/internal/overheads: markov/parallel models/words validate/sched
validate/lab: models models/policy models/workload/joblog validate/lab/internal/cluster validate/lab/internal/coscheduling validate/lab/internal/days validate/lab/internal/epochs validate/lab/internal/families validate/lab/internal/overheads validate/lab/internal/testbed validate/machine validate/replay validate/sched
validate/explore: markov models models/decide models/modelfile models/policy models/words models/workload phasetype validate validate/machine
validate/study: fit markov markov/parallel models models/decide models/measure models/policy models/workload models/workload/joblog models/workload/logstats phasetype validate validate/advise validate/metric validate/replay
`)

// commandImports says which packages beneath the program each may import, besides the packages of the libraries: the program
// knows the commands, commands know what they share. One command knows another where it goes on with what that makes.
var commandImports = importTable(`
output:
chart: output
progress: output
fault: output
files: fault output
values:
pages: output
release:
cli: chart fault files output pages progress release values
input: chart cli fault output values
aboutcmd: cli fault output release
logview: chart output
replayview: chart cli fault input logview output
advisecmd: chart cli fault input logview output progress replayview values
solution: cli fault input output
breakevencmd: chart cli fault input output replayview solution values
labcmd: chart cli fault input output values
testbedcmd: chart cli fault input output values
modelcmd: cli fault input output
points: chart cli fault input output release solution values
explorer: output
explorer/answer: fault output
fitcmd: chart cli fault input output values
logcmd: chart cli fault input logview output values
sweepcmd: cli fault input output points solution values
replaycmd: chart cli fault input logview output replayview values
reportcmd: chart cli explorer fault input output points release solution
simulatecmd: chart cli fault input output progress values
solvecmd: breakevencmd cli fault input output progress solution
validatecmd: cli fault input logview output simulatecmd
studycmd: chart cli fault input logview output progress replayview reportcmd solution
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

// TestAnswersAreValues: a study neither reads nor writes files, and has no sentences.
func TestAnswersAreValues(t *testing.T) {
	imports := goList(t, `{{join .Imports " "}}`)["validate/study"]
	if imports == nil {
		t.Fatal("there is no package validate/study")
	}
	for _, of := range []string{"os", "io", "io/fs", "text/template", module + "models/words", module + "models/modelfile"} {
		if slices.Contains(imports, of) {
			t.Errorf("validate/study imports %s", of)
		}
	}
}

// ofTests reports whether only tests import a package.
func ofTests(name string) bool {
	return strings.HasSuffix(name, "test") || strings.Contains(name, "test/")
}

// TestPropertiesDrawTheSameCases: where a package's tests draw cases, they are the same in every run.
func TestPropertiesDrawTheSameCases(t *testing.T) {
	drawing := 0
	for name, imports := range goList(t, `{{join .TestImports " "}} {{join .XTestImports " "}}`) {
		if !slices.Contains(imports, "pgregory.net/rapid") {
			continue
		}
		drawing++
		if !slices.Contains(imports, module+"testdata/phtest") {
			t.Errorf("tests of %s use rapid, and none of their files imports testdata/phtest for a seed", name)
		}
	}
	if drawing == 0 {
		t.Error("no package uses rapid")
	}
}

// The sizes of packages beyond which nobody reads them from one end to the other, in lines without tests and comments.
const (
	mostLines          = 4400
	mostLinesOfFit     = 5400 // its parts share the data and the quadrature
	mostLinesOfProgram = 2250
	mostLinesOfMain    = 340
)

// TestPackagesAreOfReadableSize: the packages of the libraries and of the program are small, and package main is a table.
func TestPackagesAreOfReadableSize(t *testing.T) {
	for name, files := range goList(t, `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}} {{end}}`) {
		most := mostLines
		switch room, _, _ := strings.Cut(name, "/"); {
		case name == "cmd/partwise":
			most = mostLinesOfMain
		case name == "fit":
			most = mostLinesOfFit
		case room == "cmd":
			most = mostLinesOfProgram
		}
		lines := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if !strings.HasPrefix(strings.TrimSpace(line), "//") {
					lines++
				}
			}
		}
		if lines > most {
			t.Errorf("%s has %d lines beside comments, more than %d", name, lines, most)
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
