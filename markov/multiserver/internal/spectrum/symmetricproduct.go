package spectrum

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// symmetricProduct computes eigenvectors ψ as products of linear forms over the m service phases, Π_j (v_j·x)^κ_j. The
// factors v_j and their powers κ_j come from an [eigenpair]. The coefficient of the monomial Π x_i^n_i is the entry of
// ψ for the occupancy n. So the product is the symmetric product of the eigenvectors v_j.
type symmetricProduct struct {
	index        *statespace.StateIndex
	c            int
	order, taken []int           // scratch of interleaved
	forms        [2][]complex128 // complex products

	polynomial block.Polynomial // real products for two phases

	// Real products for more phases.
	now, next     []float64
	successorRuns [][][]statespace.Run // by number of jobs and phase

	// Erlang service: the eigenvectors of all roots of a composition differ by powers of w only, see [symmetricProduct.stages].
	orbit      []complex128 // the product for w = 1
	orbitOf    []int32      // the composition of orbit
	stagesLeft []int        // by occupancy: stages that are left to the jobs
	powers     []complex128 // powers of w
}

// newSymmetricProduct returns a multiplier that makes eigenvectors over the occupancies of c jobs from their factors
// over the service phases. Each product uses its storage again, so a result is valid until the next product. index must
// have levels up to c.
func newSymmetricProduct(index *statespace.StateIndex, c int) *symmetricProduct {
	p := &symmetricProduct{index: index, c: c, order: make([]int, 0, c)}
	if index.Phases == 2 {
		p.polynomial = block.NewPolynomial(c)
	}
	return p
}

// real returns the eigenvector of a root with real factors: one number for each occupancy of the c jobs, scaled so that
// the entry of largest absolute value is 1. root.kappa and root.real must be set. The vector is valid until the next
// call.
func (p *symmetricProduct) real(root eigenpair) []float64 {
	psi := p.multiply(root)
	largest := 0.0
	for _, v := range psi {
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	floats.Scale(1/largest, psi)
	return psi
}

// multiply returns the product of the real factors of a root, its eigenvector up to a constant: one number for each
// occupancy of the c jobs. The vector is valid until the next call. With two phases the factors are polynomials: the
// index of an occupancy is the number of jobs in the second phase.
func (p *symmetricProduct) multiply(root eigenpair) []float64 {
	if p.index.Phases == 2 {
		p.polynomial.Reset()
		for _, j := range p.interleaved(root.kappa) {
			p.polynomial.Times(root.real[j])
		}
		return p.polynomial.Coefficients()
	}
	// now holds the product of the first linear forms: a coefficient for each occupancy of that many jobs.
	p.prepare()
	p.now[0] = 1
	for jobs, j := range p.interleaved(root.kappa) {
		now, next := p.now[:p.index.Size(jobs)], p.next[:p.index.Size(jobs+1)]
		clear(next)
		for i, v := range root.real[j] {
			for _, r := range p.successorRuns[jobs][i] {
				floats.AddScaled(next[r.Col:r.Col+r.N], v, now[r.Row:r.Row+r.N])
			}
		}
		p.now, p.next = p.next, p.now
	}
	return p.now[:p.index.Size(p.c)]
}

// prepare allocates, at its first call only, the storage of products over more than two phases. It has two vectors over
// the occupancies of c jobs, now and next, and in successorRuns the moves to occupancies of one more job.
func (p *symmetricProduct) prepare() {
	if p.successorRuns != nil {
		return
	}
	k := p.index.Size(p.c)
	p.now, p.next = make([]float64, k), make([]float64, k)
	p.successorRuns = make([][][]statespace.Run, p.c)
	for l := range p.successorRuns {
		p.successorRuns[l] = p.index.SuccessorRuns(l)
	}
}

// interleaved returns the order in which the c factors are multiplied. It holds c indices of branches, the factors of
// the eigenvector: branch j as often as kappa[j] says, spread evenly. The entries of kappa sum to c. A high power of
// one factor has far larger coefficients than the whole product. Its digits would be lost when other factors cancel
// them. Interleaved products of 128 factors of either sign keep all sixteen digits; multiplied one power after the
// other they lose all digits. The slice is valid until the next call.
func (p *symmetricProduct) interleaved(kappa []int32) []int {
	p.order = p.order[:0]
	taken := append(p.taken[:0], make([]int, len(kappa))...)
	p.taken = taken
	for range p.c {
		next := -1
		for j, n := range kappa {
			if taken[j] < int(n) && (next < 0 || taken[j]*int(kappa[next]) < taken[next]*int(n)) {
				next = j
			}
		}
		taken[next]++
		p.order = append(p.order, next)
	}
	return p.order
}

// complex returns the eigenvector of a root with complex factors: one number for each occupancy of the c jobs, scaled
// so that its largest entry is 1. root.kappa must be set, and root.v or, for Erlang service, root.stages. The vector is
// valid until the next call.
func (p *symmetricProduct) complex(root eigenpair) []complex128 {
	if p.forms[0] == nil {
		k := p.index.Size(p.c)
		p.forms[0], p.forms[1] = make([]complex128, k), make([]complex128, k)
	}
	psi := p.forms[0]
	if root.stages != 0 {
		p.stages(psi, root)
	} else {
		psi = p.product(root)
	}
	normaliseLargest(psi)
	return psi
}

// product returns the product of the complex factors of a root, its eigenvector up to a constant: one number for each
// occupancy of the c jobs. The vector is valid until the next call.
func (p *symmetricProduct) product(root eigenpair) []complex128 {
	now, next := p.forms[0], p.forms[1]
	now[0] = 1
	for jobs, j := range p.interleaved(root.kappa) {
		p.index.TimesLinear(next[:p.index.Size(jobs+1)], jobs, now[:p.index.Size(jobs)], root.v[j])
		now, next = next, now
	}
	return now
}

// stages overwrites psi with the eigenvector of a root of Erlang service of k stages, up to a constant: one number for
// each occupancy of the c jobs. The factors are Σ_i (w·ζ^j)^(k−1−i)·x_i, with w the k-th root of the root and ζ =
// e^{2πi/k}. So an entry depends on w only by a power: the number of stages that are left to all jobs after their
// present ones. Everything else is the same for all roots w of a composition. It is computed at the first root of a
// composition and stored in orbit, until a root has another slice kappa. Roots of a composition should follow one
// another.
func (p *symmetricProduct) stages(psi []complex128, root eigenpair) {
	m := p.index.Phases
	if p.orbitOf == nil || &p.orbitOf[0] != &root.kappa[0] {
		zeta := unitRoots(m)
		one := eigenpair{kappa: root.kappa, v: make([][]complex128, m)}
		for j := range m {
			one.v[j] = make([]complex128, m)
			for i := range m {
				one.v[j][i] = zeta[j*(m-1-i)%m]
			}
		}
		p.orbit, p.orbitOf = append(p.orbit[:0], p.product(one)...), root.kappa
	}
	powers := append(p.powers[:0], 1)
	for range (m - 1) * p.c {
		powers = append(powers, powers[len(powers)-1]*root.stages)
	}
	p.powers = powers
	if p.stagesLeft == nil {
		p.stagesLeft = make([]int, len(psi))
		for place := range psi {
			for i, n := range p.index.At(p.c, place) {
				p.stagesLeft[place] += int(n) * (m - 1 - i)
			}
		}
	}
	for place, left := range p.stagesLeft {
		psi[place] = p.orbit[place] * powers[left]
	}
}
