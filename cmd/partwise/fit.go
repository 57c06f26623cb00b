package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/spec"
)

func fitCommand() command {
	return command{
		name:      "fit",
		group:     measuring,
		summary:   "fit phase-type distributions or arrival processes to measured times or a job log",
		arguments: "DATA",
		details: "DATA is CSV (header or not), one value a line, JSON lines, or a job log in SWF; - is standard input, " +
			".gz is understood; any number of values is read. Prints the candidates, best first, says in words how good the " +
			"best is, and writes it to --output for models to refer to. The family map fits correlated arrivals, in the " +
			"order of DATA.",
		examples: []string{
			"partwise fit runtimes.csv --column runtime --output work.ph.json --plot work.svg",
			"partwise fit log.swf.gz --swf work --resolution 1s --phases 1:6 --output work.ph.json",
			"partwise fit log.swf.gz --swf interarrival --resolution 1s --family map --phases 2:4 --output arrivals.map.json",
			"partwise fit histogram.csv --column from --upper to --weights count",
		},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "column", Usage: "name or number (from 1) of the column `C` of values"},
			&cli.StringFlag{Name: "upper", Usage: "column `C` of the ends of intervals that begin at the values"},
			&cli.StringFlag{Name: "weights", Usage: "column `C` of weights or counts"},
			&cli.StringFlag{Name: "censored", Usage: "column `C` that marks values that are lower bounds"},
			&cli.StringFlag{Name: "truncated", Usage: "column `C` of times from which on a value could be observed"},
			&cli.StringSliceFlag{Name: "family", Usage: "`F` is one of " + familyNames() + "; may be repeated (default: cf1)"},
			&cli.StringFlag{Name: "phases", Value: "1:10", Usage: "number of phases, or the range `A:B`"},
			&cli.StringFlag{Name: "criterion", Value: string(fit.BIC),
				Usage: "rank by `WHAT`: bic, aic or cv (cross-validated likelihood)"},
			&cli.StringFlag{Name: "method",
				Usage: "`M` is lbfgs or em (default: lbfgs, and em where it did not converge)"},
			&cli.StringFlag{Name: "resolution", Usage: "of the clock, `R` such as 1s: x stands for the interval [x−R/2, x+R/2]"},
			&cli.StringFlag{Name: "time-unit", Value: spec.Second.Name, Usage: "unit `U` of the values and of the file"},
			&cli.StringFlag{Name: "swf",
				Usage: "take `WHAT` from a job log: interarrival, runtime or work (run time × processors)"},
			&cli.BoolFlag{Name: "skip-invalid", DisableDefaultText: true, Usage: "count what is no measurement"},
			plotFlag("data and fit, tails and quantiles"),
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` of random starts and folds"},
		},
		minArgs: 1, maxArgs: 1,
		formats:   []string{"json", "csv", "markdown", "table"},
		ownOutput: true,
		run:       fitData,
	}
}

func familyNames() string {
	var names []string
	for _, f := range fit.Families() {
		names = append(names, string(f))
	}
	return strings.Join(append(names, string(fit.MAP)), ", ")
}

func fitData(inv *invocation) error {
	unit, err := inv.timeUnit()
	if err != nil {
		return err
	}
	options, err := inv.fitOptions()
	if err != nil {
		return err
	}
	resolution, err := inv.resolution(unit)
	if err != nil {
		return err
	}
	plot, err := inv.picture("plot")
	if err != nil {
		return err
	}
	process := slices.Contains(options.Families, fit.MAP)
	if process && (len(options.Families) > 1 || plot.wanted()) {
		return usage("run partwise fit twice", "--family map: cannot be compared with distributions, or drawn")
	}
	sample, skipped, err := inv.samples(unit)
	if err != nil {
		return err
	}
	for _, problem := range sortedKeys(skipped) {
		inv.warn("%d left out: %s", skipped[problem], problem)
	}
	sample.Resolution = resolution
	if process {
		return inv.fitArrivals(sample, options, unit, skipped)
	}
	candidates, err := fit.PhaseType(inv.ctx, sample, options)
	if err != nil {
		return inv.fitError(err)
	}
	best := candidates[0]
	if best.Zeros > 0 {
		inv.warn("%d values are 0 and were left out; --resolution says how far the clock was rounded", best.Zeros)
	}
	if inv.file != "" {
		write := func(w io.Writer) error { return spec.WriteDist(w, unit, best.Dist, spec.ScoresOf(best)) }
		if err := output.WriteFile(inv.file, write); err != nil {
			return err
		}
		inv.note("wrote %s: %s with %d phases", inv.file, best.Family, best.Phases)
	}
	if plot.wanted() {
		if err := inv.plotFit(sample, best, unit, plot); err != nil {
			return err
		}
	}
	if err := inv.emit(newFitted(inv.args[0], unit, options.Criterion, skipped, candidates)); err != nil {
		return err
	}
	for _, w := range best.Warnings {
		inv.warn("%v", w)
	}
	return nil
}

// fitError turns a complaint about the data or the options into one about the command line.
// fitError says of a sample that cannot be fitted which column is to blame.
func (inv *invocation) fitError(err error) error {
	var sample *fit.SampleError
	var option *fit.OptionError
	switch {
	case errors.As(err, &sample):
		return fail(exitInput, "%s: %s", inv.args[0], inv.aboutSample(sample))
	case errors.As(err, &option):
		return usage("partwise help fit", "--%s: %s", option.Option, option.Problem)
	}
	return err
}

// sampleFlags name the columns of the parts of a sample.
var sampleFlags = map[string]string{
	"values": "column", "weights": "weights", "censored": "censored", "upper": "upper", "truncated": "truncated",
}

func (inv *invocation) aboutSample(e *fit.SampleError) string {
	where := e.Field
	if column := inv.flags.String(sampleFlags[e.Field]); column != "" {
		where = "column " + column
	}
	if e.Index >= 0 {
		where += fmt.Sprintf(", value %d", e.Index+1)
	}
	return where + ": " + e.Problem
}

func (inv *invocation) timeUnit() (spec.TimeUnit, error) {
	unit, err := spec.UnitByName(inv.flags.String("time-unit"))
	if err != nil {
		return unit, usage("use us, ms, s, min, h or d", "--time-unit: unknown unit %q", inv.flags.String("time-unit"))
	}
	return unit, nil
}

func (inv *invocation) fitOptions() (fit.Options, error) {
	o := fit.Options{Workers: inv.workers, Seed: inv.flags.Uint64("seed")}
	for _, name := range inv.flags.StringSlice("family") {
		if fit.Family(name) != fit.MAP && !slices.Contains(fit.Families(), fit.Family(name)) {
			return o, usage("use "+familyNames(), "--family: no family %q", name)
		}
		o.Families = append(o.Families, fit.Family(name))
	}
	o.Criterion = fit.Criterion(inv.flags.String("criterion"))
	if !slices.Contains([]fit.Criterion{fit.BIC, fit.AIC, fit.CV}, o.Criterion) {
		return o, usage("use bic, aic or cv", "--criterion: unknown criterion %q", string(o.Criterion))
	}
	o.Method = fit.Method(inv.flags.String("method"))
	if !slices.Contains([]fit.Method{fit.Auto, fit.LBFGS, fit.EM}, o.Method) {
		return o, usage("use lbfgs or em", "--method: unknown method %q", string(o.Method))
	}
	text := inv.flags.String("phases")
	from, to, isRange := strings.Cut(text, ":")
	if !isRange {
		to = from
	}
	var errFrom, errTo error
	o.MinPhases, errFrom = strconv.Atoi(from)
	o.MaxPhases, errTo = strconv.Atoi(to)
	if errFrom != nil || errTo != nil || o.MinPhases < 1 || o.MaxPhases < o.MinPhases || o.MaxPhases > fit.MaxPhases {
		return o, usage("for example --phases 4 or --phases 1:10",
			"--phases: %q is not a number of phases from 1 to %d, or a range", text, fit.MaxPhases)
	}
	return o, nil
}

// resolution reads a time such as 0.5 or 1s, in the unit of the values.
func (inv *invocation) resolution(unit spec.TimeUnit) (float64, error) {
	text := strings.TrimSpace(inv.flags.String("resolution"))
	if text == "" {
		return 0, nil
	}
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
	own := unit
	var err error
	if name := strings.TrimSpace(text[len(number):]); name != "" {
		own, err = spec.UnitByName(name)
	}
	v, errNumber := strconv.ParseFloat(number, 64)
	if err != nil || errNumber != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, usage("for example --resolution 1s", "--resolution: %q is not a time", text)
	}
	return own.Convert(v, unit), nil
}
