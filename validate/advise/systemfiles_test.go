package advise_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/advise"
)

var update = flag.Bool("update", false, "rewrite the table of docs/when-to-resize.md")

// rules have every parameter, in several combinations, on 88 nodes in units of 4: a machine and a rule all of whose numbers
// differ.
var rules = []policy.Resize{
	{Cooldown: 2777, Cap: 7, Floor: 2, Hysteresis: 1.7, Batch: 3, Wait: 5},
	{Cooldown: 7200, Hysteresis: 2.5},
	{Floor: 4, Cap: 4},
	{Batch: 2, Departures: true},
	{},
}

var testMachine = policy.Machine{Nodes: 88, Unit: 4}

func written(t *testing.T, r policy.Resize, gpus int) []advise.SystemFile {
	t.Helper()
	files, err := advise.NewSystemSettings(r, testMachine, gpus, 1, 2).Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestScriptsAreShell: the shells read the scripts, and sbatch has the options.
func TestScriptsAreShell(t *testing.T) {
	known := []string{"job-name", "partition", "qos", "nodes", "ntasks-per-node", "gpus-per-node", "exclusive", "requeue",
		"no-kill", "open-mode"} // of the manual of sbatch
	for i, r := range rules {
		for _, f := range written(t, r, 8*(i%2)) {
			if filepath.Ext(f.Name) != ".sh" {
				continue
			}
			shell := strings.TrimPrefix(f.Text[:strings.Index(f.Text, "\n")], "#!/bin/")
			cmd := exec.CommandContext(t.Context(), needs.Program(t, shell), "-n")
			cmd.Stdin = strings.NewReader(f.Text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", f.Name, err, out)
			}
			for _, option := range regexp.MustCompile(`(?m)^#SBATCH --([a-z-]+)`).FindAllStringSubmatch(f.Text, -1) {
				if !slices.Contains(known, option[1]) {
					t.Errorf("%s: sbatch has no --%s", f.Name, option[1])
				}
			}
		}
	}
}

// TestNumbersHaveComments: above each number of the rule, and of the GPUs of a node, a comment says what it is.
func TestNumbersHaveComments(t *testing.T) {
	numbers := regexp.MustCompile(`\b(12|44|2777|1\.7|0\.699|0\.411|5|88|13|1144)\b`) // units of 22: 12 to 44 nodes of a job
	seen := 0
	for _, f := range written(t, rules[0], 13) {
		above := ""
		for line := range strings.Lines(f.Text) {
			text := strings.TrimSpace(line)
			if numbers.MatchString(text) && !strings.HasPrefix(text, "# ") && !strings.HasSuffix(above, `\`) {
				seen++
				if !strings.HasPrefix(above, "#") && !strings.HasPrefix(text, "nproc") && !strings.HasPrefix(text, "limits") {
					t.Errorf("%s: no comment above %q", f.Name, text)
				}
			}
			above = text
		}
	}
	if seen < 40 {
		t.Errorf("%d numbers", seen)
	}
}

// TestPartsOfTheRuleAreNamed: each file says of each part of the rule that the system applies it exactly or roughly, or that it
// is not in the file.
func TestPartsOfTheRuleAreNamed(t *testing.T) {
	for _, f := range written(t, rules[0], 8) {
		text := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(f.Text, "#", "")), " "))
		for _, part := range []string{"equal shares, in multiples of 4", "the fewest nodes of a job, 12", "the most nodes of a job, 44",
			"at most 7 jobs", "the cooldown of 2777 s", "the hysteresis, a factor of 1.7", "no resize before 3 changes", "no smaller jobs unless 5 wait"} {
			_, rest, found := strings.Cut(text, part+": ")
			if applied := found && regexp.MustCompile(`^(exactly|roughly)\b`).MatchString(rest); applied ==
				strings.Contains(text, "not in this file: "+part+".") {
				t.Errorf("%s does not say how %s is applied", f.Name, part)
			}
		}
		if strings.Contains(f.Text, "<") && strings.Contains(f.Text, "no value") || strings.Contains(text, " 0 s") {
			t.Errorf("%s:\n%s", f.Name, f.Text)
		}
	}
}

// TestAutoscalersActWhereTheRuleDoes: by their tolerances, autoscalers resize a job at any change of its nodes or, with a hysteresis,
// at changes by its factor or more. Without a tolerance an autoscaler has that of the cluster, 10 %.
func TestAutoscalersActWhereTheRuleDoes(t *testing.T) {
	for _, r := range rules {
		for _, f := range written(t, r, 0) {
			if f.Name != "hpa.yaml" && f.Name != "keda.yaml" {
				continue
			}
			_, shrinks, _ := strings.Cut(f.Text, "scaleDown:")
			up, down := toleranceIn(t, strings.TrimSuffix(f.Text, shrinks)), toleranceIn(t, shrinks)
			for pair := range testMachine.Nodes * testMachine.Nodes {
				held, wanted := float64(pair/testMachine.Nodes+1), float64(pair%testMachine.Nodes+1)
				acts := wanted/held > 1+up || wanted/held < 1-down
				factor := max(wanted, held) / min(wanted, held)
				if divides := wanted != held && factor >= r.Hysteresis; acts != divides {
					t.Fatalf("%s of %v: from %v to %v nodes: the autoscaler acts: %v, the rule divides: %v", f.Name, r, held, wanted, acts, divides)
				}
			}
		}
	}
}

// toleranceIn returns the first tolerance in a part of the file of an autoscaler, or that of the cluster.
func toleranceIn(t *testing.T, part string) float64 {
	t.Helper()
	found := regexp.MustCompile(`tolerance: "(.*)"`).FindStringSubmatch(part)
	if found == nil {
		return 0.1
	}
	tolerance, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Error(err)
	}
	return tolerance
}

// TestWays: the controller carries out all of a rule, autoscalers the hysteresis, and KEDA the waiting jobs as well; other systems
// resize no job, or none to fewer nodes.
func TestWays(t *testing.T) {
	var got []string
	rule := policy.Resize{Cooldown: 300, Hysteresis: 1.5, Wait: 3, Departures: true, Cap: 3}
	for _, w := range advise.Ways(rule, 1, 8) {
		got = append(got, fmt.Sprint(w.By, ": ", w.Resize.String(), " ", w.Shrink, " ", w.Expand, " ", w.Carried.Poll, " ", w.Width, " ", w.Limits))
	}
	all := rule.String()
	want := []string{"controller.py: " + all + " 0 0 60 0 [poll]",
		"controller.py, slurm: " + all + " 30 120 60 0 [poll restart requeue]",
		"controller.py, kueue, kubeflow: " + all + " 30 30 60 0 [poll restart]",
		"slurm: " + all + " 0 0 0 1 [start free]", "kueue, kubeflow: resize:cap=8,floor=8 0 0 0 0 [static]",
		"ray: " + all + " 30 30 60 2 [poll restart no shrink no cap]",
		"volcano: " + all + " 30 30 0 2 [restart no shrink no cap]",
		"hpa: resize:cap=3,hysteresis=1.5 30 30 15 3 [sync restart apart no cap no cooldown no wait no on]",
		"keda: resize:cap=3,hysteresis=1.5,wait=3 30 30 15 3 [sync restart apart no cap no cooldown no on]"}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	for _, w := range advise.EachLimit(policy.Resize{}, 1) {
		if strings.HasPrefix(w.Limits[0], "no ") && w.Limits[0] != "no shrink" {
			t.Errorf("a rule without parameters meets the limit %q", w.Limits[0])
		}
	}
}

// The file of torchrun for a rule that makes no job smaller than a quarter of the machine.
func ExampleSystemSettings_Files() {
	files, err := advise.NewSystemSettings(policy.Resize{Cap: 4}, policy.Machine{Nodes: 16, Unit: 4}, 8, 1, 2).Files()
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range files {
		if f.Name == "torchrun.sh" {
			fmt.Println(f.Text[strings.Index(f.Text, "exec"):strings.Index(f.Text, " \\")])
		}
	}
	// Output: exec torchrun --nnodes=4:16 --nproc-per-node=8
}

// TestPageHasTheTable: the document says which parts of a rule each system carries out, as carried.csv does.
func TestPageHasTheTable(t *testing.T) {
	table, err := os.Open("systems/carried.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var names, parts []string
	grades := map[[2]string]string{}
	for _, row := range rows[1:] {
		if !slices.Contains(names, row[0]) {
			names = append(names, row[0])
		}
		if !slices.Contains(parts, row[1]) {
			parts = append(parts, row[1])
		}
		grades[[2]string{row[0], row[1]}] = row[2]
	}
	page := "| system | `" + strings.Join(parts, "` | `") + "` |\n|---|" + strings.Repeat("---|", len(parts)) + "\n"
	for _, name := range names {
		page += "| " + name + " |"
		for _, part := range parts {
			page += strings.TrimRight(" "+grades[[2]string{name, part}], " ") + " |"
		}
		page += "\n"
	}
	phtest.HoldPage(t, "../../docs/when-to-resize.md", "carried", page, *update)
}

// TestLimitsLose: no way in which systems follow the best rule, and none of its limits, is better than the rule by more than
// rules that are not told apart; without limits the rule is itself.
func TestLimitsLose(t *testing.T) {
	q := advise.OfSystem(elastic(t), validate.Options{}, 3600)
	var ways []advise.Way
	const indifference = 0.02
	jobs := int64(200_000)
	if needs.IsLong() {
		jobs = 500_000
	}
	a, err := q.Advise(t.Context(), []advise.Parameter{{Name: "cooldown", Values: []float64{0, 700}}, {Name: "hysteresis", Values: []float64{0, 1.5}},
		{Name: "wait", Values: []float64{0, 3}}}, advise.Options{MaxJobs: jobs, Indifference: indifference, Memory: 1 << 28,
		Carried: func(a *advise.Advice) (all []advise.Carried) {
			ways = append(advise.Ways(a.Rule, 1, a.BestStatic()), advise.EachLimit(a.Rule, 1)...)
			ways = append(ways, advise.Way{By: "the rule", Carried: advise.Carried{Resize: a.Rule}})
			for _, w := range ways {
				all = append(all, w.Carried)
			}
			return all
		}})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range a.Losses {
		t.Logf("%s %v: %+.3f ± %.3f, unstable %v", ways[i].By, ways[i].Limits, l.Worse.Mean, l.Worse.HalfWidth, l.Unstable)
		if !l.Unstable && l.Worse.High < -indifference {
			t.Errorf("%s %v is better than the rule %v by %v", ways[i].By, ways[i].Limits, a.Rule, l.Worse)
		}
	}
	if last := a.Losses[len(ways)-1]; last.Worse.Mean != 0 || last.Value != a.Value {
		t.Errorf("without limits: %+v, the rule: %+v", last, a.Value)
	}
}
