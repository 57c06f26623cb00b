package fitcmd

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
)

//go:embed fit.txt
var fitHelp string

// Fit returns the command that fits distributions and arrival processes.
func Fit() cli.Command {
	return cli.WithOptions(newOptions, fitData, cli.Described(fitHelp, cli.Command{}))
}

// fitData fits the data that is the first argument, and writes the candidates, best first. --output keeps the best of them
// as a file to which models can refer; --plot draws it beside the data.
func fitData(inv *cli.Invocation, o *options) error {
	sample, skipped, err := readSample(inv, o)
	if err != nil {
		return err
	}
	for _, problem := range slices.Sorted(maps.Keys(skipped)) {
		inv.Warnf("%s left out: %s", words.Whole(skipped[problem]), problem)
	}
	if o.times[0] != "" {
		sample.Resolution = o.resolution * o.columns.OneNodeFactor()
	} else if sample.Resolution > 0 {
		inv.Notef("%s: some jobs arrived in the same second; the clock is assumed to show whole seconds (--resolution 1s)",
			cli.NameOf(inv.Args[0]))
	}
	found, err := fitSample(inv, o, sample)
	if err != nil {
		return err
	}
	if err := found.keep(inv, o); err != nil {
		return err
	}
	if err := inv.Emit(found.result(inv, o, skipped)); err != nil {
		return err
	}
	warnOfFit(inv, found.all[0])
	return nil
}

// fitSample fits distributions to a sample, or processes to times in their order, as the flags say. It draws the best
// distribution if that is asked for.
func fitSample(inv *cli.Invocation, o *options, sample fit.Sample) (*fits, error) {
	if o.isProcess() {
		candidates, err := fit.Arrivals(inv.Context, sample, o.of(inv))
		if err != nil {
			return nil, fitError(inv, o, err)
		}
		return arrivals(o, candidates), nil
	}
	candidates, err := fit.PhaseType(inv.Context, sample, o.of(inv))
	if err != nil {
		return nil, fitError(inv, o, err)
	}
	if o.plot.Wanted() {
		if err := plotFit(inv, o, sample, &candidates[0]); err != nil {
			return nil, err
		}
	}
	return distributions(o, candidates), nil
}

// keep writes the best candidate to the file of --output, if there is one.
func (f *fits) keep(inv *cli.Invocation, o *options) error {
	if inv.File == "" {
		return nil
	}
	best := f.all[0]
	scores := &modelfile.Scores{Fitted: *best}
	scores.Nodes = o.columns.OnNodes
	if o.takesSpeedup() {
		scores.Speedup = workload.SpeedupText(o.columns.Speedup)
	}
	err := output.WriteFile(inv.File, func(w io.Writer) error {
		return modelfile.WriteDistribution(w, o.unit, f.dist, f.process, scores)
	})
	if err != nil {
		return err
	}
	inv.Notef("wrote %s: %s", inv.File, withPhases(best))
	return nil
}

// warnOfFit says what is left out of the best candidate, and what it does not tell.
func warnOfFit(inv *cli.Invocation, best *fit.Fitted) {
	if best.Zeros > 0 {
		inv.Warnf("%s of 0 left out; --resolution says how far the clock was rounded", words.Count(best.Zeros, "value"))
	}
	for _, w := range best.Warnings {
		if !errors.Is(w, fit.ErrZeros) { // that was said
			inv.Warnf("%v", w)
		}
	}
}

// fitError says which column an error of the data is about, or which flag.
func fitError(inv *cli.Invocation, o *options, err error) error {
	var sample *fit.SampleError
	var option *fit.OptionError
	switch {
	case errors.As(err, &sample):
		c, where := &o.columns, sample.Field
		columns := map[string]string{"values": c.Value, "weights": c.Weight, "censored": c.Censored, "upper": c.Upper,
			"truncated": c.Truncated}
		if column := columns[where]; column != "" {
			where = "column " + column
		}
		if sample.Index >= 0 {
			where += fmt.Sprintf(", value %d", sample.Index+1)
		}
		hint := ""
		if strings.HasPrefix(sample.Problem, "all values are zero") {
			hint = "for example --resolution 1s"
		}
		return fault.Hint(fault.ExitInput, hint, fmt.Errorf("%s: %s: %s", inv.Args[0], where, sample.Problem))
	case errors.As(err, &option):
		return fault.Usagef("partwise help fit", "--%s: %s", option.Option, option.Problem)
	}
	return err
}
