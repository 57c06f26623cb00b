package solvecmd

import (
	"errors"
	"io/fs"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// exportChains writes the chains of the stable policies into a folder.
func exportChains(inv *cli.Invocation, o *options, file *modelfile.Model, solved []decide.Solved) error {
	set := o.settings
	set.Method = input.AnyMethod().Method // those of --method are for other chains
	var chains []*models.Chain
	for i := range solved {
		if !solved[i].Measures.Stable {
			continue
		}
		c, err := models.NewChain(inv.Context, file.System, solved[i].Policy, file.TimeUnit.Name, set)
		switch {
		case errors.Is(err, models.ErrNoChain), errors.Is(err, markov.ErrTooLarge):
			inv.Warnf("--export: %v is left out: %s", solved[i].Policy, fault.Plain(err))
			continue
		case err != nil:
			return err
		}
		chains = append(chains, c)
	}
	if len(chains) == 0 {
		return fault.Usagef("for example --policy static:2, or fewer phases", "--export: there is no chain that can be written out")
	}
	if err := models.WriteChains(inv.Context, o.export, chains); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fault.Usagef("name another folder, or remove it first", "--export: %s is there already", o.export)
		}
		return err
	}
	inv.Notef("wrote %s", o.export)
	return nil
}
