package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/testdata/needs"
)

// loggedJob is a job of the logs of this test.
type loggedJob struct{ submit, run, nodes, requested int }

// madeJobs are jobs for a machine of four nodes that offer it a load of about 0.6.
func madeJobs(n int) []loggedJob {
	random := rand.New(rand.NewPCG(7, 7))
	all := make([]loggedJob, n)
	at := 0
	for i := range all {
		run := 60 + int(900*random.ExpFloat64())
		all[i] = loggedJob{at, run, 1 + random.IntN(4), 2 * run}
		at += 1 + int(1000*random.ExpFloat64())
	}
	return all
}

// writeSWF writes the jobs in Standard Workload Format; every fifth job comes before the one in front of it, which is
// no order of submission.
func writeSWF(t *testing.T, path string, jobs []loggedJob) {
	t.Helper()
	lines := make([]string, len(jobs))
	for i, j := range jobs {
		lines[i] = fmt.Sprintf("%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 -1 -1 -1 -1 -1", i+1, j.submit, j.run, j.nodes, j.nodes, j.requested)
	}
	for i := 5; i < len(lines); i += 5 {
		lines[i-1], lines[i] = lines[i], lines[i-1]
	}
	text := "; UnixStartTime: 1709510400\n; MaxProcs: 4\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeSacct writes the jobs as sacct does. All of them started when they were submitted.
func writeSacct(t *testing.T, path string, jobs []loggedJob) {
	t.Helper()
	var b strings.Builder
	b.WriteString("JobID|User|Partition|Submit|Start|End|Elapsed|AllocNodes|State|Timelimit\n")
	begin := time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC)
	clock := func(seconds int) string {
		return begin.Add(time.Duration(seconds) * time.Second).Format("2006-01-02T15:04:05")
	}
	span := func(seconds int) string {
		return fmt.Sprintf("%d-%02d:%02d:%02d", seconds/86400, seconds/3600%24, seconds/60%60, seconds%60)
	}
	for i, j := range jobs {
		fmt.Fprintf(&b, "%d|u|batch|%s|%s|%s|%s|%d|COMPLETED|%s\n", i+1, clock(j.submit), clock(j.submit), clock(j.submit+j.run),
			span(j.run), j.nodes, span(j.requested))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// answers are mean response times by policy.
type answers map[string]float64

// answering runs a command that prints JSON, into which it is read.
func answering(t *testing.T, into any, args ...string) {
	t.Helper()
	c := runIn(t.Context(), append(args, "--format", "json", "--quiet")...)
	if c.code != fault.ExitOK && c.code != fault.ExitFailed { // the chain and the log may differ
		t.Fatalf("partwise %s: exit code %d: %s", strings.Join(args, " "), c.code, &c.stderr)
	}
	if err := json.Unmarshal(c.stdout.Bytes(), into); err != nil {
		t.Fatalf("partwise %s: %v", strings.Join(args, " "), err)
	}
}

// policyRow is a policy in results, with its mean response time as a number, or as the mean of an interval.
type policyRow struct {
	Policy     string
	Partitions int
	Mean       json.RawMessage `json:"mean_response_time"`
	Measures   struct {
		Mean json.RawMessage `json:"mean_response_time"`
	}
	Replayed json.RawMessage
}

// add adds the mean response time of a row under the name of its policy, as flags have it.
func (a answers) add(t *testing.T, r policyRow) {
	t.Helper()
	name := r.Policy
	if r.Partitions > 0 {
		name += ":" + strconv.Itoa(r.Partitions)
	}
	for _, text := range []json.RawMessage{r.Mean, r.Measures.Mean, r.Replayed} {
		var interval struct{ Mean float64 }
		if text == nil {
			continue
		}
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			if err := json.Unmarshal(text, &interval); err != nil {
				t.Fatalf("%s: %s", name, text)
			}
			v = interval.Mean
		}
		a[name] = v
	}
}

// question is what is asked of a log: by flags of all commands.
type question struct {
	flags []string
	model string   // what the model of simulate says of the machine, in place of 4 nodes in units of 1
	cost  string   // of its resizes; "": 60s
	not   []string // the commands that have no such flag, each with its reason in the table below
}

// questions are those of the test. What a command cannot be asked:
//
//   - simulate replays a log on the machine of a model, whose file says nodes, units and speedup. Where all jobs stop, the
//     model has a distribution of repartition times, and not one time.
//   - simulate takes no part of a log: partwise log --swf-output writes it.
var questions = map[string]question{
	"nothing":       {},
	"resize-cost":   {flags: []string{"--resize-cost", "5min"}, cost: "5min"},
	"free":          {flags: []string{"--resize-cost", "0s"}, cost: "0s"},
	"stops":         {flags: []string{"--stops", "all"}, not: []string{"simulate"}},
	"speedup":       {flags: []string{"--speedup", "amdahl:0.2"}, model: "nodes: 4, min_nodes: 1, amdahl:0.2"},
	"min-nodes":     {flags: []string{"--min-nodes", "2"}, model: "nodes: 4, min_nodes: 2, amdahl:0.01"},
	"load":          {flags: []string{"--load", "0.8"}},
	"old load":      {flags: []string{"--interarrival", "0.9"}},
	"nodes":         {flags: []string{"--nodes", "6"}, model: "nodes: 6, min_nodes: 1, amdahl:0.01"},
	"from":          {flags: []string{"--from", "20000"}},
	"to":            {flags: []string{"--to", "150000"}},
	"date":          {flags: []string{"--from", "2024-03-05"}},
	"sizes":         {flags: []string{"--sizes", "2:"}},
	"several flags": {flags: []string{"--resize-cost", "2min", "--load", "0.7", "--sizes", ":3"}, cost: "2min"},
}

// usualQuestions are those that are asked without -long: CI asks all.
var usualQuestions = []string{"nothing", "free", "speedup", "nodes", "several flags"}

// TestSameAnswerOfALog: the same log under the same policy has the same mean response time, whichever command tells it,
// whether it is given nothing or a flag, in either format. The numbers of a chain, which study has as well, and the jobs
// that are drawn like those of the log are others.
func TestSameAnswerOfALog(t *testing.T) {
	t.Parallel()
	jobs := madeJobs(240)
	swf, sacct := filepath.Join(t.TempDir(), "made.swf"), filepath.Join(t.TempDir(), "sacct.txt")
	writeSWF(t, swf, jobs)
	writeSacct(t, sacct, jobs)
	for name, q := range questions {
		if !needs.IsLong() && !slices.Contains(usualQuestions, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := map[string]answers{"replay": replayed(t, swf, q), "replay of sacct": replayed(t, sacct, withNodes(q)),
				"advise": advised(t, swf, q), "compare": compared(t, swf, q), "study": studied(t, swf, q)}
			if !slices.Contains(q.not, "simulate") {
				told["simulate"] = simulated(t, swf, q)
			}
			for first, a := range told {
				for second, b := range told {
					shared := 0
					for p, v := range a {
						w, both := b[p]
						if !both {
							continue
						}
						if shared++; !(math.Abs(v-w) <= 1e-9*v) { // sums in another order
							t.Errorf("%s: %v by %s, %v by %s", p, v, first, w, second)
						}
					}
					if shared == 0 {
						t.Errorf("%s and %s share no policy: %v, %v", first, second, a, b)
					}
				}
			}
			if a := told["replay"]; a["dynamic"] == a["easy"] {
				t.Errorf("dynamic and easy are the same: %v", a)
			}
		})
	}
}

// withNodes adds the nodes of the machine, which sacct does not tell.
func withNodes(q question) question {
	if !slices.Contains(q.flags, "--nodes") {
		q.flags = append(slices.Clone(q.flags), "--nodes", "4")
	}
	return q
}

func replayed(t *testing.T, log string, q question) answers {
	t.Helper()
	var out struct{ Results []policyRow }
	args := []string{"replay", log}
	for _, p := range []string{"dynamic", "static", "easy", "fcfs", "easy-malleable"} {
		args = append(args, "--policy", p)
	}
	answering(t, &out, append(args, q.flags...)...)
	a := answers{}
	for _, r := range out.Results {
		a.add(t, r)
	}
	return a
}

// advised are the policies that the best rule is compared with.
func advised(t *testing.T, log string, q question) answers {
	t.Helper()
	var out struct{ Results []policyRow }
	answering(t, &out, append([]string{"advise", log, "--over", "wait=2"}, q.flags...)...)
	a := answers{}
	for _, r := range out.Results {
		if !strings.HasPrefix(r.Policy, "resize") {
			a.add(t, r)
		}
	}
	return a
}

// compared are those of the families that a replay has; resizes are free there without the cost that is asked for.
func compared(t *testing.T, log string, q question) answers {
	t.Helper()
	var out struct{ Results []policyRow }
	answering(t, &out, append([]string{"compare", log, "--jobs", "1000", "--dedicated", "0.02s", "--mpl", "2"}, q.flags...)...)
	a := answers{}
	for _, r := range out.Results {
		r.Policy = strings.TrimSuffix(r.Policy, "+costs") // after the free one
		a.add(t, r)
	}
	return a
}

// studied are the policies that a study replays.
func studied(t *testing.T, log string, q question) answers {
	t.Helper()
	var out struct {
		Chain    struct{ Policies []policyRow }
		Replay   struct{ Results []policyRow }
		Forecast []struct {
			policyRow
			Share float64 `json:"malleable_share"`
		}
	}
	args := []string{"study", log, "--output", filepath.Join(t.TempDir(), "study.html")}
	answering(t, &out, append(args, q.flags...)...)
	a, b := answers{}, answers{}
	for _, r := range out.Chain.Policies {
		a.add(t, r)
	}
	for _, r := range out.Replay.Results {
		b.add(t, r)
	}
	for p, v := range b {
		if w, both := a[p]; both && !(math.Abs(v-w) <= 1e-9*v) {
			t.Errorf("study: %s: %v beside the chain, %v beside EASY", p, w, v)
		}
		a[p] = v
	}
	for _, r := range out.Forecast {
		if r.Share == 1 {
			a.add(t, r.policyRow)
		}
	}
	return a
}

// simulated are the policies that a model runs with the jobs of the log.
func simulated(t *testing.T, log string, q question) answers {
	t.Helper()
	chosen, model := filepath.Join(t.TempDir(), "chosen.swf"), filepath.Join(t.TempDir(), "model.yaml")
	var flags []string // of log
	for i := 0; i < len(q.flags); i += 2 {
		if !slices.Contains([]string{"--resize-cost", "--speedup", "--min-nodes"}, q.flags[i]) {
			flags = append(flags, q.flags[i:i+2]...)
		}
	}
	c := runIn(t.Context(), append([]string{"log", log, "--swf-output", chosen, "--quiet"}, flags...)...)
	if c.code != fault.ExitOK {
		t.Fatalf("partwise log: exit code %d: %s", c.code, &c.stderr)
	}
	machine, speedup := "nodes: 4, min_nodes: 1", "amdahl:0.01"
	if q.model != "" {
		i := strings.LastIndex(q.model, ", ")
		machine, speedup = q.model[:i], q.model[i+2:]
	}
	serial := strings.TrimPrefix(speedup, "amdahl:")
	text := fmt.Sprintf("version: 1\nmachine: {%s}\narrivals: {interarrival: {exponential: {mean: 1000}}}\n"+
		"jobs: {demand: {exponential: {mean: 500}}, speedup: {amdahl: {serial: %s}}}\n", machine, serial)
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cost := q.cost
	if cost == "" {
		cost = "60s"
	}
	var out struct{ Results []policyRow }
	args := []string{"simulate", model, "--log", chosen, "--resize-cost", cost, "--policy", "dynamic"}
	answering(t, &out, append(args, "--policy", "static")...)
	a := answers{}
	for _, r := range out.Results {
		a.add(t, r)
	}
	return a
}
