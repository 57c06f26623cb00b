// This file writes jobs and machines as ElastiSim reads them, a simulator of batch systems with malleable jobs.

package replaycmd

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

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

// file is a file to be written.
type file struct {
	name    string
	content []byte
}

//go:embed scheduler.py
var scheduler []byte

// equiPartitioning returns the policy dynamic as a program that ElastiSim asks for decisions by its interface in Python.
// It is for jobs that run on any number of nodes. It decides as the machine of whole nodes does, and resizes a job at
// the scheduling points of that job only.
func equiPartitioning() file {
	return file{"scheduler.py", slices.Clone(scheduler)}
}

// flops is the speed of a node, which the work of jobs, in seconds on one node, is multiplied by.
const flops = 1e9

// files returns the files that ElastiSim reads: jobs, the application that all of them run, the platform and the
// configuration, which names the others as they stand beside it. Submissions are rounded to seconds, as the format
// wants, and begin at 0. Jobs without work are left out; skipped is their number. A job that shrinks leaves its nodes
// there before it stands still, where package machine has it stand still first.
func (x elastiSim) files(jobs []workload.Job) (written []file, skipped int, err error) {
	share, err := x.share()
	if err != nil {
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
	application := map[string]any{"phases": []any{map[string]any{
		"iterations": "points", "scheduling_point": true, "final_scheduling_point": false,
		"tasks": []any{map[string]any{"type": "cpu", "name": "work", "computation_pattern": "uniform",
			"flops": fmt.Sprintf("work * %g / points * (%s)", float64(flops), share)}},
	}}}
	if x.Cost > 0 {
		application["on_reconfiguration"] = map[string]any{"tasks": []any{map[string]any{"type": "busy_wait",
			"name": "resize", "delay": x.Cost, "pattern": "uniform"}}}
	}
	configuration := map[string]any{"scheduling_interval": 60, "min_scheduling_interval": 0,
		"schedule_on_job_submit": true, "schedule_on_job_finalize": true, "schedule_on_scheduling_point": true,
		"allow_oversubscription": false, "sensing": false, "zmq_url": "ipc://elastisim.ipc",
		"jobs_file": "jobs.json", "platform_file": "platform.xml", "job_statistics": "job_statistics.csv",
		"node_utilization": "node_utilization.csv"}
	for _, f := range []struct {
		name  string
		value any
	}{{"jobs.json", map[string]any{"jobs": list}}, {"application.json", application},
		{"configuration.json", configuration}} {
		text, err := json.MarshalIndent(f.value, "", " ")
		if err != nil {
			return nil, 0, err
		}
		written = append(written, file{f.name, append(text, '\n')})
	}
	return append(written, file{"platform.xml", x.platform()}), skipped, nil
}

// share returns which part of the work of a job each of num_nodes nodes takes the time of: 1/S(num_nodes).
func (x elastiSim) share() (string, error) {
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

// platform returns the machine: a crossbar of nodes, and a host for the batch system.
func (x elastiSim) platform() []byte {
	return fmt.Appendf(nil, `<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="machine" routing="Full">
    <zone id="batch_system_zone" routing="Full">
      <host id="batch_system" speed="0Gf">
        <prop id="batch_system" value="true"/>
      </host>
    </zone>
    <cluster id="nodes" prefix="node_" radical="0-%d" suffix="" speed="%gf" bw="100Gbps" lat="1us"/>
  </zone>
</platform>
`, x.Nodes-1, float64(flops))
}
