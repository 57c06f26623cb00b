package points

import (
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/sweep"
)

// Options are the flags of the commands that solve the points of studies.
type Options struct {
	Drawing
	Policies []string // none: those of the command
	over     []modelfile.Set
	loads    *string // as they are written; nil: those of the study
	sets     []modelfile.Set
	settings markov.Settings
	resume   bool
	shard    sweep.Shard // the zero value is all points
	script   *script     // to print in place of solving anything; nil: none
	tasks    int         // jobs or pods of the script
}

// NewOptions returns the options without flags; shown is what --plot draws.
func NewOptions(shown string) *Options {
	return &Options{Drawing: Drawing{Shows: shown}, settings: input.AnyMethod()}
}

// Settings returns how the chains are solved.
func (o *Options) Settings() markov.Settings { return o.settings }

// Flags binds the flags of all commands that solve the points of studies.
func (o *Options) Flags() []cli.Flag {
	return append(append(o.Drawing.Flags(), o.Topic().Referred()...),
		cli.Unlisted(cli.Switch(new(bool), "keep-going", "")), // it is the default
		cli.Summary(),
		cli.Unlisted(input.Method(&o.settings)),
		input.Sets(&o.sets),
		cli.Values(&o.over, "over", modelfile.ParseOver, cli.About{
			Usage: "solve at each value of a parameter: `PATH=VALUES`, values or ranges A:B:STEP; may be repeated",
			Hint:  "for example --over machine.nodes=8,16,32"}),
		cli.Value(&o.loads, "load", parseLoads, cli.About{
			Usage: "solve at the relative loads of `LIST`, values or ranges A:B:STEP", Hint: "for example --load 0.1:0.9:0.1"}),
	)
}

// Topic is the page of help about the flags that say how the points are solved.
func (o *Options) Topic() cli.Topic {
	topic := cli.Topic{Name: "shards", Summary: "the flags that divide a curve or sweep among machines, and resume it",
		Details: "Solved points are kept in a journal beside the file of --output until all points are there.", Flags: []cli.Flag{
			cli.Value(&o.shard, "shard", sweep.ParseShard, cli.About{
				Usage: "solve only shard `I/N` of the points, and write it to a file for partwise merge",
				Hint:  "for example --shard 1/4"}),
			cli.Switch(&o.resume, "resume",
				"resume an interrupted run from the journal beside --output"),
		}}
	for i := range scripts {
		flag := cli.Int(&o.tasks, scripts[i].flag, values.Between(1, mostTasks), cli.About{
			Usage: scripts[i].usage, Default: "none", Hint: "for example --" + scripts[i].flag + " 16"})
		topic.Flags = append(topic.Flags, cli.Then(flag, func(*cli.Invocation) error {
			if o.script != nil && o.script != &scripts[i] {
				return fault.Usagef("leave one out", "--%s and --%s print different files", o.script.flag, scripts[i].flag)
			}
			o.script = &scripts[i]
			return nil
		}))
	}
	return topic
}

// parseLoads checks loads, and keeps them as they are written: a journal has them so.
func parseLoads(text string) (*string, error) {
	_, err := values.Loads(text)
	return &text, err
}

// Check checks the flags about how the run is executed.
func (o *Options) Check(inv *cli.Invocation) error {
	sharded := o.shard.Count > 0
	switch {
	case sharded && o.Wanted():
		return notOfShard("plot")
	case sharded && inv.Given("format"):
		return notOfShard("format")
	case sharded && o.script != nil:
		return fault.Usagef("leave --shard out", "--%s makes the shards", o.script.flag)
	case hasJournal(inv):
	case o.resume:
		return needsFile(inv, "resume")
	case sharded:
		return needsFile(inv, "shard")
	case o.script != nil:
		return needsFile(inv, o.script.flag)
	}
	if hasJournal(inv) {
		final := o.shard.File(inv.Output)
		names := []string{final + journalEnding}
		if final != inv.Output {
			names = append(names, final)
		}
		if err := inv.Files.Writes("output", names...); err != nil {
			return err
		}
	}
	if o.loads != nil {
		if err := input.CheckLoadOnce(o.sets); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, p := range o.over {
		if seen[p.Path] {
			path, _, _ := strings.Cut(p.Flag, "=")
			return fault.Usagef("give all its values at once", "--over: %s is given twice", strings.TrimPrefix(path, "--over "))
		}
		seen[p.Path] = true
	}
	return nil
}

// notOfShard is the error of a flag that only a whole result can have.
func notOfShard(flag string) error {
	return fault.Usagef("give it to partwise merge", "--%s with --shard: a shard is not a result", flag)
}

// needsFile is the error of a flag without the file that it needs.
func needsFile(inv *cli.Invocation, flag string) error {
	return fault.Usagef("for example --output "+inv.Command+".csv", "--%s needs a file to keep results in", flag)
}

// changes returns the settings that --set, --over and --load make in the study files.
func (o *Options) changes() []modelfile.Set {
	sets := slices.Concat(o.sets, o.over)
	if o.loads != nil {
		sets = append(sets, modelfile.SetLoads(*o.loads))
	}
	return sets
}
