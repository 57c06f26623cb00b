package solution

import (
	"slices"

	"github.com/partwise/partwise/models/decide"
)

// measureNames returns the names of the measures that some of the policies have, in the order of the table of measures of each.
func measureNames(policies []decide.BootstrapPolicy) (names []string) {
	for _, p := range policies {
		for _, m := range p.Measures {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// constant reports whether no measure differs between the samples: they do not tell how sure the decision is.
func constant(policies []decide.BootstrapPolicy) bool {
	return !slices.ContainsFunc(policies, func(p decide.BootstrapPolicy) bool {
		return slices.ContainsFunc(p.Measures, func(m decide.BootstrapMeasure) bool { return m.Low != m.High })
	})
}
