// Package studycmd is the command that goes from a log to a decision: study.
//
//	log → jobs → model file → chain → simulation, replays, bootstrap → page
//
// The page begins with the log: EASY backfilling against shares of malleable jobs, by replay.
//
// The command calls what log, solve, report, validate, replay and solve --bootstrap call, one after the other.
package studycmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/cmd/partwise/internal/replaycmd"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/cmd/partwise/internal/validatecmd"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/replay"
)

// Study is the command that studies a log.
func Study() cli.Command { return command(newOptions) }

func command(fresh func() *options) cli.Command {
	return cli.WithOptions(fresh, study, cli.Command{
		Name:      "study",
		Summary:   "from a job log to a decision, on one page",
		Arguments: "LOG",
		Details: "Takes the jobs that the flags choose and replays them under EASY backfilling, and with 20, 50 and 100 % of " +
			"the jobs malleable: the page begins with how much less time jobs take. Then the command describes the arrivals, fits " +
			"interarrival times and work, writes the model file, solves it at its own and at other loads, simulates it, replays " +
			"the log and logs like it, draws the weeks of the log again to see how sure the model's answer is, and writes a page " +
			"with all of it. What no log tells is guessed cautiously, and varied: a resize stops the jobs concerned for a minute, " +
			"programs have a serial fraction of one percent, and malleable jobs run on half to twice the nodes that they ask for. " +
			"Beside the page there are the model (.yaml) and the jobs (.swf). Exit code 6 if the log chooses otherwise than the " +
			"model between dynamic and static partitioning.",
		Examples: []string{
			"partwise study log.swf.gz",
			"partwise study sacct.txt --nodes 128 --output study.html",
			"partwise study sacct.txt --nodes 128 --min-nodes 16 --resize-cost 4min --speedup amdahl:0.05 --output study.md",
		},
		OwnOutput: true,
		Formats:   []string{"json", "table"},
	})
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
	o := &options{Assuming: input.NewAssuming(), samples: 50}
	o.Unit, o.UnitWords = 0, "such that at most 10 jobs share the machine" // see modelfile.DivisionUnit
	return o
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	const oneTime = "a study takes one time, the same for all resizes, such as 60s; change the model file for others"
	return slices.Concat(o.LogOptions.Flags(), o.Assuming.Flags(""), o.FactorFlags(), []cli.Flag{
		input.ResizeCost(&o.Cost, o.Cost.Name).Then(func(*cli.Invocation) error {
			if !o.Cost.Flat() {
				return cli.Usagef(oneTime, "--resize-cost: %q is not a time", o.Cost.Name)
			}
			return nil
		}),
		cli.Load(&o.load, "replay", cli.About{
			Usage: "stretch the times between submissions so that the jobs offer the load `LOAD`"}),
		cli.Int(&o.samples, "bootstrap", noneOrSeveral, cli.About{Hint: "for example --bootstrap 200, or 0 for none",
			Usage: "draw the weeks of the log again, fit and solve `B` times; 0: not at all"})})
}

// Check checks what cannot be asked for together.
func (o *options) Check(inv *cli.Invocation) error {
	return cmp.Or(o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// assumed returns what no flag gave.
func (s *work) assumed() []output.Assumption {
	return s.Assumed(s.inv, replay.Setting{Policy: policy.EASYMalleable{}})
}

// part is a part of a study, with how many seconds it takes of the log of the KTH, on two processors.
type part struct {
	seconds float64
	do      func() error
}

// parts returns the parts of the study, in order.
func (s *work) parts() []part {
	return []part{{0.5, s.readLog}, {1.5, s.solveModel}, partLoads: {8, s.solveLoads}, partGuesses: {5, s.varyGuesses},
		{3, s.simulate}, {0.5, s.replayBeside}, {0.4, s.replayMalleable}, {6, s.replayLogs}, partBootstrap: {12, s.bootstrap},
		{0.7, s.writePage}}
}

// The places of the parts whose time the solution of the model foretells.
const partLoads, partGuesses, partBootstrap = 2, 3, 8

// work is a study as far as it has come.
type work struct {
	*options
	inv         *cli.Invocation // of the part that is worked on
	plan        *progress.Plan
	base        string // of the names of all files
	page        string
	log         *logcmd.Description
	selected    *input.Selection
	draft       modelfile.Draft
	file        *modelfile.Model // that was written
	solved      *reportcmd.Solved
	compared    []policy.Policy // dynamic partitioning and the stable static ones
	guessed     *output.Result
	simulation  *output.Result
	simulations []validate.Simulation // those on whole nodes are the last
	beside      *output.Result        // policies for rigid and for malleable jobs
	replayed    []*replay.Run
	forecast    *replaycmd.Forecast
	explained   *validatecmd.Explanation
	certainty   *output.Result
	resampled   *decide.BootstrapResult // nil if its samples do not tell how sure the answer is
	answer      *answer
}

// pageName is what the page is called if nobody says.
const pageName = "study.html"

func study(inv *cli.Invocation, o *options) error {
	s := &work{options: o, page: cmp.Or(inv.File, pageName)}
	ending := strings.ToLower(filepath.Ext(s.page))
	if ending != ".html" && ending != ".md" {
		return cli.Usagef("for example --output study.html", "--output: %s does not end in .html or .md", s.page)
	}
	s.base = strings.TrimSuffix(s.page, filepath.Ext(s.page))
	for _, name := range []string{s.page, s.base + ".yaml", s.base + ".swf"} {
		if err := inv.Unread("output", name); err != nil {
			return err
		}
		if err := output.Check(name); err != nil {
			return err
		}
	}
	parts := s.parts()
	var seconds []float64
	for _, part := range parts {
		seconds = append(seconds, part.seconds)
	}
	plan, clear := inv.Plan("studying", seconds...)
	defer clear()
	if s.plan = plan; o.watch != nil {
		o.watch(plan)
	}
	for _, part := range parts {
		s.inv = inv.As(plan.Begin()).Running(policy.Chain)
		if err := part.do(); err != nil {
			return err
		}
	}
	clear()
	if err := inv.Emit(s.result()); err != nil {
		return err
	}
	inv.Notef("wrote %s, %s.yaml and %s.swf", s.page, s.base, s.base)
	return cmp.Or(s.solved.Conclude(), s.explained.Verdict())
}

// readLog reads the log, describes it, and writes the jobs that were chosen.
func (s *work) readLog() error {
	path := s.inv.Args[0]
	var err error
	if s.selected, err = s.LogOptions.Select(s.inv, path); err != nil {
		return err
	}
	if s.load > 0 {
		if err := s.selected.AtLoad(s.load); err != nil {
			return err
		}
	}
	if s.log, err = logcmd.Describe(s.inv, s.selected); err != nil {
		return err
	}
	s.selected.WarnSkipped()
	if s.log.Statistics == nil {
		return cli.Failf(cli.ExitInput, "%s: %d jobs are too few to fit anything to", path, len(s.log.Jobs))
	}
	return s.log.WriteSWF(s.base + ".swf")
}

// solveModel writes the model file, and solves it at its own load.
func (s *work) solveModel() error {
	nodes := s.selected.Nodes
	if s.Unit == 0 {
		unit, err := modelfile.DivisionUnit(nodes)
		if errors.Is(err, modelfile.ErrIndivisible) {
			return cli.Usagef("--nodes and --min-nodes say how, such as --nodes "+strconv.Itoa(nodes/10*10),
				"%d nodes cannot be divided into 2 to %d equal units", nodes, modelfile.MostPartitions)
		}
		s.Unit = unit
	}
	if nodes%s.Unit != 0 || nodes == s.Unit {
		return cli.Usagef("choose --nodes and --min-nodes that fit each other", "--min-nodes: %d nodes are not a multiple of %d",
			nodes, s.Unit)
	}
	s.draft = modelfile.Draft{Title: strings.TrimSuffix(filepath.Base(s.inv.Args[0]), ".gz"), Log: filepath.Base(s.base) + ".swf",
		Jobs: len(s.log.Jobs), Nodes: nodes, Unit: s.Unit, ResizeCost: s.Cost.Seconds, Stops: s.Stops, Speedup: workload.SpeedupText(s.Speedup)}
	if s.inv.Args[0] == "-" {
		s.draft.Title = "standard input"
	}
	if err := output.WriteFile(s.base+".yaml", func(w io.Writer) error { return s.draft.Write(w) }); err != nil {
		return err
	}
	begin := s.plan.Passed()
	file, err := input.Read(s.inv, s.base+".yaml")
	if err != nil {
		return err
	}
	s.file = file
	fitted := (s.plan.Passed() - begin).Seconds()
	asked, err := input.SelectPolicies(s.inv, file.System, nil)
	if err != nil {
		return err
	}
	d, err := solution.Decision(s.inv, file, asked.Run)
	if err != nil {
		return err
	}
	if err := input.Unstable(file, d.Shown(asked)); err != nil {
		return err
	}
	for _, r := range d.Results {
		if r.Measures.Stable {
			s.compared = append(s.compared, r.Policy)
		}
	}
	// Fits and chains take most of the parts to come; several are made at a time.
	workers := float64(s.inv.Workers)
	if workers == 0 {
		workers = float64(runtime.GOMAXPROCS(0))
	}
	solved := (s.plan.Passed() - begin).Seconds() - fitted
	s.plan.Expect(partLoads, fitted+solved*(1+float64(len(loads))/workers))
	s.plan.Expect(partGuesses, (fitted+solved)*float64(len(s.guesses())))
	s.plan.Expect(partBootstrap, (fitted+solved)*float64(s.samples)/workers)
	return nil
}

// loads are those that the model is solved at, besides its own.
var loads = []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}

// solveLoads solves the model over loads.
func (s *work) solveLoads() error {
	var err error
	s.solved, err = reportcmd.Solve(s.inv, s.base+".yaml", s.command(), modelfile.SetLoads(strings.Join(loads, ",")))
	return err
}

// command returns the words that make the page again.
func (s *work) command() string {
	words := []string{"partwise", "study", cli.Quoted(filepath.ToSlash(s.inv.Args[0]))}
	return strings.Join(append(words, s.inv.Repeat("nodes", "min-nodes", "resize-cost", "stops", "speedup", "min-factor", "max-factor",
		"bootstrap", "interarrival", "load", "from", "to", "sizes", "status", "log-format", "unit-of-allocation", "time-zone", "output")...), " ")
}

// simulate holds the solution against simulations, of the chain and on whole nodes.
func (s *work) simulate() (err error) {
	best := []policy.Policy{policy.Dynamic{}}
	d := s.solved.Own
	if d.Best != nil {
		best = append(best, d.Best.Policy)
	}
	if !d.Of(policy.Dynamic{}).Measures.Stable {
		best = best[1:]
	}
	s.simulation, s.simulations, err = validatecmd.Beside(s.inv, s.file, best, d, 0.03)
	return err
}

// replayBeside replays the log under policies for rigid and for malleable jobs.
func (s *work) replayBeside() (err error) {
	s.beside, s.replayed, err = replaycmd.Beside(s.inv.Running(policy.WholeNodes), s.selected, s.Assuming, nil, "fcfs", "easy",
		policy.Dynamic{}.Name(), policy.BestStatic)
	return err
}

// replayMalleable replays the log under EASY with shares of the jobs malleable. Without --min-nodes jobs get any number of
// nodes, as in partwise replay: the unit of the model bounds only the size of the chain.
func (s *work) replayMalleable() (err error) {
	assuming := s.Assuming
	if !s.inv.Given("min-nodes") {
		assuming.Unit = 1
	}
	s.forecast, err = replaycmd.NewForecast(s.inv.Running(policy.WholeNodes), s.selected, assuming)
	return err
}

// replayLogs replays the log and logs like it.
func (s *work) replayLogs() (err error) {
	costs, err := s.Cost.On(s.file.System.Machine(), 1, s.Stops)
	if err != nil {
		return err
	}
	s.explained, err = validatecmd.Explain(s.inv, s.file, s.base+".swf", s.compared, s.solved.Own, costs)
	return err
}

// noneOrSeveral checks a number of samples that may be 0.
func noneOrSeveral(n int) error {
	if n == 0 {
		return nil
	}
	return solution.SeveralSamples(n)
}

// bootstrap draws the weeks of the log again, unless no samples are asked for.
func (s *work) bootstrap() error {
	if s.samples == 0 {
		return nil
	}
	asked, err := input.SelectPolicies(s.inv, s.file.System, nil)
	if err != nil {
		return err
	}
	s.certainty = &output.Result{}
	s.resampled, err = solution.AddBootstrap(s.inv, s.file, asked, s.solved.Own, s.samples, markov.Settings{Method: markov.Auto,
		Memory: s.inv.Memory}, s.certainty)
	return err
}

// guess is an assumption that no log tells, changed, with the decision that follows.
type guess struct {
	words    string
	sets     []modelfile.Set
	decision *decide.Decision // nil: not solved
}

// guesses returns the changes of the assumptions that the model was written with.
func (s *work) guesses() []guess {
	var all []guess
	add := func(words string, sets ...modelfile.Set) { all = append(all, guess{words: words, sets: sets}) }
	if s.Cost.Seconds > 0 {
		add("a resize takes 0 s", modelfile.Set{Path: "dynamic", Value: "null"})
		for _, factor := range []float64{0.25, 4} {
			text := output.Shortest(factor * s.Cost.Seconds)
			means := strings.TrimPrefix(strings.Repeat(", "+text, s.selected.Nodes/s.Unit-1), ", ")
			add(fmt.Sprintf("a resize takes %s s", text), modelfile.Set{Path: "dynamic.shrink.means", Value: "[null, " + means + "]"},
				modelfile.Set{Path: "dynamic.expand.means", Value: "[" + means + "]"})
		}
		other, words := models.AllStop, "a resize stops all jobs"
		if s.Stops == models.AllStop {
			other, words = models.ResizedStop, "a resize stops the jobs concerned"
		}
		add(words, modelfile.Set{Path: "dynamic.stops", Value: string(other)})
	}
	for _, speedup := range []string{"linear", "amdahl:0.01", "amdahl:0.05", "amdahl:0.2"} {
		if speedup != workload.SpeedupText(s.Speedup) {
			add("speedup "+speedup, modelfile.Set{Path: "jobs.speedup", Value: speedup})
		}
	}
	return all
}

// varyGuesses solves the model with each of the other assumptions.
func (s *work) varyGuesses() error {
	all := append([]guess{{words: "as assumed"}}, s.guesses()...)
	step, clear := s.inv.Progress(len(all), "varying guesses")
	defer clear()
	for i := range all {
		if err := s.decide(&all[i]); err != nil {
			return err
		}
		step(i + 1)
	}
	s.guessed = &output.Result{}
	s.guessed.List(guessTable(all))
	return nil
}

// decide solves the model with a guess. A chain that is too large, or that does not exist, leaves it without a decision.
func (s *work) decide(g *guess) error {
	file := s.file
	if g.sets != nil {
		var err error
		if file, err = input.Read(s.inv, s.base+".yaml", g.sets...); err != nil {
			return err
		}
	}
	asked, err := input.SelectPolicies(s.inv, file.System, nil)
	if err != nil {
		return err
	}
	d, err := solution.Decision(s.inv, file, asked.Run)
	if errors.Is(err, models.ErrTooLarge) || errors.Is(err, models.ErrNoChain) {
		return nil
	}
	g.decision = &d
	return err
}

// guessTable compares the decisions.
func guessTable(all []guess) *output.List {
	column := func(head string, of func(d *decide.Decision) any) output.Column {
		return output.Column{Name: head, Number: true, Text: output.Digits(5), Value: func(i int) any {
			if d := all[i].decision; d != nil {
				return of(d)
			}
			return output.When(head == "dynamic [s]", "not solved")
		}}
	}
	response := func(r *decide.Solved) any {
		if r == nil || !r.Measures.Stable {
			return "unstable"
		}
		return r.Measures.MeanResponseTime
	}
	ratio := column("ratio", func(d *decide.Decision) any { return output.When(d.Ratio > 0, d.Ratio) })
	ratio.Key, ratio.Text = "ratio", output.Digits(3)
	return &output.List{Name: "guesses", Title: "If the assumptions are wrong", Len: len(all), Form: output.NoCSV, Columns: []output.Column{
		{Key: "if", Name: "if", Value: func(i int) any { return all[i].words }},
		{Key: "results", Value: func(i int) any {
			d := all[i].decision
			if d == nil {
				return nil
			}
			results := []output.Object{}
			for _, r := range []*decide.Solved{d.Of(policy.Dynamic{}), d.Best} {
				if mean, stable := response(r).(float64); stable {
					results = append(results, append(input.PolicyObject(r.Policy), output.Field{Name: measure.MeanResponseTime, Value: mean}))
				}
			}
			return results
		}},
		column("dynamic [s]", func(d *decide.Decision) any { return response(d.Of(policy.Dynamic{})) }),
		column("best static [s]", func(d *decide.Decision) any { return response(d.Best) }),
		column("partitions", func(d *decide.Decision) any {
			if d.Best == nil {
				return nil
			}
			return strconv.Itoa(d.Best.Partitions())
		}),
		ratio,
	}}
}
