package decide

import (
	"context"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Split is an interval of an axis on which one number of static partitions is best.
type Split struct {
	Partitions int
	From, To   float64
	// Switch says that another number of partitions becomes best at To. The true switching point is at most Accuracy from
	// To. Without Switch, To is the last point that was examined, or no static policy is stable beyond To.
	Switch   bool
	Accuracy float64
}

// splits returns the intervals on which each number of static partitions is best, in ascending order. The probes are
// decisions at ascending points. A point at which no static policy is stable ends an interval. The error comes from
// [walk.follow].
func (w *walk) splits(ctx context.Context, probes []Probe) (all []Split, err error) {
	for i := range probes {
		x, best := probes[i].X, probes[i].Decision.Best
		switch {
		case best == nil:
		case i == 0 || probes[i-1].Decision.Best == nil:
			all = append(all, Split{Partitions: best.Partitions(), From: x, To: x})
		default:
			if all, err = w.follow(ctx, all, x, best.Partitions()); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// follow extends the list of splits to the point x, at which the number of partitions best is the best one.
//
// While the last split has another number of partitions K, the function solves
//
//	1/T_K(y) = max over the rivals of 1/T(y),   from ≤ y ≤ x,
//
// where from is the end of that split so far. At the solution, the fastest rival becomes best and starts a new split. The
// rivals are the static policies that have not been best since from, so that the loop ends.
func (w *walk) follow(ctx context.Context, all []Split, x float64, best int) ([]Split, error) {
	rivals := policy.Statics(w.System.Machine())
	for {
		last := &all[len(all)-1]
		from, own := last.To, policy.Static{Partitions: last.Partitions}
		last.To = x
		if own.Partitions == best {
			return all, nil
		}
		rivals = slices.DeleteFunc(rivals, func(p policy.Policy) bool { return p == own })
		var d, others Decision
		ahead := func(x float64) (v uncertain, err error) {
			d, err = w.solveAt(ctx, x, append(rivals, own))
			others = NewDecision(d.Results[:len(rivals)])
			mine, best := d.Of(own), others.Best
			v.value = inverse(mine) - inverse(best)
			v.off = max(tied*inverse(mine), mine.errorBound()*inverse(mine)+best.errorBound()*inverse(best))
			return v, err
		}
		r, err := findRoot(ahead, from, x, bracket*(x-from))
		if err == nil {
			_, err = ahead(r.x)
		}
		if err != nil {
			return nil, err
		}
		last.To, last.Switch, last.Accuracy = r.x, true, r.accuracy()
		all = append(all, Split{Partitions: others.Best.Partitions(), From: r.x, To: r.x})
	}
}

// inverse returns 1/T for the mean response time T, and 0 if the policy is unstable or r is nil. Unlike T, 1/T is a
// continuous function of the parameters of the system at the limit of stability.
func inverse(r *Solved) float64 {
	if r == nil || !r.Measures.Stable {
		return 0
	}
	return 1 / r.Measures.MeanResponseTime
}
