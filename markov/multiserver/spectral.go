package multiserver

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// spectral solves the PH/PH/c queue above level c by its eigenvectors. A row vector a⊗ψ with
//
//	a·(D0 + D1/z) = ω_A·a,   v_j·(S + z·exit·β) = ω_j·v_j,   ψ = sym(v_1^κ_1 ⊗ … ⊗ v_m^κ_m),   ω_A + Σ κ_j·ω_j = 0
//
// satisfies the repeating equations as z^k·(a⊗ψ): one scalar equation z = f_A(−Σ κ_j·ω_j(z)), f_A the transform of the
// interarrival time, for each composition κ of c jobs over the m branches ω_j. The K roots in the unit disc with
// their ψ are the eigenvalues and left eigenvectors of T, the K×K matrix by which the flow of arrivals recurs from
// level to level, whatever the number of arrival phases.
//
// References: D. Bertsimas, An analytic approach to a general class of G/G/s queueing systems, Oper. Res. 38 (1990)
// 139–155; V. Ramaswami, D. M. Lucantoni, Stationary waiting time distribution in queues with phase type service and in
// quasi-birth-and-death processes, Commun. Statist. Stochastic Models 1 (1985) 125–136.
type spectral struct {
	*saturated
	sys   *system
	roots []eigenpair
	work  []float64

	vectors []complex128 // room for those of the modes
}

// eigenpair is a root z = λ(s) with the factors v_j of its eigenvector, which are real for real branches.
type eigenpair struct {
	z, s   complex128
	gap    complex128   // 1 − z, to its own digits where that is known
	e      []complex128 // over the classes of arrivals; nil where there is one
	branch int          // of the arrivals, the largest first
	kappa  []int32
	real   [][]float64
	v      [][]complex128
	stages complex128 // of [erlang] service under renewal arrivals in the place of v, which are powers of it
	pair   bool       // its conjugate is not among the roots
	loss   float64    // the relative error of z and of the factors, in roundings; at least one if it is not given
}

// branches knows the branches ω_j(z) of a service distribution.
type branches interface {
	// pairs returns all K roots with eigenvectors.
	pairs(ctx context.Context, s *spectral) ([]eigenpair, error)
}

// branchesOf returns what is known of the service at level c, nil if nothing is.
func (s *system) branchesOf() branches {
	if !s.asked {
		s.known, s.asked = s.findBranches(), true
	}
	return s.known
}

func (s *system) findBranches() branches {
	if s.ar.classes > mostClasses {
		return nil
	}
	renewal := s.ar.classes == 1
	t, exit, alpha := s.t[s.c-1], s.exit[s.c-1], s.alpha[s.c-1]
	if renewal && s.ar.ordered && parallel(t, exit, alpha) {
		return newHyperexponential(exit, alpha)
	}
	if rate, ok := erlangRate(t, exit, alpha); ok {
		return &erlang{phases: s.m, rate: rate}
	}
	if r := newRational(t, exit, alpha); r != nil {
		return r
	}
	return nil
}

// mostClasses is the number of classes of arrivals up to which the zeros of a determinant are their eigenvalues to some
// digits.
const mostClasses = 8

// modeCount is the number of roots in the unit disc.
func (s *spectral) modeCount() int { return s.sys.ar.classes * s.k }

// compositions calls f for every composition of c jobs over m branches, in the order of the state index, until f fails
// or ctx ends.
func (s *spectral) compositions(ctx context.Context, f func(kappa []int32) error) error {
	for i := range s.k {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(s.sys.index.at(s.sys.c, i)); err != nil {
			return err
		}
	}
	return nil
}

// newSpectral returns the queue with its roots, for service whose branches are known.
func (s *system) newSpectral(ctx context.Context, b *saturated) (*spectral, error) {
	known := s.branchesOf()
	if known == nil {
		return nil, fmt.Errorf("spectral expansion needs arrivals of few classes and service whose phases differ: %w",
			markov.ErrMethod)
	}
	sp := &spectral{saturated: b, sys: s, work: make([]float64, 2*s.ar.n)}
	var err error
	if sp.roots, err = known.pairs(ctx, sp); err != nil {
		return nil, fmt.Errorf("spectral expansion: %v: %w", err, markov.ErrNoConvergence)
	}
	for _, pair := range sp.roots {
		pair.scaleFactors()
	}
	return sp, nil
}

// scaleFactors brings the factors of the eigenvector close to one by powers of two: products of hundreds of them are
// numbers then.
func (p eigenpair) scaleFactors() {
	for _, v := range p.real {
		_, e := math.Frexp(floats.Norm(v, math.Inf(1)))
		block.Unscale(v, -e)
	}
	for _, v := range p.v {
		largest := 0.0
		for _, x := range v {
			largest = max(largest, cmplx.Abs(x))
		}
		_, e := math.Frexp(largest)
		for i, x := range v {
			v[i] = complex(math.Ldexp(real(x), -e), math.Ldexp(imag(x), -e))
		}
	}
}

// spectralExpansion returns X for service whose branches are known.
func (s *system) spectralExpansion(ctx context.Context, b *saturated) (x block.Matrix, off float64, err error) {
	if s.ar.classes > 1 || !s.ar.ordered {
		return x, 0, fmt.Errorf("spectral expansion with a switch-over when all servers are busy needs renewal "+
			"arrivals: %w", markov.ErrMethod)
	}
	sp, err := s.newSpectral(ctx, b)
	if err != nil {
		return x, 0, err
	}
	t, err := sp.matrixT(ctx)
	if err != nil {
		return x, 0, fmt.Errorf("spectral expansion: %v: %w", err, markov.ErrNoConvergence)
	}
	return sp.polish(ctx, t)
}

// Polishing stops when no entry of T changes by more than entryTol of itself. It fails if the changes fall by less than a factor
// of slowPolish per step, or after maxPolish steps, which take as long as a reduction.
const (
	entryTol   = 1e-13
	maxPolish  = 60
	slowPolish = 0.9
)

// polish turns T into X by steps of the fixed point iteration
//
//	Θ = L + T·V,  X = (A⊗I)·(−(D0⊕Θ))⁻¹,  T' = X·(F⊗I).
//
// A step subtracts nothing. So the last change of an entry, relative to the entry and over one minus the factor by which changes
// fall, bounds the error of the entry, however small the entry is and whatever the basis of eigenvectors has lost.
func (sp *spectral) polish(ctx context.Context, t block.Matrix) (x block.Matrix, off float64, err error) {
	s := sp.sys
	x = block.New(sp.k, s.ar.n*sp.k)
	next := block.New(sp.k, sp.k)
	last := math.Inf(1)
	for i, v := range t.Data {
		t.Data[i] = max(0, v)
	}
	for step := 1; step <= maxPolish; step++ {
		if err := sp.between(ctx, x, t); err != nil {
			return x, 0, fmt.Errorf("spectral expansion: %v: %w", err, markov.ErrInaccurate)
		}
		clear(next.Data)
		kronColsAdd(next, x, s.ar.f, sp.k)
		change := entryChange(t, next)
		gain := change / last
		if change <= entryTol {
			gain = max(gain, 0.5) // it may have been less at first
			return x, change * gain / (1 - min(gain, slowPolish)), nil
		}
		if math.IsNaN(change) || step > 4 && gain > slowPolish {
			break
		}
		t, next = next, t
		last = change
	}
	return x, 0, fmt.Errorf("spectral expansion: the matrix from eigenvectors does not settle: %w", markov.ErrNoConvergence)
}

// entryChange returns the largest change of an entry relative to itself.
func entryChange(from, to block.Matrix) float64 {
	largest := 0.0
	for i, v := range to.Data {
		if d := math.Abs(v - from.Data[i]); d > largest*v {
			largest = d / v
		}
	}
	return largest
}

// between sets x, K × n·K, to where an interarrival time that starts at an arrival spends its time while Θ runs. Each
// s·I − Θ is an M-matrix whose row sums, s + departures − T·departures, are known without its diagonal.
func (sp *spectral) between(ctx context.Context, x, t block.Matrix) error {
	s, k := sp.sys, sp.k
	theta := block.NewScratch(k, k)
	defer theta.Release()
	sp.refill.mulKronRight(ctx, theta, t, 1)
	s.index.local(s.c, s.t[s.c-1]).addKron(theta, 1, 1)
	balance := block.MulVec(t, sp.departures)
	floats.Scale(-1, balance)
	floats.Add(balance, sp.departures)
	parts := make([]block.Matrix, s.ar.n) // X by arrival phase
	for a := range s.ar.n {
		p := block.ScratchOf(theta)
		defer p.Release()
		sums := append([]float64(nil), balance...)
		floats.AddConst(s.ar.out[a], sums)
		part, err := sp.inPhase(ctx, a, p, sums, parts[:a])
		if err != nil {
			return err
		}
		defer part.Release()
		parts[a] = part
		for i := range k {
			copy(x.Row(i)[a*k:(a+1)*k], part.Row(i))
		}
	}
	return nil
}

// inPhase returns the columns of X of arrival phase a, a scratch block, from those of the phases before it: (A_a·I +
// Σ_b D0_ba·X_b)·(sums − p)⁻¹. It overwrites p and sums.
func (sp *spectral) inPhase(ctx context.Context, a int, p block.Matrix, sums []float64, before []block.Matrix) (
	block.Matrix, error) {
	ar := sp.sys.ar
	first := ar.a.At(0, a)
	from := block.NewScratch(sp.k, sp.k)
	for b, x := range before {
		if d := ar.d0.At(b, a); d != 0 {
			floats.AddScaled(from.Data, d, x.Data)
		}
	}
	if from.IsZero() { // no other phase leads here
		from.Release()
		part := block.ScratchOf(p)
		if err := block.InvertGTH(ctx, part, sums); err != nil {
			return part, err
		}
		floats.Scale(first, part.Data)
		return part, nil
	}
	for i := range sp.k {
		from.Row(i)[i] += first
	}
	f, err := block.FactorGTH(ctx, p, sums)
	if err != nil {
		return from, err
	}
	f.SolveLeftRows(ctx, from)
	return from, nil
}

// matrixT returns T from its eigenvectors.
func (s *spectral) matrixT(ctx context.Context) (block.Matrix, error) {
	m, err := s.modes(ctx)
	if err != nil {
		return block.Matrix{}, err
	}
	image := block.New(s.k, s.k)
	for _, mode := range m.list {
		x, y := real(mode.z), imag(mode.z)
		re := m.psi.Row(mode.row)
		floats.AddScaled(image.Row(mode.row), x, re)
		if mode.pair {
			im := m.psi.Row(mode.row + 1)
			floats.AddScaled(image.Row(mode.row), -y, im)
			floats.AddScaled(image.Row(mode.row+1), x, im)
			floats.AddScaled(image.Row(mode.row+1), y, re)
		}
	}
	block.FactorLU(ctx, m.psi).Solve(ctx, image)
	m.psi.Release()
	return image, nil
}

// rootLoss returns the relative error, in roundings, of a root z of z = f(s(z)): f'·|s| is the size of the terms of s as they
// show in f, slope the derivative of z − f(s(z)).
func rootLoss(z, terms, slope float64) float64 {
	return (1 + math.Abs(terms/z)) / math.Abs(slope)
}
