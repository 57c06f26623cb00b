package models

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/division"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/models/internal/levels"
)

// resizedPhase is a state, without the level, of the machine whose resized jobs stop.
type resizedPhase struct {
	Shared
	full bool // all jobs stand still
}

// resizedChain is dynamic equi-partitioning in which only resized jobs stop, with whole nodes: each of k ≤ N jobs has
// ⌊N/k⌋ units of nodes or one more. The chain is exact for the following machine, which approximates it.
//
//   - Jobs differ only in their phases. Which job has a large partition, makes progress or leaves is independent of the
//     phases. While all k jobs make progress, each does so at V_k = (1/k)·Σ_j S(n_j)/S(P/k) times the rates of B_k, where
//     n_j are the nodes of job j.
//   - A repartition that begins while all jobs make progress is partial: jobs that keep their partitions continue, at a
//     share of V_k. The share is a mean over whether the job that left had a small or a large partition. So departures
//     can also interrupt repartitions.
//   - A repartition that interrupts another one stops the jobs that it resizes and the jobs that stood still. It is then
//     partial, with the speed of one that interrupts none, or full: no job makes progress. The probability of the two is
//     such that the mean speed is right. A repartition that interrupts a full one is full.
//   - With N jobs or more, arrivals wait. A departure gives its partition to the first job of the queue, which begins at
//     once, and a repartition under way continues.
//
// docs/elasticity.md has measurements of the error of this approximation.
type resizedChain struct {
	*Sharing
	levels *levels.Chain[resizedPhase]
	stages map[byte][]stage // by kind of repartition and number of jobs
	like   *resizedChain    // the chain from which WithArrivalRate made this one, or the chain itself
}

// stage is a partial repartition, or execution without one, at a number of jobs.
type stage struct {
	division.Pace
	partial map[byte]float64 // by kind: probability that a repartition that interrupts it is partial
}

func newResizedChain(s *System, most int) (*resizedChain, error) {
	divisions, err := s.divisions(most)
	if err != nil {
		return nil, err
	}
	c := &resizedChain{Sharing: newSharing(s, most), stages: map[byte][]stage{}}
	undisturbed := workingJobs(divisions)
	for kind := range undisturbed {
		c.stages[kind] = make([]stage, most+1)
		for k := 1; k <= most; k++ {
			c.stages[kind][k] = newStage(divisions, undisturbed, kind, k)
		}
	}
	c.like = c
	return c, nil
}

// WithArrivalRate returns the chain of the system with its arrivals rescaled in time so that jobs arrive at rate lambda.
// Both chains have the same states. Chains that are solved with the same [markov.Settings.Shared] find them once. The error
// is the error of [System.WithArrivalRate].
func (c *resizedChain) WithArrivalRate(lambda float64) (Model, error) {
	s, err := c.sys.WithArrivalRate(lambda)
	if err != nil {
		return nil, err
	}
	return &resizedChain{Sharing: newSharing(s, c.n), stages: c.stages, like: c.like}, nil
}

// workingJobs returns, by stage and number of jobs, which jobs make progress: all jobs during execution, and the jobs
// that keep their partitions during a repartition that interrupts no other.
func workingJobs(divisions []division.WholeUnits) map[byte][]division.Working {
	n := len(divisions)
	w := map[byte][]division.Working{}
	for _, kind := range []byte{executing, shrinking, expanding} {
		w[kind] = make([]division.Working, n)
	}
	for k := 1; k < n; k++ {
		w[executing][k] = divisions[k].Jobs
	}
	for k := 1; k < n-1; k++ {
		w[shrinking][k+1] = divisions[k].Arrive(&divisions[k+1], divisions[k].Jobs)
		w[expanding][k] = divisions[k+1].Depart(&divisions[k], divisions[k+1].Jobs)
	}
	return w
}

// newStage returns the stage of a kind at k jobs. The probability that an interrupting repartition is partial is the
// speed of the jobs that continue, over the speed of the jobs that would continue if it interrupted nothing.
func newStage(divisions []division.WholeUnits, undisturbed map[byte][]division.Working, kind byte, k int) stage {
	now, w := &divisions[k], undisturbed[kind][k]
	s := stage{now.Pace(w), map[byte]float64{}}
	if s.Speed == 0 {
		return s
	}
	if k+1 < len(divisions) {
		next := &divisions[k+1]
		s.partial[shrinking] = next.Share(now.Arrive(next, w), undisturbed[shrinking][k+1])
	}
	if k > 1 {
		next := &divisions[k-1]
		s.partial[expanding] = next.Share(now.Depart(next, w), undisturbed[expanding][k-1])
	}
	return s
}

// stage returns the stage of a state at a level. It is empty if no job makes progress.
func (c *resizedChain) stage(level int, s resizedPhase) stage {
	if level == 0 || s.full || s.Kind == launching {
		return stage{}
	}
	return c.stages[s.Kind][s.Shares]
}

// chainOfLevels returns the chain before its states are found. Arrivals and departures begin repartitions, so most phases
// of a level are never entered from another level. The chain is therefore eliminated level by level, by the phases that
// are entered.
func (c *resizedChain) chainOfLevels() *levels.Chain[resizedPhase] {
	all := &levels.Chain[resizedPhase]{Repeats: c.n, Moves: c.moves, Regime: resizedRegime, ByLevels: true, OfArrivals: ofArrivals}
	for _, s := range c.Empty() {
		all.Empty = append(all.Empty, resizedPhase{Shared: s})
	}
	return all
}

// ofArrivals reports whether a transition is an arrival or a change of the phase of the arrivals.
func ofArrivals(by int, from, to resizedPhase) bool { return by > 0 || from.Arrival != to.Arrival }

// explored returns the chain of levels with its states, from shared if it has them.
func (c *resizedChain) explored(ctx context.Context, shared *markov.Shared, memory *markov.Memory) (
	*levels.Chain[resizedPhase], error) {
	found, err := shared.Do(ctx, c.like, func() (any, error) {
		all := c.like.chainOfLevels()
		return all, all.Explore(ctx, memory)
	})
	if err != nil {
		return nil, err
	}
	return found.(*levels.Chain[resizedPhase]).WithArrivals(c.sys.Arrivals.Rate() / c.like.sys.Arrivals.Rate()), nil
}

// resizedRegime returns the regime of a phase: 0 for partial repartitions, 1 for full ones, and 2 for execution, which
// ends both. With N jobs or more no repartition begins, and partial ones do not become full.
func resizedRegime(s resizedPhase) int {
	switch {
	case s.Kind == executing:
		return 2
	case s.full:
		return 1
	}
	return 0
}

// CheckSize estimates the time that Solve takes on one core. Each level is eliminated by products of blocks with few
// rows, whose columns are the phases of a level: phases of the arrivals, of the jobs, and of partial and full
// repartitions. The rate perSecond is measured on machines of 96 to 290 nodes whose jobs have two phases, and on a
// machine of 8 nodes with 1,200 phases. If a level has too many phases, the error is the error of Solve. The phases are
// counted only if the estimate is above the limit.
func (c *resizedChain) CheckSize(ctx context.Context, st markov.Settings) (seconds float64, err error) {
	const perSecond = 2e8
	most := 0.0
	for k := 1; k <= c.n; k++ {
		stages := 1 + 2*c.sys.ShrinkTo(k).Phases()
		if k < c.n {
			stages += 2 * c.sys.ExpandTo(k).Phases()
		}
		m := float64(c.sys.Service[k-1].Phases())
		occupancies := combin.GeneralizedBinomial(float64(k)+m-1, m-1)
		most = max(most, occupancies*float64(stages*c.sys.Arrivals.Phases()))
	}
	if most > levels.MostDensePhases {
		if err := c.chainOfLevels().Explore(ctx, st.Memory); err != nil {
			return 0, c.solving(err)
		}
	}
	return max(float64(c.n), most/10) * most * most / perSecond, nil
}

// moves adds the transitions of a state.
func (c *resizedChain) moves(level int, s resizedPhase, add func(by int, to resizedPhase, rate float64)) {
	now := c.stage(level, s)
	c.events(level, s.Shared, now.Speed, func(by int, to Shared, rate float64) {
		if by == 0 {
			add(0, resizedPhase{to, s.full && to.Kind != executing}, rate)
			return
		}
		c.Divide(level+by, to, min(level+by, c.n), func(d Shared, p float64) {
			s.become(d, now, func(to resizedPhase, q float64) { add(by, to, rate*p*q) })
		})
	})
}

// become adds the states that follow a move that leads to d and may begin a repartition.
func (s resizedPhase) become(d Shared, now stage, add func(to resizedPhase, p float64)) {
	switch {
	case d.Shares == s.Shares:
		add(resizedPhase{d, s.full}, 1)
	case d.Kind == executing:
		add(resizedPhase{Shared: d}, 1)
	default:
		p := now.partial[d.Kind]
		if p > 0 {
			add(resizedPhase{Shared: d}, p)
		}
		if p < 1 {
			add(resizedPhase{d, true}, 1-p)
		}
	}
}

// measure computes the measures from the solution.
func (c *resizedChain) measure(m *Measures, sol levels.Solution) {
	m.readLevels(sol, c.sys.Arrivals.Rate(), sol.MeanAbove(c.n))
	m.Repartitions = &Repartitions{Partial: true}
	c.levels.Each(sol, func(level int, s resizedPhase, p float64) {
		now := c.stage(level, s)
		m.MeanExecuting += p * now.Jobs
		m.Utilization += p * now.Nodes
		if s.Kind != executing {
			m.Repartitions.Probability += p
		}
	})
	c.levels.EachMove(sol, func(level int, s resizedPhase, by int, to resizedPhase, flow float64) {
		c.read(m, level, s.Shared, by, to.Shared, flow)
	})
	m.Repartitions.sum()
}

// Solve returns the measures of the system where only resized jobs stop. An unstable system is not an error.
func (c *resizedChain) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	capacity := float64(c.n) / c.sys.Service[c.n-1].Mean() * c.stages[executing][c.n].Speed
	m, stable := newMeasures(c.sys, capacity)
	if !stable {
		return m, nil
	}
	var err error
	if c.levels, err = c.explored(ctx, st.Shared, st.Memory); err != nil {
		return m, c.solving(err)
	}
	if m, err = solveRegimes(ctx, c.levels, c.sys, capacity, c.measure, st); err != nil {
		return m, c.solving(err)
	}
	m.times = func(context.Context, string) (jobtimes.Distributions, error) {
		return jobtimes.Distributions{}, c.sys.stopsAll("response times of jobs")
	}
	return m, nil
}

// solving returns an error of the solution with the name of the chain.
func (c *resizedChain) solving(err error) error {
	return fmt.Errorf("models: dynamic partitioning that stops resized jobs: %w", err)
}
