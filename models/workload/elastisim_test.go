package workload_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
)

// The files of ElastiSim, as its documentation describes them: what is mandatory is there, and says what the jobs are.
func TestElastiSim(t *testing.T) {
	jobs := []workload.Job{
		{ID: 7, Submit: 99.6, Nodes: 4, Run: 10, Work: 40},
		{ID: 8, Submit: 103, Kind: workload.Malleable, Nodes: 4, Min: 2, Max: 100, Work: 80},
		{ID: 9, Submit: 104, Nodes: 4},
	}
	files, skipped, err := workload.ElastiSim{Nodes: 32, Points: 50, Cost: 60, Speedup: workload.Amdahl{Serial: 0.25}}.Files(jobs)
	if err != nil || skipped != 1 || len(files) != 4 {
		t.Fatalf("%d files, %d jobs skipped, %v", len(files), skipped, err)
	}
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Name] = string(f.Content)
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
		"application.json":   {`"flops": "work * 1e+09 / points * (0.25 + 0.75 / num_nodes)"`, `"delay": 60`, `"iterations": "points"`},
		"configuration.json": {`"jobs_file": "jobs.json"`, `"platform_file": "platform.xml"`, `"scheduling_interval"`, `"zmq_url"`},
		"platform.xml":       {`radical="0-31"`, `speed="1e+09f"`},
	} {
		for _, part := range parts {
			if !strings.Contains(texts[name], part) {
				t.Errorf("%s has no %s:\n%s", name, part, texts[name])
			}
		}
	}
	if err := xml.Unmarshal([]byte(texts["platform.xml"]), new(struct {
		XMLName xml.Name `xml:"platform"`
	})); err != nil {
		t.Error(err)
	}
	if _, _, err := (workload.ElastiSim{Nodes: 4, Points: 1, Speedup: workload.Downey{A: 2}}).Files(jobs); err == nil {
		t.Error("Downey's speedup has no formula")
	}
}

// Jobs that are malleable at a share are so at each larger one; bounds are whole nodes, and none are at share 0.
func TestMixesAreNested(t *testing.T) {
	draws := []float64{0.9, 0.1, 0.5, 0.3}
	before := -1
	for _, share := range []float64{0, 0.2, 0.4, 1} {
		n := 0
		for i, x := range draws {
			shape := workload.Shape{Mix: &workload.Mix{Share: share, Least: 0.5, Most: 2, Draw: func(k int) float64 { return draws[k] }}}
			j, err := shape.Job(i, &swf.Job{ID: i + 1, Run: 10, Processors: 5})
			if err != nil {
				t.Fatal(err)
			}
			if malleable := j.Kind == workload.Malleable; malleable != (x < share) || malleable && (j.Min != 3 || j.Max != 10) {
				t.Errorf("share %v: job %d is %v of %d to %d nodes", share, i, j.Kind, j.Min, j.Max)
			}
			if j.Kind == workload.Malleable {
				n++
			}
		}
		if n <= before {
			t.Errorf("share %v: %d malleable jobs, %d at the share before", share, n, before)
		}
		before = n
	}
	for _, m := range []workload.Mix{{Share: -1, Most: 1}, {Share: 1.1, Most: 1}, {Least: 2, Most: 2}, {Most: 0.5}, {Least: -1, Most: 1}} {
		if m.Check() == nil {
			t.Errorf("%+v: no error", m)
		}
	}
}

// A malleable job that asks for more nodes than there are asks for all of them, and runs longer; a rigid one cannot.
func TestJobsWithinAMachine(t *testing.T) {
	j := workload.Job{Kind: workload.Malleable, Nodes: 8, Run: 10, Work: 80, Estimate: 20, Requested: 20}
	j.Within(4)
	if j.Nodes != 4 || j.Run != 20 || j.Estimate != 40 || j.Requested != 40 || j.Work != 80 {
		t.Errorf("%+v", j)
	}
	j.Kind = workload.Rigid
	if j.Within(2); j.Nodes != 4 {
		t.Errorf("%+v", j)
	}
}
