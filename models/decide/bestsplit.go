package decide

import (
	"context"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Split is a part of an axis on which one number of static partitions is best.
type Split struct {
	Partitions int
	From, To   float64
	// Switch says that at To another number takes over; Accuracy is how far that may be from To. Otherwise To is the end
	// of what was examined, or nothing static is stable beyond.
	Switch   bool
	Accuracy float64
}

// splits returns where which number of static partitions is best, given the decisions at ascending points.
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

// follow goes on from the last split to a point, where a number of partitions is best. The curve of a split is intersected with that
// of the least response time of those that have not been best since.
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
		ahead := func(x float64) (_ float64, err error) {
			d, err = w.solveAt(ctx, x, append(rivals, own))
			others = NewDecision(d.Results[:len(rivals)])
			return inverse(d.Of(own)) - inverse(others.Best), err
		}
		r, err := findRoot(ahead, from, x, bracket*(x-from))
		if err == nil {
			_, err = ahead(r.x)
		}
		if err != nil {
			return nil, err
		}
		last.To, last.Switch, last.Accuracy = r.x, true, r.accuracy(tied*inverse(d.Of(own)))
		all = append(all, Split{Partitions: others.Best.Partitions(), From: r.x, To: r.x})
	}
}

// inverse returns 1/T, 0 of what is unstable: a continuous function of the system even where T is not.
func inverse(r *Solved) float64 {
	if r == nil || !r.Measures.Stable {
		return 0
	}
	return 1 / r.Measures.MeanResponseTime
}
