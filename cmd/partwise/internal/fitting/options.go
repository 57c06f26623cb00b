package fitting

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
)

// fitOptions are the flags of fit.
type fitOptions struct {
	columns    workload.Columns
	families   []fit.Family // none: that of package fit
	phases     phaseRange   // the zero value: that of the family
	criterion  fit.Criterion
	method     fit.Method
	resolution resolution
	unit       spec.TimeUnit // of the values and of the file
	plot       cli.Picture
	seed       uint64
}

func newFitOptions() *fitOptions { return &fitOptions{criterion: fit.BIC, unit: spec.Second, seed: 1} }

// Flags binds the flags.
func (o *fitOptions) Flags() []cli.Flag {
	c := &o.columns
	return []cli.Flag{
		cli.Value(&o.unit, "time-unit", parseUnit, cli.About{Usage: "unit `U` of the values and of the file",
			Default: o.unit.Name, Hint: "use us, ms, s, min, h or d"}),
		cli.Values(&o.families, "family", cli.OneOf("no family", families()...), cli.About{
			Usage: "`F` is one of " + familyNames() + "; may be repeated (default: cf1)", Hint: "use " + familyNames()}),
		cli.Value(&o.criterion, "criterion", cli.OneOf("unknown criterion", fit.BIC, fit.AIC, fit.CV), cli.About{
			Usage: "rank by `WHAT`: bic, aic or cv (cross-validated likelihood)", Default: string(o.criterion),
			Hint: "use bic, aic or cv"}),
		cli.Value(&o.method, "method", cli.OneOf("unknown method", fit.Auto, fit.LBFGS, fit.EM), cli.About{
			Usage: "`M` is lbfgs or em (default: lbfgs, and em where it did not converge)", Hint: "use lbfgs or em"}),
		cli.Value(&o.phases, "phases", parsePhases, cli.About{Usage: "number of phases, or the range `A:B`",
			Default: "1:10", Hint: "for example --phases 4 or --phases 1:10"}),
		cli.Value(&o.resolution, "resolution", parseResolution, cli.About{
			Usage: "of the clock, `R` such as 1s: x stands for the interval [x−R/2, x+R/2]",
			Hint:  "for example --resolution 1s"}),
		cli.Plot(&o.plot, "data and fit, tails and quantiles"),
		cli.Text(&c.Value, "column", cli.About{Usage: "name or number (from 1) of the column `C` of values"}),
		cli.Text(&c.Upper, "upper", cli.About{Usage: "column `C` of the ends of intervals that begin at the values"}),
		cli.Text(&c.Weight, "weights", cli.About{Usage: "column `C` of weights or counts"}),
		cli.Text(&c.Censored, "censored", cli.About{Usage: "column `C` that marks values that are lower bounds"}),
		cli.Text(&c.Truncated, "truncated", cli.About{
			Usage: "column `C` of times from which on a value could be observed"}),
		cli.Value(&c.Log, "swf", cli.OneOf("no quantity", quantities...), cli.About{
			Usage: "take `WHAT` from a job log: interarrival, runtime or work (run time × processors)",
			Hint:  "use " + quantityNames()}),
		cli.Switch(&c.SkipInvalid, "skip-invalid", "count what is no measurement"),
		cli.Seed(&o.seed, "`N` of random starts and folds"),
	}
}

// Check checks what cannot be asked for together.
func (o *fitOptions) Check(*cli.Invocation) error {
	if o.isProcess() && (len(o.families) > 1 || o.plot.Wanted()) {
		return cli.Usagef("run partwise fit twice", "--family map: cannot be compared with distributions, or drawn")
	}
	if c := o.columns; c.Log != "" && c.Value+c.Weight+c.Censored+c.Upper+c.Truncated != "" {
		return cli.Usagef("leave out --swf, or the columns", "--swf: a job log has its own columns")
	}
	return nil
}

// isProcess reports whether an arrival process is to be fitted.
func (o *fitOptions) isProcess() bool { return slices.Contains(o.families, fit.MAP) }

// of returns the options of package fit.
func (o *fitOptions) of(inv *cli.Invocation) fit.Options {
	phases := o.phases
	switch {
	case phases != phaseRange{}:
	case o.isProcess():
		phases = phaseRange{1, 4}
	default:
		phases = phaseRange{1, 10}
	}
	return fit.Options{Families: o.families, MinPhases: phases.min, MaxPhases: phases.max, Criterion: o.criterion,
		Method: o.method, Seed: o.seed, Workers: inv.Workers}
}

// families are all that --family may say.
func families() []fit.Family { return append(slices.Clone(fit.Families()), fit.MAP) }

func familyNames() string {
	var names []string
	for _, f := range families() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func quantityNames() string {
	var names []string
	for _, q := range quantities {
		names = append(names, string(q))
	}
	return strings.Join(names, ", ")
}

func parseUnit(name string) (spec.TimeUnit, error) {
	unit, err := spec.UnitByName(name)
	if err != nil {
		return unit, fmt.Errorf("unknown unit %q", name)
	}
	return unit, nil
}

// phaseRange is from how many to how many phases are tried.
type phaseRange struct{ min, max int }

func parsePhases(text string) (phaseRange, error) {
	from, to, isRange := strings.Cut(text, ":")
	if !isRange {
		to = from
	}
	least, errLeast := strconv.Atoi(from)
	most, errMost := strconv.Atoi(to)
	if errLeast != nil || errMost != nil || least < 1 || most < least || most > fit.MaxPhases {
		return phaseRange{}, fmt.Errorf("%q is not a number of phases from 1 to %d, or a range", text, fit.MaxPhases)
	}
	return phaseRange{least, most}, nil
}

// resolution is that of the clock that values were measured with.
type resolution struct {
	value float64
	unit  *spec.TimeUnit // nil: that of the values
}

// parseResolution reads a time such as 0.5 or 1s.
func parseResolution(text string) (resolution, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return resolution{}, nil
	}
	var r resolution
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
	var errUnit error
	if name := strings.TrimSpace(text[len(number):]); name != "" {
		var unit spec.TimeUnit
		unit, errUnit = spec.UnitByName(name)
		r.unit = &unit
	}
	var err error
	if r.value, err = strconv.ParseFloat(number, 64); err != nil || errUnit != nil || !(r.value >= 0) ||
		math.IsInf(r.value, 0) {
		return r, fmt.Errorf("%q is not a time", text)
	}
	return r, nil
}

// in returns the resolution in a unit.
func (r resolution) in(unit spec.TimeUnit) float64 {
	if r.unit == nil {
		return r.value
	}
	return r.unit.Convert(r.value, unit)
}
