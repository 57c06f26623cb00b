package input

import (
	"cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/modelfile"
)

// Loads binds --load of a command that takes several, none where it is not given.
func Loads(to *[]float64, about cli.About) cli.Flag {
	about.Hint = cmp.Or(about.Hint, "for example --load 0.5:0.9:0.1")
	return cli.Value(to, "load", values.Loads, about)
}

// OneLoad binds --load of a command that takes one load, 0 if it is not given. forSeveral is the command that takes several
// loads. The hint of an error names forSeveral, unless it is empty.
func OneLoad(to *float64, forSeveral string, about cli.About) cli.Flag {
	about.Hint = "for example --load 0.7"
	var loads []float64
	return cli.Then(Loads(&loads, about), func(inv *cli.Invocation) error {
		*to = loads[0]
		switch {
		case len(loads) == 1:
			return nil
		case forSeveral == "":
			return fault.Usagef(about.Hint, "--load: %s takes one load", inv.Command)
		}
		return fault.Usagef(about.Hint, "--load: %s takes one load; %s takes several", inv.Command, forSeveral)
	})
}

// LoadPath is the path of the load in a model file.
const LoadPath = "arrivals.load"

// CheckLoadOnce returns an error if the settings of a command that has --load say how often jobs arrive, too: the load
// would replace what they say.
func CheckLoadOnce(sets []modelfile.Set) error {
	for _, s := range sets {
		if modelfile.IsRate(s.Path) {
			return fault.Usagef("leave one of them out", "--load and --set %s both say how often jobs arrive", s.Path)
		}
	}
	return nil
}
