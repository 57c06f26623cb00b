package replaycmd

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

//go:embed replay.txt
var help string

// defaultReplay are the policies of a replay that names none.
var defaultReplay = []string{"fcfs", "easy", "conservative"}

// Command is the command that runs the jobs of a log under policies.
func Command(table policy.Table) cli.Command {
	fresh := func() *options { return newOptions(table) }
	return cli.WithOptions(fresh, run, cli.Described(help, cli.Command{
		First:        []string{"nodes", "policy", "malleable", "resize-cost", "load", "partition", "pool", "by"},
		RunsPolicies: policy.WholeNodes,
	}))
}

// options are the flags of replay.
type options struct {
	input.LogOptions
	input.Assuming
	loads        []float64 // none: as logged
	policies     []string
	estimates    input.Estimates
	compress     string
	kill         bool
	replications int
	seed         uint64
	by           []logstats.By // of the tables that are added
	points       input.Points
	shares       []float64 // of malleable jobs; none: as the policies take them
	objective    advise.Objective
	deadline     float64 // in seconds; 0: none
	sameP95      bool
	pool         study.Pooling
	jobsOutput   string
	plot         chart.Picture
	table        policy.Table
}

func newOptions(table policy.Table) *options {
	o := &options{Assuming: input.NewAssuming(), policies: defaultReplay, estimates: input.Logged(),
		compress: "early", replications: 1, seed: cli.DefaultSeed, table: table, objective: advise.Mean, pool: study.OneMachine}
	o.SeveralNodes()
	return o
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	old := func(by logstats.By) cli.Flag { // --by-month, --by-size
		return cli.Then(cli.Unlisted(cli.Switch(new(bool), "by-"+string(by), "")), func(*cli.Invocation) error {
			o.by = append(o.by, by)
			return nil
		})
	}
	return slices.Concat(cli.Explained(o.LogOptions.Flags(), "nodes", "partition"), o.Assuming.Flags(""), o.FactorFlags(), []cli.Flag{
		input.Loads(&o.loads, cli.About{Was: []string{"loads"}, Usage: "stretch the times between submissions to each " +
			"load of `LIST`, values or ranges A:B:STEP"}),
		input.PolicyTexts(&o.policies, o.table, policy.WholeNodes, strings.Join(defaultReplay, ", ")),
		input.EstimatesFlag(&o.estimates, "let policies plan with the run times `ESTIMATES`: ", "for example --estimates uniform:4"),
		cli.Unlisted(cli.Choice(&o.compress, "compress", "unknown compression", []string{"early", "always", "never"}, cli.About{})),
		cli.Switch(&o.kill, "kill-at-estimate", "kill jobs that run longer than their estimates"),
		o.SigmaFlag(),
		cli.Int(&o.replications, "replications", values.Between(1, values.MostReplications), cli.About{
			Usage: "report the mean of `N` runs with other random estimates", Hint: "for example --replications 10"}),
		cli.Seed(&o.seed, "draw random estimates, and which jobs are malleable, from the seed `N`"),
		cli.Explained([]cli.Flag{input.ResizeCosts(&o.Costs, o.Cost.Name)}, "resize-cost")[0],
		input.ResizeAt(&o.points),
		input.Malleable(&o.shares, "all that the policies resize"),
		input.Objective(&o.objective, "call the policy with the least `OBJECTIVE` the best:"),
		cli.Value(&o.deadline, "deadline", input.PositiveTime, cli.About{Hint: "for example --deadline 6h",
			Usage: "tell the share of the jobs whose response time exceeds `TIME`"}),
		cli.Switch(&o.sameP95, "same-p95", "find the number of nodes on which each policy has the 95th percentile of "+
			"the response time of EASY on the whole machine"),
		input.Pool(&o.pool, ""),
		o.WindowFlag(),
		input.By(&o.by, "add tables by `LIST`, of who gains and who loses where jobs are malleable: ", "for example --by partition,user"),
		old(logstats.ByMonth), old(logstats.BySize),
		cli.OutputFile(&o.jobsOutput, "jobs-output", "write what happened to each job to `FILE`, as CSV"),
		input.Plot(&o.plot, "the waits beside those of the log; over several loads or numbers of nodes, the policies; over shares of "+
			"malleable jobs or costs, the ratio to EASY,")})
}

// Check refuses flags that exclude each other.
func (o *options) Check(inv *cli.Invocation) error {
	several := len(o.shares) > 1 || len(o.Costs) > 1
	axes := 0
	for _, axis := range []bool{len(o.loads) > 1, len(o.Numbers()) > 1, several} {
		if axis {
			axes++
		}
	}
	switch {
	case o.plot.Wanted() && axes > 1:
		return fault.Usagef("leave one of them out", "--plot draws against the load, the nodes, or shares and costs: against one of them")
	}
	if len(o.Numbers()) > 1 && o.pool == study.Partitions {
		return fault.Usagef("leave one of them out",
			"several numbers of --nodes with --pool partition: each partition has nodes of its own")
	}
	if o.sameP95 && o.pool == study.Partitions {
		return fault.Usagef("leave one of them out", "--same-p95 with --pool partition: the nodes of one partition are no others' nodes")
	}
	for _, alone := range []struct {
		flag  string
		given bool
	}{{"--jobs-output", o.jobsOutput != ""}, {"--same-p95", o.sameP95}} {
		if alone.given && axes > 0 {
			return fault.Usagef("leave one of them out", "%s with several loads, numbers of nodes, shares or costs", alone.flag)
		}
	}
	return cmp.Or(o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// logReplay is a log with what is to be run on it.
type logReplay struct {
	replayview.Replay
	asked      *policy.Selection
	format     joblog.Format
	jobsOutput string
}

// newLogReplay selects the policies for a log.
func newLogReplay(inv *cli.Invocation, o *options, log *input.Selection) (*logReplay, error) {
	of := &replay.Study{Log: log.Log, Table: inv.Table, Unit: o.Unit, Loads: o.loads, Nodes: o.Numbers(), Shares: o.shares,
		Costs: o.Costs, Assumptions: o.Assumptions, Estimates: o.estimates.New, KillAtEstimate: o.kill,
		Replications: o.replications, Deadline: o.deadline, Seed: o.seed, Present: inv.MostKept(replay.BytesPresent)}
	of.Points = o.points.Points
	var err error
	if of.Groupings, err = log.Groupings(o.by...); err != nil {
		return nil, err
	}
	if err := of.Check(); err != nil {
		return nil, input.Misfit(err)
	}
	machine := policy.Machine{Nodes: log.Nodes, Unit: o.Unit}
	asked, err := input.Select(inv, "--policy", machine, measure.Second(), o.policyTexts(inv)...)
	if err != nil {
		return nil, err
	}
	of.Policies = asked.Run
	if err := of.Check(); err != nil {
		return nil, input.Misfit(err)
	}
	view := replayview.Replay{
		Study: of, Estimates: o.estimates.Name, ResizeAt: o.points.Text, Objective: o.objective, Nodes: o.sameP95,
		BySize: slices.Contains(o.by, logstats.BySize), ByMonth: slices.Contains(o.by, logstats.ByMonth),
	}
	return &logReplay{view, asked, log.Source.Format, o.jobsOutput}, nil
}

// policyTexts returns what --policy says, and what --compress says of conservative where --policy does not.
func (o *options) policyTexts(inv *cli.Invocation) []string {
	texts := slices.Clone(o.policies)
	switch {
	case inv.Given("policy"):
	case o.shares != nil:
		texts = []string{policy.EASY{}.Name(), policy.EASYMalleable{}.Name()}
	case o.StartWindow != nil:
		texts = []string{policy.EASY{}.Name()}
	}
	conservative := policy.Conservative{}.Name()
	for i := range texts {
		if texts[i] == conservative && o.compress != "early" {
			texts[i] = conservative + ":" + o.compress
		}
	}
	return texts
}

func run(inv *cli.Invocation, o *options) error {
	log, err := o.SelectPools(inv, inv.Args[0], o.pool, &o.Assuming)
	if err != nil {
		return err
	}
	r, err := newLogReplay(inv, o, log)
	if err != nil {
		return err
	}
	runs, err := r.run(inv)
	if err != nil {
		return err
	}
	if err := r.WithApart(inv.Context, inv.Workers, runs); err != nil {
		return input.Misfit(err)
	}
	if r.Nodes {
		if err := r.FewestNodes(inv.Context, inv.Workers, runs); err != nil {
			return input.Misfit(err)
		}
	}
	if err := inv.Emit(r.Result(runs, o.Assumed(inv, settings(runs)...))); err != nil {
		return err
	}
	log.WarnSkipped()
	log.WarnOverload(o.loads...)
	warnUnused(inv, runs)
	use, err := log.Use()
	if err != nil {
		return err
	}
	if text := (logview.Machine{Nodes: log.Nodes, Unit: output.UnitWord(log.SizesIn())}).Warning(&use); text != "" {
		inv.Warnf("%s: %s", log.Name, text)
	}
	switch {
	case !o.plot.Wanted():
		return nil
	case len(r.Loads) > 1:
		return input.Draw(inv, o.plot, r.LoadFigure(runs))
	case len(r.Study.Nodes) > 1:
		return input.Draw(inv, o.plot, r.NodesFigure(runs))
	case len(r.Shares) > 1 || len(r.Costs) > 1:
		return input.Draw(inv, o.plot, r.BenefitFigure(runs))
	}
	return drawWaits(inv, o.plot, runs)
}

// warnUnused warns of flags about resizing if no policy resizes jobs.
func warnUnused(inv *cli.Invocation, runs []*replay.Run) {
	given := slices.DeleteFunc([]string{"resize-cost", "resize-at", "malleable", "stops", "min-factor", "max-factor"},
		func(flag string) bool { return !inv.Given(flag) })
	if len(given) == 0 || slices.ContainsFunc(runs, func(run *replay.Run) bool { return run.Resizes() }) {
		return
	}
	flags := words.Texts(given, func(flag string) string { return "--" + flag })
	inv.Warnf("%s changed nothing, because no policy resizes jobs; --policy easy-malleable and --policy dynamic do", words.And(flags))
}

// drawWaits draws the waits of the log beside the waits under the policies that can be compared with the log.
func drawWaits(inv *cli.Invocation, to chart.Picture, runs []*replay.Run) error {
	var curves []*logstats.WaitCurves
	var names []string
	for _, run := range runs {
		if run.WaitCurves != nil {
			curves, names = append(curves, run.WaitCurves), append(names, run.Policy.String())
		}
	}
	figure := logview.WaitsFigure(curves, names)
	if figure == nil {
		return fault.Usagef("for example --load 0.5:0.9:0.1 or --malleable 0%:100%:20%",
			"--plot: there are no waits to compare: the log does not tell "+
				"them, times are stretched, or no policy is for rigid jobs; give several values with --load, --nodes, --malleable or "+
				"--resize-cost")
	}
	return input.Draw(inv, to, figure)
}

// settings returns the settings of the runs.
func settings(runs []*replay.Run) []replay.Setting {
	all := make([]replay.Setting, len(runs))
	for i, run := range runs {
		all[i] = run.Setting
	}
	return all
}

// run runs the policies, and returns the runs that are shown. With --jobs-output it writes a row for each job, and the
// policies run one after the other. Only an error of writing names the file.
func (r *logReplay) run(inv *cli.Invocation) (runs []*replay.Run, err error) {
	defer r.counted(inv)()
	var failed error // the error of the replay
	if r.jobsOutput == "" {
		runs, err = r.Study.Run(inv.Context, inv.Workers)
	} else {
		runs, failed, err = r.runWritten(inv)
	}
	return replay.Asked(runs, r.asked, r.Objective.Measure().Name), input.Misfit(cmp.Or(failed, err))
}

// runWritten runs the policies one after the other, and writes the file of --jobs-output. failed is the error of a
// replay, err the error of reading the log or of writing.
func (r *logReplay) runWritten(inv *cli.Invocation) (runs []*replay.Run, failed, err error) {
	offered, err := r.Log.At(0)
	if err != nil {
		return nil, nil, err
	}
	clusters := r.Log.Range.Names.Clusters
	names, err := joblog.JobNamesOf(r.format, clusters, offered.Jobs())
	if err != nil {
		return nil, nil, err
	}
	err = output.WriteFile(r.jobsOutput, func(w io.Writer) (err error) {
		rows, on := csv.NewWriter(w), metric.Machine{Nodes: r.Log.Nodes}
		_ = rows.Write(columns(clusters)) // the writer keeps its first error
		r.Done = func(run *replay.Run, record *machine.Record) {
			if slices.Contains(r.asked.Named, run.Policy) { // and not EASY, to compare with
				_ = rows.Write(words.Texts(rowOf(&names, clusters, run.Policy.String(), on, record), output.Guarded))
			}
		}
		if runs, failed = r.Study.Run(inv.Context, 1); failed != nil {
			return failed
		}
		rows.Flush()
		return rows.Error()
	})
	return runs, failed, err
}

// counted shows how many jobs have been replayed, until the function clears what is shown.
func (r *logReplay) counted(inv *cli.Invocation) (clear func()) {
	jobs := r.Log.Offer.Jobs * len(r.Runs()) * r.Replications
	step, clear := inv.Progress(jobs, "replaying jobs")
	var ended atomic.Int64
	r.Ended = func() {
		if n := int(ended.Add(1)); n%(1<<10) == 0 {
			step(min(n, jobs))
		}
	}
	return clear
}
