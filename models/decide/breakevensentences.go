package decide

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/words"
)

// Clause says where dynamic partitioning pays by an answer, which must be stable, as a clause, see [words.Sentence]: "dynamic
// partitioning pays while the load is below 0.6; examined from 0.01 to 0.99". Times are in a unit.
func (b *Breakeven) Clause(a *Answer, timeUnit string) string {
	clause := b.where(a, timeUnit)
	if b.Axis.Others != "" {
		clause += "; " + b.Axis.Others
	}
	return clause
}

// where is the clause without what becomes of other quantities.
func (b *Breakeven) where(a *Answer, timeUnit string) string {
	all, unit := a.Intervals, b.Axis.Unit.In(timeUnit)
	first, last := words.Trimmed(all[0].From.Value), withUnit(all[len(all)-1].To.Value, unit)
	against := ""
	if b.Against != nil {
		against = " against " + b.Against.String()
	}
	switch {
	case len(all) > 1:
	case all[0].Pays:
		return fmt.Sprintf("dynamic partitioning pays%s wherever the %s was examined, from %s to %s", against, b.Axis.Quantity, first, last)
	case b.Axis.variesFactors() && all[0].From.X == 0:
		return "dynamic partitioning does not pay" + against + " at this load, not even if repartitions cost nothing"
	default:
		return fmt.Sprintf("dynamic partitioning pays%s nowhere: the %s was examined from %s to %s", against, b.Axis.Quantity, first, last)
	}
	var parts []string
	for _, i := range all {
		switch {
		case !i.Pays:
		case !i.From.Crossing:
			parts = append(parts, "is below "+b.crossing(i.To, unit))
		case !i.To.Crossing:
			parts = append(parts, "is above "+b.crossing(i.From, unit))
		default:
			parts = append(parts, "is between "+b.crossing(i.From, unit)+" and "+b.crossing(i.To, unit))
		}
	}
	return fmt.Sprintf("dynamic partitioning pays%s while the %s %s; examined from %s to %s", against, b.Axis.Quantity,
		strings.Join(parts, ", and while it "), first, last)
}

// withUnit returns a number with its unit, which is "" for a number without a unit.
func withUnit(value float64, unit string) string {
	return strings.TrimSpace(words.Trimmed(value) + " " + unit)
}

// crossing says where curves cross: the value in a unit and, on an axis of factors, the factor.
func (b *Breakeven) crossing(at Bound, unit string) string {
	text := withUnit(at.Value, unit)
	if b.Axis.variesFactors() {
		text += fmt.Sprintf(" (%s times what the model says)", words.Trimmed(at.X))
	}
	return text
}

// variesFactors reports whether the points of the axis are factors of what the system says.
func (a *Axis) variesFactors() bool { return a.Value != nil }

// BestSentence says where dynamic partitioning pays most by an answer, or that it makes no practical difference anywhere. It is ""
// if dynamic partitioning does not pay, or if it obviously pays most at the least factor.
func (b *Breakeven) BestSentence(a *Answer) string {
	most := a.Most()
	if most == nil {
		return ""
	}
	c, where := most.Comparison, b.Axis.Name+" "+words.Round(most.Value, 2)
	switch {
	case c.Winner == NoDifference:
		return fmt.Sprintf("Nowhere does it make a practical difference: near %s, where it pays most, %s.", where,
			c.Dynamic.Difference(c.Rival))
	case b.Axis.variesFactors():
		return ""
	}
	rival := fmt.Sprintf("the best static split (K=%d)", c.Rival.Partitions())
	if b.Against != nil {
		rival = b.Against.String()
	}
	return fmt.Sprintf("It pays most near %s: a job takes %s than under %s.", where, c.SavingInWords(), rival)
}
