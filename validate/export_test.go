package validate

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// SimulateToPrecisions returns what [Simulate] returns for each of the precisions, from one simulation to the finest. A stage of a
// simulation to one precision is a look at the same replications on their way. Only the histograms depend on the precision: they
// begin after the warm-up, as far as it is known at a look.
func SimulateToPrecisions(ctx context.Context, sys *models.System, p policy.Policy, o Options, precisions []float64) ([]Simulation, error) {
	subject, o, _, err := prepare(ctx, sys, p, nil, o)
	if err != nil {
		return nil, err
	}
	m, err := subject.simulator(sys, o)
	if err != nil {
		return nil, err
	}
	x := newExperiment(ctx, m, subject, o)
	goals := make([]*goal, len(precisions))
	for k, precision := range precisions {
		s := Simulation{Policy: p, Fidelity: o.Fidelity, Confidence: o.Confidence}
		goals[k] = &goal{s, precision, x.firstLength(), x.replications}
	}
	return x.reach(ctx, goals)
}

// goal is a simulation to one precision, as far as it has come.
type goal struct {
	Simulation
	precision float64
	next      int            // jobs of a replication at the next look; 0 without a next look
	views     []*replication // the replications with histograms of this precision; several goals may share them
}

// reach lengthens the replications from look to look until all goals are reached, and returns the simulations of the goals.
func (x *experiment) reach(ctx context.Context, goals []*goal) ([]Simulation, error) {
	own := x.replications
	for {
		var open []*goal
		length := math.MaxInt
		for _, g := range goals {
			if g.next > 0 {
				open, length = append(open, g), min(length, g.next)
			}
		}
		if len(open) == 0 {
			break
		}
		for r, rep := range own {
			observer := x.o.observer(ctx)
			observer.Times = countForAll(open, r)
			rep.run.Watch(observer)
		}
		x.replications = own
		if err := x.advance(ctx, length); err != nil {
			return nil, err
		}
		for _, g := range open {
			if g.next == length {
				if err := x.judgeGoal(g, own); err != nil {
					return nil, err
				}
			}
		}
	}
	all := make([]Simulation, len(goals))
	for k, g := range goals {
		all[k] = g.Simulation
	}
	return all, nil
}

// countForAll returns a function that puts response times of departed jobs of replication r into the histograms of all goals.
func countForAll(goals []*goal, r int) func([]simulation.Time) {
	var views []*replication
	for _, g := range goals {
		if !slices.Contains(views, g.views[r]) {
			views = append(views, g.views[r])
		}
	}
	return func(times []simulation.Time) {
		for _, v := range views {
			v.count(times)
		}
	}
}

// judgeGoal judges one goal at its look. own are the replications that run. The goal gets views of its own if its histograms
// begin anew.
func (x *experiment) judgeGoal(g *goal, own []*replication) error {
	views := make([]*replication, len(own))
	for r, v := range g.views {
		view := *v
		view.times, view.events, view.err = slices.Clone(v.times), own[r].events, own[r].err
		views[r] = &view
	}
	x.replications, x.o.Precision = views, g.precision
	next, err := x.judge(&g.Simulation, g.next, nil)
	if err != nil {
		return err
	}
	g.next = next
	if next == 0 {
		g.Measures = x.estimates(g.sums)
		g.views = nil
	} else if views[0].skip != g.views[0].skip {
		g.views = views
	}
	return nil
}
