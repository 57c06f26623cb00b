package decide

import (
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Winner says which way of sharing a machine is faster: dynamic or static partitioning.
type Winner int

// The winners.
const (
	Undecided       Winner = iota // dynamic partitioning was not solved, or no static policy was
	DynamicWins                   // dynamic partitioning is faster, or only dynamic partitioning is stable
	StaticWins                    // the best static policy is faster, or only static policies are stable
	NoDifference                  // response times differ by less than PracticalDifference
	NeitherIsStable               // no policy is stable
)

// PracticalDifference is the relative difference 1 − T_shorter/T_longer of two response times below which neither way of
// sharing is preferable in practice. The parameters of a model are seldom known better than that. All sentences that
// compare policies rest on it.
const PracticalDifference = 0.02

// Negligible reports whether the ratio of two response times differs so little from 1 that it makes no practical
// difference, see [PracticalDifference].
func Negligible(ratio float64) bool { return 1-min(ratio, 1/ratio) < PracticalDifference }

// Comparison is the result of comparing dynamic partitioning with the best static policy.
type Comparison struct {
	Winner Winner
	// Dynamic and Static are the results that were compared; nil if not solved. Static is also nil if no static policy is
	// stable.
	Dynamic, Static *Solved
	// Saving is the relative difference of the response times, 1 − T_shorter/T_longer. Speedup is their ratio
	// T_longer/T_shorter. Both are 0 unless both policies are stable.
	Saving, Speedup float64
	// BothStable says that dynamic partitioning and some static policy are stable, so that two response times exist.
	BothStable bool
}

// Compare compares dynamic partitioning with the best of the static policies that were solved.
func (d *Decision) Compare() Comparison {
	c := Comparison{Dynamic: d.Of(policy.Dynamic{}), Static: d.Best}
	dynamic := c.Dynamic != nil && c.Dynamic.Measures.Stable
	static := slices.ContainsFunc(d.Results, func(r Solved) bool { return r.Partitions() > 0 })
	switch {
	case c.Dynamic == nil || !static: // the winner stays Undecided
	case !dynamic && c.Static == nil:
		c.Winner = NeitherIsStable
	case !dynamic:
		c.Winner = StaticWins
	case c.Static == nil:
		c.Winner = DynamicWins
	default:
		c.BothStable, c.Winner, c.Speedup = true, DynamicWins, d.Ratio
		if d.Ratio < 1 {
			c.Winner, c.Speedup = StaticWins, 1/d.Ratio
		}
		c.Saving = 1 - 1/c.Speedup
		if Negligible(d.Ratio) {
			c.Winner = NoDifference
		}
	}
	return c
}

// ClassTimes are the mean response times of a class of jobs under dynamic partitioning and the best static policy.
type ClassTimes struct {
	Name            string
	Dynamic, Static float64
}

// Ratio returns T_static/T_dynamic. The ratio is above 1 if the class is faster under dynamic partitioning.
func (t *ClassTimes) Ratio() float64 { return t.Static / t.Dynamic }

// Classes returns the times of each class of jobs. The list is empty if the measures have no classes, or unless both
// policies are stable.
func (c Comparison) Classes() (all []ClassTimes) {
	if c.BothStable {
		for k, d := range c.Dynamic.Measures.Classes {
			all = append(all, ClassTimes{d.Name, d.MeanResponseTime, c.Static.Measures.Classes[k].MeanResponseTime})
		}
	}
	return all
}
