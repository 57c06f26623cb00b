package input

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// LoadStudy loads a study, with settings, and passes on the warnings about its files.
func LoadStudy(inv *cli.Invocation, name string, sets ...modelfile.Set) (*modelfile.Study, error) {
	study, err := parallel.Abandonable(inv.Context, func() (*modelfile.Study, error) { return modelfile.LoadStudy(name, sets...) })
	if err != nil {
		return nil, misread(inv, name, err)
	}
	if err := inv.Reads(study.Files()...); err != nil {
		return nil, err
	}
	for _, s := range study.Series {
		inv.Warn(s.Model.Warnings...)
	}
	return study, nil
}

// ModelOptions are the flags of the commands that take a model and policies.
type ModelOptions struct {
	Table    policy.Table  // of the policies,
	On       policy.Runner // and what runs them
	Load     float64       // that the arrivals are rescaled to; 0: that of the file
	sets     []modelfile.Set
	policies []string // none: dynamic and every static:K
}

// Flags binds the flags.
func (o *ModelOptions) Flags() []cli.Flag {
	return []cli.Flag{
		PolicyTexts(&o.policies, o.Table, o.On, DefaultPolicies),
		LoadFlag(&o.Load),
		Sets(&o.sets),
	}
}

// File loads the model file that is the first argument, with what the flags change in it.
func (o *ModelOptions) File(inv *cli.Invocation) (*modelfile.Model, error) {
	return Load(inv, o.sets, o.Load)
}

// Select returns the policies that are asked for of a model.
func (o *ModelOptions) Select(inv *cli.Invocation, file *modelfile.Model) (*policy.Selection, error) {
	return SelectPolicies(inv, file, o.policies)
}

// SelectCompared returns the policies that are asked for of a model, and the policies that are left out, see [SelectCompared].
func (o *ModelOptions) SelectCompared(inv *cli.Invocation, file *modelfile.Model, set markov.Settings) (*policy.Selection,
	[]output.LeftOut, error) {
	return SelectCompared(inv, file, o.policies, set)
}

// LoadFlag binds --load of a command that takes one model at one load.
func LoadFlag(to *float64) cli.Flag {
	return OneLoad(to, "curve", cli.About{Usage: "rescale the arrivals to the relative load `LOAD`"})
}

// Read reads a model file, fits its distributions to measurements included, until the command is interrupted.
func Read(inv *cli.Invocation, name string, sets ...modelfile.Set) (*modelfile.Model, error) {
	return parallel.Abandonable(inv.Context, func() (*modelfile.Model, error) { return modelfile.Load(name, sets...) })
}

// Load loads the model file that is the first argument, with settings and, unless it is 0, at a load.
func Load(inv *cli.Invocation, sets []modelfile.Set, load float64) (*modelfile.Model, error) {
	text := fmt.Sprint(load)
	if load > 0 {
		if err := CheckLoadOnce(sets); err != nil {
			return nil, err
		}
		sets = append(slices.Clip(sets), modelfile.Set{Path: LoadPath, Value: text, Flag: "--load " + text})
	}
	file, err := Read(inv, inv.Args[0], sets...)
	if err != nil {
		return nil, orStudy(inv, misread(inv, inv.Args[0], err))
	}
	if err := inv.Reads(file.Files...); err != nil {
		return nil, err
	}
	inv.Warn(file.Warnings...)
	return file, nil
}
