package model

import (
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/spec"
)

// WarnStudy passes on the warnings about the files of a study, each once.
func WarnStudy(inv *cli.Invocation, study *spec.Study) {
	seen := map[string]bool{}
	for _, s := range study.Series {
		for _, w := range s.Model.Warnings {
			if text := w.Error(); !seen[text] {
				seen[text] = true
				inv.Warnf("%s", text)
			}
		}
	}
}

// Method binds --method to how chains are solved.
func Method(to *markov.Settings) cli.Flag {
	return cli.Value(to, "method", parseMethod, cli.About{Default: markov.Auto,
		Usage: "algorithm `M` for the chains: " + strings.Join(markov.Methods(), ", ")})
}

func parseMethod(name string) (markov.Settings, error) {
	if slices.Contains(markov.Methods(), name) {
		return markov.Settings{Method: name}, nil
	}
	return markov.Settings{}, cli.Usagef(cli.Suggestion(name, markov.Methods()), "--method: no method %q", name)
}

// AnyMethod are the settings without --method.
func AnyMethod() markov.Settings { return markov.Settings{Method: markov.Auto} }

// MethodFlag is --method, which Solver reads.
func MethodFlag() urfave.Flag { return Method(new(markov.Settings)).Flag }

// Solver returns what the flags say about how to solve.
func Solver(inv *cli.Invocation) (markov.Settings, error) {
	if !inv.Given("method") {
		return AnyMethod(), nil
	}
	return parseMethod(inv.Flags.String("method"))
}

// Flags are those of every command that takes a model and policies, which it runs on something.
func Flags(table policy.Table, on policy.Runner) []urfave.Flag {
	return []urfave.Flag{
		cli.PolicyFlag(table, on, defaultPolicies),
		&urfave.StringFlag{Name: "load", Usage: "rescale the arrivals to the relative load `X`"},
		cli.SetFlag(),
	}
}

// MethodError says of an error of solving by a method what can be done about it.
func MethodError(method string, err error) error {
	switch {
	case errors.Is(err, markov.ErrMethod):
		return cli.Usagef("leave --method out", "--method %s: %w", method, err)
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		return &cli.Error{Code: cli.ExitAccuracy, Err: err, Hint: "another --method may do better"}
	}
	return err
}

// Load loads the model file that is the first argument, with the settings and the load of the flags.
func Load(inv *cli.Invocation) (*spec.Model, error) {
	load, err := inv.Load()
	if err != nil {
		return nil, err
	}
	sets, err := inv.Sets()
	if err != nil {
		return nil, err
	}
	return LoadWith(inv, sets, load)
}

// LoadWith loads the model file that is the first argument, with settings and, unless it is 0, at a load.
func LoadWith(inv *cli.Invocation, sets []spec.Set, load float64) (*spec.Model, error) {
	file, err := spec.Load(inv.Args[0], sets...)
	if err != nil {
		return nil, err
	}
	for _, w := range file.Warnings {
		inv.Warnf("%v", w)
	}
	if load > 0 {
		if file.System, err = file.System.WithLoad(load); err != nil {
			return nil, err
		}
	}
	return file, nil
}
