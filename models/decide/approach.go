package decide

import (
	"context"
	"math"

	"github.com/partwise/partwise/markov/parallel"
)

// approaches adds, where the curves come close between points on the same side, the points at which they might cross.
func (w *walk) approaches(ctx context.Context, a *Answer) error {
	var near []stretch
	for i := range a.Probes {
		if s, ok := closest(a.Probes, i); ok {
			near = append(near, s)
		}
	}
	found := make([][]Probe, len(near))
	err := parallel.Each(ctx, len(near), w.Workers, func(i int) (err error) {
		found[i], err = w.search(ctx, near[i])
		return err
	})
	if err != nil {
		return err
	}
	for _, more := range found {
		a.Probes = append(a.Probes, more...)
	}
	sortProbes(a.Probes)
	return nil
}

// stretch is a part of the axis that may hold a closer approach of the curves than its ends: between lo and hi, of
// which x is the closest point that was solved.
type stretch struct {
	lo, x, hi float64
	f         float64 // at x
}

// closest returns the stretch about probe i if that is nearer to a crossing than its neighbours, on the same side, and
// so near that the curve may turn beyond it: it would have to bend by more than it did on the way there.
func closest(probes []Probe, i int) (s stretch, ok bool) {
	f, ok := probes[i].ahead()
	if !ok || f == 0 {
		return s, false
	}
	s = stretch{probes[i].X, probes[i].X, probes[i].X, f}
	bend := 0.0
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(probes) {
			continue
		}
		g, there := probes[j].ahead()
		if !there {
			continue
		}
		if g*f <= 0 || math.Abs(g) < math.Abs(f) {
			return s, false
		}
		bend = math.Max(bend, math.Abs(g-f))
		s.lo, s.hi = math.Min(s.lo, probes[j].X), math.Max(s.hi, probes[j].X)
	}
	return s, math.Abs(f) < bend
}

// search looks for the point of a stretch at which the advantage is nearest to changing its sign, by golden section,
// and stops as soon as it does. It returns that point, none if the sign stays.
func (w *walk) search(ctx context.Context, s stretch) ([]Probe, error) {
	const narrow = 1e-3 // of a stretch: the curve has no turn of interest below
	first, sign := s.hi-s.lo, math.Copysign(1, s.f)
	for s.hi-s.lo > narrow*first {
		x := s.x + golden*(s.hi-s.x)
		if s.hi-s.x < s.x-s.lo {
			x = s.x - golden*(s.x-s.lo)
		}
		p, err := w.at(ctx, x)
		if err != nil {
			return nil, err
		}
		f, ok := p.ahead()
		switch {
		case !ok:
			return nil, nil
		case f*sign <= 0:
			return []Probe{p}, nil
		case f*sign < s.f*sign && x > s.x:
			s = stretch{s.x, x, s.hi, f}
		case f*sign < s.f*sign:
			s = stretch{s.lo, x, s.x, f}
		case x > s.x:
			s.hi = x
		default:
			s.lo = x
		}
	}
	return nil, nil
}
