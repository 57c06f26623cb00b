// This file writes jobs and machines as ElastiSim reads them, a simulator of batch systems with malleable jobs.

package replaycmd

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload"
)

// elastiSim describes a machine to ElastiSim: equal nodes, on which
// jobs have scheduling points that divide their work evenly, and stand still for Cost seconds when they are resized.
//
// Reference: T. Özden, T. Beringer, A. Mazaheri, H. M. Fard, F. Wolf, ElastiSim: a batch-system simulator for malleable
// workloads, Proc. 51st Int. Conf. on Parallel Processing (ICPP), 2022; the formats are those of elastisim.github.io.
type elastiSim struct {
	Nodes, Points int
	Cost          float64
	Speedup       workload.Speedup // of all jobs: linear or Amdahl's
}

var (
	// elastiSimFiles are templates of what ElastiSim reads beside the jobs. A node does 1e9 operations a second, which the work of
	// jobs, in seconds on one node, is multiplied by.
	//go:embed elastisim
	elastiSimFiles embed.FS

	// scheduler is the policy dynamic as a program that ElastiSim asks for decisions by its interface in Python. It is for jobs
	// that run on any number of nodes. It decides as the machine of whole nodes does, and resizes a job at the scheduling points of
	// that job only.
	//go:embed elastisim/scheduler.py
	scheduler string
)

// Last returns the number of the last node, from 0.
func (x elastiSim) Last() int { return x.Nodes - 1 }

// Delay returns the cost of a resize as a number of JSON.
func (x elastiSim) Delay() string { return output.Shortest(x.Cost) }

// files returns the files that ElastiSim reads: jobs, the application that all of them run, the platform and the
// configuration, which names the others as they stand beside it. Submissions are rounded to seconds, as the format
// wants, and begin at 0. Jobs without work are left out; skipped is their number. A job that shrinks leaves its nodes
// there before it stands still, where package machine has it stand still first.
func (x elastiSim) files(jobs []workload.Job) (written []cli.File, skipped int, err error) {
	if _, err := x.Share(); err != nil {
		return nil, 0, err
	}
	var list []any
	for i := range jobs {
		if jobs[i].Work == 0 {
			skipped++
			continue
		}
		list = append(list, x.job(&jobs[i], jobs[0].Submit))
	}
	text, err := json.MarshalIndent(map[string]any{"jobs": list}, "", " ")
	if err != nil {
		return nil, 0, err
	}
	written = []cli.File{{Name: "jobs.json", Text: string(text) + "\n"}}
	for _, name := range []string{"application.json", "configuration.json", "platform.xml"} {
		text, err := x.fill(name)
		if err != nil {
			return nil, 0, err
		}
		written = append(written, cli.File{Name: name, Text: text})
	}
	return written, skipped, nil
}

// fill returns a file for the machine.
func (x elastiSim) fill(name string) (string, error) {
	t, err := template.ParseFS(elastiSimFiles, "elastisim/"+name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, x)
	return text.String(), err
}

// Share returns which part of the work of a job each of num_nodes nodes takes the time of: 1/S(num_nodes).
func (x elastiSim) Share() (string, error) {
	switch s := x.Speedup.(type) {
	case nil, workload.Linear:
		return "1 / num_nodes", nil
	case workload.Amdahl:
		return fmt.Sprintf("%g + %g / num_nodes", s.Serial, 1-s.Serial), nil
	}
	return "", fmt.Errorf("workload: the speedup %v has no formula there; linear and amdahl have", x.Speedup)
}

// job returns a job as the file of jobs has it, the first having been submitted at a time.
func (x elastiSim) job(j *workload.Job, first float64) map[string]any {
	o := map[string]any{"type": j.Kind.String(), "submit_time": int64(math.Round(j.Submit - first)),
		"application_model": "application.json", "attributes": map[string]any{"id": j.ID},
		"arguments": map[string]any{"work": j.Work, "points": x.Points}}
	if j.Kind == workload.Rigid {
		o["num_nodes"] = j.Nodes
	} else {
		o["num_nodes_min"], o["num_nodes_max"] = j.Least(0), j.Most(x.Nodes)
	}
	return o
}
