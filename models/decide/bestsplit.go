package decide

import (
	"context"
	"fmt"

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

// splits returns where which number of static partitions is best, given the decisions at ascending points. Between two
// points with different winners the curves of their response times are intersected; if a third is better there, it is
// looked for on either side.
func (w *walk) splits(ctx context.Context, probes []Probe) ([]Split, error) {
	var all []Split
	for i := range probes {
		p := &probes[i]
		if p.Decision.Best == nil {
			continue
		}
		k := p.Decision.Best.Partitions()
		last := len(all) - 1
		switch {
		case last < 0 || probes[i-1].Decision.Best == nil:
			all = append(all, Split{Partitions: k, From: p.X, To: p.X})
		case all[last].Partitions == k:
			all[last].To = p.X
		default:
			between, err := w.switches(ctx, probes[i-1].X, p.X, all[last].Partitions, k)
			if err != nil {
				return nil, err
			}
			for _, s := range between {
				all[len(all)-1].To, all[len(all)-1].Switch, all[len(all)-1].Accuracy = s.To, true, s.Accuracy
				all = append(all, Split{Partitions: s.Partitions, From: s.To, To: p.X})
			}
		}
	}
	return all, nil
}

// switches returns the changes of the best number of partitions between a, where it is from, and b, where it is to: of
// each, where (To) and what takes over (Partitions).
func (w *walk) switches(ctx context.Context, a, b float64, from, to int) ([]Split, error) {
	differ := func(x float64) (float64, error) {
		s, err := w.staticsAt(ctx, x, from, to)
		if err != nil {
			return 0, err
		}
		return inverse(s.Of(policy.Static{Partitions: from})) -
			inverse(s.Of(policy.Static{Partitions: to})), nil
	}
	fa, err := differ(a)
	if err != nil {
		return nil, err
	}
	fb, err := differ(b)
	if err != nil {
		return nil, err
	}
	if (fa > 0) == (fb > 0) { // a tie at an end: it is where the change is
		return []Split{{Partitions: to, To: a, Accuracy: 0}}, nil
	}
	r, err := findRoot(differ, a, b, fa, fb, bracket*(b-a))
	if err != nil {
		return nil, err
	}
	here, err := w.staticsAt(ctx, r.x, w.System.Machine().Divisors()...)
	if err != nil {
		return nil, err
	}
	third := here.Best.Partitions()
	crossing := here.Of(policy.Static{Partitions: from})
	if third == from || third == to || here.Best.Measures.MeanResponseTime > (1-tied)*crossing.Measures.MeanResponseTime {
		scale := inverse(crossing)
		return []Split{{Partitions: to, To: r.x, Accuracy: r.accuracy(tied * scale)}}, nil
	}
	left, err := w.switches(ctx, a, r.x, from, third)
	if err != nil {
		return nil, err
	}
	right, err := w.switches(ctx, r.x, b, third, to)
	return append(left, right...), err
}

// inverse returns 1/T, 0 of what is unstable: a continuous function of the system even where T is not.
func inverse(r *Solved) float64 {
	if r == nil || !r.Measures.Stable {
		return 0
	}
	return 1 / r.Measures.MeanResponseTime
}

// staticsAt solves static policies at a point of the axis.
func (w *walk) staticsAt(ctx context.Context, x float64, ks ...int) (Decision, error) {
	s, err := w.Axis.At(w.System, x)
	if err != nil {
		return Decision{}, err
	}
	var policies []policy.Policy
	for _, k := range ks {
		policies = append(policies, policy.Static{Partitions: k})
	}
	d, err := Solve(ctx, s, policies, w.Settings, 1)
	if err != nil {
		return d, fmt.Errorf("%s %.6g: %w", w.Axis.Name, x, err)
	}
	return d, nil
}
