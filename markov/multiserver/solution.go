package multiserver

import (
	"fmt"
	"math"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// MultiserverSolution is the stationary distribution of a [Multiserver].
type Solution struct {
	sys    *system
	below  *below
	ab     *above
	visits *visits
	top    []float64 // executing states of level c
	entry  []float64 // flow of arrivals into the gate of level c, (q, n)

	x [3][]float64 // Σ_{k≥0} k(k−1)…·x_k, descending factorials 0, 1, 2
	u [3][]float64 // the same of the switch-overs seen at arrivals at level c+k, (q, c) summed over occupancies

	geo block.Matrix // (I − next)⁻¹ of the gate at level c

	mean, variance, decay float64
	walk                  levelWalk
	diagnostics           markov.Diagnostics
}

// Solve returns the stationary distribution. It returns a *[BlockError] for a queue that is wrong, ErrUnstable if
// λ·E[B_c]/c is not below one, ErrNoConvergence, ErrMethod, and ErrInaccurate, with the solution, if the residual is
// above the tolerance.
func (q *Queue) Solve(st markov.Settings) (*Solution, error) {
	sol, err := q.solve(st)
	return sol, prefixed(err)
}

func (q *Queue) solve(st markov.Settings) (*Solution, error) {
	began := time.Now()
	s, err := q.check()
	if err != nil {
		return nil, err
	}
	rho, err := s.intensity()
	if err != nil {
		return nil, err
	}
	if rho >= 1-unstableMargin {
		return nil, fmt.Errorf("traffic intensity %.6g: %w", rho, markov.ErrUnstable)
	}
	attempts, err := s.attempts(st)
	if err != nil {
		return nil, err
	}
	below, above, err := s.parts(attempts[0], st)
	if err != nil {
		return nil, err
	}
	defer below.release()
	defer s.freeze()
	var sol *Solution
	rejected := ""
	for i, try := range attempts {
		if i > 0 {
			above = s.repeating(try, st)
		}
		sol, err = s.solveAbove(try, below, above)
		if err == nil && i+1 < len(attempts) {
			err = sol.certify()
		}
		if err == nil {
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
	d.Drift = s.ar.rate * (1/rho - 1)
	d.ErrorBound = sol.errorBound()
	d.Seconds = time.Since(began).Seconds()
	return sol, sol.judge(st)
}

// freeze makes what a solution still has to compute, maybe for several callers at once, independent of the solve.
func (s *system) freeze() { s.mem, s.lat.mem = nil, nil }

// repeating is the repeating part by one method, or why it could not be found.
type repeating struct {
	*busy
	err error
}

func (s *system) repeating(try attempt, st markov.Settings) (r repeating) {
	r.busy, r.err = s.sharedBusy(st.Shared, try, st.MaxIter)
	return r
}

// besideFrom is the number of occupancies from which modes take longer than it takes to wake another core.
const besideFrom = 40

// parts finds the levels below c and the repeating part by a first method. Neither knows of the other before they meet:
// where modes take long enough, they are found at the same time, in a system of their own.
func (s *system) parts(try attempt, st markov.Settings) (b *below, r repeating, err error) {
	if !try.modes || s.lat.size(s.c) < besideFrom {
		if b, err = s.eliminate(); err == nil {
			r = s.repeating(try, st)
		}
		return b, r, err
	}
	side := s.twin()
	var wait sync.WaitGroup
	wait.Go(func() { r = side.repeating(try, st) })
	b, err = s.eliminate()
	wait.Wait()
	s.root = side.root
	return b, r, err
}

// twin is the same system with storage, and what is remembered on the way, of its own.
func (s *system) twin() *system {
	t, lat := *s, *s.lat
	lat.up, lat.mem = nil, nil
	t.lat, t.mem, t.zero = &lat, nil, nil
	return &t
}

// solveAbove finishes the solution with one method for the repeating part.
func (s *system) solveAbove(try attempt, b *below, above repeating) (*Solution, error) {
	busy, err := above.busy, above.err
	if err != nil {
		return nil, err
	}
	ab, err := s.newAbove(busy)
	if err != nil {
		return nil, err
	}
	sol := &Solution{sys: s, ab: ab}
	if sol.entry, sol.top, err = ab.top(b.flow); err != nil {
		return nil, err
	}
	sol.descend(b)
	sol.ascend()
	sol.normalise()
	sol.decay = s.decay()
	sol.diagnostics = markov.Diagnostics{
		Method:     try.method,
		Iterations: busy.iterations,
		Residual:   sol.residual(),
		Phases:     s.ar.n * ab.k * (1 + ab.gate.s),
		States:     sol.states(),
	}
	return sol, nil
}

// certified is the estimated relative error of the moments up to which the automatic choice accepts the spectral
// expansion: ten digits.
const certified = 1e-10

// certify refuses a solution of which a method that comes later may have more digits: the residual, times what it is
// amplified by, leaves fewer than ten.
func (sol *Solution) certify() error {
	if lost := sol.lost(); !(lost <= certified) {
		return fmt.Errorf("error of the moments up to %.1g", lost)
	}
	return nil
}

// unstableMargin: a traffic intensity this close to one cannot be told from one in double precision.
const unstableMargin = 1e-12

// judge refuses what is not a distribution and warns of what is doubtful.
func (sol *Solution) judge(st markov.Settings) error {
	d := &sol.diagnostics
	if math.IsNaN(d.Residual) || math.IsNaN(sol.mean) || math.IsNaN(sol.decay) || !(sol.mean >= 0) || !(sol.variance >= 0) {
		return fmt.Errorf("%s gave no distribution: %w", d.Method, markov.ErrInaccurate)
	}
	return d.Check(st.Tolerance)
}

// lost estimates the relative error of the moments that the method is to blame for: the residual, at least a few
// roundings, times the condition of the sum over the levels. Modes are summed in closed form; their residual shows how
// they cancel at the levels c and c+1, the throughput whether they are eigenvectors beyond, and the roundings of what
// cancels is what neither shows.
func (sol *Solution) lost() float64 {
	if sol.ab.modes != nil {
		off := math.Abs(sol.Throughput()/sol.sys.ar.rate - 1)
		return max(sol.diagnostics.Residual, off, sol.ab.cancelled())
	}
	return (sol.diagnostics.Residual + fewRoundings) / (1 - sol.decay)
}

// fewRoundings are in every sum of probabilities.
const fewRoundings = 8 * block.UnitRoundoff

// errorBound adds to what is lost that the distance from saturation is a difference of rounded rates, whatever the
// method.
func (sol *Solution) errorBound() float64 {
	return sol.lost() + fewRoundings/(1-sol.decay)
}

// descend finds the levels below c.
func (sol *Solution) descend(b *below) {
	s := sol.sys
	sol.below = b
	y := make([]float64, s.ar.n*b.leaving.cols)
	b.leaving.kronLeft(y, sol.top, s.ar.n)
	sol.visits = b.descend(y)
}

// ascend sums the levels from c on. With J = next and u_k = u_0·J^k the switch-overs that arrivals at level c+k see,
//
//	Σ_{k≥1} u_k = u_0·J·(I−J)⁻¹ =: w1,  Σ k·u_k = w1·(I−J)⁻¹ =: w2,  Σ k(k−1)·u_k = 2·w2·J·(I−J)⁻¹,
//
// and X(z) = Σ z^k·x_k solves X(z)·(I − z·R) = x_0 + Σ_{k≥1} z^k·u_k·Ω, from which the derivatives at 1 follow.
func (sol *Solution) ascend() {
	ab, g := sol.ab, sol.ab.gate
	if ab.modes != nil {
		sol.x = ab.sumsOfModes(sol.top)
		return
	}
	var extra [3][]float64
	if g.s > 0 {
		extra = sol.ascendGate()
	}
	x0 := append([]float64(nil), sol.top...)
	if g.s > 0 {
		floats.Add(x0, extra[0])
	}
	sol.x[0] = ab.sumR(x0)
	for p := 1; p <= 2; p++ {
		v := ab.timesR(sol.x[p-1])
		floats.Scale(float64(p), v)
		if g.s > 0 {
			floats.Add(v, extra[p])
		}
		sol.x[p] = ab.sumR(v)
	}
}

// ascendGate sets u and returns Σ k(k−1)…·u_k·Ω over k ≥ 1.
func (sol *Solution) ascendGate() (extra [3][]float64) {
	ab, g, k := sol.ab, sol.ab.gate, sol.ab.k
	inv, err := block.FactorGTH(g.next.Clone(), g.ending.RowSums())
	if err != nil { // a switch-over that never ends was refused before
		panic(err)
	}
	geo := block.Identity(g.next.Rows)
	inv.Solve(geo)
	step := block.Mul(g.next, geo)
	sol.geo = geo

	u0 := sol.firstSeen()
	w := u0
	for p := range extra {
		next := make([]float64, len(w))
		switch p {
		case 0, 2: // times J·(I−J)⁻¹
			kronVec(next, w, step, k)
		default: // times (I−J)⁻¹
			kronVec(next, w, geo, k)
		}
		if p == 2 {
			floats.Scale(2, next)
		}
		w = next
		extra[p] = block.VecMul(w, ab.after)
		sol.u[p] = collapse(w, k)
	}
	floats.Add(sol.u[0], collapse(u0, k))
	return extra
}

// firstSeen returns u_0, the switch-overs at level c by the class of the arrival that began them, (q, c, n).
func (sol *Solution) firstSeen() []float64 {
	g, k := sol.ab.gate, sol.ab.k
	u := make([]float64, g.next.Rows*k)
	for q := range sol.sys.ar.classes {
		for c, p := range g.gamma {
			floats.AddScaled(u[(q*g.s+c)*k:(q*g.s+c+1)*k], p, sol.entry[q*k:(q+1)*k])
		}
	}
	return u
}

// collapse sums each run of k entries.
func collapse(x []float64, k int) []float64 {
	y := make([]float64, len(x)/k)
	for i := range y {
		y[i] = floats.Sum(x[i*k : (i+1)*k])
	}
	return y
}

// normalise makes the total mass one and sets the moments of the level.
func (sol *Solution) normalise() {
	mass, first, _ := sol.about(0)
	sol.scale(1 / mass)
	sol.mean = first / mass
	_, _, sol.variance = sol.about(sol.mean)
}

// about returns the sums of the mass, of (i − a)·mass and of (i − a)²·mass over all levels i.
func (sol *Solution) about(a float64) (mass, first, second float64) {
	c := sol.sys.c
	for l := c - 1; l >= 0; l-- {
		p, d := sol.massBelow(l), float64(l)-a
		mass += p
		first += d * p
		second += d * d * p
	}
	m0, m1, m2 := sol.massAbove(0), sol.massAbove(1), sol.massAbove(2)
	d := float64(c) - a
	return mass + m0, first + d*m0 + m1, second + d*d*m0 + (2*d+1)*m1 + m2
}

func (sol *Solution) scale(f float64) {
	for _, list := range [][][]float64{
		sol.visits.executing, sol.visits.departing, sol.visits.arriving, sol.x[:], sol.u[:], {sol.top, sol.entry},
	} {
		for _, v := range list {
			floats.Scale(f, v)
		}
	}
	for j := range sol.ab.b {
		sol.ab.b[j] *= complex(f, 0)
	}
}

// massBelow returns P(level = l), l < c.
func (sol *Solution) massBelow(l int) float64 {
	return floats.Sum(sol.visits.executing[l]) + sol.switchingBelow(l)
}

// switchingBelow returns P(level = l and switching over), l < c.
func (sol *Solution) switchingBelow(l int) float64 {
	s := sol.sys
	if l == 0 || s.up[l].s == 0 && s.down[l].s == 0 {
		return 0
	}
	k := s.lat.size(l)
	p := floats.Dot(collapse(sol.visits.departing[l], k), s.down[l].time)
	return p + floats.Dot(collapse(sol.visits.arriving[l], k), block.MulVec(s.ar.a, s.up[l].time))
}

// massAbove returns Σ_{k≥0} k(k−1)…·P(level = c+k), the descending factorial having p factors.
func (sol *Solution) massAbove(p int) float64 {
	mass := floats.Sum(sol.x[p])
	if sol.ab.gate.s > 0 {
		mass += floats.Dot(sol.u[p], sol.ab.gate.stay)
	}
	return mass
}

func (sol *Solution) states() int {
	s := sol.sys
	n := s.ar.n
	for l := 1; l <= s.c; l++ {
		gates := 1 + s.up[l].s
		if l < s.c {
			gates += s.down[l].s
		}
		n += s.ar.n * s.lat.size(l) * gates
	}
	return n
}
