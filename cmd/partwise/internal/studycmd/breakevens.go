package studycmd

import "fmt"

// breakevens says up to which cost resizing pays, and in which weeks of a long log it was searched.
func (v *view) breakevens() []string {
	all := v.gains.BreakevenSentences()
	if s := v.Sample; s != nil {
		all = append(all, fmt.Sprintf("The log is long. So these limits are read from replays of the whole log at a few costs. The worth in nodes and the rule were "+
			"searched in %d of %d weeks, the same for all policies; their values and intervals are from the whole log. The effect of another load on "+
			"forecasts, and the neighbours of the rule, are from the %d weeks alone.", s.Weeks, s.Of, s.Weeks))
	}
	return all
}
