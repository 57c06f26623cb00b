package advise_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// malleableController writes the controller of malleable jobs on a machine, and returns a command that runs it.
func malleableController(t *testing.T, m policy.Machine) *exec.Cmd {
	t.Helper()
	python := needs.Program(t, "python3")
	jobs := advise.MalleableJobs{Share: 0.5, Least: 0.5, Most: 2, Partition: "gpu"}
	f, err := advise.MalleableSettings(jobs, m, 0).Controller()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(name, []byte(f.Text), 0o755); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), python, name)
}

// mixedJobs returns rigid jobs, and malleable jobs of half to twice the nodes that they ask for, with limits above their run times.
func mixedJobs(n, nodes int) (jobs []workload.Job) {
	random := rand.New(rand.NewPCG(7, 9))
	at := 0.0
	for i := range n {
		at += random.ExpFloat64() * 100
		j := workload.Job{ID: i + 1, Submit: at, Nodes: 1 + random.IntN(nodes/3)}
		j.Run = random.ExpFloat64() * 500
		j.Work, j.Estimate = j.Run*float64(j.Nodes), 60+j.Run*(1+2*random.Float64())
		if i%2 == 0 {
			j.Kind, j.Min, j.Max = workload.Malleable, (j.Nodes+1)/2, 2*j.Nodes
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// queueOf returns the queue that the controller of malleable jobs sees before a decision: running jobs in the order of their
// starts, then waiting jobs. held are the nodes of the running jobs.
func queueOf(v sched.View, held map[string]int) [][]any {
	queue := [][]any{}
	row := func(j sched.JobID, state string, nodes int, start, until float64) []any {
		least, most := v.Least(j), v.Most(j)
		if job := v.Job(j); job.Kind == workload.Rigid {
			least, most = job.Nodes, job.Nodes
		}
		return []any{fmt.Sprint(v.Number(j)), state, nodes, start, least, most, until}
	}
	for k := range v.Running() {
		j := v.Started(k)
		queue = append(queue, row(j, "running", held[fmt.Sprint(v.Number(j))], float64(k), v.Expected(j)))
	}
	for i := range v.Waiting() {
		j := v.Queued(i).Job
		job := v.Job(j)
		queue = append(queue, row(j, "waiting", 0, 0, job.EstimateOn(max(1, v.Least(j)))))
	}
	return queue
}

// watching is easy-malleable that notes the queue before each of its decisions, and what it decides.
type watching struct {
	sched.Policy
	queues    [][][]any
	times     []float64
	decisions []map[string]int
}

// Decide notes the queue and the decision.
func (w *watching) Decide(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
	held := map[string]int{}
	for k := range v.Running() {
		held[fmt.Sprint(v.Number(v.Started(k)))] = v.Held(v.Started(k))
	}
	w.queues, w.times = append(w.queues, queueOf(v, held)), append(w.times, v.Now())
	do = w.Policy.Decide(v, events, do)
	decided := map[string]int{}
	for _, a := range do {
		if a.Nodes > 0 {
			decided[fmt.Sprint(v.Number(a.Job))] = a.Nodes
		}
	}
	w.decisions = append(w.decisions, decided)
	return do
}

// watched is the policy of which [watching] is the scheduler.
type watched struct {
	policy.EASYMalleable
	by *watching
}

// Scheduler returns the scheduler of easy-malleable that notes its decisions.
func (w watched) Scheduler() (sched.Policy, error) {
	of, err := sched.New(policy.EASYMalleable{})
	w.by.Policy = of
	return w.by, err
}

// TestMalleableControllerDecidesAsTheSimulatorDoes: on the queue before each decision of easy-malleable, the dry run of the
// controller starts and resizes the same jobs to the same nodes.
func TestMalleableControllerDecidesAsTheSimulatorDoes(t *testing.T) {
	t.Parallel()
	w := &watching{}
	c := machine.Config{Nodes: 32, Policy: watched{by: w}, Jobs: machine.List(mixedJobs(300, 32)),
		Costs:     machine.Resizes{{Nodes: 1, Shrink: 20, Expand: 30}},
		Estimates: &machine.Estimates{New: func() workload.Estimator { return workload.Logged{} }}}
	if _, err := machine.Run(t.Context(), c, des.Seed(7)); err != nil {
		t.Fatal(err)
	}
	var queue []string
	changes := 0
	for i := range w.queues {
		text, err := json.Marshal(map[string]any{"now": w.times[i], "queue": w.queues[i]})
		if err != nil {
			t.Fatal(err)
		}
		queue = append(queue, string(text))
		if len(w.decisions[i]) > 0 {
			changes++
		}
	}
	cmd := malleableController(t, policy.Machine{Nodes: 32, Unit: 1})
	name := filepath.Join(t.TempDir(), "queue.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(queue, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Args = append(cmd.Args, "--replay", name)
	got := decisions(t, cmd, len(queue))
	for i, want := range w.decisions {
		if !maps.Equal(got[i].Do, want) {
			t.Fatalf("decision %d, %s: the controller gives %v, the simulator %v", i, queue[i], got[i].Do, want)
		}
	}
	if changes < 300 {
		t.Errorf("%d decisions start or resize jobs", changes)
	}
}

// A malleable job of 64 nodes runs, a rigid job of 24 nodes waits, and a job with a dependency may not start: the controller
// shrinks the first. Slurm starts the second.
func TestMalleableControllerOfSlurm(t *testing.T) {
	const jobs = `echo "7|R|None|64|2026-01-01T10:00:00|1-00:00:00|2026-01-02T10:00:00|partwise=16-64"
echo "9|PD|Resources|24|N/A|2:00:00|N/A|(null)"; echo "12|PD|Dependency|8|N/A|UNLIMITED|N/A|partwise=4-16"`
	const asks = "squeue --noheader --partition=gpu --states=PD,CF,R,S --sort=-p,V,i --format=%i|%t|%r|%D|%S|%l|%e|%k"
	cmd := malleableController(t, policy.Machine{Nodes: 64, Unit: 4})
	calls := fake(t, cmd, map[string]string{"squeue": jobs, "scontrol": "", "scancel": ""})
	cmd.Args = append(cmd.Args, "--once", "--go")
	got := decisions(t, cmd, 1)
	if want := map[string]int{"7": 40, "9": 24}; !maps.Equal(got[0].Do, want) {
		t.Errorf("decided %v, want %v", got[0].Do, want)
	}
	if got, want := strings.Join(calls(), "\n"), asks+"\nscontrol update JobId=7 NumNodes=40"; got != want {
		t.Errorf("calls:\n%s", got)
	}
}

// TestMalleableScriptIsShell: bash reads the script, whose example asks for nodes within the bounds.
func TestMalleableScriptIsShell(t *testing.T) {
	for _, nodes := range []int{1, 2, 100} {
		files, err := advise.MalleableSettings(advise.MalleableJobs{Share: 0.2, Least: 0.5, Most: 2, Partition: "gpu"},
			policy.Machine{Nodes: nodes, Unit: 1}, 8).Files()
		if err != nil || len(files) != 1 || files[0].Name != "slurm.sh" {
			t.Fatalf("%v, %v", files, err)
		}
		text := files[0].Text
		cmd := exec.CommandContext(t.Context(), needs.Program(t, "bash"), "-n")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		want := map[int]string{1: "1-1", 2: "1-2", 100: "13-50"}[nodes]
		if !strings.Contains(text, "#SBATCH --nodes="+want+"\n#SBATCH --comment=partwise="+want+"\n") || strings.Contains(text, "<no value>") {
			t.Errorf("%d nodes:\n%s", nodes, text)
		}
	}
}

// TestStartWindowIsNotInFiles: with a start window the script and the controller say that no system applies the window. Without a
// start window neither mentions it.
func TestStartWindowIsNotInFiles(t *testing.T) {
	for _, window := range []string{"", "mon-fri@08:00"} {
		jobs := advise.MalleableJobs{Share: 0.2, Least: 0.5, Most: 2, Partition: "gpu", StartWindow: window}
		settings := advise.MalleableSettings(jobs, policy.Machine{Nodes: 32, Unit: 1}, 0)
		files, err := settings.Files()
		if err != nil {
			t.Fatal(err)
		}
		controller, err := settings.Controller()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range append(files, controller) {
			if strings.Contains(f.Text, "Not in this file: the start window "+window+".") != (window != "") || strings.Contains(f.Text, "start window .") {
				t.Errorf("window %q, %s:\n%s", window, f.Name, f.Text)
			}
		}
	}
}
