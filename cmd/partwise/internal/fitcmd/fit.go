package fitcmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile/distribution"
	"github.com/partwise/partwise/models/workload"
)

// Fit is the command that fits distributions and arrival processes.
func Fit() cli.Command {
	return cli.WithOptions(newFitOptions, fitData, cli.Command{
		Name:      "fit",
		Group:     cli.Measuring,
		Summary:   "fit phase-type distributions or arrival processes to measured times or a job log",
		Arguments: "DATA",
		Details: "DATA is CSV (header or not), one value a line, JSON, or a job log in any format that partwise log reads; " +
			"- is standard input, and files may be compressed (.gz) and of any length. Values are numbers or durations such as " +
			"1h30m and 1-02:30:00. Prints the candidates, best first, says in words how good the " +
			"best is, and writes it to --output for models to refer to. The family map fits correlated arrivals, in the " +
			"order of DATA.",
		Examples: []string{
			"partwise fit runtimes.csv --column runtime --output work.ph.json --plot work.svg",
			"partwise fit log.swf.gz --swf work --resolution 1s --phases 1:6 --output work.ph.json",
			"partwise fit log.swf.gz --swf interarrival --resolution 1s --family map --phases 2:4 --output arrivals.map.json",
			"partwise fit sacct.txt --swf work --phases 1:6 --output work.ph.json",
			"partwise fit requests.json --timestamps items.time --max-gap 12h --family map",
			"partwise fit histogram.csv --column from --upper to --weights count",
		},
		MinArgs: 1, MaxArgs: 1,
		Formats:   []string{"json", "csv", "markdown", "table"},
		OwnOutput: true,
	})
}

func fitData(inv *cli.Invocation, o *fitOptions) error {
	sample, skipped, err := readSample(inv, o)
	if err != nil {
		return err
	}
	for _, problem := range slices.Sorted(maps.Keys(skipped)) {
		inv.Warnf("%d left out: %s", skipped[problem], problem)
	}
	sample.Resolution = o.resolution.in(o.unit)
	if o.isProcess() {
		return fitArrivals(inv, o, sample, skipped)
	}
	candidates, err := fit.PhaseType(inv.Context, sample, o.of(inv))
	if err != nil {
		return fitError(inv, o, err)
	}
	best := candidates[0]
	if best.Zeros > 0 {
		inv.Warnf("%s of 0 left out; --resolution says how far the clock was rounded", output.Count(best.Zeros, "value"))
	}
	if inv.File != "" {
		scores := distribution.ScoresOf(best)
		if o.columns.Log == workload.Work {
			scores.Speedup = workload.SpeedupText(o.speedup)
		}
		write := func(w io.Writer) error { return distribution.Write(w, o.unit, best.Dist, scores) }
		if err := output.WriteFile(inv.File, write); err != nil {
			return err
		}
		inv.Notef("wrote %s: %s with %s", inv.File, best.Family, output.Count(best.Phases, "phase"))
	}
	if o.plot.Wanted() {
		if err := plotFit(inv, o, sample, best); err != nil {
			return err
		}
	}
	if err := inv.Emit(newFitted(inv.Args[0], o, skipped, candidates)); err != nil {
		return err
	}
	for _, w := range best.Warnings {
		if !errors.Is(w, fit.ErrZeros) { // that was said
			inv.Warnf("%v", w)
		}
	}
	return nil
}

// fitError puts an error of the data down to a column, and one of the options to a flag.
func fitError(inv *cli.Invocation, o *fitOptions, err error) error {
	var sample *fit.SampleError
	var option *fit.OptionError
	switch {
	case errors.As(err, &sample):
		return cli.Failf(cli.ExitInput, "%s: %s", inv.Args[0], o.aboutSample(sample))
	case errors.As(err, &option):
		return cli.Usagef("partwise help fit", "--%s: %s", option.Option, option.Problem)
	}
	return err
}

// aboutSample says of a sample that cannot be fitted which column is to blame.
func (o *fitOptions) aboutSample(e *fit.SampleError) string {
	where := e.Field
	columns := map[string]string{"values": o.columns.Value, "weights": o.columns.Weight, "censored": o.columns.Censored,
		"upper": o.columns.Upper, "truncated": o.columns.Truncated}
	if column := columns[e.Field]; column != "" {
		where = "column " + column
	}
	if e.Index >= 0 {
		where += fmt.Sprintf(", value %d", e.Index+1)
	}
	return where + ": " + e.Problem
}
