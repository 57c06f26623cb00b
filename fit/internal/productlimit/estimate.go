// Package productlimit estimates survival functions from censored and truncated observations, and measures how far a
// distribution is from the estimate.
package productlimit

import (
	"context"
	"math"
	"slices"
)

// Event is a change of the weight at risk, the weight of the observations that have begun and not ended.
type Event struct {
	X     float64
	Ended float64 // weight of the observations that end here
	Left  float64 // weight of the observations that are censored here, minus the weight of the observations that begin here
	Edge  bool    // see [Step]
}

// Step is a step of the survival function of the data, which falls from Before to After at X.
type Step struct {
	X, Before, After float64
	Edge             bool // X is the end of an interval, and the survival function is known only at X
	// SpreadBefore and SpreadAfter are the spreads of the estimate on both sides of X; see [Estimate].
	SpreadBefore, SpreadAfter float64
}

// CompleteSize returns how many observations without censoring and truncation tell S(X) as precisely as the n observations
// do: n·(1−S)/(G−S), with the values behind the step. So the relative variance of the estimate is (1−S)/(S·CompleteSize).
// It is Greenwood's, Σ d/(r·(r−d)). leastSpread is a lower bound of G, see [Estimate.Spreads].
//
// Reference: J. P. Klein, M. L. Moeschberger, Survival Analysis, 2nd ed., Springer, 2003, section 4.2.
func (st Step) CompleteSize(n, leastSpread float64) float64 {
	return n * (1 - st.After) / (max(st.SpreadAfter, leastSpread) - st.After)
}

// Estimate is a product-limit estimate S of the survival function, conditional on times longer than Start.
//
// Its spread is G(x) = S(x)·(1 + C(x)) with Greenwood's sum C(x) = n·Σ d/(r·(r−d)) over the times up to x. n is the whole
// weight, and d the part of the weight r at risk that ends at a time. √n·(S(x) − F̄(x))/G(x), for the true survival function F̄,
// tends to a Brownian bridge at the time C/(1 + C). So the largest |S − F̄|/G is compared with the critical values of
// Kolmogorov. Without censoring and truncation G is 1.
//
// References: E. L. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, J. Amer. Statist. Assoc. 53
// (1958) 457–481. W. J. Hall, J. A. Wellner, Confidence bands for a survival curve from censored data, Biometrika 67 (1980)
// 133–143. M. Woodroofe, Estimating a distribution function with truncated data, Ann. Statist. 13 (1985) 163–177.
type Estimate struct {
	Start float64
	Steps []Step // by ascending times

	spans []span // of the weight at risk from Start on; nil if no observation begins later
	total float64
}

// span is the time up to x, since the span before. Meanwhile the weight atRisk was at risk.
type span struct {
	x, atRisk float64
	isStep    bool // S has a step at x
}

// negligible is the share of the whole weight below which a weight at risk is a rounding error.
const negligible = 1e-12

// New returns the product-limit estimate for events that are sorted by time. atRisk is the weight at risk at time 0, and
// total the weight of all observations.
//
// Truncation may leave nobody at risk before others begin. The data say nothing of such a gap, and of times on one side of
// it conditional on the other side. So New estimates between two gaps, where the largest weight ended. After the last time
// S is exactly 0, unless this time is a lower bound. Steps are missing if ctx ends.
func New(ctx context.Context, events []Event, atRisk, total float64) Estimate {
	steps, spans := make([]Step, 0, len(events)), []span(nil)
	joins := slices.ContainsFunc(events, func(e Event) bool { return e.Left < 0 })
	var best stretch
	now := stretch{survival: 1, spread: 1}
	for i := 0; i < len(events) && (len(steps)%chunk > 0 || ctx.Err() == nil); {
		at, next := together(events, i)
		i = next
		if atRisk <= negligible*total {
			atRisk, now.start = 0, at.X
		} else if joins {
			spans = append(spans, span{at.X, atRisk, at.Ended > 0})
			now.joined = now.joined || at.Left < 0
		}
		if at.Ended > 0 && atRisk > 0 {
			last := atRisk-at.Ended <= negligible*total || i == len(events) && at.Left == 0
			steps = append(steps, now.step(at, atRisk, total, last))
		}
		atRisk -= at.Ended + at.Left
		if now.survival == 0 || atRisk <= negligible*total {
			best = best.orHeavier(now, steps, spans)
			now = stretch{start: at.X, survival: 1, spread: 1}
			steps, spans = steps[len(steps):], spans[len(spans):]
		}
	}
	best = best.orHeavier(now, steps, spans)
	if !best.joined {
		best.spans = nil
	}
	return Estimate{best.start, best.steps, best.spans, total}
}

// chunk is the number of steps between two checks of the context.
const chunk = 1 << 14

// together returns the sum of all events at the time of event i, and the index of the next event.
func together(events []Event, i int) (sum Event, next int) {
	sum = events[i]
	for next = i + 1; next < len(events) && events[next].X == sum.X; next++ {
		sum.Ended += events[next].Ended
		sum.Left += events[next].Left
		sum.Edge = sum.Edge || events[next].Edge
	}
	return sum, next
}

// stretch is the time between two gaps.
type stretch struct {
	start            float64
	steps            []Step
	spans            []span
	joined           bool    // an observation began later than the stretch
	ended            float64 // the weight that ended
	survival, spread float64 // at the end of the stretch so far
}

// step goes on to the time of an event and returns the step there. last says that nobody stays at risk.
//
// With the share h = d/r of the weight at risk that ends, G becomes G·(1 − h) + n·S·h/r: n·d/(r·(r−d)) is added to C, and S
// is multiplied by 1 − h.
func (s *stretch) step(at Event, atRisk, total float64, last bool) Step {
	share := min(1, at.Ended/atRisk)
	if last {
		share = 1
	}
	out := Step{X: at.X, Before: s.survival, Edge: at.Edge, SpreadBefore: s.spread}
	s.spread = s.spread*(1-share) + total*s.survival*share/atRisk
	s.survival *= 1 - share
	s.ended += at.Ended
	out.After, out.SpreadAfter = s.survival, s.spread
	return out
}

// orHeavier returns s, or the stretch other, with its steps and spans, if more weight ended there.
func (s stretch) orHeavier(other stretch, steps []Step, spans []span) stretch {
	if other.ended > s.ended {
		other.steps, other.spans = steps, spans
		return other
	}
	return s
}

// Spreads returns the least spread that a survival function F̄ leaves to the estimate at each step, or nil if no observation
// begins later than e.Start. It is F̄·(1 + n·∫ dΛ/r) for the hazard Λ = −log F̄. Greenwood's sum is too small where few are
// at risk and, by chance, none ends.
func (e *Estimate) Spreads(ctx context.Context, survival func(x float64) float64) (all []float64) {
	whole := e.Observable(survival)
	before, sum := 1., 0.
	for i, sp := range e.spans {
		if i%chunk == 0 && ctx.Err() != nil {
			return make([]float64, len(e.Steps))
		}
		after := min(before, max(survival(sp.x)/whole, minPositive))
		sum += e.total * math.Log(before/after) / sp.atRisk
		before = after
		if sp.isStep {
			all = append(all, after*(1+sum))
		}
	}
	return all
}

// Observable returns the probability of times longer than e.Start by a survival function, at least 1e-300. Distributions
// are compared with e after division by it.
func (e *Estimate) Observable(survival func(x float64) float64) float64 {
	if e.Start == 0 {
		return 1
	}
	return max(survival(e.Start), minPositive)
}

// minPositive replaces 0 in denominators and logarithms.
const minPositive = 1e-300
