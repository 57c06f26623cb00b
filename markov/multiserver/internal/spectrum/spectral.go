// Package spectrum finds the roots and eigenvectors of the queue at and above level c, where all servers have a job: one
// file for each family of service and arrivals, and the modes that the solution is a sum of.
package spectrum

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
	sys   *Station
	k     int // occupancies
	roots []eigenpair

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
func (s *Station) branchesOf() branches {
	if !s.asked {
		s.known, s.asked = s.findBranches(), true
	}
	return s.known
}

// Expandable reports whether the branches of the service are known, and whether roots are followed along paths to find them.
func (s *Station) Expandable() (known, followed bool) {
	b := s.branchesOf()
	_, followed = b.(*rational)
	return b != nil, followed
}

func (s *Station) findBranches() branches {
	if s.ar.Classes > mostClasses {
		return nil
	}
	renewal := s.ar.Classes == 1
	t, exit, alpha := s.t, s.exit, s.alpha
	if renewal && s.ar.Ordered && parallel(t, exit, alpha) {
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
func (s *spectral) modeCount() int { return s.sys.ar.Classes * s.k }

// compositions calls f for every composition of c jobs over m branches, in the order of the state index, until f fails
// or ctx ends.
func (s *spectral) compositions(ctx context.Context, f func(kappa []int32) error) error {
	for i := range s.k {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(s.sys.Index.At(s.sys.c, i)); err != nil {
			return err
		}
	}
	return nil
}

// newSpectral returns the queue with its roots, for service whose branches are known.
func (s *Station) newSpectral(ctx context.Context) (*spectral, error) {
	known := s.branchesOf()
	if known == nil {
		return nil, fmt.Errorf("spectral expansion needs arrivals of few classes and service whose phases differ: %w",
			markov.ErrMethod)
	}
	sp := &spectral{sys: s, k: s.Index.Size(s.c)}
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

// MatrixT returns T of renewal arrivals, whose modes are its eigenvectors.
func (m *Modes) MatrixT(ctx context.Context) block.Matrix {
	image := block.New(m.Psi.Rows, m.Psi.Cols)
	for _, mode := range m.List {
		x, y := real(mode.Z), imag(mode.Z)
		re := m.Psi.Row(mode.Row)
		floats.AddScaled(image.Row(mode.Row), x, re)
		if mode.Pair {
			im := m.Psi.Row(mode.Row + 1)
			floats.AddScaled(image.Row(mode.Row), -y, im)
			floats.AddScaled(image.Row(mode.Row+1), x, im)
			floats.AddScaled(image.Row(mode.Row+1), y, re)
		}
	}
	f := block.FactorLU(ctx, block.ScratchOf(m.Psi))
	defer f.Release()
	f.Solve(ctx, image)
	return image
}

// rootLoss returns the relative error, in roundings, of a root z of z = f(s(z)): f'·|s| is the size of the terms of s as they
// show in f, slope the derivative of z − f(s(z)).
func rootLoss(z, terms, slope float64) float64 {
	return (1 + math.Abs(terms/z)) / math.Abs(slope)
}
