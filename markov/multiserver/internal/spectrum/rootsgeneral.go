package spectrum

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// rational is service of any phases whose subgenerator S has m different eigenvalues p_j. With
//
//	g(ω) = 1/f_B(ω),   f_B(ω) = β·(ωI − S)⁻¹·exit,
//
// f_B being the transform of the service time, the branches are the m solutions of g(ω_j) = z, with ω_j(0) = p_j. No
// residue of f_B at a pole p_j may vanish. Branches and roots are complex. They are found by following
//
//	z = τ·λ(−Σ κ_j·ω_j(z)),   τ from 0 to 1,
//
// from z = 0. There each composition κ has one root for each branch λ of the arrivals. For |τ| < 1 no root reaches the
// unit circle, where |λ| ≤ 1. τ takes complex values on the way, where roots meet only by accident. For real τ two real
// roots can meet and become a pair.
type rational struct {
	t           block.Matrix
	ordered     bool // every move of S leads to a later phase
	exit, alpha []float64
	poles       []complex128 // p_j
	residues    []complex128 // of f_B at p_j: ω_j(z) ≈ p_j + z·residue for small z
	fastest     float64      // the largest rate out of a phase
}

// mostBranches is the largest number of phases for which rational is tried. The test whether the poles are apart takes
// 2·m⁴/3 complex multiplications, a hundredth of a second for mostBranches phases, and cannot be cancelled.
const mostBranches = 50

// newRational returns the service family of any phases whose subgenerator has distinct eigenvalues, with the poles and
// residues of the transform of the service time. t holds the rates between phases, exit the rates of absorption and
// alpha the initial probabilities. The result is nil for more than mostBranches phases, or if the eigenvalues, which
// are the poles, are not found. It is also nil if two poles are closer than 10⁻³ of the size of one of them. The
// residue of a pole must be more than 10⁻⁶ of its size; otherwise the result is nil, too. The result refers to the
// arguments.
func newRational(t block.Matrix, exit, alpha []float64) *rational {
	if t.Rows > mostBranches {
		return nil
	}
	r := &rational{t: t, ordered: statespace.AcyclicInOrder(t), exit: exit, alpha: alpha, poles: eigenvalues(t, exit)}
	if r.poles == nil {
		return nil
	}
	for i, out := range exit {
		r.fastest = max(r.fastest, out+block.Sum(t.Row(i)))
	}
	room := r.scratch()
	const apart, visible = 1e-3, 1e-6 // relative to the size of a pole
	for j, p := range r.poles {
		nearest := cmplx.Abs(p)
		for i, q := range r.poles {
			if i != j {
				nearest = min(nearest, cmplx.Abs(p-q))
			}
		}
		if nearest < apart*cmplx.Abs(p) {
			return nil
		}
		step := complex(1e-6*nearest, 0) // on both sides of the pole, so that the regular part of f_B cancels
		right, _ := r.transform(j, step, room)
		left, _ := r.transform(j, -step, room)
		residue := (right - left) / 2 * step
		if !(cmplx.Abs(residue) > visible*cmplx.Abs(p)) {
			return nil
		}
		r.residues = append(r.residues, residue)
	}
	return r
}

// eigenvalues returns the eigenvalues of the subgenerator with rates t between phases, a zero diagonal, and exit rates
// exit. For acyclic phases in order they are the diagonal entries, in the order of the phases; otherwise they have no
// order. It returns nil if they cannot be found.
func eigenvalues(t block.Matrix, exit []float64) []complex128 {
	n := t.Rows
	values := make([]complex128, n)
	m := mat.NewDense(n, n, nil)
	for i := range n {
		out := exit[i]
		for j, v := range t.Row(i) {
			out += v
			m.Set(i, j, v)
		}
		m.Set(i, i, -out)
		values[i] = complex(-out, 0)
	}
	if statespace.AcyclicInOrder(t) {
		return values
	}
	var e mat.Eigen
	if !e.Factorize(m, mat.EigenNone) {
		return nil
	}
	return e.Values(nil)
}

// scratch returns new scratch storage for [rational.transform]: an m×m matrix and two vectors of length m.
func (r *rational) scratch() []complex128 {
	n := len(r.exit)
	return make([]complex128, n*n+2*n)
}

// transform returns the Laplace transform of the service time and its derivative at ω = p_j + delta. p_j is the pole
// with index j, an eigenvalue of the subgenerator. The distance delta keeps its digits next to the pole. scratch comes
// from [rational.scratch] and is overwritten. The branches of service are found with these numbers.
func (r *rational) transform(j int, delta complex128, scratch []complex128) (f, derivative complex128) {
	n := len(r.exit)
	x, y, m := scratch[:n], scratch[n:2*n], scratch[2*n:]
	if r.ordered {
		r.substitute(j, delta, x, y)
	} else {
		r.resolvent(m, j, delta)
		for i, v := range r.exit {
			x[i] = complex(v, 0)
		}
		// x = (ωI − S)⁻¹·exit, y = (ωI − S)⁻²·exit.
		block.ComplexLU(m, n)
		block.ComplexSolve(m, n, x)
		copy(y, x)
		block.ComplexSolve(m, n, y)
	}
	for i, a := range r.alpha {
		f += complex(a, 0) * x[i]
		derivative -= complex(a, 0) * y[i]
	}
	return f, derivative
}

// substitute overwrites x with (ωI − S)⁻¹·exit and y with (ωI − S)⁻²·exit, m numbers each, for [rational.transform]. S
// is the upper triangular subgenerator of m phases, and exit holds its exit rates. ω = p_j + delta, where p_j is a
// pole, which is a number of the diagonal of S. ω − p_i is computed as delta + (p_j − p_i), so no digits are lost next
// to a pole.
func (r *rational) substitute(j int, delta complex128, x, y []complex128) {
	for i := len(x) - 1; i >= 0; i-- {
		sum, second := complex(r.exit[i], 0), complex(0, 0)
		for k, rate := range r.t.Row(i)[i+1:] {
			later := i + 1 + k
			sum += complex(rate*real(x[later]), rate*imag(x[later]))
			second += complex(rate*real(y[later]), rate*imag(y[later]))
		}
		over := 1 / (delta + (r.poles[j] - r.poles[i]))
		x[i] = sum * over
		y[i] = (second + x[i]) * over
	}
}

// transformRoundings returns the relative error of the transform of the service time at p_j + delta, in rounding errors
// of 2⁻⁵³. p_j is the pole with index j. For phases in order the error is the sum of the absolute values of all terms
// over the absolute value of the transform. Otherwise the linear system has rounding errors of the size of the largest
// rate: the result is this rate over the distance to the nearest pole.
func (r *rational) transformRoundings(j int, delta complex128) float64 {
	n := len(r.exit)
	if !r.ordered {
		return r.fastest / r.nearest(j, delta)
	}
	room := make([]complex128, 2*n)
	r.substitute(j, delta, room[:n], room[n:])
	terms := make([]float64, n)
	var f complex128
	sum := 0.0
	for i := n - 1; i >= 0; i-- {
		terms[i] = r.exit[i]
		for k, rate := range r.t.Row(i)[i+1:] {
			terms[i] += rate * terms[i+1+k]
		}
		terms[i] /= cmplx.Abs(delta + (r.poles[j] - r.poles[i]))
		f += complex(r.alpha[i], 0) * room[i]
		sum += r.alpha[i] * terms[i]
	}
	return sum / cmplx.Abs(f)
}

// nearest returns the distance of p_j + delta from the nearest pole of the transform of the service time, in the unit
// of the rates. p_j is the pole with index j. Digits of the transform are lost near a pole.
func (r *rational) nearest(j int, delta complex128) float64 {
	least := math.Inf(1)
	for _, p := range r.poles {
		least = min(least, cmplx.Abs(delta+(r.poles[j]-p)))
	}
	return least
}

// resolvent overwrites m, by rows, with the matrix ωI − S, where S is the subgenerator of service and ω = p_k + delta.
// p_k is the pole with index k, an eigenvalue of S. For phases in order the diagonal keeps its digits next to the pole.
// Transforms and eigenvectors are solved with this matrix.
func (r *rational) resolvent(m []complex128, k int, delta complex128) {
	n := len(r.exit)
	omega := r.poles[k] + delta
	for i := range n {
		out := omega + complex(r.exit[i], 0)
		for j, v := range r.t.Row(i) {
			m[i*n+j] = complex(-v, 0)
			out += complex(v, 0)
		}
		if m[i*n+i] = out; r.ordered {
			m[i*n+i] = delta + (r.poles[k] - r.poles[i])
		}
	}
}

// vector returns a factor of an eigenvector of a mode, as a new vector with a number for each phase of service. It is
// β·(ωI − S)⁻¹, the left eigenvector of S + z·exit·β for the eigenvalue ω. S is the subgenerator, exit its exit rates
// and β the initial probabilities. At the root z, the branch of service with index k has ω = p_k + delta. p_k is a pole
// of the transform of the service time.
func (r *rational) vector(k int, delta complex128) []complex128 {
	n := len(r.exit)
	m := make([]complex128, n*n)
	r.resolvent(m, k, delta)
	v := block.Complex(r.alpha)
	block.ComplexSolve(transposedLU(m, n), n, v)
	return v
}

// angles are the angles at which paths of τ leave the real line. The next angle is tried if roots meet on the path.
var angles = []float64{0.7, -0.4, 1.1}

// eigenpairs returns all roots of the spectral expansion and the factors of their eigenvectors, for service of any
// phases. There is a root for each class of arrivals and each composition of the jobs over the branches of service. A
// branch is an eigenvalue of the matrix of a busy server. The decay rate of the queue comes first, the other roots in
// no order. It follows all roots along paths at one angle after another, until no root is lost. The error comes from
// the last angle, or from ctx.
func (r *rational) eigenpairs(ctx context.Context, s *spectral) (all []eigenpair, err error) {
	for _, angle := range angles {
		if all, err = r.eigenpairsBy(ctx, s, angle); err == nil {
			return all, nil
		}
	}
	return nil, err
}

// eigenpairsBy returns the result of [rational.eigenpairs] for paths that leave the real line at the given angle, in
// radians. The first root is the decay rate η of the queue, with the digits that [Station.Caudal] gives. The error says
// that a root was lost or found twice, that eigenvalues of the arrivals coincide, or that no path leads to η. If ctx
// ends, the error comes from ctx.
func (r *rational) eigenpairsBy(ctx context.Context, s *spectral, angle float64) ([]eigenpair, error) {
	var all []eigenpair
	at, eta, gap := s.sys.Caudal(ctx)
	slowest := -1
	failed := s.compositions(ctx, func(kappa []int32) error {
		branch := onlyBranch(kappa)
		paths, err := r.paths(s, kappa, angle)
		if err != nil {
			return err
		}
		for _, p := range paths {
			err := follow(p)
			switch {
			// With all jobs on one branch, ω_j = −s/c. One of these paths leads to the decay rate, which is known to more
			// digits.
			case branch >= 0 && slowest < 0 && p.leadsTo(eta, err):
				slowest = len(all)
				p.delta[branch] = complex(-at/float64(s.sys.c), 0) - r.poles[branch]
				p.z = complex(eta, 0)
				p.solveForBranch(branch)
				if p.arrival, err = s.sys.ar.slowestBranch(at); err != nil {
					return err
				}
			case err != nil:
				return err
			}
			all = append(all, p.eigenpair())
		}
		return nil
	})
	if failed != nil {
		return nil, failed
	}
	if slowest < 0 {
		return nil, fmt.Errorf("no path leads to the decay rate %v", eta)
	}
	all[slowest].s, all[slowest].gap = complex(at, 0), complex(gap, 0)
	all[0], all[slowest] = all[slowest], all[0]
	return all, checkApart(ctx, all)
}

// checkApart returns an error that names two compositions if their paths lead to the same root z with the same argument
// s, up to 10⁻¹⁰. This happens where one path has jumped to another. Then some root is missing, and the modes do not
// span the level. If ctx ends, the error comes from ctx.
func checkApart(ctx context.Context, all []eigenpair) error {
	const same = 1e-10 // relative; roots of compositions that differ are further apart in z or in s
	near := func(a, b complex128) bool { return cmplx.Abs(a-b) <= same*cmplx.Abs(a) }
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b eigenpair) int { return cmp.Compare(real(a.z), real(b.z)) })
	for i, p := range sorted {
		if block.Stopped(ctx, i) {
			return ctx.Err()
		}
		for _, q := range sorted[i+1:] {
			if real(q.z)-real(p.z) > same*cmplx.Abs(p.z) {
				break
			}
			if near(p.z, q.z) && near(p.s, q.s) {
				return fmt.Errorf("compositions %v and %v share the root %v", p.kappa, q.kappa, p.z)
			}
		}
	}
	return nil
}

// onlyBranch returns the index of the branch of service on which all jobs are, or −1 if the jobs are on several
// branches. A branch is an eigenvalue of the matrix of a busy server. kappa holds the number of jobs on each branch, at
// least one job in all. One of the roots of such a composition is the decay rate.
func onlyBranch(kappa []int32) int {
	only := -1
	for j, n := range kappa {
		switch {
		case n > 0 && only >= 0:
			return -1
		case n > 0:
			only = j
		}
	}
	return only
}

// leadsTo reports whether the path leads to the decay rate eta. ended is nil if the path arrived, or the error with
// which it was lost. The root of a path that arrived must be within 10⁻⁷ of eta. The last point of a path that was lost
// must be within 0.1: close to saturation the root z = 1 is near.
func (p *path) leadsTo(eta float64, ended error) bool {
	off := cmplx.Abs(p.z - complex(eta, 0))
	if ended == nil {
		return off <= 1e-7
	}
	return off <= 0.1
}

// path is a root that is followed from τ = 0 to 1. Its unknowns are z and the ω_j of the branches that have jobs.
type path struct {
	r                   *rational
	s                   *spectral
	kappa               []int32
	angle               float64 // angle at which τ leaves 0
	z                   complex128
	delta               []complex128 // ω_j − p_j
	g, inverseSlope     []complex128 // by branch: g(ω_j) and 1/g'(ω_j)
	lambda, lambdaSlope complex128   // λ(s) and λ'(s) at s = −Σ κ_j·ω_j
	arrival             *arrivalBranch
	room                []complex128

	keptZ     complex128 // where the last step ended
	keptDelta []complex128
	kept      *arrivalBranch
}

// solveForBranch sets delta[j] so that branch j of service belongs to the known root p.z of the path. The branch is the
// ω_j at which the transform of the service time is 1/z, and delta[j] its distance from pole j. It makes four steps of
// Newton's method from the delta[j] that is set; whether they are enough is not checked.
func (p *path) solveForBranch(j int) {
	for range 4 {
		f, df := p.r.transform(j, p.delta[j], p.room)
		p.delta[j] -= (p.z - 1/f) * f * f / df
	}
}

// paths returns the paths of the roots of one composition, one for each eigenvalue of the arrivals, at the root z = 0.
// kappa holds the number of jobs on each branch of service, an eigenvalue of the matrix of a busy server. The paths
// refer to kappa. The branches of all paths start at the poles. The paths leave the real line at the given angle, in
// radians. They share scratch storage: only one may be moved at a time. The error says that eigenvalues of the arrivals
// coincide.
func (r *rational) paths(s *spectral, kappa []int32, angle float64) ([]*path, error) {
	m := len(r.poles)
	arrivals := s.sys.ar.newArrivalBranches(-combined(kappa, r.poles))
	if arrivals == nil {
		return nil, fmt.Errorf("eigenvalues of the arrivals coincide for composition %v", kappa)
	}
	list, room := make([]*path, len(arrivals)), r.scratch()
	for i, b := range arrivals {
		p := &path{r: r, s: s, kappa: kappa, angle: angle, arrival: b, room: room}
		numbers := make([]complex128, 4*m)
		p.delta, p.g, p.inverseSlope, p.keptDelta = numbers[:m:m], numbers[m:2*m], numbers[2*m:3*m], numbers[3*m:]
		p.kept = b.clone()
		list[i] = p
	}
	return list, nil
}

// eigenpair returns the root at the end of the path, with the factors of its eigenvector; a branch without jobs has no
// factor. Its roundings are the larger of two relative errors, of the root and of the vectors, in rounding errors of
// 2⁻⁵³. It moves the eigenvectors of the arrivals to the root, and the result shares the left one.
func (p *path) eigenpair() eigenpair {
	p.evaluate() // brings the eigenvectors of the arrivals to the root
	e := eigenpair{z: p.z, s: p.sumOfBranches(), gap: 1 - p.z, e: p.arrival.left, branch: p.arrival.number, kappa: p.kappa,
		v: make([][]complex128, len(p.r.poles))}
	size, lost := 0.0, p.arrival.vectorRoundings()
	for j, n := range p.kappa {
		if n > 0 {
			e.v[j] = p.r.vector(j, p.delta[j])
			off := cmplx.Abs(p.g[j]*p.inverseSlope[j]) * p.r.transformRoundings(j, p.delta[j]) // error of ω_j, in rounding errors
			size += float64(n) * (cmplx.Abs(p.r.poles[j]) + off)
			lost = max(lost, float64(len(p.r.poles))*off/p.r.nearest(j, p.delta[j])) // an entry of v_j has a factor 1/(ω_j − p) for each pole
		}
	}
	e.roundings = max(rootRoundings(cmplx.Abs(p.z), cmplx.Abs(p.lambdaSlope)*size, cmplx.Abs(1+p.lambdaSlope*p.slope())), lost)
	return e
}

// sumOfBranches returns s, minus the sum of the present branches of service, each as often as jobs are on it. It is the
// point where the transform of the interarrival time is evaluated: a root z equals its eigenvalue at s.
func (p *path) sumOfBranches() complex128 {
	var sum complex128
	for j, n := range p.kappa {
		if n > 0 {
			sum -= complex(float64(n), 0) * (p.r.poles[j] + p.delta[j])
		}
	}
	return sum
}

// tau returns the complex factor τ of the path at its parameter u, from 0 to 1. Roots are followed from τ = 0, where
// they are known, to τ = 1. τ leaves 0 at the angle of the path.
func (p *path) tau(u float64) complex128 { return cmplx.Rect(u, p.angle*(1-u)) }

// start sets the root z and the branches of service of the path to their values at a small parameter u. The path must
// be new, as [rational.paths] makes it. To first order, z is τ times the eigenvalue of the arrivals, and a branch is
// its pole plus z times its residue. At most 8 Newton steps follow. start reports whether one of them was at most 10⁻⁸
// of the numbers that it changed.
func (p *path) start(u float64) bool {
	f, _ := p.arrival.at(p.sumOfBranches())
	p.z = p.tau(u) * f
	for j, n := range p.kappa {
		if n > 0 {
			p.delta[j] += p.z * p.r.residues[j]
		}
	}
	return p.newton(u, 8, 1e-8)
}

// store copies the present root, branches of service and eigenvectors of the arrivals, before a step that may fail. It
// overwrites the last copy.
func (p *path) store() {
	p.keptZ = p.z
	copy(p.keptDelta, p.delta)
	p.kept.copyFrom(p.arrival)
}

// restore sets the root, the branches of service and the eigenvectors of the arrivals to the last copy of [path.store],
// after a step that failed. The numbers of [path.evaluate] stay as they are.
func (p *path) restore() {
	p.z = p.keptZ
	copy(p.delta, p.keptDelta)
	p.arrival.copyFrom(p.kept)
}

// root returns the root z at the present point of the path.
func (p *path) root() complex128 { return p.z }

// homotopy is a root that depends on a parameter u from 0 to 1.
type homotopy interface {
	// start finds the root for a small u.
	start(u float64) bool
	// predict moves the root from u to next along the tangent.
	predict(u, next float64)
	// newton makes at most so many Newton steps at u. It reports whether a step was relatively smaller than tol.
	newton(u float64, steps int, tol float64) bool
	// store stores the root, and restore returns to the stored root.
	store()
	restore()
	// root returns the root.
	root() complex128
}

// follow leads the root of p from u near 0 to u = 1, in place. Each step along the tangent is followed by at most three
// Newton steps. If these do not bring the root back onto its path, the step is divided by three. The error says that
// there is no root near u = 0, or no root inside the unit circle at u = 1. Otherwise it names the root where it was
// lost: steps of u were below 10⁻⁶, or Newton's method failed at the restored root.
func follow(p homotopy) error {
	const start, smallest, largest, few, near = 1e-3, 1e-6, 0.15, 3, 1e-4 // the step after a small one is its square
	u := start
	if !p.start(u) {
		return fmt.Errorf("no root near zero")
	}
	step := 0.05
	for u < 1 {
		p.store()
		next := min(1, u+step)
		p.predict(u, next)
		if p.newton(next, few, near) {
			u = next
			step = min(1.6*step, largest)
			continue
		}
		p.restore()
		if step /= 3; step < smallest || !p.newton(u, few, near) {
			return fmt.Errorf("the root is lost at %v", p.root())
		}
	}
	// The error of a Newton step squares, so one more step after a small one reaches the digits of the equation.
	if !p.newton(1, 8, 1e-8) || !p.newton(1, 1, 1e-8) || cmplx.Abs(p.root()) >= 1 {
		return fmt.Errorf("no root near %v", p.root())
	}
	return nil
}

// predict moves the root z and all branches ω_j of service from parameter u of the path to parameter next along the
// tangent. It changes p.z and p.delta; Newton's method then brings them back onto the path. It uses the numbers that
// [path.evaluate] set last, in the last Newton step at u. With them, dz·(1 + τ·λ'·Σ κ_j/g_j') = dτ·λ and dω_j =
// dz/g_j'; see [rational]. Branches without jobs do not matter and stay.
func (p *path) predict(u, next float64) {
	tau := p.tau(u)
	dtau := p.tau(next) - tau
	dz := dtau * p.lambda / (1 + tau*p.lambdaSlope*p.slope())
	p.z += dz
	for j, n := range p.kappa {
		if n > 0 {
			p.delta[j] += dz * p.inverseSlope[j]
		}
	}
}

// slope returns −ds/dz at the present point of the path: how fast the argument s of [path.sumOfBranches] falls as the
// root z grows. It is Σ κ_j/g_j', with κ_j jobs on branch j and g_j' the derivative of 1/(transform of the service
// time).
func (p *path) slope() complex128 { return combined(p.kappa, p.inverseSlope) }

// combined returns Σ kappa_j·x_j, a sum over the branches of service with the numbers of jobs on them as weights.
func combined(kappa []int32, x []complex128) (sum complex128) {
	for j, n := range kappa {
		sum += complex(float64(n), 0) * x[j]
	}
	return sum
}

// evaluate computes the functions of the path and their derivatives at its present point, z and delta. The root is a
// zero of an equation made of these functions. For each branch j of service with jobs it sets g, 1/(transform of the
// service time), and inverseSlope, one over the derivative of g. Entries of other branches stay. It sets lambda and
// lambdaSlope, the eigenvalue of the arrivals and its derivative, and moves their eigenvectors there. Newton steps and
// tangents need these numbers.
func (p *path) evaluate() {
	for j, n := range p.kappa {
		if n > 0 {
			f, df := p.r.transform(j, p.delta[j], p.room)
			p.g[j], p.inverseSlope[j] = 1/f, -f*f/df
		}
	}
	p.lambda, p.lambdaSlope = p.arrival.at(p.sumOfBranches())
}

// newton makes at most so many Newton steps, at parameter u of the path. They move the root z and all branches ω_j of
// service that have jobs. newton reports whether a step was at most tol, relative to z and to the distance of each
// branch from its pole. It stops after this step, or after a step that is NaN. The numbers of [path.evaluate] belong to
// the point before the last step. With the symbols of [rational] and κ_j jobs on branch j, the linearised equations
// g(ω_j) = z and z = τ·λ(s) give
//
//	dω_j = (z + dz − g_j)/g_j',   dz = (τ·(λ − λ'·Σ κ_j·(z − g_j)/g_j') − z)/(1 + τ·λ'·Σ κ_j/g_j').
func (p *path) newton(u float64, steps int, tol float64) bool {
	tau := p.tau(u)
	for range steps {
		p.evaluate()
		var late complex128 // Σ κ_j·(z − g_j)/g_j'
		for j, n := range p.kappa {
			if n > 0 {
				late += complex(float64(n), 0) * (p.z - p.g[j]) * p.inverseSlope[j]
			}
		}
		dz := (tau*(p.lambda-p.lambdaSlope*late) - p.z) / (1 + tau*p.lambdaSlope*p.slope())
		size := cmplx.Abs(dz) / cmplx.Abs(p.z)
		for j, n := range p.kappa {
			if n > 0 {
				move := (p.z + dz - p.g[j]) * p.inverseSlope[j]
				size = max(size, cmplx.Abs(move)/cmplx.Abs(p.delta[j]))
				p.delta[j] += move
			}
		}
		p.z += dz
		if math.IsNaN(size) {
			return false
		}
		if size <= tol {
			return true
		}
	}
	return false
}
