package decide

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// thrashingShare is the share of time in repartitions above which a policy is said to thrash.
const thrashingShare = 0.25

// Thrashes returns the share of time that the machine spends in repartitions, and whether that share is too large. A
// policy does not thrash if only the resized jobs stop: the other jobs then run during a repartition. Without a solved,
// stable result the share is 0.
func (r *Solved) Thrashes() (share float64, thrashes bool) {
	if r == nil || r.Measures.Repartitions == nil || !r.Measures.Stable {
		return 0, false
	}
	p := r.Measures.Repartitions
	return p.Probability, p.Probability > thrashingShare && !p.Partial
}

// Thrashing describes the loads at which dynamic partitioning thrashes, see [Solved.Thrashes].
type Thrashing struct {
	From, To float64 // the smallest and the largest of these loads
	Share    float64 // the largest share of time in repartitions
	At       float64 // the first load with this share
}

// ThrashingLoads returns the range of the loads of the points at which dynamic partitioning thrashes. Points between
// them need not thrash. The result is nil if dynamic partitioning thrashes at no point.
func ThrashingLoads(points []Point) (t *Thrashing) {
	for i := range points {
		share, thrashes := points[i].Decision.Of(policy.Dynamic{}).Thrashes()
		load := points[i].Load
		switch {
		case !thrashes:
			continue
		case t == nil:
			t = &Thrashing{From: load, To: load}
		}
		t.From, t.To = min(t.From, load), max(t.To, load)
		if share > t.Share {
			t.Share, t.At = share, load
		}
	}
	return t
}

// ThrashingError is the warning that a policy thrashes.
type ThrashingError struct {
	Policy policy.Policy
	Share  float64 // of time in repartitions
}

// Error returns a message with the share of time, in per cent.
func (e *ThrashingError) Error() string {
	return fmt.Sprintf("thrashing: %.3g %% of the time goes into repartitioning", 100*e.Share)
}

// Warnings returns the warnings about a result: the warnings of the solver, for instance that the policy is unstable,
// and the warning that the policy thrashes.
func (r *Solved) Warnings() []error {
	all := slices.Clone(r.Measures.Diagnostics.Warnings)
	if share, thrashes := r.Thrashes(); thrashes {
		all = append(all, &ThrashingError{r.Policy, share})
	}
	return all
}
