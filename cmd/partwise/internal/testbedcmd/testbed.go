package testbedcmd

import (
	"fmt"
	"math"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/lab"
)

// Testbed is the family of commands about a machine of processes.
func Testbed() cli.Command {
	return cli.Command{
		Name:      "testbed",
		Summary:   "measure what a resize costs on real processes, predict, and run it",
		Arguments: "measure | run",
		Details: "Commands about a machine of processes: a scheduler, a process for each node, and jobs whose arrays are divided " +
			"among processes and move between them when the jobs are resized.",
		Parts: []cli.Command{measureCommand(), experimentCommand()},
	}
}

// machineOptions are the flags about the machine and its jobs.
type machineOptions struct {
	study  lab.TestbedStudy
	array  int // bytes
	serial float64
	scv    float64
	mean   time.Duration
	seed   uint64
	idle   float64 // the least share of the processors' time that must be left
}

// newMachineOptions returns the options of a command line without flags: 8 nodes, and jobs of a second in phases of 20 ms.
func newMachineOptions() *machineOptions {
	return &machineOptions{study: lab.TestbedStudy{Nodes: 8, Phase: 20 * time.Millisecond, Times: 50, Gap: 150 * time.Millisecond},
		array: 64 << 10, serial: 0.05, scv: 1, mean: time.Second, seed: cli.DefaultSeed, idle: 0.5}
}

// topic is the page of help that explains the flags.
func (o *machineOptions) topic() cli.Topic {
	return cli.Topic{Name: "testbed", Summary: "the flags that describe the machine of processes of lab testbed, and its jobs",
		Details: "A node of the testbed is a process. A job is an array that is divided among processes and moves " +
			"when the job is resized.",
		Flags: []cli.Flag{
			cli.Int(&o.study.Nodes, "nodes", values.Between(2, lab.MostProcesses), cli.About{Usage: "start `N` nodes, a process each"}),
			cli.Value(&o.study.Phase, "phase", parseTime,
				cli.About{Usage: "let a phase of a job, at whose end it can be resized, take the time `TIME`"}),
			cli.Int(&o.array, "array", values.Between(8*lab.MostProcesses, 1<<30),
				cli.About{Usage: "give each job an array of `BYTES` bytes"}),
			cli.Int(&o.study.Times, "times", values.Between(2, 100_000), cli.About{Usage: "measure each transition `N` times"}),
			cli.Value(&o.study.Gap, "gap", parseTime,
				cli.About{Usage: "let at least half the time `TIME` pass between two transitions that are measured"}),
			cli.Value(&o.mean, "mean", parseTime, cli.About{Usage: "let jobs run for the time `TIME` on average, on one node"}),
			cli.Number(&o.scv, "scv", cli.About{Usage: "give run times the squared coefficient of variation `X`"}),
			cli.Value(&o.serial, "serial", parsePart, cli.About{Usage: "let jobs have the serial share `X` of Amdahl's law"}),
			cli.Seed(&o.seed, "draw jobs and moments from the seed `N`"),
			cli.Value(&o.idle, "least-idle", parsePart, cli.About{Default: "50%",
				Usage: "reject a run if less than the share `X` of the processors' time was idle"}),
		}}
}

// Topic returns the page of help that explains the flags.
func Topic() cli.Topic { return newMachineOptions().topic() }

// Check refuses gaps in which a job cannot be resized, and completes the study: demands, speedups and the length of arrays.
func (o *machineOptions) Check(*cli.Invocation) error {
	if o.study.Gap < 3*o.study.Phase {
		return fault.Usagef(fmt.Sprintf("for example --gap %v", 8*o.study.Phase), "--gap: a job of phases of %v is not resized "+
			"within %v", o.study.Phase, o.study.Gap)
	}
	o.study.Elements = o.array / 8
	var err error
	if o.study.Demand, err = phasetype.TwoMoments(o.mean.Seconds(), o.scv); err != nil {
		return fault.Usagef("for example --scv 1", "--scv: %s", fault.Plain(err))
	}
	o.study.Speedup, err = workload.NewSpeedup("amdahl", o.serial)
	return err
}

// parseTime reads a positive time of at most an hour, such as 20ms.
func parseTime(text string) (time.Duration, error) {
	seconds, ok := measure.ParseDuration(text, measure.Second())
	if !ok || seconds <= 0 || seconds > 3600 {
		return 0, fmt.Errorf("%q is not a time up to an hour, such as 20ms", text)
	}
	return time.Duration(math.Round(seconds * 1e9)), nil
}

// parsePart reads a share such as 5%, 0 and 100% included.
func parsePart(text string) (float64, error) {
	switch text {
	case "0":
		return 0, nil
	case "100%":
		return 1, nil
	}
	return values.Share(text)
}
