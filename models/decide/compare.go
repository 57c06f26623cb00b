package decide

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Winner says which way to share a machine is faster.
type Winner int

// The winners.
const (
	Undecided    Winner = iota // not both dynamic and static partitioning were solved
	DynamicWins                // dynamic partitioning is faster, or alone stable
	StaticWins                 // the best static partitioning is faster, or static partitioning alone stable
	NoDifference               // response times differ by less than PracticalDifference
	NeitherIsStable
)

// PracticalDifference is the relative difference of response times, of the longer one, below which neither way is preferable
// in practice: models are seldom known better. All sentences about what is better rest on it.
const PracticalDifference = 0.02

// Negligible reports whether a ratio of response times is that of no practical difference.
func Negligible(ratio float64) bool { return 1-min(ratio, 1/ratio) < PracticalDifference }

// Comparison is what a decision says of dynamic against the best static partitioning.
type Comparison struct {
	Winner Winner
	// Dynamic and Static are the results that were compared; nil for what was not solved, Static also if none is stable.
	Dynamic, Static *Solved
	// Saving is the share of the longer response time that the shorter one saves, 1 − T_shorter/T_longer, and Speedup how
	// many times as fast it is, T_longer/T_shorter. Both are 0 unless both are stable.
	Saving, Speedup float64
	// BothStable says that there are two response times.
	BothStable bool
}

// Compare compares dynamic partitioning with the best of the static policies that were solved.
func (d *Decision) Compare() Comparison {
	c := Comparison{Dynamic: d.Of(policy.Dynamic{}), Static: d.Best}
	dynamic := c.Dynamic != nil && c.Dynamic.Measures.Stable
	static := slices.ContainsFunc(d.Results, func(r Solved) bool { return r.Partitions() > 0 })
	switch {
	case c.Dynamic == nil || !static: // undecided
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
		if c.Saving = 1 - 1/c.Speedup; Negligible(d.Ratio) {
			c.Winner = NoDifference
		}
	}
	return c
}

// ClassTimes are the mean response times of a class of jobs under what was compared.
type ClassTimes struct {
	Name            string
	Dynamic, Static float64
}

// Ratio returns T_static/T_dynamic, above 1 where the class gains from resizing.
func (t *ClassTimes) Ratio() float64 { return t.Static / t.Dynamic }

// Classes returns the times of the classes of jobs, none if all jobs are alike or not both are stable.
func (c Comparison) Classes() (all []ClassTimes) {
	if c.BothStable {
		for k, d := range c.Dynamic.Measures.Classes {
			all = append(all, ClassTimes{d.Name, d.MeanResponseTime, c.Static.Measures.Classes[k].MeanResponseTime})
		}
	}
	return all
}

// thrashingShare is the share of time in repartitions from which on a policy is said to thrash.
const thrashingShare = 0.25

// Thrashes returns the share of time that goes into repartitions, and whether that is too much. Where only the resized
// jobs stand still the time is not lost, and nothing thrashes; nor does what was not solved.
func (r *Solved) Thrashes() (share float64, thrashes bool) {
	if r == nil || r.Measures.Repartitions == nil || !r.Measures.Stable {
		return 0, false
	}
	p := r.Measures.Repartitions
	return p.Probability, p.Probability > thrashingShare && !p.Partial
}

// ThrashingError is the warning about a policy that thrashes.
type ThrashingError struct {
	Policy policy.Policy
	Share  float64 // of the time
}

func (e *ThrashingError) Error() string {
	return fmt.Sprintf("thrashing: %.3g %% of the time goes into repartitioning", 100*e.Share)
}

// Warnings returns the warnings about a result: those of the solver, which say that it is unstable, and that it thrashes.
func (r *Solved) Warnings() []error {
	all := slices.Clone(r.Measures.Diagnostics.Warnings)
	if share, thrashes := r.Thrashes(); thrashes {
		all = append(all, &ThrashingError{r.Policy, share})
	}
	return all
}
