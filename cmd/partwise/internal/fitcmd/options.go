package fitcmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// options are the flags of fit.
type options struct {
	columns    workload.Columns
	families   []fit.Family // none: the default of package fit
	phases     [2]int       // from, to; the zero value: the default of the kind
	criterion  fit.Criterion
	unit       measure.TimeUnit // of the values and of the file
	times      [2]string        // what --resolution and --max-gap say
	resolution float64
	plot       chart.Picture
	reading    input.Reading
	method     fit.Method
	seed       uint64
}

// newOptions returns the options of a command line without flags.
func newOptions() *options {
	return &options{criterion: fit.BIC, unit: measure.Second(), seed: cli.DefaultSeed}
}

// The words that flags may say.
var (
	families   = append(slices.Clone(fit.Families()), fit.MAP)
	criteria   = []fit.Criterion{fit.BIC, fit.AIC}
	quantities = []workload.Quantity{workload.Interarrival, workload.RunTime, workload.Work}
)

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	c := &o.columns
	return append(o.reading.FormatFlags(),
		cli.OwnOutput("write the best fit to `FILE`, for models to refer to"),
		cli.Value(&o.unit, "time-unit", measure.TimeUnitNamed, cli.About{Words: measure.TimeUnitNames(), Default: o.unit.Name,
			Usage: "read the values and write the file in the time unit `UNIT`: " + words.Or(measure.TimeUnitNames())}),
		cli.Values(&o.families, "family", values.OneOf("unknown family", families...), cli.About{Words: words.Strings(families),
			Default: string(fit.CF1), Usage: "fit the family `FAMILY`: " + words.Or(words.Strings(families)) +
				"; may be repeated"}),
		cli.Choice(&o.criterion, "criterion", "unknown criterion", criteria, cli.About{
			Usage: "rank the fits by `CRITERION`: bic or aic"}),
		cli.Value(&o.phases, "phases", parsePhases, cli.About{Usage: "try the numbers of phases `A:B`, or a single number",
			Default: "1:10; for arrival processes 1:4", Hint: "for example --phases 4 or --phases 1:10"}),
		cli.Text(&o.times[0], "resolution", cli.About{
			Usage: "assume that the clock was rounded to `R`, such as 1s"}),
		input.Plot(&o.plot, "data and fit, tails and quantiles"),
		cli.Text(&c.Value, "column", cli.About{Usage: "read the values from `COLUMN`, a name or a number from 1"}),
		cli.Text(&c.Upper, "upper", cli.About{
			Usage: "read from `COLUMN` the ends of intervals that begin at the values"}),
		cli.Text(&c.Weight, "weights", cli.About{Usage: "read weights or counts from `COLUMN`"}),
		cli.Text(&c.Censored, "censored", cli.About{Usage: "read from `COLUMN` which values are lower bounds"}),
		cli.Text(&c.Truncated, "truncated", cli.About{
			Usage: "read from `COLUMN` the times from which on the values could be observed"}),
		cli.Int(&c.OnNodes, "on-nodes", values.PositiveInt, cli.About{Hint: "for example --on-nodes 8 --speedup amdahl:0.01",
			Usage: "make run times on one node of run times that were measured on `N` nodes (with --speedup)"}),
		cli.Text(&c.Nodes, "nodes-column", cli.About{
			Usage: "read from `COLUMN` on how many nodes each run time was measured, in place of --on-nodes"}),
		cli.Text(&c.Timestamps, "timestamps", cli.About{Usage: "fit the gaps between the times in `COLUMN`, in ISO 8601 or " +
			"counted from 1970, sorted first"}),
		cli.Text(&o.times[1], "max-gap", cli.About{
			Usage: "leave out gaps longer than `T`, such as 12h (with --timestamps)"}),
		cli.Value(&c.Decimal, "decimal", parseDecimal, cli.About{Words: []string{",", "."}, Default: ".",
			Usage: "read numbers with the decimal mark `MARK`, a comma or a point"}),
		cli.Choice(&c.Log, "swf", "unknown quantity", quantities, cli.About{Was: []string{"quantity"},
			Usage: "take `QUANTITY` from a job log: interarrival, runtime or work (run time × speedup)"}),
		cli.Value(&c.Speedup, "speedup", workload.ParseSpeedup, cli.About{Default: "linear",
			Usage: "assume that jobs have the speedup `SPEEDUP`, as in the models that use the fit (with " +
				"--swf work, --on-nodes or --nodes-column): " + workload.SpeedupForms(),
			Hint: "for example --speedup amdahl:0.05"}),
		cli.Value(&c.Sizes, "sizes", joblog.ParseSizes, cli.About{
			Usage: "take the jobs of a log that asked for `MIN:MAX` nodes (with --swf); either may be left out",
			Hint:  "for example --sizes 2:64"}),
		cli.Switch(&c.SkipInvalid, "skip-invalid",
			"skip rows that hold no measurement, and any share of the jobs of a log that give no value; count them"),
		cli.Unlisted(cli.Choice(&o.method, "method", "unknown method", []fit.Method{fit.LBFGS, fit.EM}, cli.About{
			Usage: "maximize the likelihood by the algorithm `METHOD`: lbfgs or em"})),
		cli.Unlisted(cli.Seed(&o.seed, "draw random starts from the seed `N`")))
}

// parseDecimal parses a decimal mark.
func parseDecimal(text string) (byte, error) {
	if text != "," && text != "." {
		return 0, fmt.Errorf("%q is neither a comma nor a point", text)
	}
	return text[0], nil
}

// parsePhases reads a range of numbers of phases, such as 1:10, or a single number.
func parsePhases(text string) (phases [2]int, err error) {
	from, to, isRange := strings.Cut(text, ":")
	if !isRange {
		to = from
	}
	least, errLeast := values.Whole(from)
	most, errMost := values.Whole(to)
	if errLeast != nil || errMost != nil || least < 1 || most < least || most > fit.MaxPhases {
		return phases, fmt.Errorf("%q is not a number of phases from 1 to %d, or a range", text, fit.MaxPhases)
	}
	return [2]int{least, most}, nil
}

// Check refuses flags that exclude each other, and reads times in the unit of the values.
func (o *options) Check(inv *cli.Invocation) error {
	c := &o.columns
	c.LogOptions = o.reading.Options
	c.Location = c.LogOptions.Location
	others := c.Value + c.Weight + c.Censored + c.Upper + c.Truncated
	ofLog := inv.FirstGiven("log-format", "fields", "unit-of-allocation")
	switch ending := strings.ToLower(filepath.Ext(inv.File)); {
	case slices.Contains([]string{".csv", ".md", ".html", ".svg", ".png", ".pdf"}, ending):
		return fault.Usagef("for example --output work.ph.json", "--output: the fitted distribution is JSON, not %s", ending)
	case o.isProcess() && (len(o.families) > 1 || o.plot.Wanted()):
		return fault.Usagef("run partwise fit twice", "--family map: cannot be compared with distributions, or drawn")
	case c.Log != "" && others+c.Timestamps != "":
		return fault.Usagef("leave out --swf, or the columns", "--swf: a job log has its own columns")
	case c.Timestamps != "" && others != "":
		return fault.Usagef("leave out one of them", "--timestamps: gaps between times have no other columns")
	case c.Timestamps == "" && o.times[1] != "":
		return fault.Usagef("for example --timestamps 1 --max-gap 12h", "--max-gap without --timestamps")
	case c.Log == "" && inv.Given("sizes"):
		return fault.Usagef("add --swf work", "--sizes without --swf: only the jobs of a log have sizes")
	case c.Log == "" && ofLog != "":
		return fault.Usagef("for example --swf runtime", "--%s without --swf: nothing is taken from a log", ofLog)
	case c.Log == "" && c.Timestamps == "" && inv.Given("time-zone"):
		return fault.Usagef("for example --timestamps 1", "--time-zone without --timestamps or --swf: no times are read")
	case (o.onNodes() || inv.Given("on-nodes")) && (c.Log != "" || c.Timestamps != "" || o.isProcess()):
		return fault.Usagef("leave it out; --swf work takes the nodes from the log", "--%s: only a table of run times needs it",
			inv.FirstGiven("on-nodes", "nodes-column"))
	case c.Nodes != "" && inv.Given("on-nodes"):
		return fault.Usagef("leave one of them out", "--on-nodes and --nodes-column both say on how many nodes jobs ran")
	case c.Nodes != "" && o.times[0] != "":
		return fault.Usagef("give the least and largest times as a column, with --upper",
			"--resolution with --nodes-column: on one node, the clock is rounded by another time for each job")
	case c.Speedup != nil && c.Log != workload.Work && !o.onNodes():
		return fault.Usagef("add --swf work or --on-nodes N, or leave --speedup out",
			"--speedup: only run times on known nodes depend on it")
	}
	for i, to := range []*float64{&o.resolution, &c.MaxGap} {
		v, err := measure.ParseTime(cmp.Or(o.times[i], "0"), o.unit)
		if err == nil && v < 0 {
			err = fmt.Errorf("%q is negative", o.times[i])
		}
		if err != nil {
			return fault.Usagef("for example 1s or 12h", "--%s: %w", []string{"resolution", "max-gap"}[i], err)
		}
		*to = v
	}
	return nil
}

// takesSpeedup reports whether a speedup makes run times on one node of the values.
func (o *options) takesSpeedup() bool {
	return o.columns.Log == workload.Work || o.columns.OnNodes > 1 || o.columns.Nodes != ""
}

// unitOfValues returns the unit of what is fitted, for people. Run time times nodes is node-time, unless a speedup says how long it
// takes on one node.
func (o *options) unitOfValues() string {
	if o.takesSpeedup() && o.columns.Speedup == nil {
		return "node-" + o.unit.Name
	}
	return o.unit.Name
}

// onNodes reports whether the nodes of the run times of a table are given.
func (o *options) onNodes() bool { return o.columns.OnNodes > 0 || o.columns.Nodes != "" }

// isProcess reports whether an arrival process is to be fitted.
func (o *options) isProcess() bool { return slices.Contains(o.families, fit.MAP) }

// of returns the options of package fit that the flags ask for.
func (o *options) of(inv *cli.Invocation) fit.Options {
	phases := o.phases
	if phases[0] == 0 && o.isProcess() {
		phases = [2]int{1, 4}
	}
	return fit.Options{Families: o.families, MinPhases: phases[0], MaxPhases: phases[1], Criterion: o.criterion,
		Method: o.method, Seed: o.seed, Workers: inv.Workers, Memory: int64(inv.Memory.Limit())}
}
