package markov

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"
)

// spectral solves the PH/PH/c queue above level c by its eigenvectors. A row vector a⊗ψ with
//
//	a·(D0 + D1/z) = ω_A·a,   v_j·(S + z·exit·β) = ω_j·v_j,   ψ = sym(v_1^κ_1 ⊗ … ⊗ v_m^κ_m),   ω_A + Σ κ_j·ω_j = 0
//
// satisfies the repeating equations as z^k·(a⊗ψ): one scalar equation z = f_A(−Σ κ_j·ω_j(z)), f_A the transform of the
// interarrival time, for each way κ to distribute c jobs over the m branches ω_j. The K roots in the unit disc with their
// ψ are the eigenvalues and left eigenvectors of T, the K×K matrix by which the flow of arrivals recurs from level to
// level, whatever the number of arrival phases.
//
// References: D. Bertsimas, An analytic approach to a general class of G/G/s queueing systems, Oper. Res. 38 (1990) 139–155;
// V. Ramaswami, D. M. Lucantoni, Stationary waiting time distribution in queues with phase type service and in
// quasi-birth-and-death processes, Commun. Statist. Stochastic Models 1 (1985) 125–136.
type spectral struct {
	*busy
	sys   *system
	roots []eigenpair
}

// eigenpair is a root with its eigenvector over the occupancies of c jobs, which is made when it is asked for.
type eigenpair struct {
	z   complex128
	psi func() []complex128
}

// branches knows the branches ω_j(z) of a service distribution.
type branches interface {
	// pairs returns all K roots with eigenvectors.
	pairs(s *spectral) ([]eigenpair, error)
}

// branchesOf returns what is known of the service at level c, nil if nothing is.
func (s *system) branchesOf() branches {
	if s.ar.classes != 1 {
		return nil
	}
	t, exit, alpha := s.t[s.c-1], s.exit[s.c-1], s.alpha[s.c-1]
	if parallel(t, exit, alpha) {
		return newHyperexponential(exit, alpha)
	}
	if rate, ok := erlangRate(t, exit, alpha); ok {
		return &erlang{phases: s.m, rate: rate}
	}
	return nil
}

// compositions calls f for every way to distribute c over m, in lattice order.
func (s *spectral) compositions(f func(kappa []int32)) {
	for i := range s.k {
		f(s.sys.lat.at(s.sys.c, i))
	}
}

// symmetric returns the coefficients of Π_j (v_j·x)^κ_j over the occupancies, the largest being 1.
func (s *spectral) symmetric(kappa []int32, v [][]complex128) []complex128 {
	lat := s.sys.lat
	psi := []complex128{1}
	jobs := 0
	for j, count := range kappa {
		for range count {
			psi = lat.timesLinear(jobs, psi, v[j])
			jobs++
		}
	}
	largest := psi[0]
	for _, p := range psi {
		if cmplx.Abs(p) > cmplx.Abs(largest) {
			largest = p
		}
	}
	for i := range psi {
		psi[i] /= largest
	}
	return psi
}

// timesLinear multiplies a form of l jobs by v·x.
func (t *lattice) timesLinear(l int, psi []complex128, v []complex128) []complex128 {
	up := t.raised(l)
	next := make([]complex128, t.size(l+1))
	for i, p := range psi {
		if p == 0 {
			continue
		}
		for j, vj := range v {
			next[up[i*t.phases+j]] += p * vj
		}
	}
	return next
}

// raised returns for each occupancy of l jobs and each phase the place of the occupancy with one more job there.
func (t *lattice) raised(l int) []int32 {
	if t.up == nil {
		t.up = make([][]int32, len(t.levels))
	}
	if t.up[l] == nil {
		up := make([]int32, t.size(l)*t.phases)
		n := make([]int32, t.phases)
		for i := range t.size(l) {
			copy(n, t.at(l, i))
			for j := range n {
				n[j]++
				up[i*t.phases+j] = int32(t.index(n))
				n[j]--
			}
		}
		t.up[l] = up
	}
	return t.up[l]
}

// spectralExpansion returns X for service whose branches are known.
func (s *system) spectralExpansion(b *busy) (matrix, error) {
	known := s.branchesOf()
	if known == nil || !s.ar.ordered {
		return matrix{}, fmt.Errorf("markov: spectral expansion needs renewal arrivals and hyperexponential or Erlang service: %w",
			ErrMethod)
	}
	sp := &spectral{busy: b, sys: s}
	var err error
	if sp.roots, err = known.pairs(sp); err != nil {
		return matrix{}, fmt.Errorf("markov: spectral expansion: %v: %w", err, ErrNoConvergence)
	}
	t, err := sp.matrixT()
	if err != nil {
		return matrix{}, fmt.Errorf("markov: spectral expansion: %v: %w", err, ErrNoConvergence)
	}
	return sp.polish(t)
}

// Polishing stops when the next step would change T, whose entries are of the order of one, by so little that the moments,
// whose condition is 1/(1−η), change by less than polished, or when steps no longer halve the change. A step is expected
// to gain what the one before it gained, the first a digit.
const (
	polished   = 1e-12
	firstGain  = 0.1
	maxPolish  = 6
	slowPolish = 0.5
)

// polish turns T into X by steps of the fixed point iteration
//
//	Θ = L + T·V,  X = (A⊗I)·(−(D0⊕Θ))⁻¹,  T' = X·(F⊗I),
//
// at least one, which wipes off what the basis of eigenvectors has lost: the error is largest where |z| is small, and
// there the iteration contracts best.
func (sp *spectral) polish(t matrix) (matrix, error) {
	s := sp.sys
	x := newMatrix(sp.k, s.ar.n*sp.k)
	next := newMatrix(sp.k, sp.k)
	enough := polished * (1 - s.queueDecay())
	last := math.Inf(1)
	for step := 1; ; step++ {
		if err := sp.between(x, t); err != nil {
			return x, fmt.Errorf("markov: spectral expansion: %v: %w", err, ErrInaccurate)
		}
		clear(next.a)
		kronColsAdd(next, x, s.ar.f, sp.k)
		change := floats.Distance(next.a, t.a, math.Inf(1))
		if math.IsNaN(change) {
			return x, fmt.Errorf("markov: spectral expansion: the eigenvectors are dependent: %w", ErrNoConvergence)
		}
		gain := change / last
		if step == 1 {
			gain = firstGain
		}
		if change*gain <= enough || gain > slowPolish || step == maxPolish {
			return x, checkSigns(x)
		}
		t, next = next, t
		last = change
	}
}

// between sets x, K × n·K, to where an interarrival time that starts at an arrival spends its time while Θ runs. Each
// s·I − Θ is an M-matrix whose row sums, s + departures − T·departures, are known without its diagonal.
func (sp *spectral) between(x, t matrix) error {
	s, k := sp.sys, sp.k
	theta := newScratch(k, k)
	defer theta.release()
	sp.refill.mulKronRight(theta, t, 1)
	s.lat.local(s.c, s.t[s.c-1]).addKron(theta, 1, 1)
	balance := mulVec(t, sp.departures)
	floats.Scale(-1, balance)
	floats.Add(balance, sp.departures)
	parts := make([]matrix, s.ar.n) // X by arrival phase
	for a := range s.ar.n {
		p := scratchOf(theta)
		defer p.release()
		sums := append([]float64(nil), balance...)
		floats.AddConst(s.ar.out[a], sums)
		f, err := factorGTH(p, sums)
		if err != nil {
			return err
		}
		part := newScratch(k, k)
		defer part.release()
		for i := range k {
			part.a[i*k+i] = s.ar.a.at(0, a)
		}
		for b := range a {
			if d := s.ar.d0.at(b, a); d != 0 {
				floats.AddScaled(part.a, d, parts[b].a)
			}
		}
		f.solveLeftRows(part)
		parts[a] = part
		for i := range k {
			copy(x.row(i)[a*k:(a+1)*k], part.row(i))
		}
	}
	return nil
}

// signTol: an entry of X, a mean time, that is this far below zero relative to the largest of its row is not rounding.
const signTol = 1e-11

// checkSigns sets what rounding has made negative to zero, and refuses what is more.
func checkSigns(x matrix) error {
	for i := range x.rows {
		row := x.row(i)
		largest := floats.Max(row)
		for j, v := range row {
			if v < -signTol*largest {
				return fmt.Errorf("markov: spectral expansion: mean time %.1g: %w", v, ErrInaccurate)
			}
			row[j] = max(0, v)
		}
	}
	return nil
}

// matrixT returns T from the eigenpairs, by real rows: a complex pair gives the real and the imaginary part, and stands
// for its conjugate.
func (s *spectral) matrixT() (matrix, error) {
	b := newBasis(s.k)
	defer b.psi.release()
	var open [][]complex128 // eigenvectors of real roots whose conjugate has not come yet
	for _, p := range s.roots {
		size := cmplx.Abs(p.z)
		switch {
		case imag(p.z) < -realRoot*size:
			// its conjugate is among the roots too
		case imag(p.z) > realRoot*size:
			re, im := parts(p.psi())
			b.add(re, im, real(p.z), imag(p.z))
		default:
			re, im := parts(p.psi())
			switch i := conjugateOf(open, p); {
			case floats.Norm(im, math.Inf(1)) <= realVector:
				b.add(re, nil, real(p.z), 0)
			case i >= 0:
				open = append(open[:i], open[i+1:]...)
			default:
				open = append(open, p.psi())
				b.add(re, im, real(p.z), 0)
			}
		}
	}
	if b.rows != s.k || len(open) > 0 {
		return matrix{}, fmt.Errorf("%d eigenvectors for %d occupancies, %d without a conjugate", b.rows, s.k, len(open))
	}
	luOf(b.psi).solve(b.image)
	return b.image, nil
}

// basis collects rows ψ and ψ·T.
type basis struct {
	psi, image matrix
	rows       int
}

func newBasis(k int) *basis { return &basis{psi: newScratch(k, k), image: newMatrix(k, k)} }

// add appends the real and, unless nil, the imaginary part of an eigenvector for the root x + iy. Rows beyond the last are
// counted only.
func (b *basis) add(re, im []float64, x, y float64) {
	parts := [][]float64{re, im}
	if im == nil {
		parts = parts[:1]
	}
	for i, part := range parts {
		if b.rows++; b.rows > b.psi.rows {
			continue
		}
		copy(b.psi.row(b.rows-1), part)
		image := b.image.row(b.rows - 1)
		floats.AddScaled(image, x, part)
		if im != nil && y != 0 {
			floats.AddScaled(image, y*float64(2*i-1), parts[1-i])
		}
	}
}

// conjugateOf returns the index of the conjugate of p's eigenvector, −1 if it is not there.
func conjugateOf(open [][]complex128, p eigenpair) int {
	if len(open) == 0 {
		return -1
	}
	psi := p.psi()
	for i, v := range open {
		if conjugate(v, psi) {
			return i
		}
	}
	return -1
}

func parts(v []complex128) (re, im []float64) {
	for _, x := range v {
		re, im = append(re, real(x)), append(im, imag(x))
	}
	return re, im
}

// Roots and eigenvectors carry about fourteen digits; those that are real or each other's conjugates are told from others by
// fewer.
const (
	realRoot   = 1e-12
	realVector = 1e-10
	sameVector = 1e-6
)

// conjugate reports whether two vectors are each other's conjugates, up to a factor.
func conjugate(p, q []complex128) bool {
	var dot complex128
	var np, nq float64
	for i := range p {
		dot += p[i] * q[i]
		np += real(p[i])*real(p[i]) + imag(p[i])*imag(p[i])
		nq += real(q[i])*real(q[i]) + imag(q[i])*imag(q[i])
	}
	return math.Abs(cmplx.Abs(dot)-math.Sqrt(np*nq)) < sameVector*math.Sqrt(np*nq)
}
