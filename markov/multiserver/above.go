package multiserver

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// above is the part of the chain at and above level c. Executing states obey
//
//	x_k = x_{k−1}·R + u_k·Ω,   R = (F⊗I)·X,   k ≥ 1 levels above c,
//
// u_k being the switch-overs that arrivals to level c+k see go on, by class of the arrival, phase of the switch-over
// and occupancy, and Ω where the time goes from there, once they have ended, until the level is left downward.
type above struct {
	*busy
	sys   *system
	gate  *gate        // of level c
	after block.Matrix // Ω, r·s·K × n·K

	b []complex128 // coefficients of the modes, if it is by them that the levels are known
}

// newAbove completes a repeating part by the switch-over of level c.
func (s *system) newAbove(b *busy) (*above, error) {
	ab := &above{busy: b, sys: s, gate: s.up[s.c]}
	if ab.gate.s == 0 {
		return ab, nil
	}
	return ab, ab.setAfter()
}

// setAfter solves for Ω = Γ·N, where Γ is the distribution over the executing states of a level at the first execution
// there, starting just after an arrival that leaves a switch-over going on, counted from that arrival's level:
//
//	Γ = (ending⊗I) + (next⊗I)·Γ·G,   G = N·(I⊗V).
//
// An acyclic switch-over under renewal arrivals has triangular next and is solved block by block: with ω its diagonal
// entry, (I − ωG)⁻¹·N = (−U − ω·(I⊗V))⁻¹, whose row sums are known again, and Γ_j·G = Ω_j·(I⊗V). Otherwise Γ is summed
// by doubling.
func (ab *above) setAfter() error {
	if upperTriangular(ab.gate.next) {
		return ab.afterByBlocks()
	}
	return ab.afterByDoubling()
}

func upperTriangular(m block.Matrix) bool {
	for i := range m.Rows {
		for j := range i {
			if m.At(i, j) != 0 {
				return false
			}
		}
	}
	return true
}

func (ab *above) afterByBlocks() error {
	n, k := ab.sys.ar.n, ab.k
	next := ab.gate.next
	ab.after = kronIdentity(ab.gate.ending, k)
	var inner *block.GTH
	omega := -1.0
	for i := next.Rows - 1; i >= 0; i-- {
		if w := next.At(i, i); w != omega {
			if inner != nil {
				inner.Release()
			}
			f, err := ab.slowedDown(w)
			if err != nil {
				return err
			}
			inner, omega = f, w
		}
		rows := ab.after.RowRange(i*k, (i+1)*k)
		for j := i + 1; j < next.Rows; j++ {
			if w := next.At(i, j); w != 0 {
				later := block.ScratchOf(ab.after.RowRange(j*k, (j+1)*k))
				floats.Scale(w, later.Data)
				for e := range k {
					ab.refill.kronLeft(rows.Row(e), later.Row(e), n)
				}
				later.Release()
			}
		}
		inner.SolveLeftRows(rows)
	}
	inner.Release()
	return nil
}

// slowedDown factors −U − ω·(I⊗V).
func (ab *above) slowedDown(omega float64) (*block.GTH, error) {
	p := ab.sys.censored(ab.busy)
	ab.refill.addKron(p, omega, ab.sys.ar.n)
	exit := repeat(ab.departures, ab.sys.ar.n)
	floats.Scale(1-omega, exit)
	return block.FactorGTH(p, exit)
}

func (ab *above) afterByDoubling() error {
	n, k := ab.sys.ar.n, ab.k
	minU, err := ab.slowedDown(0)
	if err != nil {
		return err
	}
	g := block.New(n*k, n*k)
	ab.refill.addKron(g, 1, n)
	minU.Solve(g)
	gamma := kronIdentity(ab.gate.ending, k)
	power := ab.gate.next.Clone()
	for power.NormInf() > reduction.EntryTol {
		step := block.Mul(gamma, g)
		kronRowsAdd(gamma, power, step, k)
		power = block.Mul(power, power)
		g = block.Mul(g, g)
	}
	minU.SolveLeftRows(gamma)
	ab.after = gamma
	return nil
}

// spent returns where the time goes at level c from an arrival that starts its gate until the level is left downward,
// r·K × n·K.
func (ab *above) spent() block.Matrix {
	g := ab.gate
	if g.s == 0 {
		return ab.x
	}
	out := ab.x.Clone()
	floats.Scale(g.atom, out.Data)
	size := ab.k * out.Cols
	for q := range ab.sys.ar.classes {
		for c, p := range g.gamma {
			from := (q*g.s + c) * size
			floats.AddScaled(out.Data[q*size:(q+1)*size], p, ab.after.Data[from:from+size])
		}
	}
	return out
}

// top returns, up to one factor, the flow of arrivals into the gate of level c and the stationary vector of its
// executing states. flow holds the rates of excursions below that lead back into the gate: the chain of entries into it
// is stochastic, entry = entry·spent·flow, and executing = entry·spent.
func (ab *above) top(flow block.Matrix) (entry, executing []float64, err error) {
	if ab.modes != nil {
		return ab.topOfModes(flow)
	}
	spent := ab.spent()
	chain := block.NewScratch(spent.Rows, flow.Cols)
	defer chain.Release()
	block.MulAdd(chain, spent, flow)
	if entry, err = block.StationaryGTH(chain); err != nil {
		return nil, nil, err
	}
	return entry, block.VecMul(entry, spent), nil
}

// arrivalsOf returns x·(F⊗I).
func (ab *above) arrivalsOf(x []float64) []float64 {
	a := make([]float64, ab.sys.ar.classes*ab.k)
	kronVec(a, x, ab.sys.ar.f, ab.k)
	return a
}

// timesR returns x·R.
func (ab *above) timesR(x []float64) []float64 { return block.VecMul(ab.arrivalsOf(x), ab.x) }

// sumR returns x·(I−R)⁻¹ = x + x·(F⊗I)·(I−T)⁻¹·X.
func (ab *above) sumR(x []float64) []float64 {
	a := ab.arrivalsOf(x)
	ab.sumT.SolveLeft(a)
	v := append([]float64(nil), x...)
	block.VecMulAdd(v, a, ab.x)
	return v
}
