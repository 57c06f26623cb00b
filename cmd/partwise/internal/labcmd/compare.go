package labcmd

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

//go:embed compare.txt
var compareHelp string

// Compare is the command that compares families.
func Compare() cli.Command {
	fresh := func() *compareOptions {
		return &compareOptions{Assuming: input.NewAssuming(), jobs: 500, mix: lab.DefaultMix(),
			FamilyOptions: lab.FamilyOptions{Seed: cli.DefaultSeed, Cluster: lab.PaperCluster(policy.Gang{}), Dedicated: 2}}
	}
	return cli.WithOptions(fresh, runCompare, cli.Described(compareHelp, cli.Command{}))
}

// compareOptions are the flags of compare.
type compareOptions struct {
	input.LogOptions
	input.Assuming
	lab.FamilyOptions
	families bool // an old switch: families are what is compared
	load     float64
	sets     []modelfile.Set
	jobs     int
	mix      lab.Mix
	plot     chart.Picture
}

// Flags binds the flags.
func (o *compareOptions) Flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		cli.Unlisted(cli.Switch(&o.families, "families", "")),
		input.OneLoad(&o.load, "replay", cli.About{Usage: "stretch the times between arrivals to the load `LOAD`"}),
		input.Sets(&o.sets),
		cli.Int(&o.jobs, "jobs", values.PositiveInt, cli.About{Was: []string{"length"},
			Usage: "run `N` jobs; of a log the first; of a model the first tenth is not counted"}),
		cli.Unlisted(o.SigmaFlag()),
		input.ResizeCost(&o.Cost, "the overheads of the model; of a log "+o.Cost.Name),
		cli.Int(&o.Cluster.MPL, "mpl", values.Between(1, lab.MostMPL), cli.About{Usage: "let at most `N` jobs share a node in time"}),
		cli.Value(&o.mix, "workload", mixNamed, cli.About{Default: o.mix.Name, Words: mixNames,
			Usage: "give time-shared jobs the work of the workload `NAME`, wl1 to wl8 of Zhang et al."}),
		cli.Choice(&o.Cluster.Pattern, "pattern", "unknown pattern", lab.Patterns(), cli.About{
			Usage: "let time-shared jobs send messages by the `PATTERN`:"}),
		cli.Value(&o.Cluster.Skew, "skew", values.NonnegativeNumber,
			cli.About{Usage: "let the computation between messages vary by the factor 1 ± `SKEW`/2"}),
		cli.Value(&o.Dedicated, "dedicated", input.PositiveTime,
			cli.About{Default: "2s, less where many jobs have many nodes", Hint: "for example --dedicated 5s",
				Usage: "scale the times of time-shared jobs to a mean run time of `TIME`"}),
		cli.Seed(&o.Seed, "draw jobs, kinds of work and skew from the seed `N`"),
		input.Plot(&o.plot, "the families, with intervals,"),
	}, o.Assuming.Flags("those of the model; of a log"), o.LogOptions.Flags())
}

// Check refuses flags of logs with a model, and flags of models with a log.
func (o *compareOptions) Check(inv *cli.Invocation) error {
	ofLogs := append(cli.Names(slices.Concat(o.LogOptions.Flags(), o.Assuming.Flags(""))), "sigma")
	return cmp.Or(input.CheckKind(inv, []string{"set"}, ofLogs), o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// comparison is a workload with what came of it.
type comparison struct {
	*compareOptions
	*lab.FamilyJobs
	resizes  machine.Costs
	costText string
	title    string
	unit     measure.TimeUnit
	heading  output.Object
	assumed  []output.Assumption
	outcomes []lab.FamilyOutcome
	seconds  float64
}

// runCompare runs the jobs of the log or model that is the first argument under all families, and writes and draws the outcomes. It
// warns of families that may not keep up.
func runCompare(inv *cli.Invocation, o *compareOptions) error {
	read := o.ofLog
	if input.IsModel(inv.Args[0]) {
		read = o.ofModel
	}
	c, err := read(inv)
	if err != nil {
		return err
	}
	if !inv.Given("dedicated") {
		if err := c.shorten(); err != nil {
			return err
		}
	}
	all := lab.Families(c.FamilyJobs, c.resizes)
	began := time.Now()
	step, clear := inv.Progress(len(all), "families")
	o.Workers, o.Types, o.Progress = inv.Workers, o.mix.Types, step
	c.outcomes, err = lab.RunFamilies(inv.Context, c.FamilyJobs, all, o.FamilyOptions)
	clear()
	if parallel.IsShortOf(err, parallel.Time) {
		return fault.Hint(fault.ExitTooLarge, "let programs be shorter with --dedicated, or run fewer --jobs", err)
	}
	if err != nil {
		return ofData(inv, err)
	}
	c.seconds = time.Since(began).Seconds()
	if err := inv.Emit(c.result()); err != nil {
		return err
	}
	for i := range c.outcomes {
		if f := &c.outcomes[i]; f.FallsBehind() {
			inv.Warnf("%s may not keep up: responses of the later half of the jobs take %s times as long as those of the earlier",
				f.Label(), words.Round(f.Growth, 2))
		}
	}
	return input.Draw(inv, o.plot, c.figure())
}

// ofData returns an error about the jobs of a log or model with the name of the file. The error of an interrupted command
// stays as it is.
func ofData(inv *cli.Invocation, err error) error {
	if inv.Context.Err() != nil {
		return err
	}
	return &workload.DataError{File: inv.Args[0], Problem: fault.Plain(err)}
}

// shorten makes the dedicated time so short that the simulation takes half a minute at most.
func (c *comparison) shorten() error {
	seconds, mostJobs, err := c.Affordable(c.Dedicated)
	c.FamilyOptions.Dedicated = seconds
	if err != nil {
		return fault.Hint(fault.ExitTooLarge, fmt.Sprintf("run at most --jobs %d, or wait longer with --dedicated 2s", mostJobs), err)
	}
	return nil
}

// ofModel returns the comparison for jobs that are drawn from the system of a model file. Each job asks for the nodes of a
// partition of the best static split.
func (o *compareOptions) ofModel(inv *cli.Invocation) (*comparison, error) {
	file, err := input.Load(inv, o.sets, o.load)
	if err != nil {
		return nil, err
	}
	d, err := decide.Solve(inv.Context, file.System, policy.Statics(file.System.Machine()), input.AnyMethod(), inv.Workers)
	switch {
	case err != nil:
		return nil, err
	case d.Best == nil:
		return nil, input.Unstable(file, d.Results)
	}
	best := d.Best.Partitions()
	c := &comparison{compareOptions: o, title: input.Headline(file), unit: file.TimeUnit, heading: input.Heading(file),
		assumed: input.AssumedBeside(inv, file), costText: "the overheads of the model"}
	c.FamilyJobs, err = parallel.Abandonable(inv.Context, func() (*lab.FamilyJobs, error) {
		return lab.FamilyJobsOfSystem(file.System, o.jobs, best, o.Seed)
	})
	if err != nil {
		return nil, ofData(inv, err)
	}
	c.title += fmt.Sprintf("; %s of %s", words.Count(o.jobs, "job"), words.Count(file.System.Nodes/best, "node"))
	if inv.Given("resize-cost") {
		c.costText = o.Cost.Name
		c.resizes, err = input.CostOn(&o.Cost, file, "")
		return c, err
	}
	if file.System.Free() {
		return c, nil
	}
	on, err := validate.WholeNodes(file.System, policy.Dynamic{}, validate.Options{})
	c.resizes = on.Costs
	return c, err
}

// ofLog returns the comparison for the first jobs of a log, at the load that --load asks for.
func (o *compareOptions) ofLog(inv *cli.Invocation) (*comparison, error) {
	log, err := o.LogOptions.Select(inv, inv.Args[0])
	if err != nil {
		return nil, err
	}
	if log.Nodes > lab.MostClusterNodes {
		return nil, fault.Usagef("say with --nodes how many the machine has",
			"%s: %d nodes are more than %d, the most that are simulated", log.Name, log.Nodes, lab.MostClusterNodes)
	}
	settings := replay.Study{Log: log.Log, Unit: o.Unit, Assumptions: o.Assumptions}
	if err := settings.Check(); err != nil {
		return nil, input.Misfit(err)
	}
	first, err := log.First(o.jobs)
	if err != nil {
		return nil, err
	}
	at, err := first.At(o.load)
	if err != nil {
		return nil, err
	}
	list, err := at.List()
	if err != nil {
		return nil, err
	}
	jobs := list.Jobs()
	c := &comparison{compareOptions: o, unit: measure.Second(), costText: o.Cost.Name,
		assumed: o.Assumed(inv, replay.Setting{Policy: policy.Dynamic{}}, replay.Setting{Policy: policy.Molding{Size: policy.ASP}})}
	if c.FamilyJobs, err = lab.FamilyJobsOfLog(jobs, log.Nodes, o.Unit, o.Assumptions); err != nil {
		return nil, ofData(inv, err)
	}
	if c.resizes, err = o.Cost.On(policy.Machine{Nodes: log.Nodes, Unit: o.Unit}, 1, o.Stops); err != nil {
		return nil, input.Misfit(err)
	}
	c.title, c.heading = log.Heading(len(jobs), o.Unit, workload.OfferOf(c.Jobs).Load(log.Nodes))
	log.WarnSkipped()
	return c, nil
}

// result returns the outcomes as a row for each family, with what each family assumes of the jobs.
func (c *comparison) result() *output.Result {
	family, policy := output.Col("family", "family").Naming(), output.Col("policy", "policy").Naming()
	assumes := output.Col("assumes", "").JSON()
	response, slowdown := output.Measure(measure.MeanResponseTime).Digits(4), output.Measure(measure.MeanSlowdown).Digits(3)
	utilization := output.Measure(measure.Utilization).Digits(3)
	row := func(o *lab.FamilyOutcome) output.Row {
		return output.Row{family.Is(o.Name), policy.Is(o.Label()), response.Is(o.MeanResponseTime), slowdown.Is(o.MeanSlowdown),
			utilization.Is(o.Utilization), assumes.Is(o.Assumes)}
	}
	r := &output.Result{Object: c.heading, Assumed: c.assumed}
	r.List(output.NewList("results", c.title, output.Long, c.outcomes, row).In(c.unit.Name).Show(family, policy, response,
		response.HalfWidth(2), slowdown, slowdown.HalfWidth(2), utilization))
	r.List(output.NewTable("What is assumed of the jobs", c.outcomes, row).Show(policy, assumes.Headed("assumption")))
	r.Add("seconds", c.seconds)
	r.Notes = c.notes()
	return r
}

//go:embed comparenotes.txt
var compareNotesText string

var compareSentences = output.ParseProse(compareNotesText)

// notes say which family is best, and what the numbers rest on.
func (c *comparison) notes() []string {
	best, tied := lab.BestFamily(c.outcomes)
	b := &c.outcomes[best]
	about := map[string]any{"Best": b, "Level": 100 * measure.Confidence, "All": c.outcomes[0].Jobs == len(c.Jobs), "Mix": c.mix.Name,
		"MPL": c.Cluster.MPL, "Second": c.MeanRun() / c.Dedicated, "Unit": c.unit.Name, "Cost": c.costText, "Less": 0.0,
		"Costs": c.resizes != nil}
	var others []string
	for i := range c.outcomes {
		o := &c.outcomes[i]
		if i != best && o.Label() == "easy" {
			about["Less"] = 100 * (1 - b.RatioTo(o).Mean)
		}
		if i != best && slices.Contains(tied, i) {
			others = append(others, o.Label())
		}
	}
	about["Tied"] = others
	return compareSentences.Sentences("notes", about)
}

// figure draws mean response times and slowdowns, a row for each family: a mark on its interval.
func (c *comparison) figure() *chart.Figure {
	f := &chart.Figure{Heading: "Families of policies", Series: []string{"policies"},
		Title: fmt.Sprintf("%s; lines are %s %% intervals", c.title, words.Shortest(100*measure.Confidence))}
	f.Notes = input.PolicyNotes(output.RowsOf(c.outcomes, func(o lab.FamilyOutcome) policy.Policy { return o.Policy })...)
	if c.resizes != nil {
		f.Notes = append(f.Notes, "dynamic+costs: dynamic, where a resize costs "+c.costText)
	}
	f.Panels = []chart.Panel{
		c.panel("Mean response time", " ["+c.unit.Name+"]", func(o lab.FamilyOutcome) metric.Interval { return o.MeanResponseTime }),
		c.panel("Mean slowdown", "", func(o lab.FamilyOutcome) metric.Interval { return o.MeanSlowdown }),
	}
	return f
}

// panel returns the panel of a measure: a mark with its interval for each family, from top to bottom.
func (c *comparison) panel(measure, unit string, of func(lab.FamilyOutcome) metric.Interval) chart.Panel {
	p := chart.Panel{Title: measure + " of each policy", XLabel: strings.ToLower(measure) + unit, MayLogX: true}
	bottom := math.Inf(1) // where intervals end that reach to zero, which a logarithmic axis does not have
	for i, o := range c.outcomes {
		p.YNames = append(p.YNames, chart.Named{At: float64(-i), Name: o.Label()})
		bottom = min(bottom, of(o).Mean/2)
	}
	for i, o := range c.outcomes {
		v := of(o)
		p.AddInterval(chart.Line{Dots: true}, v.Mean, p.YNames[i].At, max(bottom, v.Low), v.High)
	}
	return p
}
