package simulatecmd

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/sched"
)

//go:embed simulate.txt
var help string

// Command returns the command that simulates the machine of a model.
func Command(table policy.Table) cli.Command {
	const on = policy.WholeNodes | policy.Chain
	fresh := func() *options {
		return &options{Options: NewOptions(table, on, "model, or machine where only that makes sense",
			validate.ModelFidelity, validate.MachineFidelity), traced: 10_000}
	}
	return cli.WithOptions(fresh, simulate, cli.Described(help, cli.Command{
		RunsPolicies: on,
	}))
}

// options are the flags of simulate.
type options struct {
	*Options
	trace  string // the file of a row a job; "": none
	traced int    // jobs of a model in the trace
	gantt  chart.Picture
	shown  [2]float64  // from, to: the time that the chart shows; the zero value: some arrivals
	cost   replay.Cost // in place of the overheads of the model, if it is given
	points input.Points
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return append(o.Options.Flags(),
		cli.OutputFile(&o.trace, "trace", "write what happened to each job of the first replication to `FILE`, as CSV"),
		cli.Int(&o.traced, "trace-jobs", values.PositiveInt, cli.About{Hint: "for example --trace-jobs 1000",
			Usage: "write the first `N` departures of each policy to --trace (all jobs of a log)"}),
		input.PictureFile(&o.gantt, "gantt", "a Gantt chart of the first replication"),
		cli.Value(&o.shown, "stretch", parseStretch, cli.About{Default: "the 24 arrivals after the first 100",
			Usage: "draw only the time `FROM:TO` with --gantt, in the time unit of the model",
			Hint:  "for example --stretch 0:3600"}),
		input.ResizeCost(&o.cost, "the resize costs of the model"), input.ResizeAt(&o.points))
}

// parseStretch reads an interval of time.
func parseStretch(text string) (times [2]float64, err error) {
	from, to, ok := strings.Cut(text, ":")
	var errFrom, errTo error
	times[0], errFrom = strconv.ParseFloat(from, 64)
	times[1], errTo = strconv.ParseFloat(to, 64)
	if !ok || errFrom != nil || errTo != nil || !(times[0] >= 0 && times[0] < times[1]) || math.IsInf(times[1], 0) {
		return times, fmt.Errorf("%q is not a stretch of time FROM:TO", text)
	}
	return times, nil
}

// Check refuses flags that exclude each other.
func (o *options) Check(inv *cli.Invocation) error {
	if o.shown[1] > 0 && !o.gantt.Wanted() {
		return fault.Usagef("for example --gantt schedule.svg", "--stretch without --gantt")
	}
	return o.Options.Check(inv)
}

func simulate(inv *cli.Invocation, o *options) error {
	file, err := o.File(inv)
	if err != nil {
		return err
	}
	asked, err := o.Select(inv, file)
	if err != nil {
		return err
	}
	run := o.Simulator(inv, file)
	if err := chooseFidelity(inv, asked.Run, &run); err != nil {
		return err
	}
	if err := o.AddJobs(inv, file, &run); err != nil {
		return err
	}
	if err := CheckJobs(inv, file, asked.Run, &run); err != nil {
		return err
	}
	run.Points = o.points.In(file.TimeUnit)
	if inv.Given("resize-cost") {
		if run.Costs, err = input.CostOn(&o.cost, file, ""); err != nil {
			return err
		}
	}
	run.Memory = inv.Memory.Limit()
	policies, best, err := run.Policies(inv.Context, asked)
	if err != nil {
		return err
	}
	if best != nil {
		inv.Notef("best-static is %v: its mean response time is the least by the exact chains, %s", best.Policy,
			words.WithUnit(best.Measures.MeanResponseTime, file.TimeUnit.Name))
	}
	sims, err := Run(inv, policies, run)
	if err != nil {
		return err
	}
	for _, unstable := range sims.Refused {
		input.PerUnit(unstable, file.TimeUnit)
	}
	if asked.Best && best == nil {
		sims.Runs = validate.WithBestStatic(sims.Runs, asked.Named)
	}
	if sims.Interrupted {
		inv.MarkPartial()
	}
	if err := inv.Emit(newResult(inv, file, &sims, run)); err != nil {
		return err
	}
	if len(sims.Runs) == 0 && len(sims.Refused) > 0 {
		return sims.Refused[len(sims.Refused)-1]
	}
	inv.Warn(sims.Refused...)
	if !sims.Interrupted {
		if err := writeSchedule(inv, o, file, sims.Runs, run); err != nil {
			return err
		}
	}
	return Shortfall(sims.Runs, sims.Interrupted, run.Precision)
}

// chooseFidelity simulates whole nodes where --fidelity says so, or where nothing else makes sense.
func chooseFidelity(inv *cli.Invocation, policies []policy.Policy, run *validate.Simulator) error {
	if run.Fidelity == validate.MachineFidelity {
		return nil
	}
	reason := inv.FirstGiven("demands", "log", "trace", "gantt", "resize-cost", "resize-at")
	if reason != "" {
		reason = "--" + reason
	}
	for _, p := range policies {
		if !validate.HasModel(p) {
			reason = p.String()
		}
	}
	switch {
	case reason == "":
		run.Fidelity = validate.ModelFidelity
		return nil
	case run.Fidelity == validate.ModelFidelity:
		return fault.Usagef("leave --fidelity out, or say machine", "--fidelity model: %s needs whole nodes", reason)
	}
	inv.Notef("simulating whole nodes, at machine fidelity: %s needs them", reason)
	run.Fidelity = validate.MachineFidelity
	return nil
}

// CheckJobs refuses policies that need to know how many nodes jobs ask for, if the model does not say that, and policies
// that need to know how parallel jobs are. Jobs of a log say both.
func CheckJobs(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy, run *validate.Simulator) error {
	for _, p := range policies {
		if run.Replay != nil {
			return nil
		}
		if _, molds := sched.SizingOf(p); molds {
			return fault.Usagef("give it the jobs of a log by --log, or use partwise replay",
				"--policy: policy %s: jobs of a model have no average parallelism", p)
		}
		e, _ := inv.Table.Named(p.Name())
		if _, err := file.System.AskingClasses(); err != nil && e.Jobs == workload.Rigid {
			return input.MethodError("", fmt.Errorf("policy %s: %w", p, err))
		}
	}
	return nil
}
