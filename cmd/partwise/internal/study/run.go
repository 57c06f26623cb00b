package study

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/spec"
)

// sweepFlags are those of the commands that solve many points.
func sweepFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringSliceFlag{Name: "over",
			Usage: "solve at each of several values of a parameter, as in `PATH=VALUES` with " +
				"values separated by commas, or ranges A:B:STEP; may be repeated, for every combination"},
		&urfave.StringFlag{Name: "load", Usage: "solve at the relative loads of `LIST`, values or ranges A:B:STEP"},
		cli.SetFlag(),
		model.MethodFlag(),
		&urfave.BoolFlag{Name: "resume", DisableDefaultText: true,
			Usage: "go on with a run that did not come to its end, from the journal beside --output"},
		&urfave.BoolFlag{Name: "keep-going", DisableDefaultText: true,
			Usage: "solve all other points if one fails; this is the default"},
		&urfave.BoolFlag{Name: "fail-fast", DisableDefaultText: true, Usage: "end at the first point that fails"},
		&urfave.StringFlag{Name: "shard", Usage: "solve only part `I/N` of the points, to a file for partwise merge"},
		&urfave.IntFlag{Name: "slurm", DefaultText: "none", Usage: "print a Slurm script that does this in `N` jobs"},
	}
}

// run is a sweep over the points of studies, as it is carried out.
type run struct {
	command  string
	studies  []*spec.Study
	settings markov.Settings
	drawing  drawing
	shard    journal.Shard
	failFast bool
	resume   bool
	slurm    int

	layouts []Layout
	sweeps  []*decide.Sweep
	config  []journal.Setting
}

// newRun reads the flags and studies of a command.
func newRun(inv *cli.Invocation, command string) (*run, error) {
	c := &run{command: command, failFast: inv.Flags.Bool("fail-fast"), resume: inv.Flags.Bool("resume")}
	var err error
	if c.drawing, err = readDrawing(inv); err != nil {
		return nil, err
	}
	if err := c.options(inv); err != nil {
		return nil, err
	}
	if c.settings, err = model.Solver(inv); err != nil {
		return nil, err
	}
	sets, err := c.overrides(inv)
	if err != nil {
		return nil, err
	}
	for _, name := range inv.Args {
		study, err := spec.LoadStudy(name, sets...)
		if err != nil {
			return nil, err
		}
		model.WarnStudy(inv, study)
		c.studies = append(c.studies, study)
	}
	return c, c.configure(inv)
}

// options reads the flags about how the run is executed.
func (c *run) options(inv *cli.Invocation) (err error) {
	if text := inv.Flags.String("shard"); inv.Flags.IsSet("shard") {
		if c.shard, err = journal.ParseShard(text); err != nil {
			return cli.Usagef("for example --shard 1/4", "--shard: %s", strings.TrimPrefix(err.Error(), "journal: "))
		}
		for _, flag := range []string{"plot", "format"} {
			if inv.Flags.String(flag) != "" {
				return cli.Usagef("give it to partwise merge", "--%s with --shard: a shard is no result", flag)
			}
		}
	}
	if c.slurm = inv.Flags.Int("slurm"); inv.Flags.IsSet("slurm") {
		if c.slurm < 1 || c.slurm > mostTasks {
			return cli.Usagef("for example --slurm 16", "--slurm: %d is not a number of jobs from 1 to %d", c.slurm, mostTasks)
		}
		if c.shard.Count > 0 {
			return cli.Usagef("leave --shard out", "--slurm makes the shards")
		}
	}
	for name, needed := range map[string]bool{"resume": c.resume, "shard": c.shard.Count > 0, "slurm": c.slurm > 0} {
		if needed && !c.hasJournal(inv) {
			return cli.Usagef("for example --output "+c.command+".csv", "--%s needs a file to keep results in", name)
		}
	}
	if c.failFast && inv.Flags.Bool("keep-going") {
		return cli.Usagef("leave one of them out", "--keep-going and --fail-fast exclude each other")
	}
	return nil
}

// hasJournal reports whether there is a journal: where the output is a file, not a stream or a device.
func (c *run) hasJournal(inv *cli.Invocation) bool {
	if inv.Output == "" {
		return false
	}
	info, err := os.Stat(inv.Output)
	return err != nil || info.Mode().IsRegular()
}

// overrides returns what the flags change in the files, and keeps it as part of the configuration.
func (c *run) overrides(inv *cli.Invocation) ([]spec.Set, error) {
	sets, err := inv.Sets()
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		c.config = append(c.config, journal.Setting{Name: "--set " + s.Path, Value: s.Value})
	}
	seen := map[string]bool{}
	for _, text := range inv.Flags.StringSlice("over") {
		s, err := spec.ParseOver(text)
		if err != nil {
			return nil, cli.Usagef("for example --over machine.nodes=8,16,32", "--over: %s", cli.Plain(err))
		}
		path, values, _ := strings.Cut(text, "=")
		if seen[s.Path] {
			return nil, cli.Usagef("give all its values at once", "--over: %s is given twice", path)
		}
		seen[s.Path] = true
		sets = append(sets, s)
		c.config = append(c.config, journal.Setting{Name: "--over " + path, Value: values})
	}
	if inv.Flags.IsSet("load") {
		text := inv.Flags.String("load")
		sets = append(sets, spec.SetLoads(text))
		c.config = append(c.config, journal.Setting{Name: "--load", Value: text})
	}
	return sets, nil
}

// configure completes the configuration: what the files say, and what solves it.
func (c *run) configure(inv *cli.Invocation) error {
	for _, study := range c.studies {
		inputs, err := study.Inputs()
		if err != nil {
			return err
		}
		for _, in := range inputs {
			name := in.File
			if in.Field != "" {
				name += ": " + in.Field
			}
			if len(c.studies) > 1 {
				name = study.File + ": " + name
			}
			c.config = append(c.config, journal.Setting{Name: name, Value: in.Value})
		}
	}
	for _, text := range inv.Flags.StringSlice("policy") {
		c.config = append(c.config, journal.Setting{Name: "--policy " + text, Value: "asked for"})
	}
	c.config = append(c.config,
		journal.Setting{Name: "command", Value: c.command},
		journal.Setting{Name: "studies", Value: fmt.Sprint(len(c.studies))},
		journal.Setting{Name: "--method", Value: c.settings.Method},
		journal.Setting{Name: "version of partwise", Value: cli.Version()})
	return nil
}

// add adds the points of a study.
func (c *run) add(l Layout, w *decide.Sweep) {
	w.Settings = c.settings
	c.layouts, c.sweeps = append(c.layouts, l), append(c.sweeps, w)
}

// points returns how many there are, all studies together.
func (c *run) points() int {
	n := 0
	for _, l := range c.layouts {
		n += len(l.Series) * l.Loads
	}
	return n
}

// planLayout is what a journal keeps of a sweep beside the points.
type planLayout struct {
	Command string   `json:"command"`
	Studies []Layout `json:"studies"`
}

func (c *run) plan() (journal.Plan, error) {
	text, err := json.Marshal(planLayout{c.command, c.layouts})
	return journal.Plan{Configuration: c.config, Layout: text, Points: c.points(), Shard: c.shard}, err
}
