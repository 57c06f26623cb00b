package main

import (
	"github.com/partwise/partwise/cmd/partwise/internal/advise"
	"github.com/partwise/partwise/cmd/partwise/internal/allocation"
	"github.com/partwise/partwise/cmd/partwise/internal/breakeven"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/coscheduling"
	"github.com/partwise/partwise/cmd/partwise/internal/decide"
	"github.com/partwise/partwise/cmd/partwise/internal/epochs"
	"github.com/partwise/partwise/cmd/partwise/internal/families"
	"github.com/partwise/partwise/cmd/partwise/internal/fitting"
	"github.com/partwise/partwise/cmd/partwise/internal/gang"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/logstudy"
	"github.com/partwise/partwise/cmd/partwise/internal/replay"
	"github.com/partwise/partwise/cmd/partwise/internal/report"
	"github.com/partwise/partwise/cmd/partwise/internal/simulation"
	"github.com/partwise/partwise/cmd/partwise/internal/starter"
	"github.com/partwise/partwise/cmd/partwise/internal/sweep"
	"github.com/partwise/partwise/cmd/partwise/internal/testbed"
	"github.com/partwise/partwise/models/policy"
)

// partwise is the program: the table of all commands, in the order in which help lists them, with the policies that they
// know.
func partwise(table policy.Table) *cli.Program {
	p := &cli.Program{
		Summary: "should running jobs be resized as jobs come and go?",
		Details: []string{
			"From measured times to a decision: fits phase-type distributions to times, solves an exact Markov chain of each " +
				"way to share the machine, and checks the response times with a simulator that shares nothing with the chain.",
			"partwise help COMMAND has the flags and examples of a command, partwise man has everything.",
		},
		Start: []cli.Entry{
			{Word: "partwise init > model.yaml", Meaning: "a commented model to change"},
			{Word: "partwise solve model.yaml", Meaning: "which policy is faster, and by how much"},
			{Word: "partwise curve model.yaml --plot curve.svg", Meaning: "from which load on"},
		},
		Policies: table,
	}
	p.Commands = []cli.Command{
		starter.Init(),
		decide.Check(),
		decide.Solve(table),
		gang.Command(),
		advise.Advise(),
		joblog.Log(),
		fitting.Fit(),
		sweep.Curve(),
		sweep.Sweep(table),
		sweep.Merge(),
		breakeven.Command(),
		report.Command(),
		logstudy.Study(),
		joblog.Workload(),
		simulation.Simulate(table),
		replay.Command(table),
		families.Compare(),
		simulation.Validate(table),
		allocation.Allocate(table),
		epochs.Epochs(table),
		coscheduling.Command(table),
		simulation.Overheads(),
		testbed.Testbed(),
		fitting.PH(),
		starter.Policies(),
		starter.Schema(),
		cli.CompletionCommand(p),
		cli.ManCommand(p),
		cli.VersionCommand(),
	}
	return p
}
