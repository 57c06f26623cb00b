package advise_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

func TestMain(m *testing.M) { needs.Main(m) }

// controller writes the controller of a rule and returns a command that runs it, without arguments.
func controller(t *testing.T, r policy.Resize, m policy.Machine) *exec.Cmd {
	t.Helper()
	python := needs.Program(t, "python3")
	f, err := advise.NewSystemSettings(r, m, 8, 1, 2).Controller()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(name, []byte(f.Text), 0o755); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), python, name)
}

// poll is what a controller sees of the machine when it decides, and decision what it decides.
type poll struct {
	Now   float64  `json:"now"`
	Queue [][4]any `json:"queue"`
}

type decision struct {
	Do  map[string]int `json:"do"`
	Why string         `json:"why"`
}

// recorder notes what each decision of a simulated machine was made on, and what it was.
type recorder struct {
	every     float64 // the time between polls; 0: a poll at each arrival and departure
	polls     []poll
	decisions []decision
	changes   int                // decisions that start or resize jobs
	jobs      []string           // in the system, in the order of their submission
	held      map[string]int     // of those that run
	begun     map[string]float64 // when they were started
}

// observe is called after the events of a moment: the queue at a poll is the one after the last poll, with the events since.
func (r *recorder) observe(v sched.View, events []sched.Event) {
	name := func(j sched.JobID) string { return fmt.Sprint(v.Number(j)) }
	asked := false
	for _, e := range events {
		switch e.Kind {
		case sched.Arrival:
			r.jobs = append(r.jobs, name(e.Job))
		case sched.Departure:
			job := name(e.Job)
			delete(r.held, job)
			for i := range r.jobs {
				if r.jobs[i] == job {
					r.jobs = append(r.jobs[:i], r.jobs[i+1:]...)
					break
				}
			}
		}
		asked = asked || e.Kind != sched.Resume
	}
	if !asked || r.every > 0 && math.Mod(v.Now(), r.every) != 0 {
		return
	}
	p, d := poll{Now: v.Now(), Queue: [][4]any{}}, decision{Do: map[string]int{}}
	for _, job := range r.jobs {
		if r.held[job] > 0 {
			p.Queue = append(p.Queue, [4]any{job, "running", r.held[job], r.begun[job]})
		} else {
			p.Queue = append(p.Queue, [4]any{job, "waiting", 0, 0})
		}
	}
	for k := range v.Running() {
		j := v.Started(k)
		if job := name(j); r.held[job] != v.Held(j) {
			if r.held[job] == 0 {
				r.begun[job] = v.Now()
			}
			r.held[job], d.Do[job] = v.Held(j), v.Held(j)
		}
	}
	if len(d.Do) > 0 {
		r.changes++
	}
	r.polls, r.decisions = append(r.polls, p), append(r.decisions, d)
}

// elastic is the system of the examples, whose 64 nodes are divided in units of 4, at a load at which jobs wait now and then.
func elastic(t *testing.T) *models.System {
	t.Helper()
	m, err := modelfile.Load("../../testdata/examples/malleable.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.System.WithLoad(0.8)
	if err != nil {
		t.Fatal(err)
	}
	s.Stops = models.ResizedStop
	return s
}

// TestControllerDecidesAsTheSimulatorDoes: on the queue that a simulation of a rule meets, the dry run of the rule's controller
// gives the same jobs the same nodes at each of 150 decisions that start or resize jobs, and nobody nodes in between. The
// simulated rule looks at its queue whenever it changes, or at polls, between which several jobs may come and end.
func TestControllerDecidesAsTheSimulatorDoes(t *testing.T) {
	for i, c := range []struct {
		text string
		poll float64
	}{{"resize", 0}, {"resize:cooldown=350,hysteresis=1.25", 0}, {"resize:hysteresis=1.5,wait=3", 0}, {"resize:batch=3,cap=6", 0},
		{"resize:floor=3,on=departures", 0}, {"resize:cooldown=100,batch=2,wait=2,on=departures", 0},
		{"resize:cooldown=800.25,cap=12,hysteresis=2,wait=4", 0}, {"resize", advise.ControllerPoll},
		{"resize:batch=3,floor=3,on=departures", advise.ControllerPoll}, {"resize:cooldown=800.25,cap=12,hysteresis=1.5,wait=3", advise.ControllerPoll}} {
		t.Run(fmt.Sprint(c.text, " ", c.poll), func(t *testing.T) {
			if c.poll == 0 && i%2 == 1 {
				needs.Long(t, "tries another rule of the same kind")
			}
			t.Parallel()
			parsed, err := policy.Standard().Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			rule, _ := parsed.(policy.Resize)
			s := elastic(t)
			m, err := validate.WholeNodes(s, rule, validate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.poll > 0 {
				m.Policy = advise.Carried{Resize: rule, Poll: c.poll}
			}
			r := &recorder{every: c.poll, held: map[string]int{}, begun: map[string]float64{}}
			ctx, end := context.WithCancel(t.Context())
			m.Observe = func(v sched.View, events []sched.Event) {
				r.observe(v, events)
				if r.changes >= 150 {
					end()
				}
			}
			if _, err := machine.Run(ctx, m, des.Seed(7)); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			got := replayed(t, controller(t, rule, policy.Machine{Nodes: 64, Unit: 4}), r.polls)
			for i, want := range r.decisions {
				if !maps.Equal(got[i].Do, want.Do) {
					t.Fatalf("poll %d, %+v: the controller gives %v (%s), the simulator %v", i, r.polls[i], got[i].Do, got[i].Why, want.Do)
				}
			}
			t.Logf("%d of %d decisions start or resize jobs", r.changes, len(got))
		})
	}
}

// replayed runs a controller on a recorded queue and returns its decisions.
func replayed(t *testing.T, cmd *exec.Cmd, polls []poll) []decision {
	t.Helper()
	var queue bytes.Buffer
	for _, p := range polls {
		if err := json.NewEncoder(&queue).Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "queue.jsonl")
	if err := os.WriteFile(name, queue.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Args = append(cmd.Args, "--replay", name, "--go") // which a replay ignores
	return decisions(t, cmd, len(polls))
}

// decisions runs a controller and reads so many decisions from its log.
func decisions(t *testing.T, cmd *exec.Cmd, want int) []decision {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var all []decision
	for in := bufio.NewScanner(bytes.NewReader(out)); in.Scan(); {
		var d decision
		if err := json.Unmarshal(in.Bytes(), &d); err != nil {
			t.Fatalf("%v: %s", err, in.Text())
		}
		all = append(all, d)
	}
	if len(all) != want {
		t.Fatalf("%d decisions on %d polls:\n%s", len(all), want, out)
	}
	return all
}

// fake puts programs into the path of a command: each notes how it was called, and then runs its script. The returned
// function reads the notes.
func fake(t *testing.T, cmd *exec.Cmd, scripts map[string]string) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "calls")
	for name, script := range scripts {
		text := "#!/bin/sh\necho \"" + name + " $*\" >> " + notes + "\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	return func() []string {
		text, err := os.ReadFile(notes)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// Three jobs: one runs on all nodes, one was started by the controller and has not begun, one waits.
const fakeSlurm = `case "$*" in *--jobs=*) echo PD ;; *)
echo "7|R|None|48|2026-01-01T10:00:00"; echo "9|PD|Resources|16|N/A"; echo "12|PD|JobHeldUser|8|N/A" ;; esac`

func TestControllerOfSlurm(t *testing.T) {
	scripts := map[string]string{"squeue": fakeSlurm, "scontrol": "", "scancel": ""}
	const asks = "squeue --noheader --partition=gpu --states=PD,CF,R,S --sort=V,i --format=%i|%t|%r|%D|%S"
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"dry run", nil, []string{asks}},
		{"go", []string{"--go", "--grace", "0"}, []string{asks,
			"scontrol update JobId=7 NumNodes=24",
			"scancel --batch --signal=USR1 9",
			"scontrol requeuehold 9",
			"squeue --noheader --format=%t --jobs=9", "scontrol update JobId=9 NumNodes=20-20", "scontrol release 9",
			"squeue --noheader --format=%t --jobs=12", "scontrol update JobId=12 NumNodes=20-20", "scontrol release 12"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 64, Unit: 4})
			calls := fake(t, cmd, scripts)
			cmd.Args = append(cmd.Args, append([]string{"--once", "--name", "gpu"}, c.args...)...)
			got := decisions(t, cmd, 1)
			if want := map[string]int{"7": 24, "9": 20, "12": 20}; !maps.Equal(got[0].Do, want) {
				t.Errorf("decided %v, want %v", got[0].Do, want)
			}
			if got := calls(); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("calls:\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// A controller whose system does not answer says so; it would ask again at the next poll, which --once rules out.
func TestControllerOutlivesItsSystem(t *testing.T) {
	cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 64, Unit: 4})
	fake(t, cmd, map[string]string{"squeue": "exit 1"})
	cmd.Args = append(cmd.Args, "--once")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(string(out), "squeue") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A controller on a machine without the system's commands says where it belongs.
func TestControllerWithoutSystem(t *testing.T) {
	if path, err := exec.LookPath("kubectl"); err == nil {
		t.Skipf("the command is installed here: %s", path)
	}
	cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 64, Unit: 4})
	cmd.Args = append(cmd.Args, "--system", "kubeflow")
	out, err := cmd.CombinedOutput()
	const want = "there is no program kubectl here: run controller.py where the commands of kubeflow are, or on a recorded queue with --replay\n"
	if err == nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// What Prometheus reads: the nodes that the rule gives each job, and the jobs that wait.
func TestControllerServesMetrics(t *testing.T) {
	cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 64, Unit: 4})
	fake(t, cmd, map[string]string{"squeue": fakeSlurm, "scontrol": "", "scancel": ""})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	cmd.Args = append(cmd.Args, "--name", "gpu", "--serve", port)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("no decision")
	}
	const want = `wanted_nodes{name="7"} 24
wanted_nodes{name="9"} 20
wanted_nodes{name="12"} 20
`
	var text string
	for range 100 { // the metrics follow the line of the log
		if text = fetched(t, "127.0.0.1:"+port, "/metrics"); strings.Contains(text, want) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(text, want) || !strings.Contains(text, "\nwaiting_jobs 1\n") || !strings.Contains(text, "# TYPE wanted_nodes gauge\n") {
		t.Errorf("metrics:\n%s", text)
	}
	for _, metric := range askedByKEDA(t, policy.Resize{Wait: 4}) {
		// kube-state-metrics, a part of most clusters, offers what begins with kube_.
		if !strings.HasPrefix(metric, "kube_") && !strings.Contains(text, "\n"+metric) {
			t.Errorf("keda.yaml asks for %s, which nobody offers:\n%s", metric, text)
		}
	}
	if other := fetched(t, "127.0.0.1:"+port, "/"); !strings.Contains(other, "/metrics") {
		t.Errorf("/: %s", other)
	}
}

// askedByKEDA returns the names of the metrics that the triggers in the file keda.yaml of a rule ask for.
func askedByKEDA(t *testing.T, r policy.Resize) []string {
	t.Helper()
	var names []string
	for _, f := range written(t, r, 0) {
		if f.Name != "keda.yaml" {
			continue
		}
		for _, query := range regexp.MustCompile(`(?m)^ *query: [a-z]+\(([a-z_]+)`).FindAllStringSubmatch(f.Text, -1) {
			names = append(names, query[1])
		}
	}
	if len(names) != 3 {
		t.Errorf("keda.yaml asks for %v, not for three metrics", names)
	}
	return names
}

// fetched returns the body of a server's answer to GET. The request is written here, since net/http and its packages would take nine
// seconds of a processor to compile.
func fetched(t *testing.T, address, path string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.0\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, body, found := strings.Cut(string(answer), "\r\n\r\n")
	if !found || !strings.HasPrefix(head, "HTTP/1.") {
		t.Fatalf("%s answers to %s:\n%s", address, path, answer)
	}
	return body
}

// A recorded queue that cannot be read is an error with its place.
func TestControllerRefusesOtherRecords(t *testing.T) {
	for text, want := range map[string]string{"{\"now\": 1, \"queue\": []}\n{\"now\": 2}\n": "queue.jsonl:2: not a poll",
		"x\n": "queue.jsonl:1: not a poll", "": "No such file"} {
		cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 64, Unit: 4})
		name := filepath.Join(t.TempDir(), "queue.jsonl")
		if text != "" {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Args = append(cmd.Args, "--replay", name)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "Traceback") {
			t.Errorf("%q: %v\n%s", text, err, out)
		}
	}
}

func TestControllerOfKubernetes(t *testing.T) {
	const times = `"creationTimestamp": "2026-01-01T10:00:0%dZ"`
	item := func(name string, i int, spec, labels string) string {
		return fmt.Sprintf(`{"metadata": {"name": %q, `+times+`, "labels": {%s}}, "spec": %s}`, name, i, labels, spec)
	}
	for _, c := range []struct {
		system, kind string
		items        []string
		want         []string // patches
	}{
		{"kueue", "jobs.batch", []string{
			item("a", 1, `{"parallelism": 64}`, `"kueue.x-k8s.io/queue-name": "gpu"`),
			item("b", 2, `{"parallelism": 64, "suspend": true}`, "")},
			[]string{`a --type=merge --patch={"spec": {"parallelism": 32}}`,
				`b --type=merge --patch={"spec": {"parallelism": 32}, "metadata": {"labels": {"kueue.x-k8s.io/queue-name": "gpu"}}}`}},
		{"kubeflow", "pytorchjobs.kubeflow.org", []string{
			item("a", 1, `{"pytorchReplicaSpecs": {"Worker": {"replicas": 64}}}`, ""),
			item("b", 2, `{"pytorchReplicaSpecs": {"Worker": {"replicas": 4}}, "runPolicy": {"suspend": true}}`, "")},
			[]string{`a --type=merge --patch={"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 32}}}}`,
				`b --type=merge --patch={"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 32}}, "runPolicy": {"suspend": false}}}`}},
	} {
		t.Run(c.system, func(t *testing.T) {
			cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 64, Unit: 4})
			done := `{"metadata": {"name": "old", "creationTimestamp": "2026-01-01T09:00:00Z"}, "spec": {}, ` +
				`"status": {"conditions": [{"type": "` + map[string]string{"kueue": "Complete", "kubeflow": "Succeeded"}[c.system] +
				`", "status": "True"}]}}`
			calls := fake(t, cmd, map[string]string{"kubectl": "[ \"$1\" = get ] && cat <<'END'\n{\"items\": [" +
				strings.Join(append(c.items, done), ",") + "]}\nEND\ntrue"})
			cmd.Args = append(cmd.Args, "--once", "--go", "--system", c.system, "--name", "gpu")
			decisions(t, cmd, 1)
			want := []string{"kubectl get " + c.kind + " --selector=partwise=gpu --output=json"}
			for _, patch := range c.want {
				want = append(want, "kubectl patch "+c.kind+" "+patch)
			}
			if got := strings.Join(calls(), "\n"); got != strings.Join(want, "\n") {
				t.Errorf("calls:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
}
