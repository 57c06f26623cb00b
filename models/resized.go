package models

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/partwise/partwise/markov"
)

// Stops says which jobs stand still during a repartition. The zero value means [AllStop].
type Stops string

// The jobs that may stand still.
const (
	AllStop     Stops = "all"     // all jobs, as in IPS96
	ResizedStop Stops = "resized" // those that are resized, and the newcomer
)

// StopsMatter reports whether answers depend on Stops: repartitions have a cost, and do not all resize all jobs, as of two.
func (s *System) StopsMatter() bool { return !s.Free() && s.Partitions() > 2 }

// resizedPhase is a state of the machine whose resized jobs stop, without its level.
type resizedPhase struct {
	Shared
	full bool // everybody stands still
}

// resizedChain is dynamic equi-partitioning where only those jobs stop that are resized, with whole nodes: k ≤ N jobs
// have ⌊N/k⌋ units of nodes or one more. It is exact for the following machine, which approximates that one.
//
//   - Jobs are alike but for their phases: whichever has a large partition, makes progress or leaves is independent of
//     how far it has come. While all k make progress each does so at V_k = (1/k)·Σ_j S(n_j)/S(P/k) times the rates of B_k.
//   - A repartition that begins while all make progress is partial: those who keep their partitions go on, at a share of
//     V_k that is a mean over whether the job that left had a small or a large partition. So departures may interrupt
//     repartitions, too.
//   - One that interrupts another stops, besides those it resizes, those that stood still. It is then partial, with the
//     speed of one that interrupts none, or full: nobody makes progress. The probability is such that the mean speed is
//     that of the union. What interrupts a full one is full.
//   - With N jobs or more arrivals wait, and a departure hands its partition to the head of the queue, who begins at
//     once, a repartition going on as it was.
//
// What that costs in accuracy is measured in docs/elasticity.md.
type resizedChain struct {
	*Sharing
	levels *levelChain[resizedPhase]
	stages map[byte][]stage // by kind and number of jobs
}

// stage is a partial repartition, or the execution, at a number of jobs.
type stage struct {
	pace
	partial map[byte]float64 // probability that what interrupts it, a shrink or an expand, is partial
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
	return c, nil
}

// workingJobs returns by stage and number of jobs who makes progress: all when executing, and in a repartition that
// interrupts no other those who keep their partitions.
func workingJobs(divisions []division) map[byte][]working {
	n := len(divisions)
	w := map[byte][]working{executing: make([]working, n), shrinking: make([]working, n), expanding: make([]working, n)}
	for k := 1; k < n; k++ {
		w[executing][k] = divisions[k].jobs
	}
	for k := 1; k < n-1; k++ {
		w[shrinking][k+1] = divisions[k].arrive(&divisions[k+1], divisions[k].jobs)
		w[expanding][k] = divisions[k+1].depart(&divisions[k], divisions[k+1].jobs)
	}
	return w
}

// newStage returns a stage at k jobs.
func newStage(divisions []division, undisturbed map[byte][]working, kind byte, k int) stage {
	now, w := &divisions[k], undisturbed[kind][k]
	s := stage{now.pace(w), map[byte]float64{}}
	if s.speed == 0 {
		return s
	}
	if k+1 < len(divisions) {
		next := &divisions[k+1]
		s.partial[shrinking] = share(next, now.arrive(next, w), undisturbed[shrinking][k+1])
	}
	if k > 1 {
		next := &divisions[k-1]
		s.partial[expanding] = share(next, now.depart(next, w), undisturbed[expanding][k-1])
	}
	return s
}

// share returns the speed of w over that of a whole, at most 1.
func share(d *division, w, whole working) float64 {
	if all := d.pace(whole).speed; all > 0 {
		return min(1, d.pace(w).speed/all)
	}
	return 0
}

// stage returns what goes on in a state of a level of one job or more.
func (c *resizedChain) stage(level int, s resizedPhase) stage {
	if level == 0 || s.full || s.Kind == launching {
		return stage{}
	}
	return c.stages[s.Kind][s.Shares]
}

// chainOfLevels returns the chain, before its states are found. Arrivals and departures begin repartitions, so that most phases of a
// level are not entered from another one: levels are eliminated by those that are.
func (c *resizedChain) chainOfLevels() *levelChain[resizedPhase] {
	all := &levelChain[resizedPhase]{Repeats: c.n, Moves: c.moves, Regime: resizedRegime, ByLevels: true}
	for _, s := range c.Empty() {
		all.Empty = append(all.Empty, resizedPhase{Shared: s})
	}
	return all
}

// resizedRegime makes regimes of partial and full repartitions and of the execution, which ends both: with N jobs or
// more none begins, and partial ones do not become full.
func resizedRegime(s resizedPhase) int {
	switch {
	case s.Kind == executing:
		return 2
	case s.full:
		return 1
	}
	return 0
}

// CheckSize estimates the time that Solve takes on one core: it eliminates each level by products of blocks whose rows are few and
// whose columns are the phases, those of the arrivals, of the jobs, and of two kinds of repartitions, partial and full. Machines of
// 96 to 290 nodes whose jobs have two phases take as long, and one of 8 nodes with 1,200 phases. The error is nil.
func (c *resizedChain) CheckSize(context.Context, markov.Settings) (seconds float64, err error) {
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
	return max(float64(c.n), most/10) * most * most / perSecond, nil
}

// moves adds the transitions of a state.
func (c *resizedChain) moves(level int, s resizedPhase, add func(by int, to resizedPhase, rate float64)) {
	now := c.stage(level, s)
	c.events(level, s.Shared, now.speed, func(by int, to Shared, rate float64) {
		if by == 0 {
			add(0, resizedPhase{to, s.full && to.Kind != executing}, rate)
			return
		}
		c.Divide(level+by, to, min(level+by, c.n), func(d Shared, p float64) {
			s.become(d, now, func(to resizedPhase, q float64) { add(by, to, rate*p*q) })
		})
	})
}

// become adds how a move ends that leads to d and may begin a repartition.
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

// measure reads the measures off the solution.
func (c *resizedChain) measure(m *Measures, sol levelSolution) {
	m.readLevels(sol, c.sys.Arrivals.Rate(), sol.MeanAbove(c.n))
	m.Repartitions = &Repartitions{Partial: true}
	c.levels.Each(sol, func(level int, s resizedPhase, p float64) {
		now := c.stage(level, s)
		m.MeanExecuting += p * now.jobs
		m.Utilization += p * now.nodes
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
	c.levels = c.chainOfLevels()
	capacity := float64(c.n) / c.sys.Service[c.n-1].Mean() * c.stages[executing][c.n].speed
	m, err := c.levels.measures(ctx, c.sys, capacity, c.measure, st)
	if err != nil {
		return m, fmt.Errorf("models: dynamic partitioning that stops resized jobs: %w", err)
	}
	if !m.Stable {
		return m, nil
	}
	m.times = func(context.Context, string) (_, _ quantile, bound float64, err error) {
		return nil, nil, 0, c.sys.stopsAll("response times of jobs")
	}
	return m, nil
}
