package replaycmd

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// writeElastiSim writes the jobs of a run, and its machine, as files that ElastiSim reads.
func writeElastiSim(inv *cli.Invocation, r *logReplay, run *replay.Run) error {
	in, closeLog, err := r.log.Jobs(run.Load)
	if err != nil {
		return err
	}
	defer closeLog()
	jobs, err := workload.AllJobs(workload.FromLog(joblog.Most(in, inv.MostKept(1000)), run.Shape()))
	if err != nil {
		return err
	}
	to := elastiSim{Nodes: run.Nodes, Points: r.Points.Number, Cost: run.Cost.Seconds, Speedup: r.Speedup}
	files, skipped, err := to.files(jobs)
	if err != nil {
		return cli.Usagef("for example --speedup amdahl:0.05", "--elastisim-output: %s", cli.Plain(err))
	}
	if r.partitionsEvenly(run) {
		files = append(files, cli.File{Name: "scheduler.py", Text: scheduler})
	}
	if err := inv.WriteFolder("elastisim-output", r.o.elastisim, files); err != nil {
		return err
	}
	if skipped > 0 {
		inv.Warnf("%s: %d jobs without work are left out", r.o.elastisim, skipped)
	}
	inv.Notef("wrote %s to %s", output.Count(len(jobs)-skipped, "job"), r.o.elastisim)
	if !r.partitionsEvenly(run) {
		inv.Notef("wrote no scheduler: there is one of dynamic, for jobs that run on any number of nodes")
	}
	return nil
}

// partitionsEvenly reports whether a run divides all nodes evenly among jobs that run on any number of them.
func (r *logReplay) partitionsEvenly(run *replay.Run) bool {
	return run.Policy == policy.Policy(policy.Dynamic{}) && r.Shares == nil && r.Unit == 1
}
