package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// dearExamples are the commands whose examples take seconds of a processor, or wait for processes to run in real time.
// They are executed with -long only; each of the commands has a script in testdata/script with smaller studies.
var dearExamples = []string{"advise", "breakeven", "curve", "fit", "lab allocate", "lab compare", "lab coschedule", "lab epochs",
	"lab gang", "lab testbed run", "lab testbed measure", "report", "simulate", "study", "sweep", "validate"}

// TestExamplesOfHelp runs the examples of every command, as a user would who typed them one after the other.
func TestExamplesOfHelp(t *testing.T) {
	if testing.Short() {
		t.Skip("all examples are executed; not with -short")
	}
	t.Parallel()
	bash := needs.Program(t, "bash")
	partwise(policy.Standard()).Every(func(name string, c cli.Command) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(c.Examples) == 0 && name != "version" {
				t.Error("no examples")
			}
			skipUnlessAsked(t, slices.Contains(dearExamples, name))
			dir := exampleDir(t)
			for _, line := range c.Examples {
				if !strings.Contains(line, "partwise "+name) {
					t.Errorf("%q is no example of %s", line, name)
				}
				if strings.HasPrefix(line, "partwise advise model.yaml") {
					line += " --jobs 200000" // a selection that is certain takes 60 million
				}
				cmd := exec.CommandContext(t.Context(), bash, "-euo", "pipefail", "-c", line)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
		})
	})
}

// TestExampleModelsRecommendWhatExists: the comments of the example models name commands, and flags of theirs, that there are.
func TestExampleModelsRecommendWhatExists(t *testing.T) {
	t.Parallel()
	models, err := filepath.Glob("internal/modelcmd/examples/*.yaml")
	if err != nil || len(models) == 0 {
		t.Fatal(models, err)
	}
	for _, name := range models {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`partwise ([a-z]+)([^;\n]*)`).FindAllStringSubmatch(string(text), -1) {
			help, err := exec.CommandContext(t.Context(), "partwise", "help", line[1]).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s: there is no such command", name, line[0])
			}
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(line[2], -1) {
				if !bytes.Contains(help, []byte(flag)) {
					t.Errorf("%s: %s has no %s", name, line[1], flag)
				}
			}
		}
	}
}

// exampleDir returns a directory with the files that examples speak of.
func exampleDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	// Regular arrivals and demands: simulations reach their precision soon.
	const model = "version: 1\nmachine: {nodes: 16, min_nodes: 4}\n" +
		"arrivals: {interarrival: {erlang: {mean: 60, phases: 4}}, load: 0.4}\n" +
		"jobs: {demand: {erlang: {mean: 600, phases: 3}}, speedup: {amdahl: {serial: 0.02}}}\n" +
		"dynamic: {shrink: {means: [null, 2, 2, 2]}, expand: {means: [2, 2, 2]}}\n"
	runtimes, err := os.ReadFile("../../testdata/examples/runtimes.csv")
	if err != nil {
		t.Fatal(err)
	}
	sacct, err := os.ReadFile("../../testdata/joblogs/sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	study := "version: 1\nload: [0.3, 0.6]\nseries:\n  - {name: one, model: model.yaml}\n" +
		"  - {name: eight nodes, model: model.yaml, set: {machine.nodes: 8, dynamic: null}}\n"
	for name, text := range map[string]string{
		"model.yaml": model, "foreign/model.yaml": model, "study.yaml": study, "w1.yaml": study, "w2.yaml": study,
		"runtimes.csv": string(runtimes), "histogram.csv": "from,to,count\n0,10,40\n10,60,30\n60,600,12\n600,,1\n",
		"shares.yaml":                         "days: 5\nstrategies: [\"avg:*\"]\nparameter: {name: minimum share, values: [0, 0.5, 1]}\n",
		"log.swf.gz":                          exampleLog(t),
		"sacct.txt":                           string(sacct),
		"requests.json":                       exampleRequests(),
		"work.ph.json":                        `{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [1], "T": [[-1]]}`,
		".config/fish/completions/other.fish": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func unzipped(t *testing.T, text string) []byte {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// exampleRequests are the times of requests in milliseconds since 1970, in JSON of one line.
func exampleRequests() string {
	r := rand.New(rand.NewPCG(2, 2))
	at, times := int64(1709280000000), []string{}
	for range 150 {
		at += int64(60_000 * r.ExpFloat64())
		times = append(times, fmt.Sprintf(`{"time": %d}`, at))
	}
	return `{"items": [` + strings.Join(times, ", ") + "]}"
}

// exampleLog is a job log of a made-up machine of 16 processors, compressed.
func exampleLog(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	fmt.Fprint(w, "; Version: 2.2\n; Computer: example\n; MaxNodes: 16\n; MaxProcs: 16\n; UnixStartTime: 0\n")
	r := rand.New(rand.NewPCG(1, 1))
	at := 0.0
	for i := range 150 {
		at += 300 * r.ExpFloat64()
		run, procs := 1+int(500*r.ExpFloat64()), 1<<r.IntN(5)
		fmt.Fprintf(w, "%d %d 0 %d %d -1 -1 %d %d -1 1 1 1 1 1 -1 -1 -1\n", i+1, int(at), run, procs, procs, 2*run)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
