package decide

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
)

// refinements is how often [walk.approaches] halves the steps beside a closest approach. After 10 halvings, two adjacent
// points are a thousandth of a step of the walk apart.
const refinements = 10

// approaches looks for pairs of crossings between adjacent points of the walk. Such a pair is possible where the
// advantage f has the same sign at both points and is close to 0 between them.
//
// The function halves the steps beside every point that [neighbours] names, and repeats that [refinements] times. Only
// new points at which f has another sign are added to a.Probes. Each of them then makes two changes of sign, in which
// [walk.intervals] finds the crossings.
func (w *walk) approaches(ctx context.Context, a *Answer) error {
	probes := slices.Clone(a.Probes)
	for range refinements {
		var xs, sides []float64
		for i := range probes {
			for _, j := range neighbours(probes, i) {
				f, _ := probes[i].ahead()
				xs, sides = append(xs, (probes[i].X+probes[j].X)/2), append(sides, f)
			}
		}
		more, err := parallel.Grid(ctx, 1, len(xs), w.Workers, nil, func(_, i int) (Probe, error) { return w.at(ctx, xs[i]) })
		if err != nil {
			return err
		}
		for i, p := range more[0] {
			if f, ok := p.ahead(); ok && f*sides[i] <= 0 {
				a.Probes = append(a.Probes, p)
			}
		}
		probes = append(probes, more[0]...)
		sortProbes(probes)
	}
	sortProbes(a.Probes)
	return nil
}

// neighbours returns the indices of the probes beside probe i between which and probe i another sign of the advantage f
// is possible. The list is empty unless all of the following hold:
//
//   - f is not 0 at probe i and has the same sign at the adjacent probes;
//   - |f| is smallest at probe i, so that probe i is a closest approach;
//   - |f| at probe i is less than the largest change of f to an adjacent probe. Otherwise f would have to change by more
//     within one step than it did in the steps that were solved.
//
// Adjacent probes at which no policy is stable are left out.
func neighbours(probes []Probe, i int) (beside []int) {
	f, ok := probes[i].ahead()
	if !ok || f == 0 {
		return nil
	}
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
			return nil
		}
		bend = max(bend, math.Abs(g-f))
		beside = append(beside, j)
	}
	if math.Abs(f) >= bend {
		return nil
	}
	return beside
}
