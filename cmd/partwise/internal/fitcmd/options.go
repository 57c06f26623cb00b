package fitcmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/quantity"
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
	unit       quantity.Unit // of the values and of the file
	maxGap     resolution
	reading    joblog.Reading
	speedup    workload.Speedup // of the jobs of a log whose work is fitted; nil: linear
	plot       cli.Picture
	seed       uint64
}

func newFitOptions() *fitOptions {
	return &fitOptions{criterion: fit.BIC, unit: quantity.Second, seed: 1}
}

// Flags binds the flags.
func (o *fitOptions) Flags() []cli.Flag {
	c := &o.columns
	return append([]cli.Flag{
		cli.Value(&o.unit, "time-unit", parseUnit, cli.About{Words: quantity.UnitNames(), Default: o.unit.Name,
			Usage: "read the values and write the file in the time unit `UNIT`: " + tree.Alternatives(quantity.UnitNames())}),
		cli.Values(&o.families, "family", cli.OneOf("unknown family", families()...), cli.About{Words: cli.Words(families()),
			Default: string(fit.CF1), Usage: "fit the family `FAMILY`: " + tree.Alternatives(cli.Words(families())) +
				"; may be repeated"}),
		cli.Choice(&o.criterion, "criterion", "unknown criterion", criteria, cli.About{Default: string(o.criterion),
			Usage: "rank the fits by `CRITERION`: bic, aic or cv (cross-validated likelihood)"}),
		cli.Choice(&o.method, "method", "unknown method", methods, cli.About{
			Usage:   "maximize the likelihood by the algorithm `METHOD`: " + tree.Alternatives(cli.Words(methods)),
			Default: "lbfgs, and em where it does not converge"}),
		cli.Value(&o.phases, "phases", parsePhases, cli.About{Usage: "try the numbers of phases `A:B`, or a single number",
			Default: "1:10; for arrival processes 1:4", Hint: "for example --phases 4 or --phases 1:10"}),
		cli.Value(&o.resolution, "resolution", parseResolution, cli.About{
			Usage: "assume that the clock was rounded to `R`, such as 1s: x stands for the interval [x−R/2, x+R/2]",
			Hint:  "for example --resolution 1s"}),
		cli.Plot(&o.plot, "data and fit, tails and quantiles"),
		cli.Text(&c.Value, "column", cli.About{Usage: "read the values from `COLUMN`, a name or a number from 1"}),
		cli.Text(&c.Upper, "upper", cli.About{
			Usage: "read from `COLUMN` the ends of intervals that begin at the values"}),
		cli.Text(&c.Weight, "weights", cli.About{Usage: "read weights or counts from `COLUMN`"}),
		cli.Text(&c.Censored, "censored", cli.About{Usage: "read from `COLUMN` which values are lower bounds"}),
		cli.Text(&c.Truncated, "truncated", cli.About{
			Usage: "read from `COLUMN` the times from which on the values could be observed"}),
		cli.Text(&c.Timestamps, "timestamps", cli.About{Usage: "fit the gaps between the times in `COLUMN`, in ISO 8601 or " +
			"counted from 1970, sorted first"}),
		cli.Value(&o.maxGap, "max-gap", parseResolution, cli.About{
			Usage: "leave out gaps longer than `T`, such as 12h, in which nothing was recorded (with --timestamps)",
			Hint:  "for example --max-gap 12h"}),
		cli.Value(&c.Decimal, "decimal", parseDecimal, cli.About{Words: []string{",", "."}, Default: ".",
			Usage: "read numbers with the decimal mark `MARK`, a comma or a point; the other one may separate thousands"}),
		cli.Choice(&c.Log, "swf", "unknown quantity", quantities, cli.About{Was: []string{"quantity"},
			Usage: "take `QUANTITY` from a job log in any format: interarrival, runtime or work (run time on one node: run " +
				"time × speedup on its nodes)"}),
		cli.Value(&o.speedup, "speedup", workload.ParseSpeedup, cli.About{Default: "linear",
			Usage: "assume that the jobs of a log have the speedup `SPEEDUP` (with --swf work); models that use the fit should " +
				"have the same: " + workload.SpeedupForms(),
			Hint: "for example --speedup amdahl:0.05"}),
		cli.Switch(&c.SkipInvalid, "skip-invalid", "skip rows that hold no measurement, and count them"),
		cli.Seed(&o.seed, "draw random starts and folds from the seed `N`; the same seed gives the same results"),
	}, o.reading.Flags()...)
}

// parseDecimal parses a decimal mark.
func parseDecimal(text string) (byte, error) {
	if text != "," && text != "." {
		return 0, fmt.Errorf("%q is neither a comma nor a point", text)
	}
	return text[0], nil
}

// The words that flags may say.
var (
	criteria = []fit.Criterion{fit.BIC, fit.AIC, fit.CV}
	methods  = []fit.Method{fit.LBFGS, fit.EM}
)

// Check checks what cannot be asked for together.
func (o *fitOptions) Check(inv *cli.Invocation) error {
	if o.isProcess() && (len(o.families) > 1 || o.plot.Wanted()) {
		return cli.Usagef("run partwise fit twice", "--family map: cannot be compared with distributions, or drawn")
	}
	switch c := o.columns; {
	case c.Log != "" && c.Value+c.Weight+c.Censored+c.Upper+c.Truncated+c.Timestamps != "":
		return cli.Usagef("leave out --swf, or the columns", "--swf: a job log has its own columns")
	case c.Timestamps != "" && c.Value+c.Weight+c.Censored+c.Upper+c.Truncated != "":
		return cli.Usagef("leave out one of them", "--timestamps: gaps between times have no other columns")
	case c.Timestamps == "" && o.maxGap.value > 0:
		return cli.Usagef("for example --timestamps 1 --max-gap 12h", "--max-gap without --timestamps")
	case c.Log == "" && (inv.Given("log-format") || inv.Given("unit-of-allocation")):
		return cli.Usagef("for example --swf runtime", "%s without --swf: nothing is taken from a log", o.reading.Given(inv))
	}
	if o.speedup != nil && o.columns.Log != workload.Work {
		return cli.Usagef("add --swf work, or leave --speedup out", "--speedup: only the work of the jobs of a log depends on it")
	}
	return nil
}

// unitOfValues is the unit of what is fitted, for people: the work of logged jobs is node-time, unless a speedup says how
// long it takes one node.
func (o *fitOptions) unitOfValues() string {
	if o.columns.Log == workload.Work && o.speedup == nil {
		return "node-" + o.unit.Name
	}
	return o.unit.Name
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
		Method: o.method, Seed: o.seed, Workers: inv.Workers,
		Memory: int64(inv.Memory.Limit())}
}

// families are all that --family may say.
func families() []fit.Family { return append(slices.Clone(fit.Families()), fit.MAP) }

func parseUnit(name string) (quantity.Unit, error) {
	if _, err := cli.OneOf("unknown time unit", quantity.UnitNames()...)(name); err != nil {
		return quantity.Unit{}, err
	}
	return quantity.UnitByName(name)
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
	unit  *quantity.Unit // nil: that of the values
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
		var unit quantity.Unit
		unit, errUnit = quantity.UnitByName(name)
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
func (r resolution) in(unit quantity.Unit) float64 {
	if r.unit == nil {
		return r.value
	}
	return r.unit.Convert(r.value, unit)
}
