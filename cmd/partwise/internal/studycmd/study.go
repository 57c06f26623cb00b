// Package studycmd is the command that goes from a log to a decision: study.
//
//	log → jobs → replays: EASY and malleable jobs, break-evens, other assumptions, a rule → chain → page
//
// The log decides, by replays of its jobs. The chain is one section: what it says of the same machine, and why it differs. The
// command calls what log, replay, breakeven, advise, solve and validate call.
package studycmd

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/advisecmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/cmd/partwise/internal/replaycmd"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

//go:embed study.txt
var help string

// Study is the command that studies a log.
func Study() cli.Command { return command(newOptions) }

func command(fresh func() *options) cli.Command {
	return cli.WithOptions(fresh, study, cli.Described(help, cli.Command{
		Formats: []string{"json", "table"},
	}))
}

// options are the flags of study.
type options struct {
	input.LogOptions
	input.Assuming
	samples int
	load    float64              // 0: as logged
	watch   func(*progress.Plan) // of tests
}

func newOptions() *options {
	o := &options{Assuming: input.NewAssuming()}
	o.Unit, o.UnitWords = 0, "such that at most 10 jobs share the machine of the chain" // see input.DivisionUnit
	return o
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return slices.Concat(cli.Explained(o.LogOptions.Flags(), "nodes", "time-zone"), o.Assuming.Flags(""), o.FactorFlags(), []cli.Flag{
		cli.OwnOutput("write the page to `FILE`, a .html or .md (default: " + pageName + ")"),
		input.FlatCost(&o.Cost),
		input.OneLoad(&o.load, "replay", cli.About{
			Usage: "stretch the times between submissions to the load `LOAD`"}),
		cli.Int(&o.samples, "bootstrap", noneOrSeveral, cli.About{Hint: "for example --bootstrap 200, or 0 for none",
			Usage: "draw the weeks of the log again, fit and solve the chain `B` times", Default: "0"})})
}

// Check checks what cannot be asked for together.
func (o *options) Check(inv *cli.Invocation) error {
	return cmp.Or(o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// assumed returns what no flag gave.
func (s *work) assumed() []output.Assumption {
	return s.Assumed(s.inv, replay.Setting{Policy: policy.EASYMalleable{}})
}

// part is a part of a study, with how many seconds it is expected to take.
type part struct {
	do      func() error
	seconds float64
}

// reading, forecasting and splitting are the parts that foretell how long others take.
const (
	reading = iota
	forecasting
	splitting
)

// parts returns the parts of the study, in order, by the seconds that a replay of the forecast and a replay of a split take, one with
// another. Those that foretell others come first, then the break-evens, whose number of replays only their search tells. The factors
// are those of five logs: the chain took 1 to 32 replays of the forecast, break-evens 65 to 133, advice 121 to 162 replays of splits, and
// the explanation of the chain 30 to 46 for each static split. Before the chain is solved, there is one.
func (s *work) parts(replay, split float64) []part {
	splits := float64(max(1, len(s.chain.compared)-1))
	if s.chain.missing != "" {
		splits = 0
	}
	replays := float64(replaycmd.Replays())
	return []part{
		reading:     {s.readLog, 0.1},
		forecasting: {s.replayMalleable, replays * replay},
		splitting:   {s.replayBeside, usualSplits * split},
		{s.solveChain, 0.3 + 6*replay},
		{func() error { return s.forecast.AddBreakevens(s.inv) }, 90 * replay},
		{func() error { return s.forecast.AddOtherLoads(s.inv) }, 2 * replays * replay},
		{func() error { return s.forecast.AddVariations(s.inv) }, 20 * replay},
		{s.advise, 135 * split},
		{s.explainChain, 43 * splits * split},
		{s.writePage, 0.04}}
}

// usualSplits is the usual number of replays of static splits, with those of other policies beside them.
const usualSplits = 7

// expected returns the seconds of the parts from the i-th on. Until the log is replayed, a replay takes more than most logs need, as a
// bar does not go back: five logs took 1.3 to 3.2 µs a job.
func (s *work) expected(i int) []float64 {
	replay := 0.3
	if s.log != nil {
		replay = cmp.Or(s.plan.Took(forecasting)/float64(replaycmd.Replays()), 5e-6*float64(s.log.Jobs.Len()))
	}
	split := cmp.Or(s.plan.Took(splitting)/float64(max(s.splits, 1)), replay/2)
	return output.RowsOf(s.parts(replay, split)[i:], func(p part) float64 { return p.seconds })
}

// work is a study as far as it has come.
type work struct {
	*options
	inv      *cli.Invocation // of the part that is worked on
	plan     *progress.Plan
	base     string // of the names of all files
	page     string
	log      *logcmd.Description
	selected *input.Selection
	forecast *replaycmd.Forecast
	advice   *output.Result
	noAdvice string         // why there is none
	beside   *output.Result // policies for rigid and for malleable jobs, and static splits
	noBeside string         // why there are none
	splits   int            // replays that these took
	replayed []*replay.Run  // of these policies
	chain    chain
}

// pageName is what the page is called if nobody says.
const pageName = "study.html"

func study(inv *cli.Invocation, o *options) error {
	s := &work{options: o, page: cmp.Or(inv.File, pageName)}
	ending := strings.ToLower(filepath.Ext(s.page))
	if ending != ".html" && ending != ".md" {
		return fault.Usagef("name a page, such as --output study.html or --output study.md; partwise replay --plot draws a picture",
			"--output: %s does not end in .html or .md", s.page)
	}
	s.base = strings.TrimSuffix(s.page, filepath.Ext(s.page))
	for _, name := range []string{s.page, s.base + ".yaml", s.base + ".swf"} {
		if err := inv.Files.Unread("output", name); err != nil {
			return err
		}
		if err := output.Check(name); err != nil {
			return err
		}
	}
	parts := s.parts(0, 0)
	plan, clear := inv.Plan("studying", make([]float64, len(parts))...)
	defer clear()
	if s.plan = plan; o.watch != nil {
		o.watch(plan)
	}
	for i, part := range parts {
		plan.Expect(s.expected(i)...)
		s.inv = inv.As(plan.Begin()).On(policy.Chain)
		if err := part.do(); err != nil {
			return err
		}
	}
	clear()
	if err := inv.Emit(s.result()); err != nil {
		return err
	}
	inv.Notef("wrote %s", strings.Join(append([]string{s.page}, s.sources()...), " and "))
	return s.chain.differ
}

// readLog reads the log, describes it, and writes the jobs that were chosen.
func (s *work) readLog() error {
	var err error
	if s.selected, err = s.LogOptions.Select(s.inv, s.inv.Args[0]); err != nil {
		return err
	}
	if s.selected, err = s.selected.AtLoad(s.load); err != nil {
		return err
	}
	if s.log, err = logcmd.Describe(s.inv, s.selected); err != nil {
		return err
	}
	s.selected.WarnSkipped()
	if nodes := s.selected.Nodes; s.Unit > 0 && (nodes%s.Unit != 0 || nodes == s.Unit) {
		return fault.Usagef("choose --nodes and --min-nodes that fit each other", "--min-nodes: %d nodes are not a multiple of %d",
			nodes, s.Unit)
	}
	return s.log.WriteSWF(s.base + ".swf")
}

// command returns the words that make the page again.
func (s *work) command() string {
	words := []string{"partwise", "study", output.Quoted(filepath.ToSlash(s.inv.Args[0]))}
	return strings.Join(append(words, s.inv.Repeat("nodes", "min-nodes", "resize-cost", "stops", "speedup", "min-factor", "max-factor",
		"bootstrap", "interarrival", "load", "from", "to", "sizes", "status", "log-format", "fields", "unit-of-allocation", "time-zone", "output")...), " ")
}

// anyNodes returns what is assumed where jobs get any number of nodes unless --min-nodes is given, as in partwise replay.
func (s *work) anyNodes() input.Assuming {
	assuming := s.Assuming
	assuming.Unit = max(1, s.Unit)
	return assuming
}

// replayMalleable replays the log under EASY with shares of the jobs malleable.
func (s *work) replayMalleable() (err error) {
	s.forecast, err = replaycmd.NewForecast(s.inv.On(policy.WholeNodes), s.selected, s.anyNodes())
	return err
}

// advise finds a rule by which to resize all jobs. A log that is too small for one leaves the study without it.
func (s *work) advise() (err error) {
	s.advice, err = advisecmd.Beside(s.inv.On(policy.WholeNodes), s.selected, s.anyNodes())
	s.noAdvice, err = s.reason(err)
	return err
}

// reason returns why a part of the study is missing, from its error: the log decides without the part. Only the end of the
// context is an error.
func (s *work) reason(err error) (string, error) {
	if err == nil || s.inv.Context.Err() != nil {
		return "", err
	}
	return fault.Plain(err), nil
}

// replayBeside replays the log under policies for rigid and for malleable jobs, and under static splits.
func (s *work) replayBeside() (err error) {
	assuming := s.Assuming
	if assuming.Unit == 0 {
		assuming.Unit, err = input.DivisionUnit(s.selected.Nodes)
	}
	if err != nil {
		assuming.Unit = 1 // the machine cannot be divided evenly
	}
	s.splits = 3
	for units, k := s.selected.Nodes/assuming.Unit, 1; k <= units; k++ {
		if units%k == 0 {
			s.splits++
		}
	}
	s.beside, s.replayed, err = replaycmd.Beside(s.inv.On(policy.WholeNodes), s.selected, assuming, "fcfs", "easy",
		policy.Dynamic{}.Name(), policy.BestStatic)
	s.noBeside, err = s.reason(err)
	return err
}

// noneOrSeveral checks a number of samples that may be 0.
func noneOrSeveral(n int) error {
	if n == 0 {
		return nil
	}
	return solution.SeveralSamples(n)
}
