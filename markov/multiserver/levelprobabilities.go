package multiserver

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// otherMethods holds the methods that the solver would have tried after modes. They give the probabilities of levels
// far out where the error of modes exceeds the stated bound.
type otherMethods struct {
	untried    int                                      // number of the methods
	solveQueue func(context.Context) (*Solution, error) // solves the queue by them

	mu       sync.Mutex
	solution *Solution
}

// LevelReady solves the queue by another method if the probability of level i needs it, and keeps the result. Then
// [Solution.Probability] and [Solution.Tail] of this level take little time. Otherwise they solve at the first call
// that needs it, and cannot be cancelled. For most levels it does nothing, as for negative i. It is safe for concurrent
// use. The errors are the same as for [Queue.Solve], also if ctx ends; a nil solution is an error, too.
func (sol *Solution) LevelReady(ctx context.Context, i int) error {
	switch {
	case sol == nil || sol.sys == nil:
		return statespace.Prefixed(errNoSolution)
	case !sol.needsOtherMethod(i - sol.sys.c):
		return nil
	}
	_, err := sol.others.solve(ctx)
	return statespace.Prefixed(err)
}

// needsOtherMethod reports whether another method must give the probability of level c+k. This is so if the error of
// modes exceeds the bound in the diagnostics, and some other method was not tried. It is false for k ≤ 0, and for a
// solution without modes.
func (sol *Solution) needsOtherMethod(k int) bool {
	return k > 0 && sol.others != nil && sol.others.untried > 0 && sol.sensitivity.OfLevel(k) > sol.diagnostics.BoundAt(k)
}

// solutionForLevel returns the solution that gives the probability of level c+k: sol, or the solution by another
// method where [Solution.needsOtherMethod]. The first call may solve the queue again, which cannot be cancelled. If the
// other method fails, the result is sol, and the next call solves again. It is safe for concurrent use.
func (sol *Solution) solutionForLevel(k int) *Solution {
	if !sol.needsOtherMethod(k) {
		return sol
	}
	other, err := sol.others.solve(context.Background())
	if err != nil {
		return sol
	}
	return other
}

// solve returns the solution by the methods that were not tried, for levels so far out that modes lose their digits.
// The queue is solved at the first call; later calls return the same solution. It does not store a failure, so the next
// call solves again. It is safe for concurrent use: a second call waits for the first, even if its own ctx ends. The
// errors are the same as for [Queue.Solve], without the prefix.
func (o *otherMethods) solve(ctx context.Context) (*Solution, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.solution != nil {
		return o.solution, nil
	}
	other, err := o.solveQueue(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		o.solution = other
	}
	return other, err
}

// levelSequence holds the probabilities of the levels from c on, as far as callers have asked for them. They are found
// one after the other. Where levels are known by modes, levels holds P(in service at level c+first+i) for levelsAtOnce
// levels.
type levelSequence struct {
	mu     sync.Mutex
	levels []float64 // P(level = c+k)
	first  int       // with modes: the k of levels[0]
	a      []float64 // x_k·(F⊗I), r·K: arrivals from the states in service of the last level
	u      []float64 // u_k of [repeatingPart], r·s·K: arrivals to the last level that find the switch-over of level c unfinished

	inServiceSums  []float64    // X·1
	switchOverA    block.Matrix // Ω·(F⊗I)
	switchOverSums []float64    // Ω·1
}

// Probability returns P(level = i), the probability that i jobs are in the system, in service or in a switch-over. It
// is 0 for negative i. With modes, a sum that errors made negative counts as 0. Without modes, levels are computed one
// after the other and stored, and a probability below 2⁻¹⁰²² counts as 0. [markov.Diagnostics.BoundAt] of i − c bounds
// the relative error. It is safe for concurrent use. The first call for a level far out may solve the queue by another
// method; see [Solution.LevelReady].
func (sol *Solution) Probability(i int) float64 {
	switch c := sol.sys.c; {
	case i < 0:
		return 0
	case i < c:
		return sol.boundaryMass(i)
	case sol.repeating.Modes != nil:
		if other := sol.solutionForLevel(i - c); other != sol {
			return other.Probability(i)
		}
		return max(0, sol.inServiceByModes(i-c)+sol.switchOverMass(i-c))
	default:
		w := &sol.sequence
		w.mu.Lock()
		defer w.mu.Unlock()
		for len(w.levels) <= i-c {
			if n := len(w.levels); n > 0 && w.levels[n-1] == 0 { // so are all higher levels
				return 0
			}
			sol.nextLevel()
		}
		return w.levels[i-c]
	}
}

// levelsAtOnce is the number of levels that follow from the first of them by one multiplication for each mode and
// level. A power of a mode takes as long as many multiplications.
const levelsAtOnce = 64

// inServiceByModes returns P(level = c+k and in service), k ≥ 0, where levels are known by modes. Levels that were
// corrected are the sums of their states. For the others it computes levelsAtOnce levels at a time, 64, which start at
// multiples of levelsAtOnce, and keeps the last of these groups. So the result does not depend on which levels were
// asked for before. Small results may be negative by rounding. It locks the sequence, and is safe for concurrent use.
func (sol *Solution) inServiceByModes(k int) float64 {
	if near := sol.repeating.corrected; k < len(near) {
		return block.Sum(near[k])
	}
	w, first := &sol.sequence, k-k%levelsAtOnce
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.levels == nil || w.first != first {
		w.levels, w.first = make([]float64, levelsAtOnce), first
		sol.repeating.Masses(w.levels, sol.repeating.b, first)
	}
	return w.levels[k-first]
}

// nextLevel appends the probability of the next level c+k to sol.sequence, the probabilities of levels from c on; an
// empty sequence starts with level c. It is for solutions by matrices. It replaces a and u of the sequence by a_k and
// u_k. A probability below [block.LeastNormal] counts as 0: with a decay rate above one half, further products would
// never reach zero. The caller holds the lock of the sequence. x_k holds the states in service of level c+k, and a_k =
// x_k·(F⊗I) the arrivals from them. u_k holds the arrivals to level c+k that find the switch-over of level c
// unfinished:
//
//	x_{k+1} = a_k·X + u_{k+1}·Ω,   a_{k+1} = a_k·T + u_{k+1}·Ω·(F⊗I),   P(level = c+k) = x_k·1 + u_k·stay.
//
// [repeatingPart] and [saturated] define the matrices; stay is the mean time of the switch-over until its end or an
// arrival.
func (sol *Solution) nextLevel() {
	w, rp := &sol.sequence, sol.repeating
	g, k := rp.switchOver, rp.k
	if w.levels == nil {
		sol.startSequence()
		return
	}
	mass := floats.Dot(w.a, w.inServiceSums)
	a := block.VecMul(w.a, rp.t)
	if g.Phases > 0 {
		u := make([]float64, len(w.u))
		statespace.KronVec(u, w.u, g.Next, k)
		w.u = u
		mass += floats.Dot(u, w.switchOverSums) + floats.Dot(statespace.Collapse(u, k), g.Stay)
		block.VecMulAdd(a, u, w.switchOverA)
	}
	w.a = a
	if mass < block.LeastNormal {
		mass = 0
	}
	w.levels = append(w.levels, mass)
}

// startSequence puts the probability of level c into sol.sequence, the probabilities of levels from c on, which must be
// empty. It also sets what [Solution.nextLevel] multiplies: a, the arrivals from the states in service of level c, and
// inServiceSums. With a switch-over at level c it sets u, switchOverA and switchOverSums, too. The solution must be
// normalised and have matrices instead of modes. The caller holds the lock of the sequence.
func (sol *Solution) startSequence() {
	w, rp := &sol.sequence, sol.repeating
	g, k := rp.switchOver, rp.k
	w.a = rp.arrivalsOf(sol.levelC, nil)
	w.inServiceSums = rp.x.RowSums()
	mass := block.Sum(sol.levelC)
	if g.Phases > 0 {
		w.u = sol.startedAtLevelC()
		w.switchOverA = block.New(rp.unfinishedSojourns.Rows, len(w.a))
		statespace.KronColsAdd(w.switchOverA, rp.unfinishedSojourns, sol.sys.ar.F, k)
		w.switchOverSums = rp.unfinishedSojourns.RowSums()
		mass += floats.Dot(statespace.Collapse(w.u, k), g.Stay)
	}
	w.levels = []float64{mass}
}

// Tail returns P(level > i): the probability that more than i jobs are in the system, at most 1. It is 1 for negative
// i. The levels from i+1 on are summed: a difference from 1 would lose the digits of a small tail. Without modes it
// takes a product of a vector and a matrix for each level from c to i. It is safe for concurrent use. The first call
// for a level far out may solve the queue by another method; see [Solution.LevelReady].
func (sol *Solution) Tail(i int) float64 {
	c := sol.sys.c
	switch {
	case i < 0:
		return 1
	case i < c:
		total := sol.repeatingMass(0)
		for l := i + 1; l < c; l++ {
			total += sol.boundaryMass(l)
		}
		return min(1, total)
	}
	above := i - c + 1
	if sol.repeating.Modes == nil {
		return sol.tailByMatrices(above)
	}
	if other := sol.solutionForLevel(above); other != sol {
		return other.Tail(i)
	}
	return max(0, sol.repeating.tailByModes(above)+sol.switchOverTail(above))
}

// tailByMatrices returns P(level ≥ c+j) for j ≥ 1, where levels are known by matrices. With the symbols of
// [Solution.nextLevel], its steps give a_{j−1} and u_j. J is next of the switch-over. The levels from c+j on sum to
//
//	Σ_{k≥j} x_k·1 = (a_{j−1} + y·Ω·(F⊗I))·(I−T)⁻¹·X·1 + y·Ω·1,   y = Σ_{k≥j} u_k = u_j·(I−J)⁻¹,
//
// and the states in a switch-over sum to y·stay. The result is 0 if the rates of arrivals at a level below are smaller
// than [block.LeastNormal]. It takes j−1 products with T, and keeps nothing. The caller must not hold the lock of the
// sequence, which it takes to start the sequence.
func (sol *Solution) tailByMatrices(j int) float64 {
	sol.Probability(sol.sys.c) // starts the sequence
	w, rp := &sol.sequence, sol.repeating
	g, k := rp.switchOver, rp.k
	a := rp.arrivalsOf(sol.levelC, nil)
	var u, rest []float64 // of the first level, and summed from there on
	if g.Phases > 0 {
		u = sol.startedAtLevelC()
	}
	for l := 1; ; l++ {
		if g.Phases > 0 {
			next := make([]float64, len(u))
			statespace.KronVec(next, u, g.Next, k)
			u = next
		}
		if l == j {
			break
		}
		a = block.VecMul(a, rp.t)
		if g.Phases > 0 {
			block.VecMulAdd(a, u, w.switchOverA)
		}
		if block.Sum(a)+block.Sum(u) < block.LeastNormal {
			return 0
		}
	}
	total := 0.0
	if g.Phases > 0 {
		rest = make([]float64, len(u))
		statespace.KronVec(rest, u, sol.unfinishedSums, k)
		block.VecMulAdd(a, rest, w.switchOverA)
		total = floats.Dot(rest, w.switchOverSums) + floats.Dot(statespace.Collapse(rest, k), g.Stay)
	}
	rp.sumT.SolveLeft(a)
	return total + floats.Dot(a, w.inServiceSums)
}
