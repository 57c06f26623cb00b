package phasetype

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// Survival returns P(X > x), accurate down to the smallest float64. See [Law] for many values.
func (d Dist) Survival(x float64) float64 { return NewLaw(d).Survival(x) }

// CDF returns P(X ≤ x), small values with full relative accuracy. See [Law] for many values.
func (d Dist) CDF(x float64) float64 { return NewLaw(d).CDF(x) }

// LogProb returns the logarithm of the density at x, also where the density itself is out of range; −Inf for negative
// x. See [Law] for many values.
func (d Dist) LogProb(x float64) float64 { return NewLaw(d).LogProb(x) }

// Quantile returns the least x ≥ 0 with P(X ≤ x) ≥ p: 0 for p up to the atom at zero, +Inf for p ≥ 1 unless the
// distribution is zero. See [Law] for many values.
func (d Dist) Quantile(p float64) float64 { return NewLaw(d).Quantile(p) }

// Law is a distribution whose functions share their tables. A law computes its tables once, when they are first needed.
// Two laws of the same distribution share nothing. The methods may be called from several goroutines, and results do not depend
// on earlier calls. A distribution of a thousand phases may take a minute; see [Law.WithContext].
//
// All results are sums of products of nonnegative numbers. Times of up to a million events use uniformization, and
// share lists of events. Longer times use a table of exp(T·δ·2^k), made by squaring. A chain with few zeros soon has a
// distribution over the phases that stays as it is, given survival. From there on its hazard rate is constant. A row of
// the table is a survival probability times the distribution over the phases given survival. The probability is stored
// as its complement while the complement is small, and as its logarithm in the tail. Rows are normalised at each
// squaring, so that errors do not double with the time: rates may be 12 decades apart.
//
// References: A. Jensen, Markoff chains as an aid in the study of Markoff processes, Skand. Aktuarietidskr. 36 (1953)
// 87–91; J. Xue, Q. Ye, Computing exponentials of essentially non-negative matrices entrywise to high relative
// accuracy, Math. Comp. 82 (2013) 1577–1596.
type Law struct {
	Dist
	ctx context.Context
	*tables
}

// tables are what the evaluations of a law share. The first evaluation begins them: values drawn phase by phase need none.
type tables struct {
	once    sync.Once
	initial []float64 // the distribution over the phases at time zero, given that the chain is not absorbed at once
	walk    *uniformized
	first   *firstEvents
	many    *manyEvents // nil for few phases
	settled quasiStationary
	powers  powers
	far     extendedPowers
}

// NewLaw returns the functions of d.
func NewLaw(d Dist) *Law {
	return &Law{Dist: d, ctx: context.Background(), tables: &tables{}}
}

// begin sets the tables of a distribution that has phases.
func (t *tables) begin(d Dist) {
	t.initial = make([]float64, d.n)
	total := floats.Sum(d.alpha)
	for i, a := range d.alpha {
		t.initial[i] = a / total
	}
	t.walk = d.uniformize()
	t.first = newFirstEvents(t.walk, t.initial)
	if d.n >= manyFrom {
		t.many = newManyEvents(t.walk, t.initial)
	}
	t.powers.init(t.walk)
	t.far.init(&t.powers)
}

// WithContext returns a law that shares the tables of l. When ctx ends, its methods stop within half a second and
// return NaN. A nil ctx counts as ended.
func (l *Law) WithContext(ctx context.Context) *Law {
	if l == nil {
		return &Law{}
	}
	if ctx == nil {
		ended, end := context.WithCancel(context.Background())
		end()
		ctx = ended
	}
	return &Law{Dist: l.Dist, ctx: ctx, tables: l.tables}
}

// survival holds the probabilities of a chain at a time: log is the logarithm of the probability that the chain is not
// absorbed yet. alive is this probability as a product over the steps. Each step rounds the product, but an exponential
// of the logarithm in each step would take longer than most steps. absorbed is the probability that the chain was
// absorbed at a positive time.
type survival struct{ log, alive, absorbed float64 }

// step moves s forward by a time. In this time, a chain that is not absorbed yet survives with probability
// alive·exp(shift), and is absorbed with probability gone. shift is 0 unless the first probability would underflow.
func (s *survival) step(alive, gone, shift float64) {
	s.absorbed += gone * s.alive
	total := alive + gone // without a shift one up to rounding; dividing by it keeps the rounding from accumulating
	switch {
	case alive == 0:
		s.log, s.alive = math.Inf(-1), 0
		return
	case shift != 0:
		s.log += shift + math.Log(alive)
		s.alive *= alive * math.Exp(shift)
		return
	case gone < 0.5*total:
		s.log += math.Log1p(-gone / total)
	default:
		s.log += math.Log(alive / total)
	}
	s.alive *= alive / total
}

// extrapolate moves s forward by the time x, with a constant hazard rate.
func (s *survival) extrapolate(hazard, x float64) {
	s.absorbed -= s.alive * math.Expm1(-hazard*x)
	s.alive *= math.Exp(-hazard * x)
	s.log -= hazard * x
}

// point is the state of the chain at a time. v is the distribution over the phases, given that the chain is not absorbed
// yet. spare and sum are scratch.
type point struct {
	survival
	v     []float64
	spare []float64
	sum   []float64
}

// state is what the functions need of a point: its probabilities, and the hazard rate of a chain that is not absorbed yet.
type state struct {
	survival
	hazard float64
}

// state returns the state of the chain at p.
func (p *point) state(walk *uniformized) state { return state{p.survival, walk.hazard(p.v)} }

// density returns the probability density of absorption.
func (s state) density() float64 { return s.hazard * math.Exp(s.log) }

// later returns the state after a time x with a constant hazard rate.
func (s state) later(x float64) state {
	s.extrapolate(s.hazard, x)
	return s
}

// newPoint returns a point of n phases with scratch storage.
func newPoint(n int) *point {
	buf := make([]float64, 3*n)
	return &point{v: buf[:n:n], spare: buf[n : 2*n : 2*n], sum: buf[2*n:]}
}

// at returns the state at the finite time x ≥ 0. All results are NaN if the context of l has ended. The first events serve
// times up to a stride. Later times use the state that stays, if the chain has one. Otherwise they use the lists of
// events. Times that no list serves are walked event by event or, if they are long, use the table of powers.
func (l *Law) at(x float64) state {
	l.once.Do(func() { l.begin(l.Dist) })
	if events := l.walk.rate * x; events <= strideEvents {
		s := l.initialSurvival()
		sum := l.first.at(events)
		s.step(sum.alive, sum.died, 0)
		return l.unlessEnded(state{s, sum.leaves / max(sum.alive, math.SmallestNonzeroFloat64) * l.walk.rate})
	}
	if s, ok := l.erlangTail(x); ok {
		return l.unlessEnded(s)
	}
	if l.walk.settles() {
		if settled, from := l.settled.find(l.ctx, l.tables, l.start); x >= from {
			return l.unlessEnded(settled.later(x - from))
		}
	}
	if sum, ok := l.manyEvents(l.walk.rate * x); ok {
		s := l.initialSurvival()
		s.step(sum.alive, sum.died, 0)
		return l.unlessEnded(state{s, sum.leaves / sum.alive * l.walk.rate})
	}
	p := newPoint(l.Dist.n)
	l.start(p)
	if x <= l.walk.directUpTo {
		l.walk.advance(l.ctx, p, x)
	} else {
		l.powers.advance(l.ctx, p, x)
	}
	if p.log < keepsDigits && l.Dist.n >= extendedFrom { // probabilities that matter later may have underflowed
		l.start(p)
		return l.unlessEnded(l.far.advance(l.ctx, p, x))
	}
	return l.unlessEnded(p.state(l.walk))
}

// manyEvents returns the probabilities at a time with so many expected events, more than a stride. ok is false if no list
// of events has them, or if the context of l ends.
func (l *Law) manyEvents(events float64) (sum afterEvents, ok bool) {
	if sum, ok = l.first.later(l.ctx, events); ok {
		return sum, true
	}
	return l.many.at(l.ctx, events)
}

// start sets p to the time zero.
func (l *Law) start(p *point) {
	p.survival = l.initialSurvival()
	copy(p.v, l.initial)
}

// initialSurvival returns the probabilities at time zero.
func (l *Law) initialSurvival() survival {
	if l.Dist.atom > 0.5 { // the difference to one has fewer digits
		alive := floats.Sum(l.Dist.alpha)
		return survival{log: math.Log(alive), alive: alive}
	}
	return survival{log: math.Log1p(-l.Dist.atom), alive: 1 - l.Dist.atom}
}

// unlessEnded returns s, or NaN for all of it if the context of l has ended.
func (l *Law) unlessEnded(s state) state {
	if l.ctx.Err() != nil {
		return state{survival{math.NaN(), math.NaN(), math.NaN()}, math.NaN()}
	}
	return s
}

// trivialSurvival returns the survival probability for the x for which it needs no chain: x < 0, +Inf, NaN, or a zero
// distribution. ok is false for other x.
func (l *Law) trivialSurvival(x float64) (survival float64, ok bool) {
	switch {
	case math.IsNaN(x):
		return x, true
	case x < 0:
		return 1, true
	case math.IsInf(x, 1) || l.Dist.IsZero():
		return 0, true
	}
	return 0, false
}

// Survival returns P(X > x).
func (l *Law) Survival(x float64) float64 { return math.Exp(l.LogSurvival(x)) }

// LogSurvival returns log P(X > x), −Inf where X cannot exceed x. It has a small relative error at every x: below −10¹⁸
// it is extrapolated with the hazard rate reached there. Below −600 a distribution of 17 phases or more takes longer: see
// [extendedPowers].
func (l *Law) LogSurvival(x float64) float64 {
	if s, ok := l.trivialSurvival(x); ok {
		return math.Log(s)
	}
	return l.at(x).log
}

// CDF returns P(X ≤ x).
func (l *Law) CDF(x float64) float64 {
	if survival, ok := l.trivialSurvival(x); ok {
		return 1 - survival
	}
	s := l.at(x)
	if s.log < -math.Ln2 {
		return -math.Expm1(s.log)
	}
	return l.Dist.atom + s.absorbed
}

// PDF returns the density at x.
func (l *Law) PDF(x float64) float64 {
	hazard, log := l.hazard(x)
	return hazard * math.Exp(log)
}

// LogProb returns the logarithm of the density at x, −Inf for negative x.
func (l *Law) LogProb(x float64) float64 {
	hazard, log := l.hazard(x)
	return math.Log(hazard) + log
}

// hazard returns the hazard rate density/P(X > x) at x, 0 where there is no density, and log P(X > x).
func (l *Law) hazard(x float64) (rate, log float64) {
	if survival, ok := l.trivialSurvival(x); ok {
		return 0 * survival, 0 // NaN stays NaN
	}
	s := l.at(x)
	return s.hazard, s.log
}

// Quantile returns the least x ≥ 0 with P(X ≤ x) ≥ p.
func (l *Law) Quantile(p float64) float64 {
	switch {
	case math.IsNaN(p):
		return p
	case p <= l.Atom():
		return 0
	case p >= 1:
		return math.Inf(1)
	case p < 0.5:
		return l.lower(p - l.Dist.atom)
	}
	return l.upper(math.Log1p(-p))
}

// InverseSurvival returns the least x ≥ 0 with P(X > x) ≤ q.
func (l *Law) InverseSurvival(q float64) float64 {
	switch {
	case math.IsNaN(q):
		return q
	case q >= 1-l.Atom():
		return 0
	case q <= 0:
		return math.Inf(1)
	case q > 0.5:
		return l.lower((1 - q) - l.Dist.atom)
	}
	return l.upper(math.Log(q))
}

// lower returns the x with P(0 < X ≤ x) = t, by Newton's method on log-log axes. There the lower tail c·x^k is a
// straight line.
func (l *Law) lower(t float64) float64 {
	if t <= 0 {
		return 0
	}
	goal := math.Log(t)
	return l.solve(func(x float64) (short, step float64) {
		s := l.at(x)
		if s.absorbed == 0 { // below the range of float64
			return 1, math.Inf(1)
		}
		short = goal - math.Log(s.absorbed)
		return short, x * math.Expm1(short*s.absorbed/(x*s.density()))
	})
}

// upper returns the x with log P(X > x) = goal, by Newton's method; the tail is a straight line.
func (l *Law) upper(goal float64) float64 {
	return l.solve(func(x float64) (short, step float64) {
		s := l.at(x)
		short = s.log - goal
		return short, short / s.hazard
	})
}

// solve returns the zero x > 0 of f by Newton's method with the steps that f returns; NaN if f is NaN. f is positive to
// the left of the zero and negative to the right. A step that leaves the bracket is replaced by halving it on a
// logarithmic scale.
func (l *Law) solve(f func(x float64) (value, step float64)) float64 {
	const iterations = 300 // the bracket spans less than 2^11 octaves: halvings alone need 11 + 53
	low, high := 0.0, math.Inf(1)
	x := l.Dist.mean
	for range iterations {
		value, step := f(x)
		switch {
		case math.IsNaN(value): // the context has ended
			return value
		case value > 0:
			low = x
		case value < 0:
			high = x
		default:
			return x
		}
		next := x + step
		if math.Abs(step) <= 0x1p-52*x {
			return next
		}
		if !(next > low && next < high) || next > 1e6*x && math.IsInf(high, 1) {
			next = between(low, high)
		}
		if next == low || next == high {
			return next
		}
		x = next
	}
	return x
}

// between returns a point of the open bracket (low, high), near its middle on a logarithmic scale.
func between(low, high float64) float64 {
	switch {
	case low == 0:
		return max(high*0x1p-20, math.SmallestNonzeroFloat64)
	case math.IsInf(high, 1):
		return min(low*8, math.MaxFloat64)
	case high > 2*low:
		return math.Sqrt(low) * math.Sqrt(high)
	}
	return low + (high-low)/2
}
