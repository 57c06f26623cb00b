package multiserver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/together"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Solution is the stationary distribution of a [Queue].
type Solution struct {
	sys       *system
	boundary  *boundary
	repeating *repeatingPart
	flows     *boundaryFlows
	levelC    []float64 // states in service of level c
	entry     []float64 // entries of level c, (q, n)

	x [3][]float64 // Σ_{k≥0} k(k−1)…·x_k, descending factorials 0, 1, 2
	u [3][]float64 // the same of switch-overs that arrivals at level c+k find unfinished, (q, c), over all occupancies

	geo block.Matrix // (I − next)⁻¹ of the switch-over of level c

	mean, variance, decay float64
	gap                   float64       // 1 − η, η being the decay rate of the queue without switch-overs
	sensitivity           *sensitivity  // of the measures, if it is by modes that the levels are known
	others                *otherMethods // where modes lose the digits of levels far out
	sequence              levelSequence
	diagnostics           markov.Diagnostics
}

// Solve returns the stationary distribution. It returns a *[markov.BlockError] for a queue that is wrong, ErrUnstable
// if λ·E[B_c]/c is not below one, a *[markov.MemoryError] for more than st.Memory, ErrNoConvergence, ErrMethod,
// ErrInaccurate, with the solution, if the residual is above the tolerance, and the error of ctx soon after that ends.
func (q *Queue) Solve(ctx context.Context, st markov.Settings) (*Solution, error) {
	sol, err := q.solve(ctx, st)
	if ctx.Err() != nil {
		return nil, statespace.Prefixed(ctx.Err())
	}
	return sol, statespace.Prefixed(err)
}

func (q *Queue) solve(ctx context.Context, st markov.Settings) (*Solution, error) {
	return q.solveBy(ctx, st, nil)
}

// solveBy is solve by some attempts, or by those that the method of the settings calls for.
func (q *Queue) solveBy(ctx context.Context, st markov.Settings, attempts []attempt) (*Solution, error) {
	began := time.Now()
	s, err := q.check(ctx, st.Memory)
	if err != nil {
		return nil, err
	}
	rho, err := s.stableIntensity(ctx)
	if err != nil {
		return nil, err
	}
	if attempts == nil {
		if attempts, err = s.attempts(st); err != nil {
			return nil, err
		}
	}
	checked := s.checked(attempts)
	attempts, release, err := s.reserve(ctx, st.Memory, attempts, checked)
	if err != nil {
		return nil, err
	}
	defer release()
	s.allocate()
	defer s.detach()
	var boundary *boundary
	var result saturatedResult
	defer func() {
		result.releaseBasis()
		if boundary != nil {
			boundary.release()
		}
	}()
	var sol *Solution
	rejected := ""
	for i, try := range attempts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sol, err = s.attempt(ctx, try, &boundary, &result, st)
		if err == nil && (try.modes || i+1 < len(attempts)) {
			err = sol.certify()
		}
		if err == nil {
			if try.modes {
				sol.others = &otherMethods{queue: q, settings: st, methods: attempts[i+1:]}
			}
			break
		}
		if i+1 < len(attempts) && attempts[i+1].method != try.method {
			rejected = fmt.Sprintf(" (%s rejected: %v)", try.method, err)
		}
	}
	if err != nil {
		return nil, err
	}
	d := &sol.diagnostics
	d.Method += rejected
	d.Drift = s.ar.Rate * (1/rho - 1)
	d.ErrorBound, d.ErrorPerLevel = sol.errorBound(), sol.errorPerLevel()
	if checked {
		if err := sol.compare(ctx, boundary, st); err != nil {
			return nil, err
		}
	}
	d.Seconds = time.Since(began).Seconds()
	return sol, sol.accept(st)
}

// detach makes what a solution computes later, maybe for several callers at once, independent of the solve.
func (s *system) detach() { s.mem, s.index.Mem = nil, nil }

// saturatedResult is the saturated level by one method, or why it could not be solved.
type saturatedResult struct {
	*saturated
	err   error
	basis spectrum.LeftSolver // the entries of its modes, if their coefficients are found by iteration
}

// releaseBasis gives the storage of the basis back.
func (r *saturatedResult) releaseBasis() {
	if r.basis != nil {
		r.basis.Release()
		r.basis = nil
	}
}

func (s *system) trySaturated(ctx context.Context, try attempt, st markov.Settings) (r saturatedResult) {
	r.saturated, r.err = s.sharedSaturated(ctx, st.Shared, try, st.MaxIter)
	return r
}

// concurrentFrom is the number of occupancies from which modes take longer than it takes to wake another core.
const concurrentFrom = 40

// iterates reports whether coefficients of modes are found by iteration: where they take long, and the flow through the
// boundary is no matrix yet.
func (s *system) iterates() bool {
	return occupancies(s.m, s.c) >= concurrentFrom && s.ordered && !s.mixtures()
}

// parts eliminates the boundary and solves the saturated level by a first method. Neither needs the other: where modes
// take long enough, both are done at the same time, the second in a system of its own.
func (s *system) parts(ctx context.Context, try attempt, st markov.Settings) (
	b *boundary, r saturatedResult, err error) {
	if !try.modes || s.index.Size(s.c) < concurrentFrom {
		if b, err = s.eliminateBoundary(ctx, false); err == nil {
			r = s.trySaturated(ctx, try, st)
		}
		return b, r, err
	}
	side := s.independentCopy()
	together.Do(
		func() { b, err = s.eliminateBoundary(ctx, s.iterates()) },
		func() {
			if r = side.trySaturated(ctx, try, st); r.err == nil && s.iterates() {
				r.basis = r.FactorEntries(ctx)
			}
		},
	)
	s.station.Root = side.station.Root
	return b, r, err
}

// independentCopy is the same system with storage, and what is remembered on the way, of its own.
func (s *system) independentCopy() *system {
	t, index, station := *s, *s.index, *s.station
	index.Next, index.Mem = nil, nil
	t.index, t.mem, t.zero, t.station = &index, nil, nil, &station
	station.Index = &index
	return &t
}

// attempt solves the queue by one method, and leaves the boundary, which is eliminated once if it is needed, and the saturated
// level.
func (s *system) attempt(ctx context.Context, try attempt, b **boundary, result *saturatedResult, st markov.Settings) (
	*Solution, error) {
	if result.releaseBasis(); *b != nil {
		*result = s.trySaturated(ctx, try, st)
		return s.solveWith(ctx, try, *b, *result)
	}
	eliminated, saturated, err := s.parts(ctx, try, st)
	if err != nil {
		return nil, err
	}
	*b, *result = eliminated, saturated
	return s.solveWith(ctx, try, eliminated, saturated)
}

// solveWith finishes the solution with one method for the repeating part.
func (s *system) solveWith(ctx context.Context, try attempt, b *boundary, result saturatedResult) (*Solution, error) {
	saturated, err := result.saturated, result.err
	if err != nil {
		return nil, err
	}
	rp, err := s.newRepeatingPart(ctx, saturated)
	if err != nil {
		return nil, err
	}
	rp.basis = result.basis
	sol := &Solution{sys: s, repeating: rp}
	if sol.entry, sol.levelC, err = rp.levelC(ctx, b); err != nil {
		return nil, err
	}
	if err := sol.solveBoundary(ctx, b); err != nil {
		return nil, err
	}
	if err := sol.finish(ctx, try); err != nil || rp.Modes == nil {
		return sol, err
	}
	defer rp.balance.release()
	return sol, sol.measureSensitivity(ctx)
}

// finish finds what follows from the levels below c, level c and how those above follow from it.
func (sol *Solution) finish(ctx context.Context, try attempt) error {
	if err := sol.sumLevels(ctx); err != nil {
		return err
	}
	s, rp := sol.sys, sol.repeating
	sol.normalise()
	residual := sol.residual(ctx)
	sol.unscale()
	sol.decay = s.decay(ctx)
	_, _, sol.gap = s.station.Caudal(ctx)
	sol.diagnostics = markov.Diagnostics{
		Method:     try.method,
		Iterations: rp.iterations,
		Residual:   residual,
		Phases:     s.ar.N * rp.k * (1 + rp.switchOver.phases),
		States:     sol.states(),
	}
	return nil
}

// certify refuses a solution with fewer digits, of which the next method may have more.
func (sol *Solution) certify() error {
	if off := sol.methodError(); !(off <= certified) {
		return fmt.Errorf("error of the moments up to %.1g", off)
	}
	return nil
}

// unstableMargin: a traffic intensity this close to one does not differ from one in double precision.
const unstableMargin = 1e-12

// accept refuses what is not a distribution and warns of what is doubtful.
func (sol *Solution) accept(st markov.Settings) error {
	d := &sol.diagnostics
	if math.IsNaN(d.Residual) || math.IsNaN(sol.decay) || !(sol.mean >= 0) || !(sol.variance >= 0) {
		return fmt.Errorf("%s gave no distribution: %w", d.Method, markov.ErrInaccurate)
	}
	return d.Check(st.Tolerance)
}

// compare solves the queue by the method without subtractions as well, and raises the bound to how far the two differ:
// where rates are far apart, a residual may be small and the solution wrong.
func (sol *Solution) compare(ctx context.Context, b *boundary, st markov.Settings) error {
	other, err := sol.sys.solveWith(ctx, crossCheck, b, sol.sys.trySaturated(ctx, crossCheck, st))
	if err != nil {
		return fmt.Errorf("cross-check: %w", err)
	}
	for _, m := range []struct{ is, other, share float64 }{
		{sol.mean, other.mean, 1}, {sol.variance, other.variance, 0.5}, {sol.MeanWaiting(), other.MeanWaiting(), 1},
		{sol.Probability(0), other.Probability(0), 1}, {sol.Switching(), other.Switching(), 1},
	} {
		if off := math.Abs(m.is-m.other) * m.share; off > sol.diagnostics.ErrorBound*m.other {
			sol.diagnostics.ErrorBound = 2 * off / m.other
		}
	}
	return nil
}

// solveBoundary finds the levels below c.
func (sol *Solution) solveBoundary(ctx context.Context, b *boundary) error {
	sol.boundary = b
	v, err := b.backSubstitution(ctx, b.departing(sol.levelC))
	if err != nil {
		return err
	}
	sol.flows = v
	return nil
}

// sumLevels sums the levels from c on. With J = next and u_k = u_0·J^k the switch-overs that arrivals at level c+k find
// unfinished,
//
//	Σ_{k≥1} u_k = u_0·J·(I−J)⁻¹ =: w1,  Σ k·u_k = w1·(I−J)⁻¹ =: w2,  Σ k(k−1)·u_k = 2·w2·J·(I−J)⁻¹,
//
// and X(z) = Σ z^k·x_k solves X(z)·(I − z·R) = x_0 + Σ_{k≥1} z^k·u_k·Ω, from which the derivatives at 1 follow.
func (sol *Solution) sumLevels(ctx context.Context) error {
	rp, g := sol.repeating, sol.repeating.switchOver
	if rp.Modes != nil {
		sol.x = rp.sumsOfModes(sol.levelC)
		return nil
	}
	var extra [3][]float64
	if g.phases > 0 {
		var err error
		if extra, err = sol.sumSwitchOvers(ctx); err != nil {
			return err
		}
	}
	x0 := append([]float64(nil), sol.levelC...)
	if g.phases > 0 {
		floats.Add(x0, extra[0])
	}
	sol.x[0] = rp.sumR(x0)
	for p := 1; p <= 2; p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := rp.timesR(sol.x[p-1])
		floats.Scale(float64(p), v)
		if g.phases > 0 {
			floats.Add(v, extra[p])
		}
		sol.x[p] = rp.sumR(v)
	}
	return nil
}

// sumSwitchOvers sets u and returns Σ k(k−1)…·u_k·Ω over k ≥ 1.
func (sol *Solution) sumSwitchOvers(ctx context.Context) (extra [3][]float64, err error) {
	rp, g, k := sol.repeating, sol.repeating.switchOver, sol.repeating.k
	inv, err := block.FactorGTH(ctx, g.next.Clone(), g.ending.RowSums())
	if err != nil {
		return extra, err
	}
	geo := block.Identity(g.next.Rows)
	inv.Solve(ctx, geo)
	step := block.Mul(ctx, g.next, geo)
	sol.geo = geo

	u0 := sol.startedAtLevelC()
	w := u0
	for p := range extra {
		next := make([]float64, len(w))
		switch p {
		case 0, 2: // times J·(I−J)⁻¹
			statespace.KronVec(next, w, step, k)
		default: // times (I−J)⁻¹
			statespace.KronVec(next, w, geo, k)
		}
		if p == 2 {
			floats.Scale(2, next)
		}
		w = next
		if rp.after.Data != nil {
			extra[p] = block.VecMul(w, rp.after)
		}
		sol.u[p] = collapse(w, k)
	}
	floats.Add(sol.u[0], collapse(u0, k))
	return extra, nil
}

// startedAtLevelC returns u_0, the switch-overs of level c by the class of the arrival that started them, (q, c, n).
func (sol *Solution) startedAtLevelC() []float64 {
	g, k := sol.repeating.switchOver, sol.repeating.k
	u := make([]float64, g.next.Rows*k)
	for q := range sol.sys.ar.Classes {
		for c, p := range g.gamma {
			floats.AddScaled(u[(q*g.phases+c)*k:(q*g.phases+c+1)*k], p, sol.entry[q*k:(q+1)*k])
		}
	}
	return u
}

// collapse sums each run of k entries.
func collapse(x []float64, k int) []float64 {
	y := make([]float64, len(x)/k)
	for i := range y {
		y[i] = block.Sum(x[i*k : (i+1)*k])
	}
	return y
}

// normalise makes the total mass one and sets the moments of the level. The levels keep exponents of their own, counted
// from that of the largest.
func (sol *Solution) normalise() {
	e := sol.flows.exponents
	for l, largest := len(e)-1, slices.Max(e); l >= 0; l-- {
		e[l] -= largest
	}
	mass, first, _ := sol.about(0)
	sol.scale(1 / mass)
	sol.mean = first / mass
	_, _, sol.variance = sol.about(sol.mean)
}

// about returns the sums of the mass, of (i − a)·mass and of (i − a)²·mass over all levels i.
func (sol *Solution) about(a float64) (mass, first, second float64) {
	c, e := sol.sys.c, sol.flows.exponents
	for l := c - 1; l >= 0; l-- {
		p, d := math.Ldexp(sol.boundaryMass(l), e[l]), float64(l)-a
		mass += p
		first += d * p
		second += d * d * p
	}
	m0, m1, m2 := sol.repeatingMass(0), sol.repeatingMass(1), sol.repeatingMass(2)
	m0, m1, m2 = math.Ldexp(m0, e[c]), math.Ldexp(m1, e[c]), math.Ldexp(m2, e[c])
	d := float64(c) - a
	return mass + m0, first + d*m0 + m1, second + d*d*m0 + (2*d+1)*m1 + m2
}

func (sol *Solution) scale(f float64) {
	for _, list := range [][][]float64{
		sol.flows.inService, sol.flows.departures, sol.flows.arrivals, sol.x[:], sol.u[:], {sol.levelC, sol.entry},
	} {
		for _, v := range list {
			floats.Scale(f, v)
		}
	}
	for j := range sol.repeating.b {
		sol.repeating.b[j] *= complex(f, 0)
	}
}

// unscale makes all probabilities numbers of one scale, once the balance of every level has been looked at on its own:
// those that are too small become zero.
func (sol *Solution) unscale() {
	v := sol.flows
	for l, e := range v.exponents[:sol.sys.c] {
		for _, x := range [][]float64{v.inService[l], v.departures[l], v.arrivals[l]} {
			block.Unscale(x, e)
		}
	}
	e := v.exponents[sol.sys.c]
	for _, x := range [][]float64{sol.x[0], sol.x[1], sol.x[2], sol.u[0], sol.u[1], sol.u[2], sol.levelC, sol.entry} {
		block.Unscale(x, e)
	}
	if rp := sol.repeating; rp.Modes != nil {
		for j, b := range rp.b {
			rp.b[j] = complex(math.Ldexp(real(b), e), math.Ldexp(imag(b), e))
		}
	}
	v.exponents = nil
}

// boundaryMass returns P(level = l), l < c.
func (sol *Solution) boundaryMass(l int) float64 {
	return block.Sum(sol.flows.inService[l]) + sol.boundarySwitching(l)
}

// boundarySwitching returns P(level = l and switching over), l < c.
func (sol *Solution) boundarySwitching(l int) float64 {
	s := sol.sys
	if l == 0 || s.up[l].phases == 0 && s.down[l].phases == 0 {
		return 0
	}
	k := s.index.Size(l)
	p := floats.Dot(collapse(sol.flows.departures[l], k), s.down[l].time)
	return p + floats.Dot(collapse(sol.flows.arrivals[l], k), block.MulVec(s.ar.A, s.up[l].time))
}

// repeatingMass returns Σ_{k≥0} k(k−1)…·P(level = c+k), the descending factorial having p factors.
func (sol *Solution) repeatingMass(p int) float64 {
	mass := block.Sum(sol.x[p])
	if sol.repeating.switchOver.phases > 0 {
		mass += floats.Dot(sol.u[p], sol.repeating.switchOver.stay)
	}
	return mass
}

// states returns the number of states of levels 0..c.
func (sol *Solution) states() int {
	s := sol.sys
	n := s.ar.N
	for l := 1; l <= s.c; l++ {
		phases := 1 + s.up[l].phases
		if l < s.c {
			phases += s.down[l].phases
		}
		n += s.ar.N * s.index.Size(l) * phases
	}
	return n
}
