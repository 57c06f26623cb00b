package markov

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/incomplete"
)

// SparseQBD is a quasi-birth-and-death process with many phases and few transitions out of each. It is given and solved without
// blocks. Levels 0 to b may differ. From level b+1 on all levels are alike, with the phases of level b.
type SparseQBD struct {
	// Phases[l] is the number of phases of level l, 0 ≤ l ≤ b.
	Phases []int
	// Moves calls add for the transitions out of a phase of level 0 to b+1: by −1, 0 or +1 levels, to a phase, at a rate. Rates
	// to the same phase are added. A rate to the phase itself has no effect.
	Moves func(level, phase int, add func(by, to int, rate float64))
	// Held is the number of bytes that the caller holds for Moves. They count towards the limit of a solve.
	Held float64
}

// Solve returns the stationary distribution. The levels above a level M are multiples of one vector, the [decayMode].
// So the process becomes a finite chain, in which one state stands for all these levels. [iteration] solves it. M rises
// until the vector of level M is the vector of the mode, up to roundings.
//
// The last correction of the iteration is the certificate: the error bound is the largest relative correction of a
// probability, and what the mode adds to it. The error is
//   - a *[BlockError] for rates that are not valid,
//   - a *[parallel.LimitError] if the solve needs more than st.Memory,
//   - ErrNoConvergence, also for a process that is not stable,
//   - ErrInaccurate, or the error of ctx.
func (q *SparseQBD) Solve(ctx context.Context, st Settings) (*SparseSolution, error) {
	s, err := q.solve(ctx, st)
	return finished(ctx, s, err)
}

// levelsAbove is the number of levels above b in the first finite chain. Iterations before the last end at roughTol.
const (
	levelsAbove = 24
	roughTol    = 1e-4
)

// solve is [SparseQBD.Solve] without the prefix of its errors.
func (q *SparseQBD) solve(ctx context.Context, st Settings) (*SparseSolution, error) {
	began := time.Now()
	t, err := q.newTruncated()
	if err != nil {
		return nil, err
	}
	if t.mode, err = newDecayMode(ctx, t.repeating); err != nil {
		return nil, err
	}
	for missing := levelsAbove; missing > 0; missing = t.missing() {
		if err := t.grow(ctx, missing, st.Memory); err != nil {
			return nil, err
		}
	}
	if err := t.iteration.refine(ctx, iterationTol); err != nil {
		return nil, err
	}
	s := t.solution()
	s.diagnostics.Seconds = time.Since(began).Seconds()
	return s, s.diagnostics.Check(st.Tolerance)
}

// truncated is the finite chain of levels 0 to top with a state that stands for all levels above. This state comes first, then
// the levels from the highest to the lowest.
type truncated struct {
	*SparseQBD
	b, top    int
	repeating [][]move
	mode      *decayMode
	chain     *Chain
	offset    []int      // by level: number of its first state
	iteration *iteration // nil before the chain has levels
}

// newTruncated returns a truncated chain that has no levels yet.
func (q *SparseQBD) newTruncated() (*truncated, error) {
	if q == nil || len(q.Phases) == 0 || q.Moves == nil {
		return nil, blockError(0, "rates", -1, -1, "are missing")
	}
	b := len(q.Phases) - 1
	t := &truncated{SparseQBD: q, b: b, top: b, repeating: make([][]move, q.Phases[b])}
	for i := range t.repeating {
		wrong := false
		q.Moves(b+1, i, func(by, to int, rate float64) {
			wrong = wrong || !(rate >= 0) || by < -1 || by > 1 || to < 0 || to >= q.Phases[b]
			if by != 0 || to != i {
				t.repeating[i] = append(t.repeating[i], move{int32(to), rate, int8(by)})
			}
		})
		if wrong {
			return nil, blockError(-1, "rates", i, -1, "has a transition that is not valid")
		}
	}
	return t, nil
}

// phases returns the number of phases of a level.
func (t *truncated) phases(level int) int { return t.Phases[min(level, t.b)] }

// grow adds levels to the chain and solves it roughly. If the chain with fewer levels has been solved, its vector is the start.
func (t *truncated) grow(ctx context.Context, levels int, memory *Memory) error {
	first, start := t.iteration == nil, t.extended(t.top+levels)
	t.top += levels
	t.offset = make([]int, t.top+1)
	states := 1
	for l := t.top; l >= 0; l-- {
		t.offset[l] = states
		states += t.phases(l)
	}
	var old *incomplete.Factor
	if t.iteration != nil {
		old = t.iteration.factor
	}
	t.iteration, t.chain = nil, nil
	runtime.GC() // else the chain with fewer levels could add to the largest memory
	if err := memory.Check(t.Held + t.bytes(states)); err != nil {
		return fmt.Errorf("%d levels of up to %d phases: %w", t.top+1, t.phases(t.top), err)
	}
	if err := t.build(ctx, states); err != nil {
		return err
	}
	if first {
		start = t.start()
	}
	var err error
	if t.iteration, err = newIteration(ctx, t.chain, start, old); err != nil {
		return err
	}
	return t.iteration.refine(ctx, roughTol)
}

// bytes estimates the memory of the chain and its iteration: the vectors of GMRES and some others, and four copies of
// the transitions with room for growth. Levels of the boundary have as many transitions as repeating levels.
func (t *truncated) bytes(states int) float64 {
	const vectors, copies, entry = roundSteps + 14, 5, 12
	transitions := 0
	for _, row := range t.repeating {
		transitions += len(row)
	}
	return float64(states) * (8*vectors + copies*entry*float64(transitions)/float64(len(t.repeating)))
}

// build makes the chain.
func (t *truncated) build(ctx context.Context, states int) error {
	transitions := t.phases(t.top)
	for l := range t.top + 1 {
		for i := range t.phases(l) {
			t.eachMove(l, i, func(int, int, float64) { transitions++ })
		}
	}
	b := newChainBuilder(states)
	b.chain.to, b.chain.rate = make([]int32, 0, transitions), make([]float64, 0, transitions)
	for i, v := range t.mode.v {
		for _, m := range t.repeating[i] {
			if m.by < 0 {
				b.add(0, t.offset[t.top]+int(m.to), v*m.rate)
			}
		}
	}
	if err := b.endState(0); err != nil {
		return err
	}
	for l := t.top; l >= 0; l-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range t.phases(l) {
			state := t.offset[l] + i
			t.eachMove(l, i, func(by, to int, rate float64) {
				if l+by > t.top {
					b.add(state, 0, rate)
					return
				}
				b.add(state, t.offset[l+by]+to, rate)
			})
			if err := b.endState(state); err != nil {
				return err
			}
		}
	}
	t.chain = b.chain
	return nil
}

// eachMove calls add for the transitions out of a phase.
func (t *truncated) eachMove(level, phase int, add func(by, to int, rate float64)) {
	if level <= t.b {
		t.Moves(level, phase, add)
		return
	}
	for _, m := range t.repeating[phase] {
		add(int(m.by), int(m.to), m.rate)
	}
}

// start returns a first approximation of the vector, by sweeps of Gauss and Seidel. After each sweep the levels are scaled so
// that the flows between neighbouring levels balance.
//
// Reference: J. R. Koury, D. F. McAllister, W. J. Stewart, Iterative methods for computing stationary distributions of nearly
// completely decomposable Markov chains, SIAM J. Algebraic Discrete Methods 5 (1984) 164–186.
func (t *truncated) start() []float64 {
	const steps = 40
	up, down := make([]float64, t.chain.States()), make([]float64, t.chain.States())
	for l := t.b; l <= t.top; l++ {
		copy(down[t.offset[l]:], t.mode.v)
	}
	for l := t.b; l > 0; l-- {
		t.pass(down, l, -1)
	}
	up[t.offset[0]] = 1
	for l := range t.b {
		t.pass(up, l, 1)
	}
	x := up
	floats.Add(x, down)
	x[0] = 1
	for range steps {
		t.balance(x)
		t.chain.smooth(x)
		floats.Scale(1/block.Sum(x), x)
	}
	t.balance(x)
	return x
}

// pass sets the vector of the next level to what flows from a level into it, and on within it, divided by the rates out; with sum 1.
func (t *truncated) pass(x []float64, level, by int) {
	next := level + by
	from := t.flows(x[t.offset[level]:t.offset[level]+t.phases(level)], level, by)
	to := x[t.offset[next] : t.offset[next]+t.phases(next)]
	const mostMoves, few = 1000, 1e-6 // within the level
	for range mostMoves {
		floats.Add(to, from)
		if block.Sum(from) <= few*block.Sum(to) {
			break
		}
		from = t.flows(from, next, 0)
	}
	floats.Scale(1/block.Sum(to), to)
}

// flows returns what flows from the vector of a level into the level by levels away, divided by the rates out of the phases there.
func (t *truncated) flows(x []float64, level, by int) []float64 {
	to := t.offset[level+by]
	y := make([]float64, t.phases(level+by))
	for i, v := range x {
		next, rates := t.chain.row(t.offset[level] + i)
		for e, j := range next {
			if k := int(j) - to; 0 <= k && k < len(y) {
				y[k] += v * rates[e] / t.chain.out[j]
			}
		}
	}
	return y
}

// balance multiplies the levels of x so that the flows up and down between levels are equal.
func (t *truncated) balance(x []float64) {
	factor := 1.0
	above := make([]float64, t.top+2)
	below := make([]float64, t.top+2)
	for l := range t.top + 1 {
		from, to := t.offset[l], t.offset[l]+t.phases(l)
		for i := from; i < to; i++ {
			next, rates := t.chain.row(i)
			for e, j := range next {
				switch {
				case int(j) < from:
					above[l] += x[i] * rates[e]
				case int(j) >= to:
					below[l] += x[i] * rates[e]
				}
			}
		}
	}
	below[t.top+1] = x[0] * t.chain.out[0]
	for l := range t.top + 2 {
		if l > 0 {
			factor *= above[l-1] / below[l]
		}
		if l > t.top {
			x[0] *= factor
			break
		}
		floats.Scale(factor, x[t.offset[l]:t.offset[l]+t.phases(l)])
	}
}

// extended returns the vector of the chain that was solved before, with the levels up to top from the mode; nil if none was solved.
func (t *truncated) extended(top int) []float64 {
	if t.iteration == nil {
		return nil
	}
	n, x := len(t.mode.v), t.iteration.x
	all := make([]float64, 1+(top-t.top)*n, 1+(top-t.top)*n+len(x)-1)
	probability := x[0] // of level t.top + 1
	for l := t.top + 1; l <= top; l++ {
		at := 1 + (top-l)*n
		floats.ScaleTo(all[at:at+n], probability, t.mode.v)
		probability *= t.mode.eta
	}
	all[0] = probability
	return append(all, x[1:]...)
}

// level returns the vector of a level.
func (t *truncated) level(l int) []float64 {
	return t.iteration.x[t.offset[l] : t.offset[l]+t.phases(l)]
}

// off returns how far the vector of a level is from the mode.
func (t *truncated) off(l int) float64 {
	x := t.level(l)
	sum, off := block.Sum(x), 0.0
	for i, v := range t.mode.v {
		off += math.Abs(x[i]/sum - v)
	}
	return off
}

// Differences from the mode that are small enough: sameMode in the highest level, or sameTail relative to all levels above b.
const (
	sameShape = 1e-13
	sameTail  = 1e-15
)

// error returns the relative error of the second moment over the levels above b that the mode causes. With K levels of their own, the
// levels above these have a share of the moment of
//
//	Σ_{k>K} k²·η^k/Σ_{k>0} k²·η^k ≈ η^K·(1 + y + y²/2),  y = K·(1 − η).
func (t *truncated) error() float64 {
	levels := float64(t.top - t.b)
	y := levels * (1 - t.mode.eta)
	return t.off(t.top) * math.Pow(t.mode.eta, levels) * (1 + y + y*y/2)
}

// missing returns how many levels are missing until the highest level has the vector of the mode, or until the levels
// above do not matter. Differences from the mode decrease by the ratio of the second mode to the first, which the
// differences of two levels show. Probabilities decrease by the mode itself.
func (t *truncated) missing() int {
	off, middle := t.off(t.top), (t.b+t.top)/2
	if off <= sameShape || off <= roughTol && t.error() <= sameTail {
		return 0
	}
	above := t.top - t.b
	rate := math.Log(t.off(middle)/off) / float64(t.top-middle)
	const most, least = 8, 8 // times the levels so far, and levels
	if !(rate > 0) {
		return most * above
	}
	shape := math.Log(off/sameShape) / rate
	tail := max(math.Log(off/roughTol)/rate, math.Log(t.error()/sameTail)/(rate-math.Log(t.mode.eta)))
	return int(max(least, min(shape, tail, float64(most*above)))) + 1
}

// solution returns the solution of the chain as one of the process.
func (t *truncated) solution() *SparseSolution {
	s := &SparseSolution{b: t.b, eta: t.mode.eta}
	s.first = t.top
	s.next = func(x []float64) []float64 {
		y := slices.Clone(x)
		floats.Scale(s.eta, y)
		return y
	}
	for l := range t.top + 1 {
		s.levels = append(s.levels, slices.Clone(t.level(l)))
	}
	above, rest := t.iteration.x[0], 1-s.eta
	v := t.mode.v
	total := above * block.Sum(v) / rest
	for _, x := range s.levels {
		total += block.Sum(x)
	}
	for _, x := range s.levels {
		floats.Scale(1/total, x)
	}
	multiple := func(f float64) []float64 { return floats.ScaleTo(make([]float64, len(v)), f*above/total, v) }
	s.levels = append(s.levels, multiple(1))
	factor := 1 / rest
	for p := range s.sums {
		s.sums[p] = multiple(factor)
		factor *= float64(p+1) * s.eta / rest
	}
	x := t.iteration.x
	s.diagnostics = Diagnostics{
		Method: "iteration", Iterations: t.iteration.steps, Residual: t.chain.residual(x), Phases: len(v), States: len(x) - 1,
		ErrorBound: t.iteration.largest + iterationTol + t.error() + (t.mode.size+fewRoundings)/rest,
	}
	s.diagnostics.ErrorPerLevel = t.mode.size + fewRoundings
	return s
}

// SparseSolution is the stationary distribution of a [SparseQBD].
type SparseSolution struct {
	levelVectors         // whose last boundary level is M
	b            int     // the last boundary level of the process
	eta          float64 // decay rate
}

// RepeatingPhases returns the probabilities of the phases, summed over all levels after the last boundary level.
func (s *SparseSolution) RepeatingPhases() []float64 {
	x := slices.Clone(s.sums[0])
	for l := s.b + 1; l <= s.first; l++ {
		floats.Add(x, s.levels[l])
	}
	return x
}

// RepeatingMoments returns Σ_d π, Σ_d d·π and Σ_d d(d−1)·π by phase. The sums are over the levels b+d after the last boundary
// level b, d = 1, 2, ….
func (s *SparseSolution) RepeatingMoments() [3][]float64 {
	m := momentsShifted([3][]float64(s.sums[:3]), float64(s.first-s.b+1))
	for l := s.b + 1; l <= s.first; l++ {
		d := float64(l - s.b)
		for p, factor := range []float64{1, d, d * (d - 1)} {
			floats.AddScaled(m[p], factor, s.levels[l])
		}
	}
	return m
}

// DecayRate returns the limit of P(level = i+1)/P(level = i). The solution holds it, so the context is not used.
func (s *SparseSolution) DecayRate(context.Context) (float64, error) {
	if s == nil || len(s.levels) == 0 {
		return 0, prefixed(errNoSolution)
	}
	return s.eta, nil
}
