package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// TestTemplatesUnderAllPolicies: whatever command is asked for a model that init prints, under whatever policy, it answers or refuses
// with an exit code that says why. An exit code of 1 would blame the program or its files.
//
// Some policies are simulated on whole nodes with and without --fidelity machine: both command lines have the same results.
func TestTemplatesUnderAllPolicies(t *testing.T) {
	needs.Long(t, "runs seven models under all policies by eight commands")
	t.Parallel()
	dir := t.TempDir()
	for _, template := range []string{"bursty", "goals", "gpu-training", "ips96-w1", "kubernetes", "mixed", "slurm"} {
		model := printed(t, dir, template)
		for _, e := range policy.Standard() {
			for _, line := range []string{"solve", "check", "report", "curve --load 0.3,0.6", "sweep --load 0.3", "breakeven --over load --steps 2",
				"validate --precision 50% --replications 4"} {
				words := strings.Fields(line)
				answersOrRefuses(t, append([]string{words[0], model, "--policy", e.Example}, words[1:]...)...)
			}
			simulate := []string{"simulate", model, "--policy", e.Example, "--precision", "50%", "--replications", "4"}
			unsaid := answersOrRefuses(t, simulate...)
			same := onWholeNodesAlone(t, e)
			machine := answersOrRefuses(t, append(simulate, "--fidelity", "machine")...)
			a, b := timing().ReplaceAll(unsaid.stdout.Bytes(), nil), timing().ReplaceAll(machine.stdout.Bytes(), nil)
			if same && (unsaid.code != machine.code || !bytes.Equal(a, b)) {
				t.Errorf("%v: exit code %d, with --fidelity machine %d:\n%s%s", simulate, unsaid.code, machine.code, a, b)
			}
		}
	}
}

// onWholeNodesAlone reports whether an entry's policy runs on whole nodes, and has no simulation at the fidelity of the model.
func onWholeNodesAlone(t *testing.T, e policy.Entry) bool {
	t.Helper()
	p, err := policy.Standard().Parse(e.Example)
	if err != nil {
		t.Fatal(err)
	}
	return e.RunsOn&policy.WholeNodes != 0 && !validate.HasModel(p)
}

// TestTemplatesByAllCommands: the commands that the test above leaves out, on every template, on the model of a log and on a log.
func TestTemplatesByAllCommands(t *testing.T) {
	needs.Study(t, "runs ten models and a log by all commands under all policies")
	dir := t.TempDir()
	files := extremeFiles(t)
	answersOrRefuses(t, strings.Fields(files.Replace("fit VALUES --phases 2 --output "+filepath.Join(dir, "work.ph.json")))...)
	calls := allCommands(files)
	for _, template := range []string{"bursty", "goals", "gpu-training", "ips96-w1", "kubernetes", "mixed", "slurm", "from-log",
		"from-log LOG", "study"} {
		model := printed(t, dir, strings.Fields(files.Replace(template))...)
		for _, line := range calls {
			if strings.Contains(line, "FILE") {
				answersOrRefuses(t, strings.Fields(strings.Replace(line, "FILE", model, 1))...)
			}
		}
		explored(t, model)
	}
	for _, line := range calls {
		if !strings.Contains(line, "FILE") {
			answersOrRefuses(t, strings.Fields(line)...)
		}
	}
}

// allCommands returns a call of every command with all its policies, and of each question of commands that have several. FILE
// stands for a model file.
func allCommands(files *strings.Replacer) (calls []string) {
	calls = []string{
		"curve FILE --load 0.3,0.99", "sweep FILE --over load=0.3 --over jobs.demand.scv=0.5,4", "report FILE --format html", "check FILE",
		"advise FILE --jobs 200", "advise FILE --jobs 200 --objective p95 --load 0.9", "lab gang FILE --slice 60s",
		"lab gang FILE --slice 1s --switch-over 1s --partitions 2", "lab compare FILE --jobs 20 --dedicated 0.1s",
		"solve FILE --sensitivity", "solve FILE --summary --load 0.99", "solve FILE --bootstrap 3", "solve FILE --export DIR/chain",
		"breakeven FILE --over dynamic.overhead --steps 4", "breakeven FILE --over scv --steps 4", "breakeven FILE --over share --steps 4",
		"breakeven FILE --over serial --steps 4", "breakeven FILE --over load --against fcfs --steps 4",
		"study LOG --output DIR/study.html", "study LOG --nodes 16:24:8 --output DIR/study.html",
		"study LOG --resize-cost 60s --speedup amdahl:0.05 --output DIR/study.html", "log LOG", "log LOG --by user", "replay LOG",
		"replay LOG --malleable 0%:100%:50% --resize-cost 0s,60s", "breakeven LOG --malleable 50%", "advise LOG --malleable 50%",
		"advise LOG --resize-cost 60s", "fit LOG --swf work", "fit LOG --swf interarrival --family map --phases 1:2",
		"lab overheads --nodes 8", "lab overheads --environment now --nodes 16", "lab compare LOG --jobs 20 --dedicated 0.1s",
		"lab workload lublin99 --nodes 16 --jobs 50", "lab workload jann97 --fit LOG --nodes 16 --jobs 50",
	}
	for _, e := range policy.Standard() {
		for _, line := range []string{
			"solve FILE --percentiles --policy POLICY", "solve FILE --load 0.999 --policy POLICY", "simulate FILE --log LOG --policy POLICY",
			"validate FILE --log LOG --policy POLICY", "replay LOG --policy POLICY", "replay LOG --policy POLICY --load 0.5,1.2 --resize-cost 60s",
			"lab allocate --days 1 --policies POLICY", "lab epochs --nodes 16 --min-nodes 1,2,3 --policies POLICY",
			"lab epochs --experiment overhead --draws 10 --jobs 4 --nodes 16 --policies POLICY",
			"lab epochs --experiment open --length 50 --replications 2 --jobs 4 --nodes 16 --load 0.5 --policies POLICY",
			"lab coschedule --jobs 10 --replications 2 --nodes 4 --dedicated 0.1 --policies POLICY",
		} {
			calls = append(calls, strings.Replace(line, "POLICY", e.Example, 1))
		}
	}
	for i := range calls {
		calls[i] = files.Replace(calls[i])
	}
	return calls
}

// printed writes a template into a directory, and returns the name of the file.
func printed(t *testing.T, dir string, template ...string) string {
	t.Helper()
	file := filepath.Join(dir, template[0]+".yaml")
	if len(template) > 1 {
		file = filepath.Join(dir, "fitted.yaml")
	}
	if template[0] == "study" {
		if err := os.Link(filepath.Join(dir, "gpu-training.yaml"), filepath.Join(dir, "model.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	text := runIn(t.Context(), append([]string{"init"}, template...)...)
	if err := os.WriteFile(file, text.stdout.Bytes(), 0o644); err != nil || text.code != fault.ExitOK {
		t.Fatalf("init %s: %v: %s", template, err, &text.stderr)
	}
	return file
}

// notFinite matches NaN and infinity in results, but not within other words.
var notFinite = pattern(`\bNaN\b|[+-]Inf\b`)

// answersOrRefuses makes a call, and reports an error of the test if the call fails by a mistake of the program, gives no reason
// for a refusal, or writes NaN or infinity. It returns what came of the call. The limit of memory makes the call refuse chains
// that would take minutes.
func answersOrRefuses(t *testing.T, args ...string) *call {
	t.Helper()
	c := runIn(t.Context(), append(args, "--quiet", "--memory", "256MiB")...)
	switch said := c.stderr.String(); {
	case c.code == fault.ExitFailure, c.code == fault.ExitInterrupted, inner().MatchString(said), c.code != fault.ExitOK && said == "":
		t.Errorf("%v: exit code %d: %s", args, c.code, said)
	case notFinite().MatchString(said), notFinite().Match(c.stdout.Bytes()):
		t.Errorf("%v: exit code %d, with NaN or infinity: %s%s", args, c.code, said, &c.stdout)
	case strings.HasPrefix(c.stdout.String(), "{") && !json.Valid(c.stdout.Bytes()):
		t.Errorf("%v: exit code %d, no JSON: %s", args, c.code, &c.stdout)
	}
	return c
}

// explored asks the explorer every kind of question about a model.
func explored(t *testing.T, model string) {
	t.Helper()
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"controls", "decision", "exact", "cooldown", "curve", "schedule"} {
		question, err := json.Marshal(map[string]any{"kind": kind, "model": string(text), "cooldown": 60, "loads": []float64{0.3, 0.99},
			"policies": []string{"dynamic", "static:2", "easy"}, "limit": 500})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.To(t.Context(), question); !json.Valid(got) || notFinite().Match(got) || inner().Match(got) {
			t.Errorf("%s: %s: %s", filepath.Base(model), kind, got)
		}
	}
}
