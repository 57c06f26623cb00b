package simulation

import (
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
)

// jobOptions are the flags that give a simulation other jobs than those of the model.
type jobOptions struct {
	reading joblog.Reading
	demands string // the file of demands; "": those of the model
	column  string // of that file
	log     string // whose jobs are replayed; "": none
}

// Flags binds the flags.
func (o *jobOptions) Flags() []cli.Flag {
	return append([]cli.Flag{
		cli.InputFile(&o.demands, "demands",
			"draw the demands (run times on one node) from the values of `FILE`, a CSV or JSON lines"),
		cli.Text(&o.column, "demand-column", cli.About{Usage: "read the demands from `COLUMN` of --demands"}),
		cli.InputFile(&o.log, "log", "replay the jobs of `LOG`, see partwise log: arrivals as logged, demands such that "+
			"a job on its own nodes runs as long as logged"),
	}, o.reading.Flags()...)
}

// Check checks what cannot be asked for together.
func (o *jobOptions) Check(inv *cli.Invocation) error {
	switch {
	case o.log == "" && o.reading.Given(inv) != "":
		return cli.Usagef("add --log, or leave it out", "%s without --log", o.reading.Given(inv))
	case o.demands != "" && o.log != "":
		return cli.Usagef("leave one of them out", "--demands and --log: a log has demands of its own")
	case o.column != "" && o.demands == "":
		return cli.Usagef("for example --demands runtimes.csv --demand-column runtime", "--demand-column without --demands")
	}
	return nil
}

// flag names the flag that gives other jobs, "" if none does.
func (o *jobOptions) flag() string {
	switch {
	case o.demands != "":
		return "--demands"
	case o.log != "":
		return "--log"
	}
	return ""
}

// addTo puts the demands or the jobs that the flags name into the options of a simulation. Jobs of a log come such that
// their load is the given one, or as logged if it is 0.
func (o *jobOptions) addTo(inv *cli.Invocation, file *modelfile.Model, load float64, of *validate.Options) error {
	switch {
	case o.demands != "":
		return addSample(inv, o.demands, o.column, of)
	case o.log != "":
		if err := addLog(inv, o, file, of); err != nil {
			return err
		}
		return rescaleLog(inv, file, load, of)
	}
	return nil
}

// addSample reads the demands of a file, in the time unit of the model.
func addSample(inv *cli.Invocation, path, column string, o *validate.Options) error {
	s, err := workload.LoadSamples(path, workload.Columns{Value: column, Most: inv.MostKept(100)})
	if err != nil {
		return err
	}
	for _, x := range s.Values {
		if x > 0 {
			o.Sample = append(o.Sample, x)
		}
	}
	if n := len(s.Values) - len(o.Sample); n > 0 {
		inv.Warnf("%s: %s of 0 left out", path, output.Count(n, "demand"))
	}
	if len(o.Sample) == 0 {
		return &workload.DataError{File: path, Problem: "holds no positive demands"}
	}
	return nil
}

// addLog reads the jobs of a log. The demand of one that ran for a time r on n nodes is r·S(n).
func addLog(inv *cli.Invocation, given *jobOptions, file *modelfile.Model, o *validate.Options) error {
	speedup := file.System.Speedup
	if speedup == nil {
		return cli.Usagef("give the model demand and speedup in place of service",
			"--log: the model lists measured run times, from which the demand of a logged job cannot be told")
	}
	path := given.log
	log, err := given.reading.ReadLog(inv, path)
	if err != nil {
		return err
	}
	shape := workload.WithSpeedup(workload.Malleable, speedup)
	jobs, skipped, err := workload.OnMachine(log.Jobs, file.System.Nodes, shape)
	if err != nil {
		return &workload.DataError{File: path, Problem: cli.Plain(err)}
	}
	if len(jobs) == 0 {
		return &workload.DataError{File: path, Problem: "holds no jobs that can be run"}
	}
	for i := range jobs { // in the time unit of the model
		j := &jobs[i]
		for _, t := range []*float64{&j.Submit, &j.Run, &j.Work, &j.Requested, &j.Estimate} {
			*t = quantity.Second.Convert(*t, file.TimeUnit)
		}
	}
	o.Replay = jobs
	o.SlowdownBound = quantity.Second.Convert(measure.SlowdownBound, file.TimeUnit)
	joblog.WarnSkipped(inv, path, skipped)
	return nil
}

// rescaleLog stretches the times between the arrivals of a log until its load is the given one, unless that is 0.
func rescaleLog(inv *cli.Invocation, file *modelfile.Model, load float64, o *validate.Options) error {
	rho := validate.Offered(file.System, *o)
	if math.IsInf(rho, 0) || math.IsNaN(rho) {
		return cli.Failf(cli.ExitInput, "--log: all jobs of the log come at the same time")
	}
	if load > 0 {
		if err := workload.Rescale(o.Replay, file.System.Nodes, load); err != nil {
			return err
		}
		rho = load
	}
	inv.Notef("%s of the log at load %s", output.Count(len(o.Replay), "job"), output.Round(rho, 4))
	return nil
}
