package studycmd

import "fmt"

// breakevens says up to which cost resizing pays, and which weeks of a long log say so.
func (v *view) breakevens() []string {
	all := v.gains.BreakevenSentences()
	if s := v.Sample; s != nil {
		all = append(all, fmt.Sprintf("These limits, other assumptions and loads, the worth in nodes and the rule are from %d of %d weeks, which were drawn once for "+
			"all policies; the response times and gains by share are from the whole log.", s.Weeks, s.Of))
	}
	return all
}
