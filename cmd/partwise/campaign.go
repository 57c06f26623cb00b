package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// sweepFlags are those of the commands that solve many points.
func sweepFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "over", Usage: "solve at each of several values of a parameter, as in `PATH=VALUES` with " +
			"values separated by commas, or ranges A:B:STEP; may be repeated, for every combination"},
		&cli.StringFlag{Name: "load", Usage: "solve at the relative loads of `LIST`, values or ranges A:B:STEP"},
		setFlag(),
		methodFlag(),
		&cli.BoolFlag{Name: "resume", DisableDefaultText: true,
			Usage: "go on with a run that did not come to its end, from the journal beside --output"},
		&cli.BoolFlag{Name: "keep-going", DisableDefaultText: true,
			Usage: "solve all other points if one fails; this is the default"},
		&cli.BoolFlag{Name: "fail-fast", DisableDefaultText: true, Usage: "end at the first point that fails"},
		&cli.StringFlag{Name: "shard", Usage: "solve only part `I/N` of the points, to a file for partwise merge"},
		&cli.IntFlag{Name: "slurm", DefaultText: "none", Usage: "print a Slurm script that does this in `N` jobs"},
	}
}

// campaign is a sweep over the points of studies, as it is carried out.
type campaign struct {
	command  string
	studies  []*spec.Study
	settings markov.Settings
	drawing  drawing
	shard    journal.Shard
	failFast bool
	resume   bool
	slurm    int

	layouts []layout
	sweeps  []*models.Sweep
	config  []journal.Setting
}

// campaign reads the flags and studies of a command.
func (inv *invocation) campaign(command string) (*campaign, error) {
	c := &campaign{command: command, failFast: inv.flags.Bool("fail-fast"), resume: inv.flags.Bool("resume")}
	var err error
	if c.drawing, err = inv.drawing(); err != nil {
		return nil, err
	}
	if err := c.options(inv); err != nil {
		return nil, err
	}
	if c.settings, err = inv.solver(); err != nil {
		return nil, err
	}
	sets, err := c.changes(inv)
	if err != nil {
		return nil, err
	}
	for _, name := range inv.args {
		study, err := spec.LoadStudy(name, sets...)
		if err != nil {
			return nil, err
		}
		inv.doubts(study)
		c.studies = append(c.studies, study)
	}
	return c, c.configure(inv)
}

// options reads the flags about how to carry it out.
func (c *campaign) options(inv *invocation) (err error) {
	if text := inv.flags.String("shard"); inv.flags.IsSet("shard") {
		if c.shard, err = journal.ParseShard(text); err != nil {
			return usage("for example --shard 1/4", "--shard: %s", strings.TrimPrefix(err.Error(), "journal: "))
		}
		for _, flag := range []string{"plot", "format"} {
			if inv.flags.String(flag) != "" {
				return usage("give it to partwise merge", "--%s with --shard: a shard is no result", flag)
			}
		}
	}
	if c.slurm = inv.flags.Int("slurm"); inv.flags.IsSet("slurm") {
		if c.slurm < 1 || c.slurm > mostTasks {
			return usage("for example --slurm 16", "--slurm: %d is not a number of jobs from 1 to %d", c.slurm, mostTasks)
		}
		if c.shard.Count > 0 {
			return usage("leave --shard out", "--slurm makes the shards")
		}
	}
	for name, needed := range map[string]bool{"resume": c.resume, "shard": c.shard.Count > 0, "slurm": c.slurm > 0} {
		if needed && !c.keeps(inv) {
			return usage("for example --output "+c.command+".csv", "--%s needs a file to keep results in", name)
		}
	}
	if c.failFast && inv.flags.Bool("keep-going") {
		return usage("leave one of them out", "--keep-going and --fail-fast exclude each other")
	}
	return nil
}

// keeps reports whether there is a journal: where the output is a file, not a stream or a device.
func (c *campaign) keeps(inv *invocation) bool {
	if inv.output == "" {
		return false
	}
	info, err := os.Stat(inv.output)
	return err != nil || info.Mode().IsRegular()
}

// changes returns what the flags change in the files, and keeps it as part of the configuration.
func (c *campaign) changes(inv *invocation) ([]spec.Set, error) {
	sets, err := inv.settings()
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		c.config = append(c.config, journal.Setting{Name: "--set " + s.Path, Value: s.Value})
	}
	seen := map[string]bool{}
	for _, text := range inv.flags.StringSlice("over") {
		s, err := spec.ParseOver(text)
		if err != nil {
			return nil, usage("for example --over machine.nodes=8,16,32", "--over: %s", plain(err))
		}
		path, values, _ := strings.Cut(text, "=")
		if seen[s.Path] {
			return nil, usage("give all its values at once", "--over: %s is given twice", path)
		}
		seen[s.Path] = true
		sets = append(sets, s)
		c.config = append(c.config, journal.Setting{Name: "--over " + path, Value: values})
	}
	if inv.flags.IsSet("load") {
		text := inv.flags.String("load")
		sets = append(sets, spec.SetLoads(text))
		c.config = append(c.config, journal.Setting{Name: "--load", Value: text})
	}
	return sets, nil
}

// configure completes the configuration: what the files say, and what solves it.
func (c *campaign) configure(inv *invocation) error {
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
	for _, text := range inv.flags.StringSlice("policy") {
		c.config = append(c.config, journal.Setting{Name: "--policy " + text, Value: "asked for"})
	}
	c.config = append(c.config,
		journal.Setting{Name: "command", Value: c.command},
		journal.Setting{Name: "studies", Value: fmt.Sprint(len(c.studies))},
		journal.Setting{Name: "--method", Value: c.settings.Method},
		journal.Setting{Name: "version of partwise", Value: version()})
	return nil
}

// add adds the points of a study.
func (c *campaign) add(l layout, w *models.Sweep) {
	w.Settings = c.settings
	c.layouts, c.sweeps = append(c.layouts, l), append(c.sweeps, w)
}

// points returns how many there are, all studies together.
func (c *campaign) points() int {
	n := 0
	for _, l := range c.layouts {
		n += len(l.Series) * l.Loads
	}
	return n
}

// kept is what a journal keeps of a sweep beside the points.
type kept struct {
	Command string   `json:"command"`
	Studies []layout `json:"studies"`
}

func (c *campaign) plan() (journal.Plan, error) {
	text, err := json.Marshal(kept{c.command, c.layouts})
	return journal.Plan{Configuration: c.config, Layout: text, Points: c.points(), Shard: c.shard}, err
}

// doubts passes on the warnings about the files of a study, each once.
func (inv *invocation) doubts(study *spec.Study) {
	seen := map[string]bool{}
	for _, s := range study.Series {
		for _, w := range s.Model.Warnings {
			if text := w.Error(); !seen[text] {
				seen[text] = true
				inv.warn("%s", text)
			}
		}
	}
}
