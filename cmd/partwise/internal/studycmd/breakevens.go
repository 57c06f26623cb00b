package studycmd

import "fmt"

// breakevens says up to which cost resizing pays, and in which weeks of a long log it was searched.
func (v *view) breakevens() []string {
	all := v.gains.BreakevenSentences()
	if s := v.Sample; s != nil {
		inWeeks := "The effect of another load on forecasts, and the neighbours of the rule,"
		if v.ChainInWeeks() {
			inWeeks = "The effect of another load on forecasts, the neighbours of the rule, and the comparison of the chain with the log,"
		}
		all = append(all, fmt.Sprintf("The log is long. So these limits are read from replays of the whole log at a few costs. The "+
			"worth in nodes and the rule were "+
			"searched in %d of %d weeks, the same for all policies; their values and intervals are from the whole log. %s are from the "+
			"%d weeks alone.",
			s.Weeks, s.Of, inWeeks, s.Weeks))
	}
	return all
}
