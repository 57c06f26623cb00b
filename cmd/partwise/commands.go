package main

import (
	"github.com/partwise/partwise/cmd/partwise/internal/aboutcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/advisecmd"
	"github.com/partwise/partwise/cmd/partwise/internal/breakevencmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fitcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/labcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/logcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/modelcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/cmd/partwise/internal/replaycmd"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/cmd/partwise/internal/solvecmd"
	"github.com/partwise/partwise/cmd/partwise/internal/studycmd"
	"github.com/partwise/partwise/cmd/partwise/internal/sweepcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/testbedcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/validatecmd"
	"github.com/partwise/partwise/models/policy"
)

// partwise returns the program: the table of all commands, in the order of a user's questions, with the policies that
// they know.
func partwise(table policy.Table) *cli.Program {
	p := &cli.Program{
		Summary: "should running jobs be resized as jobs come and go?",
		Topics: []cli.Topic{input.Topic(), input.ResizingTopic(), new(simulatecmd.Options).Topic(),
			new(points.Options).Topic(), testbedcmd.Topic()}, Policies: table, Subjects: subjects(),
	}
	p.Groups = []cli.Group{
		{Title: "Decide", Commands: []cli.Command{studycmd.Study(), solvecmd.Command(table), sweepcmd.Curve(), advisecmd.Advise(),
			breakevencmd.Command(table)}},
		{Title: "Prepare", Commands: []cli.Command{modelcmd.Init(), modelcmd.Check(), logcmd.Command(), fitcmd.Fit()}},
		{Title: "Check", Commands: []cli.Command{simulatecmd.Command(table), replaycmd.Command(table), validatecmd.Command(table)}},
		{Title: "Larger studies", Commands: []cli.Command{sweepcmd.Sweep(table), sweepcmd.Merge()}},
		{Title: "Show", Commands: []cli.Command{reportcmd.Command(), reportcmd.Policies()}},
		{Title: "More", Commands: []cli.Command{laboratory(table), aboutcmd.Help(p)}},
	}
	p.Unlisted = []cli.Command{fitcmd.PH(), modelcmd.Schema(), aboutcmd.Completion(), aboutcmd.Man(p), aboutcmd.Version()}
	return p
}

// subjects returns words that people try as commands or topics of help, and where the answer is.
func subjects() map[string]string {
	const (
		queues = "a queue in Kendall's notation stands in place of a model file: partwise solve M/M/4 --load 0.75"
		models = "partwise init prints model files to start from; partwise help init lists them"
	)
	return map[string]string{"queue": queues, "queues": queues, "kendall": queues, "notation": queues, "model": models, "models": models}
}

// laboratory returns the family of the experiments.
func laboratory(table policy.Table) cli.Command {
	return cli.Command{
		Name:      "lab",
		Summary:   "experiments of papers, and experiments with real processes",
		Arguments: "COMMAND",
		Details:   "Experiments that papers describe, tools that measure what resizing costs, and models of job logs.",
		Moved:     true,
		Parts: []cli.Command{
			labcmd.Allocate(table),
			labcmd.Epochs(table),
			labcmd.Coschedule(table),
			labcmd.Gang(),
			labcmd.Compare(),
			labcmd.Overheads(),
			testbedcmd.Testbed(),
			logcmd.Workload(),
		},
	}
}
