// Package spectrum finds the eigenvalues and eigenvectors of the queue at and above level c, where all c servers are
// busy. The level is the number of jobs. It also finds the modes; the probabilities of these levels are sums of modes.
// The method is spectral expansion:
//
//   - [Station] holds the arrivals and the service of this part of the queue.
//
//   - A family of service ([hyperexponential], [erlang] or [rational]) solves one scalar equation for each composition
//     κ. The results are the roots z, with the factors of their eigenvectors ψ.
//
//   - [Station.Modes] multiplies the factors and gives the [Modes]: x_{c+k} = Σ_j b_j·z_j^k·(a_j ⊗ ψ_j).
//
//   - [Modes.During] adds the terms of a switch-over at level c.
//
//   - [Modes.FactorEntries] factors the matrix with which the caller finds the coefficients b_j. [Modes.Masses],
//     [Modes.Sum] and their relatives sum levels. [Modes.Changed] changes all numbers at random, to measure errors.
//
// The roots are found in one file for each family of service and arrivals. Symbols, in all files:
//
//	c, m, K     servers, service phases, occupancies of c jobs: K = C(c+m−1, m−1)
//	n, r        arrival phases, classes of arrivals: D1 = F·A
//	D0, D1      n×n rates of the arrival phases without and with an arrival
//	F, A        n×r rates of arrivals by phase and class, r×n distribution of the phase after an arrival of a class
//	β, S, exit  initial probabilities, subgenerator (m×m) and exit rates of service, exit = −S·1
//	f_A, f_B    Laplace transforms of the interarrival time (renewal arrivals) and of the service time
//	M(s)        A·(sI − D0)⁻¹·F, r×r: the transform of the interarrival time by classes; M = f_A for r = 1
//	λ(s), e     a branch of the arrivals: an eigenvalue of M(s) and its left eigenvector, of r entries
//	ω_j(z), v_j a branch of service: an eigenvalue of S + z·exit·β and its left eigenvector, of m entries
//	κ           a composition: the number κ_j of the c jobs on each of the m branches of service, κ_j ≥ 0, Σ κ_j = c
//	z, s        a root, |z| < 1, and its argument: z = λ(s), s = −Σ κ_j·ω_j(z)
//	ψ, a        eigenvector over the K occupancies, and over the n arrival phases, a = e·A·(sI − D0)⁻¹
//	η           caudal characteristic, the largest root: the decay rate of the queue without switch-overs
//	V           rates of a departure after which the first waiting job starts, K×K
//
// A branch with an index j is a branch of service; any other is a branch of the arrivals. Errors of numbers are counted
// in rounding errors of 2⁻⁵³. A pair is a root with its complex conjugate. In real form a pair takes two rows, Re ψ and
// Im ψ, and any other root one.
package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// spectral holds the roots of the MAP/PH/c queue above level c and their eigenvectors; the package comment defines the
// symbols. For renewal arrivals, a row vector a⊗ψ with
//
//	a·(D0 + D1/z) = ω_A·a,   v_j·(S + z·exit·β) = ω_j·v_j,   ψ = sym(v_1^κ_1 ⊗ … ⊗ v_m^κ_m),   ω_A + Σ κ_j·ω_j = 0
//
// satisfies the repeating equations as z^k·(a⊗ψ) at level c+k. This is one scalar equation for each κ,
//
//	z = f_A(s),   s = −Σ κ_j·ω_j(z).
//
// Its K roots in the unit disc are the eigenvalues of T, and their ψ the left eigenvectors. T, K×K, takes the flow of
// arrivals from level to level. The order of T does not depend on the number of arrival phases. For r classes of
// arrivals f_A is replaced by the r branches λ of [arrivalBranch], and there are r·K roots.
//
// References: D. Bertsimas, An analytic approach to a general class of G/G/s queueing systems, Oper. Res. 38 (1990)
// 139–155; V. Ramaswami, D. M. Lucantoni, Stationary waiting time distribution in queues with phase type service and in
// quasi-birth-and-death processes, Commun. Statist. Stochastic Models 1 (1985) 125–136.
type spectral struct {
	sys   *Station
	k     int // K, number of occupancies of c jobs
	roots []eigenpair

	vectors []complex128 // storage of the vectors a of the modes

	// Room for real factors, which are dropped with the roots.
	lists   [][]float64
	factors []float64
}

// spectra holds roots that are no longer used, with their room.
var spectra = sync.Pool{New: func() any { return new(spectral) }}

// release gives back the roots and their real factors, whose storage later roots use again.
func (s *spectral) release() {
	clear(s.roots)
	clear(s.lists)
	*s = spectral{roots: s.roots[:0], lists: s.lists[:0], factors: s.factors[:0]}
	spectra.Put(s)
}

// realFactors returns an empty list of eigenpairs, with room for so many roots, and room for their real factors: m empty
// lists for each root, and m numbers for each of so many factors. The numbers are to be overwritten.
func (s *spectral) realFactors(roots, factors, m int) (pairs []eigenpair, lists [][]float64, numbers []float64) {
	s.roots = slices.Grow(s.roots, roots)
	s.lists = slices.Grow(s.lists, roots*m)[:roots*m]
	s.factors = slices.Grow(s.factors, factors*m)[:factors*m]
	return s.roots, s.lists, s.factors
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
	// factorRoundings is the relative error of the factors v_j, and argument the absolute error of s, a rate. Both are
	// in rounding errors, and 0 where roundings covers them.
	factorRoundings, argument float64
}

// serviceFamily is a family of service distributions whose branches ω_j(z) are known, so that the roots can be found.
type serviceFamily interface {
	// eigenpairs returns all r·K roots with eigenvectors.
	eigenpairs(ctx context.Context, s *spectral) ([]eigenpair, error)
}

// service returns the family of the service time, which can find the roots of the spectral expansion, or nil if the
// service fits no family. It stores the result in the station for later calls. The first call is not safe for
// concurrent use.
func (s *Station) service() serviceFamily {
	if !s.familyKnown {
		s.family, s.familyKnown = s.findServiceFamily(), true
	}
	return s.family
}

// Expandable reports whether spectral expansion can solve the station: whether it can find the roots and eigenvectors
// for this service and these arrivals. In the general family of service, roots are followed along paths, which takes
// longer than to solve an equation for each. General service counts only if followed is true; otherwise its poles are
// not computed.
func (s *Station) Expandable(followed bool) bool {
	if !followed && !s.familyKnown {
		s.family = s.solvedFamily()
		s.familyKnown = s.family != nil
		return s.familyKnown
	}
	_, general := s.service().(*rational)
	return s.service() != nil && (followed || !general)
}

// findServiceFamily returns the first family that the service time fits: a family of [Station.solvedFamily], or any phases
// with distinct eigenvalues that [newRational] accepts. It returns nil for other service, or for more than mostClasses
// classes of arrivals.
func (s *Station) findServiceFamily() serviceFamily {
	if s.ar.Classes > mostClasses {
		return nil
	}
	if solved := s.solvedFamily(); solved != nil {
		return solved
	}
	if r := newRational(s.t, s.exit, s.alpha); r != nil {
		return r
	}
	return nil
}

// solvedFamily returns the family of the service time if each root solves an equation of its own: a mixture of
// exponentials, for renewal arrivals whose phases have no cycles, or an Erlang distribution. It returns nil for other
// service, or for more than mostClasses classes of arrivals.
func (s *Station) solvedFamily() serviceFamily {
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
	return nil
}

// mostClasses is the number of classes of arrivals up to which [complexEigenvalues] gives some digits of the
// eigenvalues.
const mostClasses = 8

// modeCount returns the number of roots inside the unit circle, classes of arrivals times occupancies of c jobs. Both
// roots of a conjugate pair count.
func (s *spectral) modeCount() int { return s.sys.ar.Classes * s.k }

// compositions calls visit for every composition of the c jobs over the m branches of service, in the order of the
// state index. A branch is an eigenvalue of the matrix S + z·exit·β of a busy server, as a function of z. There is a
// root of the spectral expansion for each composition and each class of arrivals. kappa[j] is the number of jobs on
// branch j. compositions stops at the first error of visit, or when ctx ends, and returns this error. kappa is storage
// of the state index: visit may store kappa, but must not change it.
func (s *spectral) compositions(ctx context.Context, visit func(kappa []int32) error) error {
	for i := range s.k {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(s.sys.Index.At(s.sys.c, i)); err != nil {
			return err
		}
	}
	return nil
}

// newSpectral returns all roots of the spectral expansion of the station, with the factors of their eigenvectors,
// scaled by [eigenpair.scaleFactors]. There is a root for each class of arrivals and each occupancy of c jobs; a pair
// counts as two. The decay rate of the queue comes first. Index must be set. The caller releases the result. The error
// wraps ErrMethod if the service fits no family or arrivals have too many classes. It wraps ErrNoConvergence if a root
// is missing, or comes from ctx.
func (s *Station) newSpectral(ctx context.Context) (*spectral, error) {
	if s.ar.Classes > mostClasses {
		return nil, fmt.Errorf("arrivals have %d classes, at most %d are supported: %w", s.ar.Classes, mostClasses, markov.ErrMethod)
	}
	known := s.service()
	if known == nil {
		return nil, fmt.Errorf("service must have at most %d phases, with distinct eigenvalues: %w", mostBranches, markov.ErrMethod)
	}
	sp := spectra.Get().(*spectral)
	sp.sys, sp.k = s, s.Index.Size(s.c)
	var err error
	sp.roots, err = known.eigenpairs(ctx, sp)
	switch {
	case ctx.Err() != nil: // roots that were not found may be missing for this reason
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, markov.ErrNoConvergence)
	}
	for _, pair := range sp.roots {
		pair.scaleFactors()
	}
	return sp, nil
}

// scaleFactors multiplies each factor of the eigenvector of the root, in place, by a power of two that brings its
// largest entry close to one. Products of hundreds of factors then stay in the range of a number.
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

// MatrixT returns the matrix T that takes the flow of arrivals from one level to the next, by occupancy. Arrivals must
// be a renewal process. T = Ψ⁻¹·diag(z)·Ψ is new and has a row for each of the K occupancies. The rows of Ψ are the
// eigenvectors of the modes, and z their roots; pairs are in real form. Entries have the digits that the condition of Ψ
// leaves, and may be negative by rounding. T is meaningless if ctx ends.
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

// rootRoundings returns the relative error, in rounding errors of 2⁻⁵³, of a root z of an equation z = f(s(z)): (1 +
// |terms/z|)/|slope|. terms is |f'(s)| times the sum of the absolute values of the terms that are added to s. slope is
// the derivative of z − f(s(z)) at the root. The error bounds of a solution start from this number.
func rootRoundings(z, terms, slope float64) float64 {
	return (1 + math.Abs(terms/z)) / math.Abs(slope)
}
