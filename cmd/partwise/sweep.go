package main

import (
	"slices"

	"github.com/urfave/cli/v2"
)

func sweepCommand() command {
	return command{
		name:      "sweep",
		group:     answering,
		summary:   "everything solve finds out, over a grid of parameters",
		arguments: "STUDY-or-MODEL...",
		details: "Solves every series of a study at every combination of the values of --over (or over: in the study) and " +
			"every load, and writes all measures of every policy. Without loads, in the study or by --load, the arrivals are " +
			"those of each model. With --output, what is solved is kept in a journal beside the file until all of it is: after an " +
			"interruption, a crash or a loss of power --resume goes on from there. --shard and partwise merge divide the work " +
			"among processes or machines, --slurm among the nodes of a cluster.",
		examples: []string{
			"partwise sweep model.yaml --over machine.nodes=8,16,32 --set dynamic.shrink.means=5s --set dynamic.expand.means=5s",
			"partwise sweep model.yaml --over jobs.demand.phases=1:4 --load 0.5:0.9:0.1 --output grid.csv",
			"partwise sweep model.yaml --over jobs.demand.phases=1:4 --load 0.5:0.9:0.1 --output grid.csv --resume",
			"partwise sweep model.yaml --over dynamic.shrink.scv=1:9:2 --plot shrink.svg",
			"partwise sweep study.yaml --output grid.csv --slurm 16 > grid.sh",
		},
		flags: slices.Concat(sweepFlags(), []cli.Flag{policyFlag()}, drawingFlags("response times, ratio and repartitioning "+
			"over the loads or, if there is one load, over the last parameter")),
		minArgs: 1, maxArgs: mostStudies,
		formats: []string{"csv", "json", "markdown", "table"},
		run:     sweepModels,
	}
}

func sweepModels(inv *invocation) error {
	c, err := inv.campaign("sweep")
	if err != nil {
		return err
	}
	for _, study := range c.studies {
		loads := study.Loads
		if study.NoLoads {
			loads = nil
		}
		l, w := newLayout(study, len(loads)), newSweep(study, loads)
		for i := range w.Series {
			asked, err := inv.policies(w.Series[i].System)
			if err != nil {
				return err
			}
			w.Series[i].Policies = asked.solved
			l.Series[i].Named, l.Series[i].Best, l.Series[i].Every = asked.named, asked.best, asked.every
		}
		if c.drawing.wanted() && l.Loads == 1 && l.drawnOver() < 0 {
			return usage("for example --load 0.1:0.9:0.1", "--plot: there is nothing to draw over, neither loads nor a parameter "+
				"of numbers")
		}
		c.add(l, w)
	}
	return c.carryOut(inv)
}
