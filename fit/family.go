package fit

import (
	"context"
	"sort"

	"github.com/partwise/partwise/phasetype"
)

// fitter fits one family at the orders 1 to MaxPhases, in ascending order, and calls done with the solution of each.
type fitter func(ctx context.Context, p *problem, done func(solution) error) error

// solution is a fitted distribution before it is scored.
type solution struct {
	phases     int
	parameters int // number of free parameters
	dist       phasetype.Dist
	iterations int
	converged  bool
}

var families = map[Family]fitter{
	CF1:              fitCF1,
	HyperErlang:      fitHyperErlang,
	Hyperexponential: fitHyperexponential,
	Coxian:           fitCoxian,
	General:          fitGeneral,
}

// Families returns the families that [PhaseType] can fit, sorted by name.
func Families() []Family {
	var names []Family
	for f := range families {
		names = append(names, f)
	}
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
	return names
}
