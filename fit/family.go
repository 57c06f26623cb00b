package fit

import (
	"sort"

	"github.com/partwise/partwise/phasetype"
)

// entry describes one family: how many free parameters it has, and how to fit it at the orders up to MaxPhases; done
// is called with one solution for each order from MinPhases, ascending.
type entry struct {
	parameters func(phases int) int
	fit        func(p *problem, done func(solution) error) error
}

// solution is a fitted distribution before it is scored.
type solution struct {
	phases     int
	dist       phasetype.Dist
	iterations int
	converged  bool
	warnings   []error
}

var families = map[Family]entry{
	CF1: {func(m int) int { return 2*m - 1 }, fitCF1},
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
