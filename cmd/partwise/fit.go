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
		summary:   "fit phase-type distributions to measured times or a job log",
		arguments: "DATA",
		details: "DATA is CSV (header or not), one value a line, JSON lines, or a job log in SWF; - is standard input, " +
			".gz is understood. Prints the candidates, best first, and writes the best one to --output for models to refer to.",
		examples: []string{
			"partwise fit runtimes.csv --column runtime --output work.ph.json",
			"partwise fit log.swf.gz --swf work --resolution 1s --phases 1:6 --output work.ph.json",
		},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "column", Usage: "name or number (from 1) of the column `C` of values"},
			&cli.StringFlag{Name: "weights", Usage: "column `C` of weights"},
			&cli.StringFlag{Name: "censored", Usage: "column `C` that marks values that are lower bounds"},
			&cli.StringSliceFlag{Name: "family", Usage: "`F` is one of " + familyNames() + "; may be repeated (default: cf1)"},
			&cli.StringFlag{Name: "phases", Value: "1:10", Usage: "number of phases, or the range `A:B`"},
			&cli.StringFlag{Name: "criterion", Value: string(fit.BIC), Usage: "bic or aic"},
			&cli.StringFlag{Name: "resolution", Usage: "of the clock, `R` such as 1s: x stands for the interval [x−R/2, x+R/2]"},
			&cli.StringFlag{Name: "time-unit", Value: spec.Second.Name, Usage: "unit `U` of the values and of the file"},
			&cli.StringFlag{Name: "swf", Usage: "take interarrival, runtime or work (run time × processors) from a job log"},
			&cli.BoolFlag{Name: "skip-invalid", DisableDefaultText: true, Usage: "count what is no measurement"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of random starts"},
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
	return strings.Join(names, ", ")
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
	data, err := inv.samples()
	if err != nil {
		return err
	}
	for _, problem := range sortedKeys(data.Skipped) {
		inv.warn("%d left out: %s", data.Skipped[problem], problem)
	}
	values := data.Values
	if inv.flags.IsSet("swf") && unit != spec.Second {
		values = slices.Clone(values)
		for i := range values {
			values[i] = spec.Second.Convert(values[i], unit)
		}
	}
	sample := fit.Sample{Values: values, Weights: data.Weights, Censored: data.Censored, Resolution: resolution}
	candidates, err := fit.PhaseType(sample, options)
	if err != nil {
		return fitError(inv.args[0], err)
	}
	if inv.ctx.Err() != nil {
		return inv.ctx.Err()
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
	if err := inv.emit(newFitted(inv.args[0], unit, options.Criterion, data.Skipped, candidates)); err != nil {
		return err
	}
	for _, w := range best.Warnings {
		inv.warn("%s with %d phases: %v", best.Family, best.Phases, w)
	}
	return nil
}

// fitError turns a complaint about the data or the options into one about the command line.
func fitError(file string, err error) error {
	var sample *fit.SampleError
	var option *fit.OptionError
	switch {
	case errors.As(err, &sample):
		return fail(exitInput, "%s: %w", file, err)
	case errors.As(err, &option):
		return usage("partwise help fit", "--%s: %s", option.Option, option.Problem)
	}
	return err
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
		if !slices.Contains(fit.Families(), fit.Family(name)) {
			return o, usage("use "+familyNames(), "--family: no family %q", name)
		}
		o.Families = append(o.Families, fit.Family(name))
	}
	o.Criterion = fit.Criterion(inv.flags.String("criterion"))
	if o.Criterion != fit.BIC && o.Criterion != fit.AIC {
		return o, usage("use bic or aic", "--criterion: unknown criterion %q", string(o.Criterion))
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

// newFitted lays out the candidates, best first.
func newFitted(
	file string, unit spec.TimeUnit, criterion fit.Criterion, skipped map[string]int, candidates []fit.Candidate,
) *result {
	best := &candidates[0]
	r := &result{json: output.Object{{Name: "version", Value: resultVersion}, {Name: "time_unit", Value: unit.Name},
		{Name: "samples", Value: best.Samples}}}
	if best.Zeros > 0 {
		r.json.Add("zeros_dropped", best.Zeros)
	}
	if len(skipped) > 0 {
		var o output.Object
		for _, problem := range sortedKeys(skipped) {
			o.Add(problem, skipped[problem])
		}
		r.json.Add("skipped", o)
	}
	r.json.Add("criterion", string(criterion))
	r.csv = [][]string{{"family", "phases", "mean", "scv", "log_likelihood", "mean_log_likelihood", "aic", "bic", "ks",
		"iterations", "converged"}}
	table := output.Table{
		Title: fmt.Sprintf("%s: %d values", file, best.Samples),
		Columns: []output.Column{{Name: "family"}, {Name: "phases", Number: true},
			{Name: "mean [" + unit.Name + "]", Number: true},
			{Name: "SCV", Number: true}, {Name: "log-likelihood", Number: true}, {Name: "AIC", Number: true},
			{Name: "BIC", Number: true}, {Name: "KS", Number: true}, {Name: ""}},
	}
	var rows []output.Object
	for i := range candidates {
		c := &candidates[i]
		rows = append(rows, candidateObject(c))
		r.csv = append(r.csv, []string{string(c.Family), strconv.Itoa(c.Phases), output.Shortest(c.Dist.Mean()),
			output.Shortest(c.Dist.SCV()), output.Shortest(c.LogLikelihood), output.Shortest(c.MeanLogLikelihood),
			output.Shortest(c.AIC), output.Shortest(c.BIC), output.Shortest(c.KS), strconv.Itoa(c.Iterations),
			fmt.Sprint(c.Converged)})
		remark := ""
		if !c.Converged {
			remark = "not converged"
		}
		table.Rows = append(table.Rows, []string{string(c.Family), strconv.Itoa(c.Phases), output.Round(c.Dist.Mean(), 4),
			output.Round(c.Dist.SCV(), 4), fmt.Sprintf("%.1f", c.LogLikelihood), fmt.Sprintf("%.1f", c.AIC),
			fmt.Sprintf("%.1f", c.BIC), fmt.Sprintf("%.4f", c.KS), remark})
	}
	r.json.Add("results", rows)
	r.tables = []output.Table{table}
	by := strings.ToUpper(string(criterion))
	r.notes = []string{fmt.Sprintf("Best by %s: %s with %d phases.", by, best.Family, best.Phases)}
	return r
}

func sortedKeys(m map[string]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func candidateObject(c *fit.Candidate) output.Object {
	texts := []string{}
	for _, w := range c.Warnings {
		texts = append(texts, w.Error())
	}
	return output.Object{
		{Name: "family", Value: string(c.Family)},
		{Name: "phases", Value: c.Phases},
		{Name: "mean", Value: c.Dist.Mean()},
		{Name: "scv", Value: c.Dist.SCV()},
		{Name: "likelihood", Value: c.Likelihood},
		{Name: "log_likelihood", Value: c.LogLikelihood},
		{Name: "mean_log_likelihood", Value: c.MeanLogLikelihood},
		{Name: "degrees_of_freedom", Value: c.DegreesOfFreedom},
		{Name: "aic", Value: c.AIC},
		{Name: "bic", Value: c.BIC},
		{Name: "ks", Value: c.KS},
		{Name: "iterations", Value: c.Iterations},
		{Name: "converged", Value: c.Converged},
		{Name: "seconds", Value: c.Seconds},
		{Name: "warnings", Value: texts},
	}
}
