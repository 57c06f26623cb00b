package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/sched"
)

// Assuming are flags that say what no log tells of its jobs. They begin with [replay.Usual].
type Assuming struct {
	replay.Assumptions
	Costs     []replay.Cost // of a command that takes several; none: Cost
	Unit      int           // of --min-nodes
	UnitWords string        // what Unit is if it is 0
	rule      sched.StartRule
}

// resizing is the page of help that explains the flags of resizes.
func resizing(flags ...cli.Flag) cli.Topic {
	return cli.Topic{Name: "resizing", Summary: "the flags that say what a resize costs, and how jobs use other nodes",
		Details: "The defaults are those of jobs of a log, in every command. A model file says these things itself, as " +
			"dynamic.overhead, dynamic.stops " +
			"and jobs.speedup; where it does not, a resize costs nothing and stops all jobs.", Flags: flags}
}

// ResizingTopic returns the page of help that explains all flags of resizes.
func ResizingTopic() cli.Topic {
	a := NewAssuming()
	flags := a.Flags("")
	return resizing(slices.Concat(flags[:len(flags)-1], a.FactorFlags(), []cli.Flag{ // without --min-nodes
		ResizeCost(&a.Cost, a.Cost.Name), ResizeAt(new(Points)), a.WindowFlag()})...)
}

// NewAssuming returns what is assumed of a log that nobody says anything about.
func NewAssuming() Assuming { return Assuming{Assumptions: replay.Usual(), Unit: 1} }

// Flags binds the flags of all commands that replay a log, beside the cost. otherwise says what else holds without them,
// for a command that takes a model, too, such as "that of the model; of a log".
func (a *Assuming) Flags(otherwise string) []cli.Flag {
	usual := func(value string) string { return strings.TrimSpace(otherwise + " " + value) }
	return append(resizing(
		cli.Choice(&a.Stops, "stops", "unknown word", []models.Stops{models.ResizedStop, models.AllStop}, cli.About{
			Default: usual(string(a.Stops)), Usage: "let a resize stop `WHO`: resized (the jobs concerned), or all"}),
		cli.Value(&a.Speedup, "speedup", workload.ParseSpeedup, cli.About{Default: usual(workload.SpeedupText(a.Speedup)),
			Usage: "give jobs that get other nodes than they ask for the speedup `SPEEDUP`: " + workload.SpeedupForms(),
			Hint:  "for example --speedup amdahl:0.05"}),
	).Referred(),
		cli.Int(&a.Unit, "min-nodes", values.PositiveInt, cli.About{Was: []string{"units"}, Default: a.UnitWords,
			Usage: "give partitions in multiples of `M` nodes", Hint: "for example --min-nodes 4"}))
}

// FactorFlags binds the bounds of the nodes of malleable jobs.
func (a *Assuming) FactorFlags() []cli.Flag {
	var flags []cli.Flag
	for _, f := range []struct {
		to          *float64
		name, bound string
	}{{&a.Least, "min-factor", "at least"}, {&a.Most, "max-factor", "at most"}} {
		flags = append(flags, cli.Value(f.to, f.name, values.NonnegativeNumber, cli.About{Default: words.Shortest(*f.to),
			Hint:  fmt.Sprintf("for example --%s %g", f.name, *f.to),
			Usage: "give malleable jobs " + f.bound + " `FACTOR` times the nodes that they ask for"}))
	}
	return resizing(flags...).Referred()
}

// SigmaFlag binds --sigma.
func (a *Assuming) SigmaFlag() cli.Flag {
	return cli.Value(&a.Sigma, "sigma", values.NonnegativeNumber,
		cli.About{Default: words.Shortest(a.Sigma), Hint: "for example --sigma 1",
			Usage: "give molded jobs Downey's speedup with this `SIGMA`, and the nodes asked for as average parallelism"})
}

// ofModel reports whether some cost is the cost of a model. The model says itself which jobs stand still.
func (a *Assuming) ofModel() bool {
	return slices.ContainsFunc(append(a.Costs, a.Cost), func(c replay.Cost) bool { return c.System != nil })
}

// Check refuses flags that exclude each other, and factors that bound nothing.
func (a *Assuming) Check(inv *cli.Invocation) error {
	if a.ofModel() && inv.Given("stops") {
		return fault.Usagef("leave --stops out", "--stops: the model file of --resize-cost says itself who stands still")
	}
	if err := (&workload.Mix{Least: a.Least, Most: a.Most}).Check(); err != nil {
		return Misfit(&replay.SettingError{Setting: "factors", Problem: err.Error()})
	}
	return nil
}

// Assumed returns the assumptions that policies use and that no flag gave.
func (a *Assuming) Assumed(inv *cli.Invocation, uses ...replay.Setting) []output.Assumption {
	of := func(used func(*replay.Setting) bool) bool {
		return slices.ContainsFunc(uses, func(s replay.Setting) bool { return used(&s) })
	}
	resizes, bounded, molds := of((*replay.Setting).Resizes), of((*replay.Setting).Bounded), of((*replay.Setting).Molds)
	var all []output.Assumption
	for _, q := range []struct {
		used        bool
		name, value string
	}{{resizes, "resize_cost", a.Cost.Name}, {resizes && !a.ofModel(), "stops", string(a.Stops)},
		{true, "speedup", workload.SpeedupText(a.Speedup)}, {bounded, "min_factor", words.Shortest(a.Least)},
		{bounded, "max_factor", words.Shortest(a.Most)}, {molds, "sigma", words.Shortest(a.Sigma)}} {
		if flag := strings.ReplaceAll(q.name, "_", "-"); q.used && !inv.Given(flag) {
			all = append(all, output.Assumption{Name: q.name, Value: q.value, Flag: "--" + flag})
		}
	}
	return all
}

// Misfit puts errors of a replay down to the flags that cause them.
func Misfit(err error) error {
	var setting *replay.SettingError
	var run *replay.RunError
	switch {
	case errors.As(err, &setting):
		s := settings[setting.Setting]
		problem := strings.TrimPrefix(strings.TrimPrefix(setting.Problem, "workload: "), "malleable: ")
		return fault.Usagef(s.hint, "%s: %s", s.flag, problem)
	case !errors.As(err, &run):
		return WithRemedy(err)
	case errors.Is(err, parallel.ErrTooLarge):
		return tooLarge(err, fmt.Errorf("policy %s: %s", run.Policy, fault.Plain(run.Err)),
			"stretch the times between submissions with --load, take more --nodes, or raise --memory")
	}
	return fault.Usagef("choose --nodes, --min-nodes and --speedup that fit each other", "policy %s: %s", run.Policy,
		fault.Plain(run.Err))
}

// settings are the flags of the settings of a replay, with what to do about them.
var settings = map[string]struct{ flag, hint string }{
	"nodes": {"--nodes", "say with --nodes how many the machine has"},
	"load": {"--load", "for example --load 0.8, which stretches the times between submissions, or say with --nodes " +
		"how many the machine has"},
	"pool":               {"--pool", "let all jobs share the machine, with --pool machine, or choose a partition with --partition"},
	"min_nodes":          {"--min-nodes", "choose --nodes and --min-nodes that fit each other"},
	"factors":            {"--min-factor, --max-factor", "for example --min-factor 0.5 --max-factor 2"},
	"start_window":       {"--start-window", "leave the other policies or --start-window out"},
	"unit_of_allocation": {"--unit-of-allocation", "leave it out: sizes count nodes"},
	"stops":              {"--stops", "give one time for all resizes, such as --resize-cost 60s, or leave --stops out"},
	"resize_cost": {"--resize-cost",
		"say how long the resizing of a job takes, or choose --nodes and --min-nodes as in the model"},
	"malleable": {"--malleable", "leave --malleable out, or choose among " + strings.Join(mixed.Names(), ", ")},
}

// mixed are the policies that run rigid jobs beside malleable ones.
var mixed = slices.DeleteFunc(policy.Standard().On(policy.WholeNodes), func(e policy.Entry) bool { return !e.Mixed })
