package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"github.com/partwise/partwise/markov/internal/block"
)

// erlangRate returns the rate of the phases, and true, if the service time is an Erlang distribution: phases in a row,
// with the first as the only start. A single phase, exponential service, counts. The rates must agree to 10⁻¹⁴ with the
// rate of the last phase, which is the result. t holds the rates between phases, exit the rates of absorption and alpha
// the initial probabilities. Otherwise the result is 0 and false.
func erlangRate(t block.Matrix, exit, alpha []float64) (float64, bool) {
	last := len(exit) - 1
	rate := exit[last]
	if alpha[0] != 1 {
		return 0, false
	}
	for i := range last {
		if exit[i] != 0 || block.Sum(t.Row(i)) != t.At(i, i+1) || math.Abs(t.At(i, i+1)-rate) > 1e-14*rate {
			return 0, false
		}
	}
	return rate, true
}

// erlang is service by k phases of one rate in a row. With w^k = z and ζ = e^{2πi/k}, the branches of service are ω_j =
// −rate·(1 − w·ζ^j). The composition κ enters only by σ = Σ κ_j·ζ^j:
//
//	w^k = f_A(rate·(c − w·σ)).
//
// f_A is the Laplace transform of the interarrival time, and c the number of servers. Replacing w by w·ζ rotates κ. So
// one composition of each orbit of rotations, with all k roots w, stands for the whole orbit. An orbit of period p < k
// has p different roots. The roots of the mirrored composition, in which κ_j and κ_−j are exchanged, are the
// conjugates.
type erlang struct {
	phases int
	rate   float64
}

// eigenpairs returns the roots of the spectral expansion for Erlang service of k phases, and the numbers from which
// their eigenvectors follow. A composition says how many jobs are on each of the k branches of service. Rotated
// compositions have the same roots, so one of each orbit of rotations is solved. An orbit and its mirror image have
// conjugate roots: only one orbit is solved, and its roots are marked as pairs. Roots of one composition follow one
// another. The first root is the decay rate of the queue, with the digits of [Station.Caudal]. With several classes of
// arrivals it returns the result of [erlang.markovianEigenpairs]. The error says that a root was not found or was found
// twice, or comes from ctx.
func (e *erlang) eigenpairs(ctx context.Context, s *spectral) ([]eigenpair, error) {
	if s.sys.ar.Classes > 1 {
		return e.markovianEigenpairs(ctx, s)
	}
	zeta := unitRoots(e.phases)
	all := s.roots // empty, with the room of earlier roots
	err := s.compositions(ctx, func(kappa []int32) error {
		if !firstOfOrbit(kappa) {
			return nil
		}
		// The mirrored composition has the conjugate roots: one of the two is enough.
		side := mirrorSide(kappa)
		if side < 0 {
			return nil
		}
		sigma := combined(kappa, zeta)
		ws, err := e.roots(ctx, s, sigma, zeta[:orbitPeriod(kappa)])
		if err != nil {
			return err
		}
		for _, w := range ws {
			z := power(w, e.phases)
			at := complex(e.rate, 0) * (complex(float64(s.sys.c), 0) - w*sigma)
			p := eigenpair{z: z, s: at, gap: 1 - z, kappa: kappa, stages: w, pair: side > 0}
			_, slope := s.sys.ar.transform(at)
			p.roundings = e.rootRoundings(s, w, sigma, slope)
			if len(all) == 0 { // all jobs on the first branch: the decay rate of the queue
				at, eta, gap := s.sys.Caudal(ctx)
				p.z, p.s, p.gap = complex(eta, 0), complex(at, 0), complex(gap, 0)
			}
			all = append(all, p)
		}
		return nil
	})
	return all, err
}

// rootRoundings returns the relative error of the root z = w^k, in rounding errors of 2⁻⁵³, for Erlang service of k
// phases. sigma is the sum σ = Σ κ_j·ζ^j of the composition κ, ζ being the first k-th root of one. slope is the
// derivative of the transform f_A of the interarrival time at the root. By the chain rule z − f_A(s) has the derivative
// 1 + f_A'·rate·σ/(k·w^{k−1}) with respect to z.
func (e *erlang) rootRoundings(s *spectral, w, sigma, slope complex128) float64 {
	k, before := float64(e.phases), power(w, e.phases-1)
	terms := cmplx.Abs(slope) * e.rate * (float64(s.sys.c) + cmplx.Abs(w*sigma))
	derivative := 1 + slope*complex(e.rate, 0)*sigma/(complex(k, 0)*before)
	return rootRoundings(cmplx.Abs(before*w), terms, cmplx.Abs(derivative))
}

// unitRoots returns the k-th roots of one, exp(2πi·j/k) for j = 0..k−1; 1, i, −1 and −i are exact. The branches of
// Erlang service of k phases differ by these factors.
func unitRoots(k int) []complex128 {
	zeta := make([]complex128, k)
	for j := range zeta {
		switch 4 * j {
		case 0, k, 2 * k, 3 * k:
			zeta[j] = [4]complex128{1, 1i, -1, -1i}[4*j/k]
		default:
			zeta[j] = cmplx.Rect(1, 2*math.Pi*float64(j)/float64(k))
		}
	}
	return zeta
}

// mirrorSide compares a composition, which must be the largest of its rotations, with the largest rotation of its
// mirror image. kappa holds the number of jobs on each branch of Erlang service, the eigenvalues of the matrix of a
// busy server. The mirror image reads kappa backwards. mirrorSide returns 0 if the two are equal, −1 if the mirror
// image is larger, and 1 otherwise. Mirror images have conjugate roots, so the roots of side −1 need not be found.
func mirrorSide(kappa []int32) int {
	k := len(kappa)
	side := 1
	for r := range k { // κ_{r−j}, j = 0..k−1
		for j := range k {
			a, b := kappa[j], kappa[(r-j+k)%k]
			if b > a {
				return -1
			}
			if a > b {
				break
			}
			if j == k-1 {
				side = 0
			}
		}
	}
	return side
}

// vectors returns the factors of the eigenvector of a root z = w^k for Erlang service of k phases. zeta holds the k-th
// roots of one, and kappa the number of jobs on each branch of service. Entry j of the result is the left eigenvector
// for branch j, k numbers, or nil if no job is on branch j. Entry i of it is (w·zeta[j])^(k−1−i).
func (e *erlang) vectors(w complex128, zeta []complex128, kappa []int32) [][]complex128 {
	v := make([][]complex128, e.phases)
	for j, n := range kappa {
		if n == 0 {
			continue
		}
		v[j] = make([]complex128, e.phases)
		x := complex(1, 0)
		for i := e.phases - 1; i >= 0; i-- {
			v[j][i] = x
			x *= w * zeta[j]
		}
	}
	return v
}

// sameRoot is the distance below which two roots of one σ are the same root. Finding a root twice is a failure.
const sameRoot = 1e-9

// roots returns the roots w for a composition of the jobs over the branches of Erlang service of k phases. A branch is
// an eigenvalue of the matrix of a busy server, and w^k is a root of the spectral expansion. There is one w for each of
// turns, the first k-th roots of one, as many as the orbit of the composition has roots. sigma is Σ κ_j·ζ^j for the
// composition κ, with ζ = e^{2πi/k}. If all c jobs are on the first branch, the first root is computed from the decay
// rate of the queue, which has more digits.
//
// Newton's method starts at the roots for σ = 0. If it fails, or if two starts lead to the same root, it begins again
// from points of the branches. The error comes from the second run.
func (e *erlang) roots(ctx context.Context, s *spectral, sigma complex128, turns []complex128) (
	ws []complex128, err error) {
	f, _ := s.sys.ar.transform(complex(e.rate*float64(s.sys.c), 0))
	size := complex(math.Pow(real(f), 1/float64(e.phases)), 0)
	ws, err = e.rootsFrom(ctx, s, sigma, turns, func(turn complex128) complex128 { return turn * size })
	if err != nil {
		ws, err = e.rootsFrom(ctx, s, sigma, turns, func(turn complex128) complex128 { return e.onBranch(s, sigma, turn) })
	}
	return ws, err
}

// rootsFrom returns the roots w of [erlang.roots] to which Newton's method leads from start(turn), one for each of
// turns, in their order. sigma stands for the composition. The error says that two starts lead to the same root, or
// that a start leads to no root inside the unit circle. [erlang.roots] then tries other starts.
func (e *erlang) rootsFrom(ctx context.Context, s *spectral, sigma complex128, turns []complex128,
	start func(turn complex128) complex128) ([]complex128, error) {
	var ws []complex128
	for b, turn := range turns {
		w := complex(0, 0)
		// With all jobs on the first branch, the root is known from the decay rate η: w = η^{1/k}.
		if b == 0 && sigma == complex(float64(s.sys.c), 0) {
			w = complex(math.Pow(s.sys.QueueDecay(ctx), 1/float64(e.phases)), 0)
		} else {
			var err error
			if w, err = e.root(s, sigma, start(turn)); err != nil {
				return nil, err
			}
		}
		if foundBefore(ws, w) {
			return nil, fmt.Errorf("two branches share the root %v for σ = %v", w, sigma)
		}
		ws = append(ws, w)
	}
	return ws, nil
}

// foundBefore reports whether w is within sameRoot, 10⁻⁹, of one of the roots ws, or is not a number. Its caller then
// returns an error, and the search begins again from other starts.
func foundBefore(ws []complex128, w complex128) bool {
	for _, other := range ws {
		if !(cmplx.Abs(w-other) >= sameRoot) {
			return true
		}
	}
	return cmplx.IsNaN(w)
}

// branchSteps is the number of steps of the fixed point iteration, which contracts by a third or better. They lead near
// enough to the root of the branch for Newton's method to stay on the branch. That it did is checked: the roots must
// differ.
const branchSteps = 8

// onBranch returns a point near the root w that belongs to turn, a k-th root of one, for Erlang service of k phases. It
// makes branchSteps steps w ← turn·f_A(rate·(c − w·σ))^{1/k} of a fixed point iteration. f_A is the transform of the
// interarrival time, c the number of servers, and sigma = σ stands for the composition. Newton's method starts there if
// its starts for σ = 0 failed; see [erlang.roots].
func (e *erlang) onBranch(s *spectral, sigma, turn complex128) complex128 {
	k := float64(e.phases)
	c, rate := complex(float64(s.sys.c), 0), complex(e.rate, 0)
	w := turn * 0.5
	for range branchSteps {
		f, _ := s.sys.ar.transform(rate * (c - w*sigma))
		r, phi := cmplx.Polar(f)
		w = turn * cmplx.Rect(math.Pow(r, 1/k), phi/k)
	}
	return w
}

// rootResidual is the largest |w^k − f_A| of a root. Both numbers are below one and known to a few rounding errors.
const rootResidual = 1e-13

// closeToRoot is the relative size of a Newton step after which one more step reaches the digits of the equation: the
// error squares.
const closeToRoot = 1e-7

// root returns the root near w of f(w) = w^k − f_A(rate·(c − w·σ)), by Newton's method, for Erlang service of k phases.
// f_A is the transform of the interarrival time, c the number of servers, and sigma = σ stands for the composition. The
// derivative is f′(w) = k·w^{k−1} + rate·σ·f_A′. After a step shorter than closeToRoot, 10⁻⁷ of w, one more step gives
// all digits; there are at most 50 steps. The error says that |f| exceeds rootResidual, 10⁻¹³, at the result, or that
// the result is not inside the unit circle.
func (e *erlang) root(s *spectral, sigma, w complex128) (complex128, error) {
	k := complex(float64(e.phases), 0)
	c, rate := complex(float64(s.sys.c), 0), complex(e.rate, 0)
	last := false
	for range 50 {
		f, slope := s.sys.ar.transform(rate * (c - w*sigma))
		before := power(w, e.phases-1)
		step := (before*w - f) / (k*before + slope*rate*sigma)
		w -= step
		if last {
			break
		}
		last = sizeOf(step) <= closeToRoot*sizeOf(w)
	}
	f, _ := s.sys.ar.transform(rate * (c - w*sigma))
	if r := cmplx.Abs(power(w, e.phases) - f); !(r <= rootResidual) || cmplx.Abs(w) >= 1 {
		return 0, fmt.Errorf("no root for σ = %v: residual %.1g at %v", sigma, r, w)
	}
	return w, nil
}

// firstOfOrbit reports whether kappa is the largest of its rotations, in lexicographic order. kappa holds the number of
// jobs on each branch of Erlang service, the eigenvalues of the matrix of a busy server. Only the roots of this
// composition are found: its rotations have the same roots.
func firstOfOrbit(kappa []int32) bool {
	k := len(kappa)
	for r := 1; r < k; r++ {
		for j := range k {
			a, b := kappa[j], kappa[(j+r)%k]
			if a != b {
				if b > a {
					return false
				}
				break
			}
		}
	}
	return true
}

// orbitPeriod returns the least positive number of places by which kappa can be rotated without a change. kappa holds
// the number of jobs on each branch of Erlang service. The period is the number of different roots of kappa and its
// rotations.
func orbitPeriod(kappa []int32) int {
	k := len(kappa)
	for r := 1; r < k; r++ {
		same := true
		for j := range k {
			if kappa[j] != kappa[(j+r)%k] {
				same = false
				break
			}
		}
		if same {
			return r
		}
	}
	return k
}
