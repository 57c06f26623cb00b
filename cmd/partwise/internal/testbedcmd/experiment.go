package testbedcmd

import (
	_ "embed"
	"io"
	"slices"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/machine"
)

//go:embed run.txt
var runHelp string

// experimentCommand returns the command that predicts what a machine of processes will do, and runs it.
func experimentCommand() cli.Command {
	return cli.WithOptions(newExperimentOptions, experiment, cli.Described(runHelp, cli.Command{
		Was:          []string{"experiment"},
		RunsPolicies: policy.Chain,
	}))
}

// experimentOptions are the flags of testbed run.
type experimentOptions struct {
	*machineOptions
	loads        []float64
	policies     []string
	replications int
	jobs         int
	predictions  string
}

// newExperimentOptions returns the options of a command line without flags.
func newExperimentOptions() *experimentOptions {
	return &experimentOptions{machineOptions: newMachineOptions(), loads: []float64{0.3, 0.5, 0.7},
		policies: []string{"dynamic", "static:2"}, replications: 10, jobs: 150}
}

// Flags binds the flags.
func (o *experimentOptions) Flags() []cli.Flag {
	return append(o.topic().Referred(),
		input.Loads(&o.loads, cli.About{Usage: "offer each load of `LIST`, values or ranges A:B:STEP"}),
		cli.Value(&o.policies, "policies", input.PolicyList, cli.About{Usage: "run the policies of `LIST`: dynamic, static:K"}),
		cli.Int(&o.replications, "replications", values.Between(2, 1000), cli.About{Usage: "run everything `R` times, with other jobs"}),
		cli.Int(&o.jobs, "jobs", values.Between(10, 100_000), cli.About{Usage: "run `N` jobs in each replication"}),
		cli.OutputFile(&o.predictions, "predictions", "write what is predicted to `FILE`, with the time, before anything is run"),
	)
}

// experiment measures a machine of processes, predicts what policies will do on it, runs the same jobs under them, and
// writes the comparison. --predictions keeps the predictions in a file from before the run. The run is void, with an error,
// if other programs used the processors.
func experiment(inv *cli.Invocation, o *experimentOptions) error {
	selected, err := input.Select(inv, "--policies", policy.Machine{Nodes: o.study.Nodes, Unit: 1}, measure.Second(), o.policies...)
	if err != nil {
		return err
	}
	for _, p := range selected.Named {
		if !slices.Contains([]string{"dynamic", "static"}, p.Name()) {
			return fault.Usagef("for example --policies dynamic,static:2",
				"--policies: the processes are shared by dynamic or static:K, not %s", p)
		}
	}
	m, err := lab.StartProcesses(inv.Context, o.study.Nodes)
	if err != nil {
		return err
	}
	defer m.Close()
	idle := lab.WatchIdle()
	inv.Notef("measuring %d transitions, %d times each, and run times alone", 2*o.study.Nodes-1, o.study.Times)
	measured, err := o.study.Measure(inv.Context, m, machine.Seed(o.seed))
	if err != nil {
		return err
	}
	predicted, err := o.study.Predict(inv.Context, measured, o.loads, selected.Named, o.replications, o.jobs,
		machine.Seed(o.seed), inv.Workers)
	if err != nil {
		return err
	}
	at := output.Field{Name: "predicted_at", Value: time.Now().Format(time.RFC3339)}
	if o.predictions != "" {
		before := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, at}}
		before.List(comparisons(lab.Expected(predicted), false))
		err := output.WriteFile(o.predictions, func(w io.Writer) error { return before.Write(w, output.Look{Format: "json"}) })
		if err != nil {
			return err
		}
	}
	step, clear := inv.Progress(len(predicted)*o.replications, "running jobs on processes")
	real, err := o.study.Run(inv.Context, m, predicted, step)
	clear()
	if err != nil {
		return err
	}
	share := idle.Share()
	r := o.result(measured, share, output.NoCSV)
	r.Object = append(r.Object, at)
	r.List(comparisons(lab.CompareProcesses(predicted, real), true))
	r.Note("Columns all stop and resized stop are chains in the long run; whole nodes is the simulation of the jobs that were " +
		"run, where resized jobs stand still for a whole repartition; in that of column phases they work on to the ends of their " +
		"phases, and what happens during a repartition waits for its end, as on the processes. Column fits names the simulations from " +
		"which the difference is not significant, all rows together at 5 %%.")
	if err := inv.Emit(r); err != nil {
		return err
	}
	return o.void(share)
}

// comparisons returns the list of comparisons. Before anything is run, ran is false and the list has predictions alone.
func comparisons(all []lab.TestbedComparison, ran bool) *output.List {
	estimate := func(key, head string) output.Column { return output.Col(key, head).HalfInCSV() }
	real := estimate("real", "real")
	return output.NewList("results", "Predicted, and what came of it", output.Wide, all, func(c *lab.TestbedComparison) output.Row {
		row := output.Row{output.Col("policy", "policy").Is(c.Policy.String()), output.Col("load", "load").Shortest().Is(c.Load),
			output.Col("measure", "measure").Written(func(v any) string { return measureWords[v.(string)] }).Is(c.Measure),
			output.Col("chain_all_stop", "all stop").Aside().Is(c.AllStop),
			output.Col("chain_resized_stop", "resized stop").Is(c.ResizedStop),
			estimate("simulated", "whole nodes").Is(c.Simulated), estimate("simulated_phases", "phases").Is(c.Phased)}
		if !ran {
			return row
		}
		return append(row, real.Is(c.Real), output.InTable("±").Digits(2).Is(c.Real.HalfWidth),
			estimate("difference", "").Is(c.Difference), output.Data("agrees", c.Agrees),
			estimate("difference_phases", "").Is(c.PhasedDifference), output.Data("agrees_phases", c.PhasedAgrees),
			output.InTable("fits").Is(fits(c)))
	})
}

// fits names the simulations from which the machine does not differ significantly.
func fits(c *lab.TestbedComparison) string {
	switch {
	case c.Agrees && c.PhasedAgrees:
		return "both"
	case c.Agrees:
		return "whole nodes"
	case c.PhasedAgrees:
		return "phases"
	}
	return "no"
}

// measureWords are the measures in a table.
var measureWords = map[string]string{"mean_response_time": "T [s]", "probability_repartition": "p_r",
	"repartition_rate": "rate [1/s]"}
