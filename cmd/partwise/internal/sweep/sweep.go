package sweep

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/models/policy"
)

// Sweep is the command that solves studies over a grid of parameters.
func Sweep(table policy.Table) cli.Command {
	fresh := func() *sweepOptions { return &sweepOptions{newRunOptions(), table} }
	return cli.WithOptions(fresh, sweep, cli.Command{
		Name:      "sweep",
		Group:     cli.Answering,
		Summary:   "everything solve finds out, over a grid of parameters",
		Arguments: "STUDY-or-MODEL...",
		Details: "Solves every series of a study at every combination of the values of --over (or over: in the study) and " +
			"every load, and writes all measures of every policy. Without loads, in the study or by --load, the arrivals are " +
			"those of each model. With --output every point that is solved is kept in a journal beside the file until all are: " +
			"after an interruption, a crash or a loss of power --resume goes on from there. --shard and partwise merge divide " +
			"the work among processes or machines, --slurm among the nodes of a cluster.",
		Examples: []string{
			"partwise sweep model.yaml --over machine.nodes=8,16,32 --set dynamic.overhead=5s",
			"partwise sweep model.yaml --over jobs.demand.phases=1:4 --load 0.5:0.9:0.1 --output grid.csv",
			"partwise sweep model.yaml --over jobs.demand.phases=1:4 --load 0.5:0.9:0.1 --output grid.csv --resume",
			"partwise sweep model.yaml --over dynamic.overhead=0s,30s,60s --plot overhead.svg",
			"partwise sweep study.yaml --output grid.csv --slurm 16 > grid.sh",
		},
		MinArgs: 1, MaxArgs: cli.MostStudies,
		Formats:      []string{"csv", "json", "markdown", "table"},
		RunsPolicies: policy.Chain,
	})
}

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	runOptions
	table policy.Table
}

// Flags binds the flags.
func (o *sweepOptions) Flags() []cli.Flag {
	return append(o.flags("response times, ratio and repartitioning over the loads or, if there is one load, over the last "+
		"parameter"), model.PolicyTexts(&o.policies, o.table))
}

func sweep(inv *cli.Invocation, o *sweepOptions) error {
	r, err := newRun(inv, &o.runOptions)
	if err != nil {
		return err
	}
	for _, study := range r.studies {
		loads := study.Loads
		if study.NoLoads {
			loads = nil
		}
		l, w := NewLayout(study, len(loads)), NewSweep(study, loads)
		for i := range w.Series {
			asked, err := model.SelectPolicies(inv, w.Series[i].System, o.policies)
			if err != nil {
				return err
			}
			w.Series[i].Policies = asked.Run
			l.Series[i].Named, l.Series[i].Best, l.Series[i].Every = named(asked.Named), asked.Best, asked.Every
		}
		if o.Wanted() && l.Loads == 1 && l.drawnOver() < 0 {
			return cli.Usagef("for example --load 0.1:0.9:0.1",
				"--plot: there is nothing to draw over, neither loads nor a parameter of numbers")
		}
		r.add(l, w)
	}
	return r.execute(inv)
}
