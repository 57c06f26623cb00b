package replaycmd

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload"
)

// The files of ElastiSim, as its documentation describes them: what is mandatory is there, and says what the jobs are.
func TestElastiSim(t *testing.T) {
	jobs := []workload.Job{
		{ID: 7, Submit: 99.6, Nodes: 4, Run: 10, Work: 40},
		{ID: 8, Submit: 103, Kind: workload.Malleable, Nodes: 4, Min: 2, Max: 100, Work: 80},
		{ID: 9, Submit: 104, Nodes: 4},
	}
	files, skipped, err := elastiSim{Nodes: 32, Points: 50, Cost: 60, Speedup: workload.Amdahl{Serial: 0.25}}.files(jobs)
	if err != nil || skipped != 1 || len(files) != 4 {
		t.Fatalf("%d files, %d jobs skipped, %v", len(files), skipped, err)
	}
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Name] = f.Text
	}
	var list struct {
		Jobs []struct {
			Type     string
			Submit   int                `json:"submit_time"`
			Nodes    int                `json:"num_nodes"`
			Min      int                `json:"num_nodes_min"`
			Max      int                `json:"num_nodes_max"`
			Model    string             `json:"application_model"`
			Argument map[string]float64 `json:"arguments"`
		}
	}
	if err := json.Unmarshal([]byte(texts["jobs.json"]), &list); err != nil || len(list.Jobs) != 2 {
		t.Fatalf("%v: %s", err, texts["jobs.json"])
	}
	rigid, malleable := list.Jobs[0], list.Jobs[1]
	if rigid.Type != "rigid" || rigid.Submit != 0 || rigid.Nodes != 4 || rigid.Model != "application.json" ||
		rigid.Argument["work"] != 40 || rigid.Argument["points"] != 50 {
		t.Errorf("%+v", rigid)
	}
	if malleable.Type != "malleable" || malleable.Submit != 3 || malleable.Min != 2 || malleable.Max != 32 {
		t.Errorf("%+v", malleable)
	}
	for name, parts := range map[string][]string{
		"application.json":   {`"flops": "work * 1e+09 / points * (0.25 + 0.75 / num_nodes)"`, `"iterations": "points"`},
		"configuration.json": {`"jobs_file": "jobs.json"`, `"platform_file": "platform.xml"`, `"scheduling_interval"`, `"zmq_url"`},
		"platform.xml":       {`radical="0-31"`, `speed="1e+09f"`},
	} {
		for _, part := range parts {
			if !strings.Contains(texts[name], part) {
				t.Errorf("%s has no %s:\n%s", name, part, texts[name])
			}
		}
	}
	// ElastiSim reads an object with tasks, as its program has it, and not the list of its documentation.
	var application struct {
		Reconfiguration struct{ Tasks []struct{ Delay float64 } } `json:"on_reconfiguration"`
	}
	err = json.Unmarshal([]byte(texts["application.json"]), &application)
	if tasks := application.Reconfiguration.Tasks; err != nil || len(tasks) != 1 || tasks[0].Delay != 60 {
		t.Errorf("%v: %s", err, texts["application.json"])
	}
	if err := xml.Unmarshal([]byte(texts["platform.xml"]), new(struct {
		XMLName xml.Name `xml:"platform"`
	})); err != nil {
		t.Error(err)
	}
	if _, _, err := (elastiSim{Nodes: 4, Points: 1, Speedup: workload.Downey{A: 2}}).files(jobs); err == nil {
		t.Error("Downey's speedup has no formula")
	}
}

// The scheduler divides nodes as the policy dynamic does: what four jobs on three nodes are to have as they come and go.
func TestEquiPartitioning(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"scheduler.py": scheduler, "elastisim_python.py": `
class InvocationType:
    INVOKE_JOB_SUBMIT, INVOKE_JOB_COMPLETED, INVOKE_JOB_KILLED = 1, 2, 3
JobState = NodeState = pass_algorithm = None
`, "test.py": `
from scheduler import decide, decided
class Job:
    pass
for kind, identifier in [(1, 0), (1, 1), (1, 2), (1, 3), (2, 1), (2, 0), (3, 2), (2, 3)]:
    job = Job()
    job.identifier = identifier
    decide(kind, job, 3)
    print(decided)
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const want = "{0: 3}\n{0: 2, 1: 1}\n{0: 1, 1: 1, 2: 1}\n{0: 1, 1: 1, 2: 1}\n{0: 1, 2: 1, 3: 1}\n{2: 2, 3: 1}\n{3: 3}\n{}\n"
	if out, err := exec.Command(python, "-B", filepath.Join(dir, "test.py")).CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}
