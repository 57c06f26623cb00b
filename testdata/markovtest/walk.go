package markovtest

import "math"

// Move is a transition between two states, or out of the chain if To is negative.
type Move struct {
	From, To int
	Rate     float64
}

// Walk is an absorbing chain, followed with 31 digits by uniformization: s_k is the probability not to be absorbed after k steps
// of the chain at the epochs of a Poisson process of rate Λ.
type Walk struct {
	rate  float64   // Λ, at least all rates out of a state
	alive []twofold // s_k
	now   []twofold // probabilities of the states after the steps so far
	stay  []twofold
	moves []step
}

// step is a move with its probability.
type step struct {
	from, to    int
	probability twofold
}

// NewWalk returns the chain with the given first probabilities of its states.
func NewWalk(start []float64, moves []Move) *Walk {
	w := &Walk{now: make([]twofold, len(start)), stay: make([]twofold, len(start))}
	out := make([]twofold, len(start))
	for _, m := range moves {
		out[m.From] = out[m.From].plus(double(m.Rate))
		w.rate = max(w.rate, out[m.From].hi)
	}
	w.rate *= 1 + 1./1024 // more than the largest sum, which was rounded
	for i, p := range start {
		w.now[i], w.stay[i] = double(p), double(1).minus(out[i].over(double(w.rate)))
	}
	for _, m := range moves {
		if m.To >= 0 {
			w.moves = append(w.moves, step{m.From, m.To, double(m.Rate).over(double(w.rate))})
		}
	}
	w.alive = []twofold{total(w.now)}
	return w
}

// after returns s_k.
func (w *Walk) after(k int) twofold {
	for len(w.alive) <= k {
		next := make([]twofold, len(w.now))
		for i, p := range w.now {
			next[i] = p.times(w.stay[i])
		}
		for _, m := range w.moves {
			if p := w.now[m.from]; p.hi != 0 {
				next[m.to] = next[m.to].plus(p.times(m.probability))
			}
		}
		w.now = next
		w.alive = append(w.alive, total(next))
	}
	return w.alive[k]
}

// Survival returns P(T > t) = Σ_k e^{−Λt}·(Λt)^k/k!·s_k for the time T of absorption. The weights are found by their ratios from the
// largest outward, and scaled to sum to one. Weights of few epochs matter however small they are: s_k may be as small after more.
func (w *Walk) Survival(t float64) float64 {
	const least = 1e-34
	a := double(w.rate).times(double(t))
	var sum, weights twofold
	add := func(k int, weight twofold) {
		weights = weights.plus(weight)
		sum = sum.plus(weight.times(w.after(k)))
	}
	mode := int(math.Floor(a.hi))
	weight := double(1)
	for k := mode; k >= 0 && weight.hi > 0; k-- {
		add(k, weight)
		weight = weight.times(double(float64(k))).over(a)
	}
	weight = double(1)
	for k := mode + 1; ; k++ {
		if weight = weight.times(a).over(double(float64(k))); weight.hi <= least {
			return sum.over(weights).float()
		}
		add(k, weight)
	}
}

// Probability returns the probability of a state after the largest number of steps so far.
func (w *Walk) Probability(state int) float64 { return w.now[state].float() }
