package decide

import (
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Winner says which way of sharing a machine is faster: dynamic partitioning or its rival.
type Winner int

// The winners.
const (
	Undecided       Winner = iota // dynamic partitioning or its rival was not solved
	DynamicWins                   // dynamic partitioning is faster, or only dynamic partitioning is stable
	RivalWins                     // the rival is faster, or only the rival is stable
	NoDifference                  // response times differ by less than PracticalDifference
	NeitherIsStable               // no policy is stable
)

// String returns the winner in words.
func (w Winner) String() string {
	return [...]string{"undecided", "dynamic partitioning", "the rival", "no difference", "neither is stable"}[w]
}

// PracticalDifference is the relative difference 1 − T_shorter/T_longer of two response times below which neither way of
// sharing is preferable in practice. The parameters of a model are seldom known better than that. All sentences that
// compare policies rest on it.
const PracticalDifference = 0.02

// Negligible reports whether the ratio of two response times differs so little from 1 that it makes no practical
// difference, see [PracticalDifference].
func Negligible(ratio float64) bool { return 1-min(ratio, 1/ratio) < PracticalDifference }

// Comparison is the result of comparing dynamic partitioning with a rival: the best static policy, or any other policy.
type Comparison struct {
	Winner Winner
	// Dynamic and Rival are the results that were compared; nil if not solved. Rival is also nil if the rival is not stable.
	Dynamic, Rival *Solved
	// Ratio is T_rival/T_DP, above 1 where dynamic partitioning is faster. Saving is the relative difference of the response
	// times, 1 − T_shorter/T_longer. Speedup is T_longer/T_shorter. All are 0 unless both policies are stable.
	Ratio, Saving, Speedup float64
	// BothStable says that dynamic partitioning and the rival are stable, so that two response times exist.
	BothStable bool
}

// Compare compares dynamic partitioning with the best of the static policies that were solved.
func (d *Decision) Compare() Comparison {
	return d.compare(d.Best, slices.ContainsFunc(d.Results, func(r Solved) bool { return r.Partitions() > 0 }))
}

// CompareWith compares dynamic partitioning with another policy that was solved. With nil it is [Decision.Compare].
func (d *Decision) CompareWith(p policy.Policy) Comparison {
	if p == nil {
		return d.Compare()
	}
	rival := d.Of(p)
	if rival == nil || !rival.Measures.Stable {
		return d.compare(nil, rival != nil)
	}
	return d.compare(rival, true)
}

// compare compares dynamic partitioning with a rival, which is nil unless it is stable. solved says that the rival was solved.
func (d *Decision) compare(rival *Solved, solved bool) Comparison {
	c := Comparison{Dynamic: d.Of(policy.Dynamic{}), Rival: rival}
	dynamic := c.Dynamic != nil && c.Dynamic.Measures.Stable
	switch {
	case c.Dynamic == nil || !solved: // the winner stays Undecided
	case !dynamic && rival == nil:
		c.Winner = NeitherIsStable
	case !dynamic:
		c.Winner = RivalWins
	case rival == nil:
		c.Winner = DynamicWins
	default:
		c.Ratio = rival.Measures.MeanResponseTime / c.Dynamic.Measures.MeanResponseTime
		c.BothStable, c.Winner, c.Speedup = true, DynamicWins, c.Ratio
		if c.Ratio < 1 {
			c.Winner, c.Speedup = RivalWins, 1/c.Ratio
		}
		c.Saving = 1 - 1/c.Speedup
		if Negligible(c.Ratio) {
			c.Winner = NoDifference
		}
	}
	return c
}

// advantage returns the relative difference of the speeds 1/T of dynamic partitioning and of its rival:
//
//	f = (1/T_DP − 1/T_rival) / max(1/T_DP, 1/T_rival),   −1 ≤ f ≤ 1.
//
// An unstable policy has speed 0. Where dynamic partitioning pays, f = 1 − T_DP/T_rival; otherwise f = T_rival/T_DP − 1. f is
// a continuous function of the parameters of the system. ok is false if no policy is stable.
func (c *Comparison) advantage() (f float64, ok bool) {
	speed, rival := inverse(c.Dynamic), inverse(c.Rival)
	if speed == 0 && rival == 0 {
		return 0, false
	}
	return (speed - rival) / max(speed, rival), true
}

// margin returns the advantage from which on dynamic partitioning counts as faster: tied, or the sum of the solver's error bounds of
// both response times if that is larger. The margin bounds the error of the advantage.
func (c *Comparison) margin() float64 { return max(tied, c.Dynamic.errorBound()+c.Rival.errorBound()) }

// errorBound returns the solver's bound on the relative error of the mean response time, 0 for a policy that is unstable or nil.
func (r *Solved) errorBound() float64 {
	if r == nil || !r.Measures.Stable {
		return 0
	}
	return r.Measures.Diagnostics.ErrorBound
}

// ClassTimes are the mean response times of a class of jobs under dynamic partitioning and its rival.
type ClassTimes struct {
	Name           string
	Dynamic, Rival float64
}

// Ratio returns T_rival/T_dynamic. The ratio is above 1 if the class is faster under dynamic partitioning.
func (t *ClassTimes) Ratio() float64 { return t.Rival / t.Dynamic }

// Classes returns the times of each class of jobs. The list is empty if the measures have no classes, or unless both
// policies are stable.
func (c Comparison) Classes() (all []ClassTimes) {
	if c.BothStable {
		for k, d := range c.Dynamic.Measures.Classes {
			all = append(all, ClassTimes{d.Name, d.MeanResponseTime, c.Rival.Measures.Classes[k].MeanResponseTime})
		}
	}
	return all
}
