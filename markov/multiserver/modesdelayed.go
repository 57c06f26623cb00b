package multiserver

import (
	"context"
	"math"
	"math/bits"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// delay is an exponential switch-over at level c, of rate θ, under renewal arrivals. With ω = f_A(θ), the probability that
// an arrival finds it unfinished, and o = A·(θI − D0)⁻¹, the levels are made of
//
//	x_{c+k} = Re Σ_j b_j·(z_j^k·a_j − ω^k·o)/(θ − s_j) ⊗ ψ_j,
//	entries of level c: Re Σ_j b_j·(ψ_j + (ω − z_j)/(θ − s_j)·ψ_j·V)/θ,
//
// where ω^k ⊗ ψ is what the switch-overs that arrivals to level c+k find unfinished bring about. By the identity of
// resolvents none of that is a difference: with g = o·(sI − D0)⁻¹ and h = g·F,
//
//	(a − o)/(θ − s) = g,  (z − ω)/(θ − s) = h,  Σ_k ζ^k·(z^k·a − ω^k·o)/(θ − s) = g/(1−ζz) + ζ·h·o/((1−ζz)(1−ζω)),
//
// so that it does not matter how near ω is to a root.
type delay struct {
	rate, omega float64
	gap         float64 // 1 − ω
	row         []float64
	total       float64 // of o
	fastest     float64 // the largest rate of departures of an occupancy
}

// modesSuffice reports whether the levels from c on are known by modes alone: without a switch-over at level c, or with one
// that is a [delay], where coefficients are found by iteration.
func (s *system) modesSuffice() bool {
	g := s.up[s.c]
	return g.phases == 0 || g.phases == 1 && g.atom == 0 && s.ar.classes == 1 && s.ar.ordered &&
		occupancies(s.m, s.c) >= concurrentFrom && s.ordered && !s.mixtures()
}

// delayed returns a saturated level whose modes are those with the switch-over of level c; modes are shared, and stay as
// they are.
func (s *system) delayed(b *saturated) *saturated {
	g := s.up[s.c]
	d := &delay{rate: g.slowest, omega: g.next.At(0, 0), row: append([]float64(nil), g.ending.Row(0)...)}
	d.gap, d.fastest = block.Sum(d.row), floats.Max(b.departures)
	floats.Scale(1/d.rate, d.row)
	d.total = block.Sum(d.row)
	m := &modes{psi: b.psi, list: append([]mode(nil), b.list...), delay: d}
	for j := range m.list {
		mode := &m.list[j]
		mode.a = make([]complex128, s.ar.n)
		for i, v := range d.row {
			mode.a[i] = complex(v, 0)
		}
		s.ar.resolve(mode.a, mode.s)
		mode.h, mode.sum = 0, m.sum(*mode)
		mode.total = 0
		for i, v := range mode.a {
			mode.h += v * complex(s.ar.f.At(i, 0), 0)
			mode.total += v * mode.sum
		}
	}
	t := *b
	t.modes = m
	return &t
}

// sum returns the sum of ψ.
func (m *modes) sum(of mode) complex128 {
	sum := complex(block.Sum(m.psi.Row(of.row)), 0)
	if of.pair {
		sum += complex(0, block.Sum(m.psi.Row(of.row+1)))
	}
	return sum
}

// delayedEntries is entries with a delay.
func (m *modes) delayedEntries(ctx context.Context, refill *sparse) block.Matrix {
	psi := block.NewRaw(m.psi.Rows, m.psi.Cols)
	defer psi.Release()
	refill.mulKronRight(ctx, psi, m.psi, 1)
	all, back := block.NewScratch(m.psi.Rows, m.psi.Rows), &modes{psi: psi}
	over := complex(1/m.delay.rate, 0)
	for _, mode := range m.list {
		m.addRows(all, 0, over, mode)
		back.addRows(all, 0, -over*mode.h, mode)
	}
	return all
}

// entry returns the entries of level c for coefficients in real form.
func (q *balance) entry(b []float64) []float64 {
	entry := q.combined(b, (*mode).classes, q.from.sys.ar.classes)
	if q.delay == nil {
		return entry
	}
	back := make([]float64, len(entry))
	q.refill.kronLeft(back, q.combined(b, func(m *mode) []complex128 { return []complex128{m.h} }, 1), 1)
	floats.Sub(entry, back)
	floats.Scale(1/q.delay.rate, entry)
	return entry
}

// size returns the sum of the absolute values of the classes of a mode, or a bound of it with a delay.
func (m *modes) size(of mode) float64 {
	if d := m.delay; d != nil {
		return (1 + cmplx.Abs(of.h)*d.fastest) / d.rate
	}
	classes := 0.0
	for _, v := range of.classes() {
		classes += cmplx.Abs(v)
	}
	return classes
}

// beginning returns in which phase of the arrivals service begins after an entry of level c, before the next arrival, by class
// of the entry.
func (rp *repeatingPart) beginning() block.Matrix {
	if rp.delay != nil {
		return rp.switchOver.ending
	}
	return rp.sys.ar.a
}

// entrySize returns how large the entries of a mode are that its coefficient is found from, relative to other modes: they
// are alike but for a delay.
func (m *modes) entrySize(of mode) float64 {
	if m.delay == nil {
		return 1
	}
	return m.size(of)
}

// addBehind adds what the delay brings about to x, of which the modes' own terms are known: Re Σ_j b_j·weight(j)·h_j·(o ⊗
// ψ_j).
func (rp *repeatingPart) addBehind(x []float64, weight func(m mode) complex128) {
	if rp.delay == nil {
		return
	}
	behind := make([]float64, rp.k)
	for j, m := range rp.list {
		w := rp.b[j] * weight(m) * m.h
		floats.AddScaled(behind, real(w), rp.psi.Row(m.row))
		if m.pair {
			floats.AddScaled(behind, -imag(w), rp.psi.Row(m.row+1))
		}
	}
	for a, v := range rp.delay.row {
		floats.AddScaled(x[a*rp.k:(a+1)*rp.k], v, behind)
	}
}

// massBehind returns the mass of what addBehind adds.
func (rp *repeatingPart) massBehind(weight func(m mode) complex128) float64 {
	if rp.delay == nil {
		return 0
	}
	total := 0.0
	for j, m := range rp.list {
		total += real(rp.b[j] * weight(m) * m.h * m.sum)
	}
	return total * rp.delay.total
}

// between returns the weight of what the delay brings about at level c+k,
//
//	P_k = Σ_{i<k} z^i·ω^{k−1−i},  P_{2k} = P_k·(z^k + ω^k),  P_{k+1} = ω·P_k + z^k.
func (d *delay) between(k int) func(m mode) complex128 {
	return func(m mode) complex128 {
		sum := complex(0, 0)
		for bit := bits.Len(uint(k)) - 1; bit >= 0; bit-- {
			half := k >> (bit + 1)
			sum *= m.power(half) + complex(math.Pow(d.omega, float64(half)), 0)
			if done := 2 * half; k>>bit > done {
				sum = complex(d.omega, 0)*sum + m.power(done)
			}
		}
		return sum
	}
}

// derivatives returns the value at ζ = 1 of ζ/((1−ζz)(1−ζω)), and its first two derivatives.
func (d *delay) derivatives(m mode) [3]complex128 {
	p, q := m.z/m.gap, complex(d.omega/d.gap, 0)
	value, slope := 1/(m.gap*complex(d.gap, 0)), p+q
	return [3]complex128{value, value * (1 + slope), value * (2*slope + slope*slope + p*p + q*q)}
}

// factorEntries factors E.
func (b *saturated) factorEntries(ctx context.Context) leftSolver {
	if b.delay != nil {
		return block.FactorLU(ctx, b.delayedEntries(ctx, b.refill))
	}
	return b.modes.factorEntries(ctx)
}

// unfinishedMass returns the probability of a switch-over at level c+k.
func (sol *Solution) unfinishedMass(k int) float64 {
	d := sol.repeating.delay
	if d == nil {
		return 0
	}
	return block.Sum(sol.entry) * sol.repeating.switchOver.stay[0] * math.Pow(d.omega, float64(k))
}

// delayedMass returns what a delay adds to the probability of level c+k.
func (sol *Solution) delayedMass(k int) float64 {
	d := sol.repeating.delay
	if d == nil {
		return 0
	}
	return sol.unfinishedMass(k) + sol.repeating.massBehind(d.between(k))
}

// delayedTail returns what a delay adds to the probability of the levels from c+k on: with P the weight of level c+k, that of
// all from there on is (P + z^k/(1−z))/(1−ω).
func (sol *Solution) delayedTail(k int) float64 {
	d := sol.repeating.delay
	if d == nil {
		return 0
	}
	between := d.between(k)
	return sol.unfinishedMass(k)/d.gap + sol.repeating.massBehind(func(m mode) complex128 {
		return (between(m) + m.power(k)/m.gap) / complex(d.gap, 0)
	})
}
