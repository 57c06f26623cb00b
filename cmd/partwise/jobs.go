package main

import (
	"fmt"
	"math"
	"os"
	"sort"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// jobFlags are those that give a simulation other jobs than those of the model.
func jobFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "demands", TakesFile: true, Usage: "draw the demands (run times on one node) from the values " +
			"of `FILE`, a CSV or JSON lines"},
		&cli.StringFlag{Name: "demand-column", Usage: "column `C` of --demands"},
		&cli.StringFlag{Name: "log", TakesFile: true, Usage: "replay the jobs of `LOG`, in Standard Workload Format: " +
			"arrivals as logged, demands such that a job on its own nodes runs as long as logged"},
	}
}

// jobs puts the demands or the jobs that the flags name into the options of a simulation.
func (inv *invocation) jobs(file *spec.Model, o *validate.Options) error {
	demands, log := inv.flags.String("demands"), inv.flags.String("log")
	switch {
	case demands != "" && log != "":
		return usage("leave one of them out", "--demands and --log: a log has demands of its own")
	case inv.flags.IsSet("demand-column") && demands == "":
		return usage("for example --demands runtimes.csv --demand-column runtime", "--demand-column without --demands")
	case demands != "":
		return inv.sample(demands, o)
	case log != "":
		return inv.replayed(log, file, o)
	}
	return nil
}

// sample reads the demands of a file, in the time unit of the model.
func (inv *invocation) sample(path string, o *validate.Options) error {
	s, err := workload.LoadSamples(path, workload.Columns{Value: inv.flags.String("demand-column")})
	if err != nil {
		return err
	}
	for _, x := range s.Values {
		if x > 0 {
			o.Sample = append(o.Sample, x)
		}
	}
	if n := len(s.Values) - len(o.Sample); n > 0 {
		inv.warn("%s: %d demands of 0 are left out", path, n)
	}
	if len(o.Sample) == 0 {
		return &workload.DataError{File: path, Problem: "holds no positive demands"}
	}
	return nil
}

// replayed reads the jobs of a log. The demand of one that ran for a time r on n nodes is r·S(n).
func (inv *invocation) replayed(path string, file *spec.Model, o *validate.Options) error {
	speedup := file.System.Speedup
	if speedup == nil {
		return usage("give the model demand and speedup in place of service",
			"--log: the model lists measured run times, from which the demand of a logged job cannot be told")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	log, err := swf.ReadLog(f, path)
	if err != nil {
		return err
	}
	skipped := map[string]int{}
	for _, j := range log.Jobs {
		if problem := j.WorkProblem(); problem != "" {
			skipped[problem]++
			continue
		}
		n := j.Nodes()
		demand := spec.Second.Convert(j.Run, file.TimeUnit) * speedup.At(float64(n))
		if math.IsNaN(demand) {
			return &workload.DataError{File: path, Problem: fmt.Sprintf(
				"job %d ran on %d nodes, of which the speedup of the model says nothing", j.ID, n)}
		}
		o.Replay = append(o.Replay, machine.Request{Arrival: spec.Second.Convert(j.Submit, file.TimeUnit), Demand: demand})
	}
	if len(o.Replay) == 0 {
		return &workload.DataError{File: path, Problem: "holds no jobs that ran"}
	}
	sort.SliceStable(o.Replay, func(i, k int) bool { return o.Replay[i].Arrival < o.Replay[k].Arrival })
	if first := o.Replay[0].Arrival; first > 0 {
		for i := range o.Replay {
			o.Replay[i].Arrival -= first
		}
	}
	inv.leftOut(path, skipped)
	return inv.rescaleLog(file, o)
}

// leftOut tells how many jobs were skipped, and why.
func (inv *invocation) leftOut(path string, skipped map[string]int) {
	var reasons []string
	for reason, n := range skipped {
		reasons = append(reasons, fmt.Sprintf("%d with %s", n, reason))
	}
	if len(reasons) > 0 {
		sort.Strings(reasons)
		inv.warn("%s: jobs left out: %s", path, strings.Join(reasons, ", "))
	}
}

// rescaleLog stretches the time between the arrivals of a log until its load is that of --load.
func (inv *invocation) rescaleLog(file *spec.Model, o *validate.Options) error {
	rho := validate.Offered(file.System, *o)
	if math.IsInf(rho, 0) || math.IsNaN(rho) {
		return fail(exitInput, "--log: all jobs of the log come at the same time")
	}
	load, err := inv.load()
	if err != nil {
		return err
	}
	if load > 0 {
		for i := range o.Replay {
			o.Replay[i].Arrival *= rho / load
		}
		rho = load
	}
	inv.note("%d jobs of the log at load %s", len(o.Replay), output.Round(rho, 4))
	return nil
}
