package models

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/phasetype"
)

// visits is what the others see of a class.
type visits struct {
	mean   float64 // how long the machine stays
	square float64 // the second moment of that
	empty  float64 // probability that no job is left then
	fill   float64 // rate at which a job comes while there is none
}

// saturated returns the visits of a class that always has jobs: a switch-over and a whole quantum.
func saturated(c TimeSharedClass) visits {
	mean := c.SwitchOver.Mean() + c.Quantum.Mean()
	return visits{mean, c.SwitchOver.Variance() + c.Quantum.Variance() + mean*mean, 0, c.Arrivals.Rate()}
}

// visits returns how the machine visits the class. The second moment of a visit is twice its mean times the mean of what
// is left of it at a random moment of visits.
func (c *classChain) visits(ctx context.Context, sol *markov.QBDSolution) (visits, error) {
	var inVisits, ended, emptied, filled float64
	c.levels.Each(sol, func(level int, s phase, p float64) {
		if level == 0 {
			c.arrivals(level, s, func(by int, _ phase, rate float64) { filled += p * rate * float64(by) })
		}
		if !s.visiting() {
			return
		}
		inVisits += p
		c.during(level, s, func(int, phase, float64) {}, func(by int, _ phase, rate float64) {
			ended += p * rate
			if level+by == 0 {
				emptied += p * rate
			}
		})
	})
	v := visits{mean: inVisits / ended, empty: emptied / ended, fill: filled / sol.Probability(0)}
	if c.hold {
		v.square = saturated(c.TimeSharedClass).square
		return v, nil
	}
	left, err := c.left(ctx, sol)
	v.square = 2 * left / ended
	return v, err
}

// left returns Σ π(s)·m(s) over the states of visits, m(s) being the mean time until a visit in state s ends. That is
// what is left of switch-over and quantum, m∞, less what is cut off if the queue empties before. The latter, d, is
// harmonic:
//
//	(Δ_n − L_n)·d_n = U_n·d_{n+1} + D_n·d_{n−1},  d_0 = m∞,
//
// L, U, D being the rates within a visit and Δ all rates out of a state: d_n = K_n·d_{n−1}, and K_n is the same for all n
// above c.
func (c *classChain) left(ctx context.Context, sol *markov.QBDSolution) (float64, error) {
	top := c.Partitions + 1
	k := make([]*mat.Dense, top+1)
	var err error
	if k[top], err = c.repeating(ctx); err != nil {
		return 0, err
	}
	for n := c.Partitions; n >= 1; n-- {
		b := c.block(n)
		if k[n], err = b.passage(k[n+1]); err != nil {
			return 0, err
		}
	}
	whole := 0.0
	c.levels.Each(sol, func(_ int, s phase, p float64) {
		if s.visiting() {
			whole += p * c.whole(s)
		}
	})
	cut, r := 0.0, sol.R().T()
	d, pi := k[1].ColView(0), mat.NewVecDense(len(sol.Level(1)), sol.Level(1))
	for n := 1; ; n++ {
		term, at := 0.0, c.places(n)
		for i, s := range c.levels.States(min(n, c.Partitions)) {
			if s.visiting() {
				term += pi.AtVec(i) * d.AtVec(at[s.alone()])
			}
		}
		cut += term
		if n > c.Partitions && term <= 1e-20*whole {
			return whole - cut, ctx.Err()
		}
		var nextD, nextPi mat.VecDense
		nextD.MulVec(k[min(n+1, top)], d)
		if d = &nextD; n <= c.Partitions {
			pi = mat.NewVecDense(len(sol.Level(n+1)), sol.Level(n+1))
			continue
		}
		nextPi.MulVec(r, pi)
		pi = &nextPi
	}
}

// whole returns the mean time until a visit ends if the queue does not empty.
func (c *classChain) whole(s phase) float64 {
	if s.doing == switching {
		return remaining(c.SwitchOver, s.at) + c.Quantum.Mean()
	}
	return remaining(c.Quantum, s.at)
}

// remaining returns the mean of what is left of a time in a phase.
func remaining(d phasetype.Dist, at int) float64 {
	alpha := make([]float64, d.Phases())
	alpha[at] = 1
	return phasetype.Must(phasetype.FromRates(alpha, d.T(), d.Exit())).Mean()
}

// alone returns the state without what is known of other classes, which does not matter to a visit.
func (s phase) alone() phase {
	s.busy = 0
	return s
}

// places numbers the states of a level that belong to visits, without what is known of other classes.
func (c *classChain) places(n int) map[phase]int {
	at := map[phase]int{}
	for _, s := range c.levels.States(min(n, c.Partitions)) {
		if _, met := at[s.alone()]; s.visiting() && !met {
			at[s.alone()] = len(at)
		}
	}
	return at
}

// visitBlock holds the rates within a visit out of the states of a level; local is Δ − L. To level 0 there is one column:
// the rates of emptying times what is then left of the quantum.
type visitBlock struct{ up, local, down *mat.Dense }

func (c *classChain) block(n int) visitBlock {
	alone := *c
	alone.others = nil
	here := c.places(n)
	targets := map[int]map[phase]int{-1: c.places(n - 1), 0: here, 1: c.places(n + 1)}
	b := visitBlock{up: mat.NewDense(len(here), len(targets[1]), nil), local: mat.NewDense(len(here), len(here), nil)}
	if n == 1 {
		b.down = mat.NewDense(len(here), 1, nil)
	} else {
		b.down = mat.NewDense(len(here), len(targets[-1]), nil)
	}
	blocks := map[int]*mat.Dense{-1: b.down, 0: b.local, 1: b.up}
	add := func(m *mat.Dense, i, j int, r float64) { m.Set(i, j, m.At(i, j)+r) }
	for s, i := range here {
		alone.during(n, s, func(by int, to phase, rate float64) {
			if rate == 0 {
				return
			}
			sign := 1.0
			if by == 0 {
				sign = -1
			}
			add(blocks[by], i, targets[by][to], sign*rate)
			add(b.local, i, i, rate)
		}, func(by int, s phase, rate float64) {
			add(b.local, i, i, rate)
			if by < 0 {
				add(b.down, i, 0, rate*c.whole(s))
			}
		})
	}
	return b
}

// passage returns (Δ − L − U·K)⁻¹·D, K being that of the level above.
func (b visitBlock) passage(above *mat.Dense) (*mat.Dense, error) {
	var a, k mat.Dense
	a.Mul(b.up, above)
	a.Sub(b.local, &a)
	err := k.Solve(&a, b.down)
	return &k, err
}

// repeating returns the K of the levels above c, the least solution of K = (Δ − L − U·K)⁻¹·D, by iteration from zero.
func (c *classChain) repeating(ctx context.Context) (*mat.Dense, error) {
	b := c.block(c.Partitions + 2)
	n, _ := b.local.Dims()
	k := mat.NewDense(n, n, nil)
	for range 20_000 {
		next, err := b.passage(k)
		if err != nil {
			return nil, err
		}
		var change mat.Dense
		change.Sub(next, k)
		if k = next; mat.Max(&change) < 1e-13 {
			return k, ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return nil, markov.ErrNoConvergence
}

// leastSCV is the least squared coefficient of variation of a fitted visit: one of less would have more phases than its
// second moment is worth.
const leastSCV = 0.05

// other returns what another class sees, by the first two moments of visits.
func (v visits) other() (other, error) {
	d, err := phasetype.TwoMoments(v.mean, math.Max(leastSCV, v.square/(v.mean*v.mean)-1))
	return other{d, v.empty, v.fill}, err
}
