package studycmd

import "fmt"

// breakevens says up to which cost resizing pays, and in which weeks of a long log it was searched.
func (v *view) breakevens() []string {
	all := v.gains.BreakevenSentences()
	if s := v.Sample; s != nil {
		all = append(all, fmt.Sprintf("These limits, the worth in nodes and the rule were searched in %d of %d weeks, the same for all policies. Their values and "+
			"intervals are from replays of the whole log. The effect of another load on forecasts, the neighbours of the rule, and the comparison "+
			"of the chain with the log, are from the %d weeks alone.", s.Weeks, s.Of, s.Weeks))
	}
	return all
}
