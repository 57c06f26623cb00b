package simulatecmd

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/replay"
)

// column is a column of a file; without a name the only one.
type column struct{ file, name string }

// parseColumn reads FILE or FILE:COLUMN.
func parseColumn(text string) (column, error) {
	i := strings.LastIndexByte(text, ':')
	if _, err := os.Stat(text); i < 0 || err == nil || strings.ContainsAny(text[i:], `/\`) {
		return column{file: text}, nil
	}
	return column{text[:i], text[i+1:]}, nil
}

// AddJobs adds the demands or the jobs that the flags name to a simulation of the model. Jobs of a log arrive at the load
// of --load; without it they arrive as logged.
func (o *Options) AddJobs(inv *cli.Invocation, file *modelfile.Model, to *validate.Simulator) error {
	switch {
	case o.demands.file != "" && len(file.System.Classes) > 0:
		return fault.Usagef("give the model demand and speedup in place of classes", "--demands: each class has demands of its own")
	case o.demands.file != "":
		return addDemands(inv, o.demands, to)
	case o.Log != "":
		return addLog(inv, o, file, to)
	}
	return nil
}

// addDemands reads the demands of a file, in the time unit of the model.
func addDemands(inv *cli.Invocation, from column, to *validate.Simulator) error {
	in, name, err := inv.Open(from.file)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := workload.ReadSamples(in, name, workload.Columns{Value: from.name, Most: inv.MostKept(100)})
	if err != nil {
		return err
	}
	to.Sample = slices.DeleteFunc(slices.Clone(s.Values), func(x float64) bool { return !(x > 0) })
	if n := len(s.Values) - len(to.Sample); n > 0 {
		inv.Warnf("%s: %s of 0 left out", from.file, words.Count(n, "demand"))
	}
	if len(to.Sample) == 0 {
		return &workload.DataError{File: from.file, Problem: "holds no positive demands"}
	}
	return nil
}

// addLog reads the jobs of a log. The demand of a job that ran for a time r on n nodes is r·S(n).
func addLog(inv *cli.Invocation, o *Options, file *modelfile.Model, to *validate.Simulator) error {
	speedup := file.System.Speedup
	for i := range file.System.Classes {
		if speedup = file.System.Classes[0].Speedup; !reflect.DeepEqual(file.System.Classes[i].Speedup, speedup) {
			return fault.Usagef("give all classes one speedup", "--log: classes have several speedups, and jobs of a log are of no class")
		}
	}
	if speedup == nil {
		return fault.Usagef("give the model demand and speedup in place of service",
			"--log: the demand of a logged job is unknown, as the model lists measured run times")
	}
	log, err := o.reading.ReadLog(inv, o.Log)
	if err != nil {
		return err
	}
	jobs, skipped, err := replay.SystemJobs(joblog.ListOf(log.Jobs), file.System, speedup, replay.Usual().Most, file.TimeUnit)
	if err != nil {
		return &workload.DataError{File: cli.NameOf(o.Log), Problem: fault.Plain(err)}
	}
	if len(jobs) == 0 {
		return &workload.DataError{File: cli.NameOf(o.Log), Problem: "holds no jobs that can be run"}
	}
	to.Replay = jobs
	to.SlowdownBound = measure.Second().Convert(measure.SlowdownBound, file.TimeUnit)
	if err := o.reading.CheckLost(o.Log, &log, file.System.Nodes); err != nil {
		return err
	}
	input.WarnSkipped(inv, cli.NameOf(o.Log), skipped)
	rho := to.Offered()
	if math.IsInf(rho, 0) || math.IsNaN(rho) {
		return fault.Failf(fault.ExitInput, "--log: all jobs of the log come at the same time")
	}
	if o.Load > 0 {
		if err := workload.Rescale(jobs, file.System.Nodes, o.Load); err != nil {
			return err
		}
		rho = o.Load
	}
	inv.Notef("%s of the log at load %s", words.Count(len(jobs), "job"), words.Round(rho, 4))
	return nil
}
