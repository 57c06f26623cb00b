// Package spectrum finds the roots and eigenvectors of the queue at and above level c, where all servers are busy. It has
// one file for each family of service and of arrivals, and the modes of which the solution is a sum.
//
// Symbols:
//
//	c, m, K     servers, service phases, occupancies of c jobs: K = C(c+m−1, m−1)
//	n, r        arrival phases, classes of arrivals: D1 = F·A
//	β, S, exit  initial probabilities, subgenerator and exit rates of service, exit = −S·1
//	κ           a composition of c jobs over the m branches of service, κ_j ≥ 0, Σ κ_j = c
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

// spectral holds the roots of the MAP/PH/c queue above level c and their eigenvectors. For renewal arrivals, a row vector
// a⊗ψ with
//
//	a·(D0 + D1/z) = ω_A·a,   v_j·(S + z·exit·β) = ω_j·v_j,   ψ = sym(v_1^κ_1 ⊗ … ⊗ v_m^κ_m),   ω_A + Σ κ_j·ω_j = 0
//
// satisfies the repeating equations as z^k·(a⊗ψ) at level c+k. This is one scalar equation for each κ,
//
//	z = f_A(s),   s = −Σ κ_j·ω_j(z),
//
// with f_A the Laplace transform of the interarrival time. Its K roots in the unit disc are the eigenvalues of T, and
// their ψ the left eigenvectors. T, K×K, takes the flow of arrivals from level to level. The order of T does not depend on
// the number of arrival phases. For r classes of arrivals f_A is replaced by the r branches λ of
// [arrivalBranch], and there are r·K roots.
//
// References: D. Bertsimas, An analytic approach to a general class of G/G/s queueing systems, Oper. Res. 38 (1990)
// 139–155; V. Ramaswami, D. M. Lucantoni, Stationary waiting time distribution in queues with phase type service and in
// quasi-birth-and-death processes, Commun. Statist. Stochastic Models 1 (1985) 125–136.
type spectral struct {
	sys   *Station
	k     int // K, number of occupancies of c jobs
	roots []eigenpair

	vectors []complex128 // storage of the vectors a of the modes
}

// eigenpair is a root z = λ(s) with the factors v_j of its eigenvector ψ. The factors are real for real branches.
type eigenpair struct {
	z, s      complex128
	gap       complex128   // 1 − z, to its own digits where that is known
	e         []complex128 // eigenvector over the classes of arrivals; nil for one class
	branch    int          // of the arrivals; branch 0 has the largest λ
	kappa     []int32
	real      [][]float64    // real factors v_j, else nil
	v         [][]complex128 // complex factors v_j, else nil
	stages    complex128     // w of [erlang] service under renewal arrivals, whose v_j are powers of w·ζ^j; else 0
	pair      bool           // the root stands for its conjugate, too, which is not among the roots
	roundings float64        // relative error of z and of the factors, in rounding errors; less than one means one
}

// branches finds the roots for a family of service distributions, whose branches ω_j(z) are known.
type branches interface {
	// pairs returns all r·K roots with eigenvectors.
	pairs(ctx context.Context, s *spectral) ([]eigenpair, error)
}

// branchesOf returns the family of the service at level c with known branches, nil if there is none. The result is kept
// for later calls.
func (s *Station) branchesOf() branches {
	if !s.asked {
		s.knownBranches, s.asked = s.findBranches(), true
	}
	return s.knownBranches
}

// Expandable reports whether modes can be found. followed tells that roots are followed along paths, which takes longer
// than to solve an equation for each.
func (s *Station) Expandable() (known, followed bool) {
	b := s.branchesOf()
	_, followed = b.(*rational)
	return b != nil, followed
}

// findBranches returns the family of the service: parallel phases, a row of phases of one rate, or any phases with
// distinct eigenvalues.
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

// mostClasses is the number of classes of arrivals up to which [complexEigenvalues] gives some digits of the eigenvalues.
const mostClasses = 8

// modeCount returns the number of roots in the unit disc, r·K.
func (s *spectral) modeCount() int { return s.sys.ar.Classes * s.k }

// compositions calls f for every composition κ of c jobs over m branches, in the order of the state index. It stops at
// the first error of f, or when ctx ends. κ is storage of the state index: f may keep κ, but must not change it.
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

// newSpectral returns the roots of the queue. The error is ErrMethod if the branches are not known, and ErrNoConvergence
// if a root is missing.
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

// scaleFactors multiplies each factor of ψ, in place, by a power of two that brings its largest entry close to one.
// Products of hundreds of factors then stay in the range of a number.
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

// MatrixT returns T = Ψ⁻¹·diag(z)·Ψ, K×K, for renewal arrivals, whose eigenvectors ψ are the rows of Ψ. A complex pair
// is in real form. Entries have the digits that the condition of Ψ leaves, and may be negative by rounding.
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

// rootRoundings returns the relative error of a root of z = f(s(z)), in rounding errors: (1 + |terms/z|)/|slope|. terms
// is |f'| times the size of the terms that are added to s; slope is the derivative of z − f(s(z)).
func rootRoundings(z, terms, slope float64) float64 {
	return (1 + math.Abs(terms/z)) / math.Abs(slope)
}
