package spectrum

import (
	"context"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// SwitchOver is an exponential switch-over at level c, of rate θ, under renewal arrivals. With ω = f_A(θ), the probability that
// an arrival finds it unfinished, and o = A·(θI − D0)⁻¹, the levels are
//
//	x_{c+k} = Re Σ_j b_j·(z_j^k·a_j − ω^k·o)/(θ − s_j) ⊗ ψ_j,
//	entries of level c: Re Σ_j b_j·(ψ_j + (ω − z_j)/(θ − s_j)·ψ_j·V)/θ,
//
// where the terms in ω^k are the switch-overs that arrivals to level c+k find unfinished. By the identity of resolvents no
// number is a difference: with g = o·(sI − D0)⁻¹ and h = g·F,
//
//	(a − o)/(θ − s) = g,   (z − ω)/(θ − s) = h,   P_k = Σ_{i<k} z^i·ω^{k−1−i},
//	x_{c+k} = Re Σ_j b_j·(z_j^k·g_j + P_k·h_j·o) ⊗ ψ_j,
//
// so that ω may be as near to a root as it likes. g takes the place of a in a [Mode].
type SwitchOver struct {
	Rate, Omega float64
	Gap         float64            // 1 − ω, a sum
	Row         []float64          // o
	Refill      *statespace.Sparse // V: a departure, and the head of the queue in its place
	Fastest     float64            // the largest row sum of V
	leave       []float64          // F
	total       float64            // of o
}

// During returns the modes of the queue with a switch-over of the given rate at level c. ending holds the probabilities that it
// ends before the next arrival, by the phase of the arrivals then. The new modes share ψ with m.
func (m *Modes) During(ar *statespace.Arrivals, rate, omega float64, ending []float64, refill *statespace.Sparse) *Modes {
	v := &SwitchOver{
		Rate: rate, Omega: omega, Gap: block.Sum(ending), Row: make([]float64, ar.N), Refill: refill,
		Fastest: floats.Max(refill.RowSums()), leave: ar.F.Data,
	}
	floats.ScaleTo(v.Row, 1/rate, ending)
	v.total = block.Sum(v.Row)
	d := &Modes{Psi: m.Psi, List: append([]Mode(nil), m.List...), SwitchOver: v}
	for j := range d.List {
		mode := &d.List[j]
		mode.A = make([]complex128, ar.N)
		for i, p := range v.Row {
			mode.A[i] = complex(p, 0)
		}
		transforms{ar}.resolve(mode.A, mode.s)
		mode.H = v.arrivals(mode.A)
		mode.Total = 0
		for _, p := range mode.A {
			mode.Total += p * mode.sum
		}
	}
	return d
}

// arrivals returns g·F.
func (v *SwitchOver) arrivals(g []complex128) (h complex128) {
	for i, p := range g {
		h += p * complex(v.leave[i], 0)
	}
	return h
}

// Weight is what the vectors of a mode are multiplied by in a sum over the modes: a ⊗ ψ by Own and, with a switch-over at level c,
// o ⊗ ψ by Unfinished.
type Weight struct{ Own, Unfinished complex128 }

// AtLevel returns the weights of the modes at level c+k.
func (m *Modes) AtLevel(k int) func(j int) Weight {
	return func(j int) Weight {
		mode := &m.List[j]
		w := Weight{Own: mode.power(k)}
		if v := m.SwitchOver; v != nil {
			w.Unfinished = mode.H * v.between(mode, k)
		}
		return w
	}
}

// From returns the weights of the sum of the levels from c+k on: of P_k that sum is (P_k + z^k/(1−z))/(1−ω).
func (m *Modes) From(k int) func(j int) Weight {
	level := m.AtLevel(k)
	return func(j int) Weight { return m.Summed(j, level(j)) }
}

// Summed returns the weights of the sum of all levels from that on whose weights are given.
func (m *Modes) Summed(j int, level Weight) Weight {
	mode := &m.List[j]
	own := level.Own / mode.Gap
	if v := m.SwitchOver; v != nil {
		level.Unfinished = (level.Unfinished + mode.H*own) / complex(v.Gap, 0)
	}
	return Weight{own, level.Unfinished}
}

// Moment returns the weights of Σ_{k≥1} k(k−1)…·x_{c+k}, the descending factorial having p ≤ 2 factors: with p_z = z/(1−z) and
// p_ω = ω/(1−ω), derivatives at ζ = 1 of ζz/(1−ζz) and of ζ/((1−ζz)·(1−ζω)).
func (m *Modes) Moment(p int) func(j int) Weight {
	return func(j int) (w Weight) {
		mode := &m.List[j]
		pz := mode.Z / mode.Gap
		w.Own = [3]complex128{pz, pz / mode.Gap, 2 * pz * pz / mode.Gap}[p]
		if v := m.SwitchOver; v != nil {
			po := complex(v.Omega/v.Gap, 0)
			value, slope := mode.H/(mode.Gap*complex(v.Gap, 0)), pz+po
			w.Unfinished = value * [3]complex128{1, 1 + slope, 2*slope + slope*slope + pz*pz + po*po}[p]
		}
		return w
	}
}

// Fourfold sets level[i] to the weights of mode j at level c + 4^i: powers by squaring, P_{2k} = P_k·(z^k + ω^k).
func (m *Modes) Fourfold(j int, level []Weight) {
	mode := &m.List[j]
	power, between, omega := mode.Z, mode.H, complex(0, 0)
	if m.SwitchOver != nil {
		omega = complex(m.SwitchOver.Omega, 0)
	}
	for i := range level {
		level[i] = Weight{power, between}
		for range 2 {
			between *= power + omega
			power, omega = power*power, omega*omega
		}
	}
}

// Mass returns the sum of the elements of the vectors of a mode with these weights.
func (m *Modes) Mass(j int, w Weight) complex128 {
	mode := &m.List[j]
	if v := m.SwitchOver; v != nil {
		return w.Own*mode.Total + w.Unfinished*mode.sum*complex(v.total, 0)
	}
	return w.Own * mode.Total
}

// Vector sets to to w.Own·a + w.Unfinished·o, by which ψ of a mode is multiplied.
func (m *Modes) Vector(to []complex128, j int, w Weight) {
	for i, v := range m.List[j].A {
		to[i] = w.Own * v
	}
	if v := m.SwitchOver; v != nil {
		for i, o := range v.Row {
			to[i] += w.Unfinished * complex(o, 0)
		}
	}
}

// between returns P_k, by doubling: P_{2k} = P_k·(z^k + ω^k), P_{k+1} = ω·P_k + z^k.
func (v *SwitchOver) between(m *Mode, k int) (sum complex128) {
	for bit := bits.Len(uint(k)) - 1; bit >= 0; bit-- {
		half := k >> (bit + 1)
		sum *= m.power(half) + complex(math.Pow(v.Omega, float64(half)), 0)
		if done := 2 * half; k>>bit > done {
			sum = complex(v.Omega, 0)*sum + m.power(done)
		}
	}
	return sum
}

// entries returns the entries of level c that the modes make, as rows, in the place of e ⊗ ψ.
func (v *SwitchOver) entries(ctx context.Context, m *Modes) block.Matrix {
	psi := block.NewRaw(m.Psi.Rows, m.Psi.Cols)
	defer psi.Release()
	v.Refill.MulKronRight(ctx, psi, m.Psi, 1)
	all, refilled := block.NewScratch(m.Psi.Rows, m.Psi.Rows), &Modes{Psi: psi}
	over := complex(1/v.Rate, 0)
	for _, mode := range m.List {
		m.addRows(all, 0, over, mode)
		refilled.addRows(all, 0, -over*mode.H, mode)
	}
	return all
}
