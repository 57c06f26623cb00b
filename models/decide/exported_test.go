package decide

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// BestSplits walks an axis of the system and returns which number of static partitions is best where, with the points
// at which another takes over. It solves static partitioning only, at the points xs, which ascend. The error is a
// *[models.SystemError] if the system is wrong, and a *[SolveError] with the policy that could not be solved.
func BestSplits(ctx context.Context, s *models.System, axis Axis, xs []float64, set markov.Settings,
	workers int) ([]Split, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := axis.check(); err != nil {
		return nil, err
	}
	w := &walk{Breakeven: &Breakeven{System: s, Axis: axis, Settings: limited(set), Workers: workers}}
	probes := make([]Probe, len(xs))
	err := parallel.Each(ctx, len(xs), workers, func(i int) error {
		d, err := w.solveAt(ctx, xs[i], policy.Statics(s.Machine()))
		probes[i] = Probe{X: xs[i], Value: xs[i], Decision: d}
		return err
	})
	if err != nil {
		return nil, err
	}
	return w.splits(ctx, probes)
}

// Value returns the measure that a goal speaks of.
func (d *Decision) Value(s *Subject) (v float64, ok bool) { return d.value(s) }
