package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// LoadStudy loads a study, with settings, and passes on the warnings about its files, each once.
func LoadStudy(inv *cli.Invocation, name string, sets ...modelfile.Set) (*modelfile.Study, error) {
	study, err := parallel.Abandonable(inv.Context, func() (*modelfile.Study, error) { return modelfile.LoadStudy(name, sets...) })
	if err != nil {
		return nil, misread(inv, name, err)
	}
	if err := inv.Reads(study.Files()...); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, s := range study.Series {
		for _, w := range s.Model.Warnings {
			if text := w.Error(); !seen[text] {
				seen[text] = true
				inv.Warnf("%s", text)
			}
		}
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

// SelectCompared returns the policies that are asked for of a model, see [SelectCompared].
func (o *ModelOptions) SelectCompared(inv *cli.Invocation, file *modelfile.Model, set markov.Settings) (*policy.Selection, error) {
	return SelectCompared(inv, file, o.policies, set)
}

// LoadFlag binds --load of a command that takes one model at one load.
func LoadFlag(to *float64) cli.Flag {
	return OneLoad(to, "curve", cli.About{Usage: "rescale the arrivals to the relative load `LOAD`"})
}

// Method binds --method to how chains are solved.
func Method(to *markov.Settings) cli.Flag {
	return cli.Value(to, "method", parseMethod, cli.About{Rare: true, Default: markov.Auto, Words: multiserver.Methods(),
		Usage: "solve the chains by the algorithm `METHOD`: " + strings.Join(multiserver.Methods(), ", ")})
}

// parseMethod reads the name of a method of solution, such as auto.
func parseMethod(name string) (markov.Settings, error) {
	method, err := values.OneOf("unknown method", multiserver.Methods()...)(name)
	return markov.Settings{Method: method}, err
}

// AnyMethod are the settings without --method.
func AnyMethod() markov.Settings { return markov.Settings{Method: markov.Auto} }

// MethodError says of an error of solving by a method what can be done about it; the method is "" for a command without
// --method.
func MethodError(method string, err error) error {
	var rigidity *models.RigidityError
	switch {
	case errors.Is(err, markov.ErrMethod):
		return fault.Usagef("leave --method out", "--method %s: %w", method, err)
	case errors.Is(err, models.ErrNoChain):
		return fault.Usagef("partwise simulate --fidelity machine", "%w", err)
	case errors.As(err, &rigidity):
		return fault.Usagef("choose a policy of jobs that can be resized, or say in the model how many nodes jobs ask for", "%s",
			strings.Replace(err.Error(), rigidity.Error(), notRigid(rigidity), 1))
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		hint := "partwise solve --method " + markov.SubtractionFree + " subtracts nothing and may do better"
		if method == markov.SubtractionFree {
			hint = "no other method does better: its rates are too far apart, or its load is too close to 1"
		}
		return fault.Hint(fault.ExitAccuracy, hint, err)
	case errors.Is(err, markov.ErrReducible): // rates are lost to roundings
		return fault.Hint(fault.ExitAccuracy, "its rates are too far apart: check the units of the times", err)
	case errors.Is(err, markov.ErrTooLarge):
		return fault.Hint(fault.ExitTooLarge, "use fewer phases or partitions, or raise --memory", err)
	}
	return err
}

// notRigid says why jobs cannot be rigid, by the names of fields in model files.
func notRigid(e *models.RigidityError) string {
	var wrong *models.SystemError
	if !errors.As(e, &wrong) {
		return fault.Plain(e)
	}
	field := wrong.Field
	switch field {
	case "Service":
		field = "jobs.service"
	case "PhaseMap":
		field = "jobs.phase_map"
	}
	return field + " " + wrong.Problem
}

// Read reads a model file, fits its distributions to measurements included, until the command is interrupted.
func Read(inv *cli.Invocation, name string, sets ...modelfile.Set) (*modelfile.Model, error) {
	return parallel.Abandonable(inv.Context, func() (*modelfile.Model, error) { return modelfile.Load(name, sets...) })
}

// Load loads the model file that is the first argument, with settings and, unless it is 0, at a load.
func Load(inv *cli.Invocation, sets []modelfile.Set, load float64) (*modelfile.Model, error) {
	text := fmt.Sprint(load)
	if load > 0 {
		sets = append(slices.Clip(sets), modelfile.Set{Path: "arrivals.load", Value: text, Flag: "--load " + text})
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
