package markov

import "gonum.org/v1/gonum/floats"

// above is the part of the chain at and above level c. Executing states obey
//
//	x_k = x_{k−1}·R + g_k·N,   R = (D1⊗I)·N,   k ≥ 1 levels above c,
//
// g_k being the flow out of switch-overs that were still going on at level c+k, counted where it first comes down to that
// level.
type above struct {
	*busy
	sys   *system
	gate  *gate  // of level c
	reach matrix // Γ: from a switch-over seen at an arrival to the executing states of level c, r·s·K × n·K
}

// newAbove completes a repeating part by the switch-over of level c.
func (s *system) newAbove(b *busy) (*above, error) {
	ab := &above{busy: b, sys: s, gate: s.up[s.c]}
	if ab.gate.s == 0 {
		return ab, nil
	}
	return ab, ab.setReach()
}

// setReach solves for Γ, the distribution over the executing states of level c when the chain first executes there,
// starting just after an arrival that leaves a switch-over going on, counted from that arrival's level:
//
//	Γ = (ending⊗I) + (next⊗I)·Γ·G,   G = N·(I⊗V).
//
// An acyclic switch-over under renewal arrivals has triangular next and is solved row by row: with ω its diagonal entry,
// (I − ωG)⁻¹ = I + ω·(−U − ω·(I⊗V))⁻¹·(I⊗V), whose inner matrix again has known row sums. Otherwise Γ is summed by doubling.
func (ab *above) setReach() error {
	if !upperTriangular(ab.gate.next) {
		ab.reach = ab.reachByDoubling()
		return nil
	}
	return ab.reachByRows()
}

func upperTriangular(m matrix) bool {
	for i := range m.rows {
		for j := range i {
			if m.at(i, j) != 0 {
				return false
			}
		}
	}
	return true
}

func (ab *above) reachByRows() error {
	n, k := ab.sys.ar.n, ab.k
	rows := ab.gate.next.rows
	ab.reach = newMatrix(rows*k, n*k)
	var inner *gth
	omega := -1.0
	for i := rows - 1; i >= 0; i-- {
		if w := ab.gate.next.at(i, i); w != omega {
			f, err := ab.slowedDown(w)
			if err != nil {
				return err
			}
			inner, omega = f, w
		}
		block := ab.reach.blockRows(i*k, (i+1)*k)
		for e := range k {
			row := block.row(e)
			for a := range n {
				row[a*k+e] = ab.gate.ending.at(i, a)
			}
			ab.addLaterRows(row, i, e)
			work := append([]float64(nil), row...)
			inner.solveLeft(work)
			floats.Scale(omega, work)
			ab.refill.kronLeft(row, work, n)
		}
	}
	return nil
}

// addLaterRows adds Σ_{j>i} next_ij·Γ_j·G to one row of block i.
func (ab *above) addLaterRows(row []float64, i, e int) {
	n, k := ab.sys.ar.n, ab.k
	var sum []float64
	for j := i + 1; j < ab.gate.next.rows; j++ {
		if w := ab.gate.next.at(i, j); w != 0 {
			if sum == nil {
				sum = make([]float64, n*k)
			}
			floats.AddScaled(sum, w, ab.reach.row(j*k+e))
		}
	}
	if sum != nil {
		ab.minU.solveLeft(sum)
		ab.refill.kronLeft(row, sum, n)
	}
}

// slowedDown factors −U − ω·(I⊗V).
func (ab *above) slowedDown(omega float64) (*gth, error) {
	n := ab.sys.ar.n
	p := ab.u.clone()
	ab.refill.addKron(p, omega, n)
	exit := repeat(ab.departures, n)
	floats.Scale(1-omega, exit)
	return factorGTH(p, exit)
}

func (ab *above) reachByDoubling() matrix {
	n, k := ab.sys.ar.n, ab.k
	g := newMatrix(n*k, n*k)
	ab.refill.addKron(g, 1, n)
	ab.minU.solve(g)
	reach := kronIdentity(ab.gate.ending, k)
	power := ab.gate.next.clone()
	for power.normInf() > entryTol {
		step := mul(reach, g)
		kronRowsAdd(reach, power, step, k)
		power = mul(power, power)
		g = mul(g, g)
	}
	return reach
}

// enter returns Ψ, the distribution over the executing states of level c at the first execution there, from an arrival that
// starts the gate of level c: r·K × n·K.
func (ab *above) enter() matrix {
	s, g := ab.sys, ab.gate
	psi := kronIdentity(s.ar.a, ab.k)
	if g.s == 0 {
		return psi
	}
	floats.Scale(g.atom, psi.a)
	size := ab.k * psi.cols
	for q := range s.ar.classes {
		for c, p := range g.gamma {
			from := (q*g.s + c) * size
			floats.AddScaled(psi.a[q*size:(q+1)*size], p, ab.reach.a[from:from+size])
		}
	}
	return psi
}

// top returns the stationary vector of the executing states of level c, up to a factor, from the flow of excursions below.
func (ab *above) top(flow matrix) ([]float64, error) {
	p := ab.u.clone()
	if ab.gate.s == 0 {
		kronColsAdd(p, flow, ab.sys.ar.a, ab.k)
	} else {
		mulAdd(p, flow, ab.enter())
	}
	return stationaryGTH(p)
}

// timesN returns v·N.
func (ab *above) timesN(v []float64) []float64 {
	x := append([]float64(nil), v...)
	ab.minU.solveLeft(x)
	return x
}

// arrivalsOf returns x·(F⊗I).
func (ab *above) arrivalsOf(x []float64) []float64 {
	a := make([]float64, ab.sys.ar.classes*ab.k)
	kronVec(a, x, ab.sys.ar.f, ab.k)
	return a
}

// timesR returns x·R.
func (ab *above) timesR(x []float64) []float64 {
	v := make([]float64, len(x))
	kronVec(v, ab.arrivalsOf(x), ab.sys.ar.a, ab.k)
	ab.minU.solveLeft(v)
	return v
}

// sumR returns x·(I−R)⁻¹ = x + x·(F⊗I)·(I−T)⁻¹·(A⊗I)·N.
func (ab *above) sumR(x []float64) []float64 {
	a := ab.arrivalsOf(x)
	ab.tLU.solveLeft(a)
	v := make([]float64, len(x))
	kronVec(v, a, ab.sys.ar.a, ab.k)
	ab.minU.solveLeft(v)
	floats.Add(v, x)
	return v
}
