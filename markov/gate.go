package markov

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Phases is a phase-type time: initial probabilities and subgenerator. What Alpha lacks to one is the probability that
// it takes no time at all; the zero value never takes any.
type Phases struct {
	Alpha []float64
	T     mat.Matrix
	// Exit holds the rates −T·1; if nil they are computed, which loses digits where they are much smaller than the
	// diagonal.
	Exit []float64
}

func (p Phases) costs() bool { return len(p.Alpha) > 0 && floats.Sum(p.Alpha) > 0 }

// gate is what happens between a change of level and the next service: nobody is served until a switch-over, phase-type
// C with s phases, has ended or an arrival has cut it short. Arrivals go on meanwhile, so the outcome depends on the
// phase of the arrival process; all matrices below start from that phase at the beginning.
type gate struct {
	s    int
	atom float64 // probability that it takes no time
	end  matrix  // n×n: ends before the next arrival, with the arrival phase then
	cut  matrix  // n×r: an arrival of that class comes first
	time []float64

	// For a gate that arrivals do not cut (at the top level), between arrivals, by class and switch-over phase (r·s):
	gamma  []float64 // initial switch-over phase, without the atom
	next   matrix    // (r·s)×(r·s): from just after one arrival to just after the next, still going on
	ending matrix    // (r·s)×n: ends before the next arrival
	stay   []float64 // r·s: mean time until end or arrival

	slowest float64 // the eigenvalue of C nearest to zero, −∞ if it takes no time
}

func freeGate(ar *arrivals) *gate {
	return &gate{atom: 1, slowest: math.Inf(-1), end: identity(ar.n), cut: newMatrix(ar.n, ar.classes), time: make([]float64, ar.n)}
}

// newGate eliminates the switch-over c against the arrivals ar; one that takes no time is free. With B = (−(D0 ⊕ C))⁻¹
// on states (a, c):
//
//	end = atom·I + (I⊗γ)·B·(I⊗exit),  cut = (I⊗γ)·B·(F⊗1),  time = (I⊗γ)·B·1.
func newGate(level int, block string, ar *arrivals, free *gate, c Phases) (*gate, error) {
	if !c.costs() {
		return free, nil
	}
	alpha, t, exit, err := visitedPhases(level, block, c)
	if err != nil {
		return nil, err
	}
	s := len(alpha)
	b, err := gateSojourns(ar, t, exit)
	if err != nil {
		return nil, blockError(level, block, -1, -1, "never ends from some phase: %v", err)
	}
	n, r := ar.n, ar.classes
	g := &gate{s: s, atom: max(0, 1-floats.Sum(alpha)), gamma: alpha, slowest: perron(t, exit)}
	if g.atom < atomTol {
		g.atom = 0
	}
	start := newMatrix(n, n*s)
	for a := range n {
		copy(start.row(a)[a*s:(a+1)*s], alpha)
	}
	ends, cuts := newMatrix(n*s, n), newMatrix(n*s, r)
	for a := range n {
		for k := range s {
			ends.a[(a*s+k)*n+a] = exit[k]
			copy(cuts.row(a*s+k), ar.f.row(a))
		}
	}
	from := mul(start, b)
	g.end = mul(from, ends)
	for a := range n {
		g.end.a[a*n+a] += g.atom
	}
	g.cut = mul(from, cuts)
	g.time = from.rowSums()

	entry := newMatrix(r*s, n*s) // A ⊗ I_s
	for q := range r {
		for a := range n {
			for k := range s {
				entry.a[(q*s+k)*n*s+a*s+k] = ar.a.at(q, a)
			}
		}
	}
	between := mul(entry, b)
	g.ending = mul(between, ends)
	g.stay = between.rowSums()
	classes := newMatrix(n*s, r*s) // F ⊗ I_s
	for a := range n {
		for k := range s {
			for q := range r {
				classes.a[(a*s+k)*r*s+q*s+k] = ar.f.at(a, q)
			}
		}
	}
	g.next = mul(between, classes)
	return g, nil
}

// atomTol: a lack of initial probability this small is the rounding of a sum of a few terms, not an atom.
const atomTol = 1e-14

// visitedPhases returns a switch-over without the phases it never visits.
func visitedPhases(level int, block string, c Phases) (alpha []float64, t matrix, exit []float64, err error) {
	all, rates, err := checkedPhases(level, block, c)
	if err != nil {
		return nil, matrix{}, nil, err
	}
	visited := reachable(len(c.Alpha), func(i int) bool { return c.Alpha[i] > 0 },
		func(i, j int) bool { return all.at(i, j) > 0 })
	order := topological(len(c.Alpha), func(i, j int) bool { return all.at(i, j) > 0 })
	if order == nil {
		for i := range c.Alpha {
			order = append(order, i)
		}
	}
	var keep []int
	for _, i := range order {
		if visited[i] {
			keep = append(keep, i)
			alpha, exit = append(alpha, c.Alpha[i]), append(exit, rates[i])
		}
	}
	return alpha, all.permuted(keep), exit, nil
}

// gateSojourns returns (−(D0 ⊕ C))⁻¹, states (a, c) with a major.
func gateSojourns(ar *arrivals, t matrix, exit []float64) (matrix, error) {
	s, n := t.rows, ar.n
	p := newMatrix(n*s, n*s)
	out := make([]float64, n*s)
	arrival := ar.f.rowSums()
	for a := range n {
		for k := range s {
			row := p.row(a*s + k)
			for b := range n {
				row[b*s+k] += ar.d0.at(a, b)
			}
			for l := range s {
				if l != k {
					row[a*s+l] += t.at(k, l)
				}
			}
			out[a*s+k] = arrival[a] + exit[k]
		}
	}
	f, err := factorGTH(p, out)
	if err != nil {
		return matrix{}, err
	}
	b := identity(n * s)
	f.solve(b)
	return b, nil
}

// checkedPhases returns the off-diagonal rates and the exit rates of a phase-type time.
func checkedPhases(level int, block string, c Phases) (t matrix, exit []float64, err error) {
	n := len(c.Alpha)
	if c.T == nil {
		return matrix{}, nil, blockError(level, block, -1, -1, "has no subgenerator")
	}
	if r, k := c.T.Dims(); r != n || k != n {
		return matrix{}, nil, blockError(level, block, -1, -1, "subgenerator is %d×%d, initial vector has %d entries", r, k, n)
	}
	for i, p := range c.Alpha {
		if !(p >= 0 && p <= 1) {
			return matrix{}, nil, blockError(level, block, -1, i, "initial probability %v", p)
		}
	}
	t = fromMat(c.T)
	if err := checkRates(level, block, t, true); err != nil {
		return matrix{}, nil, err
	}
	if c.Exit != nil && len(c.Exit) != n {
		return matrix{}, nil, blockError(level, block, -1, -1, "%d exit rates for %d phases", len(c.Exit), n)
	}
	exit = make([]float64, n)
	for i := range n {
		diag := -t.at(i, i)
		if !(diag > 0) {
			return matrix{}, nil, blockError(level, block, i, i, "diagonal %g is not negative", -diag)
		}
		switch total := floats.Sum(t.row(i)); {
		case total > phaseRowTol*diag:
			return matrix{}, nil, blockError(level, block, i, -1, "row sums to %g, more than zero", total)
		case c.Exit != nil && (!(c.Exit[i] >= 0) || math.Abs(c.Exit[i]+total) > phaseRowTol*diag):
			return matrix{}, nil, blockError(level, block, i, -1, "row sums to %g, but its exit rate is %g", total, c.Exit[i])
		case c.Exit != nil:
			exit[i] = c.Exit[i]
		case total < -phaseRowTol*diag:
			exit[i] = -total
		}
		t.a[i*n+i] = 0
	}
	return t, exit, nil
}

// phaseRowTol: a row of a subgenerator whose sum is this small relative to its diagonal has no exit; the sum of rounded
// rates carries about one rounding error per entry.
const phaseRowTol = 1e-12
