package main

import (
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
)

// partwise is the program: the table of all commands, in the order in which help lists them.
func partwise() *program {
	p := &program{
		summary: "should running jobs be resized as jobs come and go?",
		details: []string{
			"From measured times to a decision: times become phase-type distributions, those an exact Markov chain of each " +
				"way to share the machine, the chain response times, and a simulator that shares nothing with the chain checks them.",
			"partwise help COMMAND has the flags and examples of a command, partwise man everything.",
		},
		start: []entry{
			{word: "partwise init > model.yaml", meaning: "a commented model to change"},
			{word: "partwise solve model.yaml", meaning: "which policy is faster, and by how much"},
			{word: "partwise curve model.yaml --plot curve.svg", meaning: "from which load on"},
		},
		values: flagValues(),
	}
	p.commands = []command{
		initCommand(),
		checkCommand(vocabulary()),
		solveCommand(),
		logCommand(),
		fitCommand(),
		curveCommand(),
		sweepCommand(),
		mergeCommand(),
		breakevenCommand(),
		reportCommand(),
		workloadCommand(),
		simulateCommand(),
		replayCommand(),
		validateCommand(),
		allocateCommand(),
		overheadsCommand(),
		phCommand(),
		schemaCommand(),
		completionCommand(p),
		manCommand(p),
		versionCommand(),
	}
	return p
}

// flagValues are the words that the values of flags may be, by flag.
func flagValues() map[string][]string {
	return map[string][]string{
		"format":    {"table", "json", "csv", "markdown"},
		"method":    markov.Methods(),
		"policy":    {models.Dynamic, models.Static, spec.BestStatic},
		"fidelity":  {string(validate.ModelFidelity), string(validate.MachineFidelity)},
		"time-unit": {"us", "ms", "s", "min", "h", "d"},
		"swf":       {string(workload.Interarrival), string(workload.RunTime), string(workload.Work)},
	}
}
