package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"github.com/partwise/partwise/markov/internal/block"
)

// erlangRate recognises phases of one rate in a row.
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

// erlang is k phases of one rate in a row: with w^k = z the branches are ω_j = −rate·(1 − w·ζ^j), ζ = e^{2πi/k}, and κ
// enters only by σ = Σ κ_j·ζ^j:
//
//	w^k = λ(rate·(c − w·σ)).
//
// Turning w by ζ turns κ, so that one composition of each orbit with all k roots w stands for the whole orbit. For renewal
// arrivals, which have one branch λ = f_A, the roots of the mirrored composition, κ_j and κ_−j exchanged, are the conjugates of
// these.
type erlang struct {
	phases int
	rate   float64
}

func (e *erlang) pairs(ctx context.Context, s *spectral) (all []eigenpair, err error) {
	for _, angle := range angles {
		if all, err = e.pairsBy(ctx, s, angle); err == nil {
			return all, nil
		}
	}
	return nil, err
}

func (e *erlang) pairsBy(ctx context.Context, s *spectral, angle float64) ([]eigenpair, error) {
	c, renewal := float64(s.sys.c), s.sys.ar.Classes == 1
	branches := s.sys.ar.newArrivalBranches(complex(e.rate*c, 0))
	if branches == nil {
		return nil, fmt.Errorf("eigenvalues of the arrivals coincide")
	}
	p := &erlangPath{erlang: e, c: c, angle: angle, zeta: unitRoots(e.phases)}
	p.decay = complex(math.Pow(s.sys.QueueDecay(ctx), 1/float64(e.phases)), 0)
	for _, b := range branches {
		lambda, _ := b.at(complex(e.rate*c, 0))
		p.starts = append(p.starts, cmplx.Pow(lambda, complex(1/float64(e.phases), 0)))
	}
	all := make([]eigenpair, 0, s.modeCount())
	err := s.compositions(ctx, func(kappa []int32) error {
		side := 0
		if renewal {
			side = mirrorSide(kappa)
		}
		if side < 0 || !firstOfOrbit(kappa) {
			return nil
		}
		first := len(all)
		roots, err := p.roots(s, branches, kappa, !renewal)
		if err != nil && renewal {
			roots, err = p.roots(s, branches, kappa, true)
		}
		if err != nil {
			return fmt.Errorf("composition %v: %w", kappa, err)
		}
		for i := range roots {
			roots[i].pair = side > 0
		}
		if all = append(all, roots...); first == 0 { // all jobs on the first branch
			return takeSlowest(ctx, s, all, p.decay)
		}
		return nil
	})
	return all, err
}

// loss returns the relative error of z = w^k in roundings; slope is λ'.
func (e *erlang) loss(s *spectral, w, sigma, slope complex128) float64 {
	k, before := float64(e.phases), power(w, e.phases-1)
	terms := cmplx.Abs(slope) * e.rate * (float64(s.sys.c) + cmplx.Abs(w*sigma))
	derivative := 1 + slope*complex(e.rate, 0)*sigma/(complex(k, 0)*before)
	return rootLoss(cmplx.Abs(before*w), terms, cmplx.Abs(derivative))
}

// unitRoots returns the k-th roots of one.
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

// mirrorSide compares a composition that is the largest of its rotations with the largest rotation of its mirror image: 0 if
// they are the same, −1 if the mirror image is larger.
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

// sameRoot: roots of one σ closer than this are one root found twice, which is a failure.
const sameRoot = 1e-9

// shared reports whether a root is among those found before, or is none.
func shared(found []eigenpair, w complex128) bool {
	for _, other := range found {
		if !(cmplx.Abs(w-other.stages) >= sameRoot) {
			return true
		}
	}
	return cmplx.IsNaN(w)
}

// firstOfOrbit reports whether kappa is the largest of its rotations.
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
