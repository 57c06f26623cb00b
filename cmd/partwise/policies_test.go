package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/sched"
)

// shortestFirst starts, of the waiting jobs, that with the shortest estimate among those that there are nodes for.
type shortestFirst struct{}

func (shortestFirst) Name() string                     { return "shortest-first" }
func (shortestFirst) String() string                   { return "shortest-first" }
func (shortestFirst) Check(policy.Machine) error       { return nil }
func (shortestFirst) Scheduler() (sched.Policy, error) { return shortestFirst{}, nil }

func (shortestFirst) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	waiting := make([]sched.Waiting, v.Waiting())
	for i := range waiting {
		waiting[i] = v.Queued(i)
	}
	slices.SortStableFunc(waiting, func(a, b sched.Waiting) int { return int(math.Copysign(1, a.Estimate-b.Estimate)) })
	free := v.Free()
	for _, w := range waiting {
		if w.Nodes <= free {
			free -= w.Nodes
			do = append(do, sched.Allocate(w.Job, w.Nodes))
		}
	}
	return do
}

// withOwn is the table of policies with one more.
var withOwn = policy.Standard().With(policy.Entry{Name: "shortest-first", Example: "shortest-first",
	RunsOn: policy.WholeNodes, Jobs: workload.Rigid, Summary: "starts the shortest job that there are nodes for",
	New: func(string) (policy.Policy, error) { return shortestFirst{}, nil }})

// runOwn runs the program with the policy shortestFirst in its table.
func runOwn(t *testing.T, args ...string) *call {
	t.Helper()
	c := &call{}
	c.code = partwise(withOwn).Run(t.Context(), args, strings.NewReader(""), &c.stdout, &c.stderr)
	return c
}

// aLog writes a log of rigid jobs on 64 nodes and a model of such a machine, and returns where they are.
func aLog(t *testing.T) (log, model string) {
	t.Helper()
	dir := t.TempDir()
	log, model = filepath.Join(dir, "jobs.swf"), filepath.Join(dir, "model.yaml")
	if c := runIn(t.Context(), "workload", "lublin99", "--nodes", "64", "--jobs", "600", "--output", log); c.code != fault.ExitOK {
		t.Fatal(&c.stderr)
	}
	text := `version: 1
machine: {nodes: 64}
arrivals: {interarrival: {moments: {mean: 100, scv: 1}}}
jobs: {demand: {moments: {mean: 3000, scv: 4}}, speedup: linear, nodes: 16}
`
	if err := os.WriteFile(model, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return log, model
}

// TestOwnPolicies: a policy that is added to the table is known wherever policies are.
func TestOwnPolicies(t *testing.T) {
	t.Parallel()
	log, model := aLog(t)
	for _, line := range []string{
		"replay " + log + " --policy shortest-first --format csv",
		"simulate " + model + " --log " + log + " --policy shortest-first --format csv",
		"simulate " + model + " --policy shortest-first --precision 20% --replications 8 --format csv",
		"allocate --days 1 --policies shortest-first --format csv",
	} {
		c := runOwn(t, strings.Fields(line)...)
		if c.code != fault.ExitOK || !strings.Contains(c.stdout.String(), "\nshortest-first,") {
			t.Errorf("%s: exit code %d\n%s%s", line, c.code, &c.stdout, &c.stderr)
		}
	}
	for _, line := range []string{
		"policies", "help replay", "help simulate", "help allocate", "man", "replay --policy short --generate-bash-completion",
		"replay " + log + " --policy shortest-frist", // a hint
		"solve " + model + " --policy shortest-first",
	} {
		if c := runOwn(t, strings.Fields(line)...); !strings.Contains(unwrapped(&c.stdout)+c.stderr.String(), "shortest-first") {
			t.Errorf("%s says nothing of shortest-first:\n%s%s", line, &c.stdout, &c.stderr)
		}
	}
	c := runOwn(t, "solve", model, "--policy", "shortest-first")
	if want := "partwise simulate, partwise replay, partwise lab allocate or partwise lab epochs runs it"; c.code != fault.ExitUsage ||
		!strings.Contains(c.stderr.String(), want) {
		t.Errorf("exit code %d, without %q: %s", c.code, want, &c.stderr)
	}
	if c := runIn(t.Context(), "replay", log, "--policy", "shortest-first"); c.code != fault.ExitUsage {
		t.Errorf("exit code %d: a table knows entries of another", c.code)
	}
}

// unwrapped returns text without line breaks and without the hyphens of man pages.
func unwrapped(b *bytes.Buffer) string {
	return strings.NewReplacer(`\-`, "-").Replace(strings.Join(strings.Fields(b.String()), " "))
}

// TestOneScheduleOneSetOfMeasures: whichever command runs a log under a policy, measures of the same name have the same
// value.
func TestOneScheduleOneSetOfMeasures(t *testing.T) {
	t.Parallel()
	log, model := aLog(t)
	for _, p := range []string{"fcfs", "easy", "conservative", "static:4"} {
		replay := firstResult(t, "replay", log, "--speedup", "linear", "--resize-cost", "0s", "--policy", p)
		simulate := firstResult(t, "simulate", model, "--log", log, "--policy", p)
		same := 0
		for name, a := range replay {
			b, ok := simulate[name]
			if !ok {
				continue
			}
			if same++; a != b {
				t.Errorf("%s: %s is %v and %v", p, name, a, b)
			}
		}
		if same < 9 {
			t.Errorf("%s: %d measures of the same name, expected 9 at least", p, same)
		}
	}
}

// TestCostsOfReplaysAreThoseOfSimulations: with the costs of a flag, of a table or of the model, and with scheduling
// points, a policy that resizes the jobs of a log has the same measures in replay and in simulate, to the last digit.
func TestCostsOfReplaysAreThoseOfSimulations(t *testing.T) {
	t.Parallel()
	log, model := aLog(t)
	dir := t.TempDir()
	table, own, all := filepath.Join(dir, "costs.csv"), filepath.Join(dir, "own.yaml"), filepath.Join(dir, "all.yaml")
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{table: "nodes,shrink,expand\n4,20,40\n64,90,100\n",
		own: string(text) + "dynamic: {shrink: {means: 30s}, expand: {means: 20s}}\n",
		all: string(text) + "dynamic: {shrink: {means: 30s}, expand: {means: 20s}, stops: all}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	free := firstResult(t, "replay", log, "--speedup", "linear", "--resize-cost", "0s", "--policy", "dynamic")[measure.MeanResponseTime]
	for _, c := range []struct{ model, flags, ofReplay string }{
		{model, "--resize-cost 60s", ""},
		{model, "--resize-cost 1min --resize-at 50", ""},
		{own, "--resize-cost " + table + " --resize-at 90s", ""},
		{own, "", "--resize-cost " + own},
		{all, "", "--resize-cost " + all},
	} {
		for _, p := range []string{"dynamic", "folding"} {
			flags := append(strings.Fields(c.flags), "--policy", p)
			replay := firstResult(t, append(append([]string{"replay", log, "--speedup", "linear"}, flags...), strings.Fields(c.ofReplay)...)...)
			simulate := firstResult(t, append([]string{"simulate", c.model, "--log", log}, flags...)...)
			same := 0
			for name, a := range replay {
				b, ok := simulate[name]
				if !ok {
					continue
				}
				if same++; a != b {
					t.Errorf("%s %s %s: %s is %v and %v", p, c.flags, c.ofReplay, name, a, b)
				}
			}
			if same < 15 || p == "dynamic" && replay[measure.MeanResponseTime] <= free {
				t.Errorf("%s: %d measures of the same name, mean response time %v, %v free", p, same,
					replay[measure.MeanResponseTime], free)
			}
		}
	}
}

// TestMalleableShares: with no malleable jobs each job ends as under EASY, with all of them, at no cost and without
// bounds, as under dynamic equi-partitioning; the jobs that are malleable at one share are so at a larger one.
func TestMalleableShares(t *testing.T) {
	t.Parallel()
	log, _ := aLog(t)
	jobs := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "jobs.csv")
		c := runIn(t.Context(), append([]string{"replay", log, "--jobs-output", out, "--quiet"}, args...)...)
		data, err := os.ReadFile(out)
		if err != nil || c.code != fault.ExitOK {
			t.Fatalf("%v: exit code %d, %v: %s", args, c.code, err, &c.stderr)
		}
		lines := strings.Split(string(data), "\n")
		for i, line := range lines { // without the policy, the nodes asked for, estimates and what is said of waiting
			if cells := strings.Split(line, ","); len(cells) > 8 {
				lines[i] = strings.Join(cells[1:8], ",")
			}
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if a, b := jobs("--policy", "easy"), jobs("--policy", "easy-malleable", "--malleable", "0%", "--resize-cost", "60s"); a != b {
		t.Error("with no malleable jobs the schedule is not EASY's")
	}
	unbounded := strings.Fields("--policy easy-malleable --malleable 100% --min-factor 0 --max-factor 64")
	if a, b := jobs("--policy", "dynamic"), jobs(unbounded...); a != b {
		t.Error("with malleable jobs alone, without bounds, the schedule is not that of equi-partitioning")
	}
	if a, b := jobs("--policy", "dynamic", "--resize-cost", "60s"), jobs(append(unbounded, "--resize-cost", "60s")...); a != b {
		t.Error("nor at a cost")
	}
}

// firstResult returns the measures of the first result of a command line, by the names of the table of measures.
func firstResult(t *testing.T, args ...string) map[string]float64 {
	t.Helper()
	c := runIn(t.Context(), append(args, "--format", "json", "--quiet")...)
	var got struct{ Results []map[string]any }
	if err := json.Unmarshal(c.stdout.Bytes(), &got); err != nil || len(got.Results) == 0 {
		t.Fatalf("%v: exit code %d, %v: %s%s", args, c.code, err, &c.stdout, &c.stderr)
	}
	from := got.Results[0]
	if nested, ok := from["measures"].(map[string]any); ok {
		from = nested
	}
	values := map[string]float64{}
	for name, v := range from {
		if _, ok := measure.Named(name); !ok {
			continue
		}
		if nested, ok := v.(map[string]any); ok {
			v = nested["mean"]
		}
		if x, ok := v.(float64); ok {
			values[name] = x
		}
	}
	return values
}

// TestEveryPolicyOfTheTableRuns: every entry runs, by its example, where the table says that it does, and is refused
// elsewhere with the commands that run it.
func TestEveryPolicyOfTheTableRuns(t *testing.T) {
	t.Parallel()
	log, model := aLog(t)
	for _, e := range policy.Standard() {
		for _, line := range []string{
			"solve " + model + " --load 0.3 --policy " + e.Example,
			"replay " + log + " --resize-cost 0s --policy " + e.Example,
			"simulate " + model + " --log " + log + " --policy " + e.Example,
			"allocate --days 1 --policies " + e.Example,
			"coschedule --nodes 4 --jobs 10 --replications 2 --dedicated 0.05 --load 0.3 --policies " + e.Example,
		} {
			on, elsewhere := policy.WholeNodes, "partwise simulate"
			switch {
			case strings.HasPrefix(line, "solve"):
				on = policy.Chain
			case strings.HasPrefix(line, "coschedule"):
				on = policy.TimeShared
			}
			runs := e.RunsOn&on != 0
			if e.RunsOn == policy.TimeShared {
				elsewhere = "partwise lab coschedule"
			}
			c := runIn(t.Context(), append(strings.Fields(line), "--quiet")...)
			switch {
			case runs && c.code != fault.ExitOK:
				t.Errorf("%s: exit code %d: %s", line, c.code, &c.stderr)
			case !runs && (c.code != fault.ExitUsage || !strings.Contains(c.stderr.String(), elsewhere)):
				t.Errorf("%s: exit code %d, expected a refusal with the commands that run it: %s", line, c.code, &c.stderr)
			}
		}
	}
}
