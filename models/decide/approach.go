package decide

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
)

// refinements is how often the steps are halved about a closest approach: the curve has no turn of interest within a thousandth of
// a step.
const refinements = 10

// approaches adds, where the curves come close between points on the same side, points on the other side: the steps beside the
// closest point are halved as long as it stays the closest one and the curve may turn there.
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

// neighbours returns the probes beside probe i if that is nearer to a crossing than they are, on the same side, and so near that
// the curve may turn beyond it: it would have to bend by more than it did on the way there.
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
