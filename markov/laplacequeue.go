package markov

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"sync"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/parallel"
)

// QueueTransform is the wait of a job that arrives at a first come, first served queue and finds all servers busy. It is
// the Laplace transform of the distribution over the phases of the chain while the job waits. Let w_ab be the transform
// with a jobs before the job and b jobs behind it, a vector over the phases of a repeating level. Let Local, Up and Down
// be the blocks of the repeating levels, N the first level at which an arriving job waits, and λ the arrival rate. Then
//
//	w_ab·(sI − Local) = w_{a,b−1}·Up + w_{a+1,b}·Down + δ_b0·π_{N+a}·Up/λ.
//
// If π_{N+1+k} = Σ_j c_j·z_j^k·ℓ_j with the eigenvalues z_j and left eigenvectors ℓ_j of R, then for a ≥ 1
//
//	w_ab = Σ_j z_j^{a−1}·ω_jb,   ω_jb·(sI − Local − z_j·Down) = ω_{j,b−1}·Up + δ_b0·c_j·ℓ_j·Up/λ.
//
// The work does not depend on the fastest rate and, with modes, not on the number of waiting jobs.
type QueueTransform struct {
	sol             *QBDSolution
	level           int // N
	rate            float64
	local, up, down []entry                     // nonzero off-diagonal rates
	out             []float64                   // total rates out of the phases
	into            [3][][]entry                // by phase: the entries of local, down and up that lead to it
	patterns        [2][2]*block.ComplexFactors // factors without and with Down, without and with Up
	modes           []mode
	starts          [][]complex128    // π_{N+a}·Up/λ for a ≥ 1, used instead of modes where that is less work
	first           []complex128      // π_N·Up/λ
	durations       *phasesByDuration // used with starts

	mu      sync.Mutex
	reached map[float64]reach // by Re s
}

// entry is a nonzero rate of a block.
type entry struct {
	from, to int
	rate     float64
}

// mode is an eigenvalue z_j of R with the vector c_j·ℓ_j·Up/λ.
type mode struct {
	z complex128
	v []complex128
}

// NewQueueTransform returns the wait in a chain that repeats above the given level N. Arrivals are the moves upward and
// have the given rate. The error is ErrInaccurate if the levels are not a sum of geometric terms, or the error of ctx.
func NewQueueTransform(ctx context.Context, q *QBD, sol *QBDSolution, level int, rate float64) (*QueueTransform, error) {
	if q == nil || sol == nil || level < 0 || !(rate > 0) || q.Repeating.Up == nil || q.Repeating.Local == nil ||
		q.Repeating.Down == nil {
		return nil, errors.New("markov: no queue")
	}
	w := &QueueTransform{sol: sol, level: level, rate: rate}
	n := len(sol.Level(level + 1))
	if rows, cols := q.Repeating.Up.Dims(); n == 0 || rows != n || cols != n {
		return nil, errors.New("markov: the solution is not of this chain")
	}
	w.out = make([]float64, n)
	for _, block := range []struct {
		m  mat.Matrix
		to *[]entry
	}{{q.Repeating.Local, &w.local}, {q.Repeating.Up, &w.up}, {q.Repeating.Down, &w.down}} {
		for i := range n {
			for j := range n {
				if r := block.m.At(i, j); r > 0 && !(i == j && block.to == &w.local) {
					*block.to = append(*block.to, entry{i, j, r})
					w.out[i] += r
				}
			}
		}
	}
	for k, list := range [][]entry{w.local, w.down, w.up} {
		w.into[k] = make([][]entry, n)
		for _, e := range list {
			w.into[k][e.to] = append(w.into[k][e.to], e)
		}
	}
	for down := range 2 {
		for up := range 2 {
			w.patterns[down][up] = block.FactorComplex(n, w.matrix(complex(rate, 0), complex(float64(down), 0), complex(float64(up), 0)))
		}
	}
	w.first = w.afterArrival(block.Complex(sol.Level(level)))
	return w, w.storeLevels(ctx)
}

// Phases returns the number of phases of a level.
func (w *QueueTransform) Phases() int { return len(w.out) }

// Work estimates the number of complex multiplications of a call of At. A factorisation takes some fill²/n of them.
func (w *QueueTransform) Work(behind int) float64 {
	n, b := float64(len(w.out)), float64(behind)+1
	factor := func(fill float64) float64 { return fill * fill / n }
	fill := func(down, up int) float64 { return float64(w.patterns[down][up].Entries()) }
	one, every := fill(0, 0), fill(0, 1)
	work := factor(one) + factor(every) + every
	if w.modes != nil {
		own, all := fill(1, 0), fill(1, 1)
		return work + b*one + float64(len(w.modes))*(factor(own)+b*own+factor(all)+all)
	}
	d, steps := w.durations, float64(len(w.starts)+1)
	brief := min(steps, float64(2*d.most+1)) // steps with brief phases
	rows := brief*float64(d.allFactors.Entries()) + (steps-brief)*float64(d.someFactors.Entries())
	return work + b*rows/byRowsFaster + steps*every
}

// byRowsFaster is the quotient of the times of right-hand sides one at a time and by rows, see [QueueTransform.levels].
const byRowsFaster = 6

// afterArrival returns x·Up/λ.
func (w *QueueTransform) afterArrival(x []complex128) []complex128 {
	y := make([]complex128, len(x))
	for _, e := range w.up {
		y[e.to] += x[e.from] * complex(e.rate/w.rate, 0)
	}
	return y
}

// levelsLeft is the probability beyond the last level that is stored.
const levelsLeft = 1e-11

// mostLevels is the largest number of levels that are stored where modes are not accurate.
const mostLevels = 1000

// levelsPerMode is the number of levels that take as long as one mode, with its factors and its right-hand sides one at a
// time. It is measured.
const levelsPerMode = 8

// storeLevels stores the levels above N one by one, or as modes where that is less work.
func (w *QueueTransform) storeLevels(ctx context.Context) error {
	eta, err := w.sol.DecayRate(ctx)
	if err != nil {
		return err
	}
	const leastGap = 1e-11 // η comes from hundreds of phases with roundings of 1e-13, which leave few digits of a smaller 1 − η
	if !(eta < 1-leastGap) {
		return fmt.Errorf("markov: the decay rate of the levels is lost to roundings: %w", ErrInaccurate)
	}
	n := len(w.out)
	// After count levels, η^count = levelsLeft. There are up to n modes, and each has factors of its own.
	if count := math.Log(levelsLeft) / math.Log(eta); count > levelsPerMode*float64(n) {
		err := w.findModes(ctx)
		if !errors.Is(err, ErrInaccurate) || count > mostLevels {
			return err
		}
		w.modes = nil
	}
	var flows [][]float64
	w.sol.Each(func(level int, x []float64, rest float64) bool {
		if level <= w.level {
			return true
		}
		// The last level that is stored takes the probability of all levels above it.
		x = slices.Clone(x)
		if rest <= levelsLeft {
			floats.Scale(1+rest/block.Sum(x), x)
		}
		w.starts = append(w.starts, w.afterArrival(block.Complex(x)))
		floats.Mul(x, w.out)
		floats.Scale(1/w.rate, x)
		flows = append(flows, x)
		return rest > levelsLeft && ctx.Err() == nil
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	w.durations = w.newPhasesByDuration(flows)
	return nil
}

// modesOff is the largest difference of the sum of the modes and a level, relative to the level.
const modesOff = 1e-9

// findModes finds the levels above N as sums of geometric terms. π_{N+1} = π_N·R lies in the span of the left
// eigenvectors whose eigenvalue is not zero. Orthogonalisation gives the coefficients of the nearest combination of
// these eigenvectors. The sum is checked at levels N+1 and N+2.
func (w *QueueTransform) findModes(ctx context.Context) error {
	r := w.sol.R()
	n, _ := r.Dims()
	eigen, err := parallel.Abandonable(ctx, func() (*mat.Eigen, error) {
		var eigen mat.Eigen
		if !eigen.Factorize(r, mat.EigenLeft) {
			return nil, fmt.Errorf("markov: eigenvalues of R: %w", ErrNoConvergence)
		}
		return &eigen, nil
	})
	if err != nil {
		return err
	}
	var left mat.CDense
	eigen.LeftVectorsTo(&left)
	values := eigen.Values(nil)
	largest := 0.0
	for _, z := range values {
		largest = max(largest, cmplx.Abs(z))
	}
	var basis orthogonal
	var kept []complex128
	for j, z := range values {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := make([]complex128, n)
		for i := range v {
			// gonum returns u with uᴴ·R = z·uᴴ. The row eigenvector is v = ū, v·R = z·v.
			v[i] = cmplx.Conj(left.At(i, j))
		}
		if cmplx.Abs(z) > zeroMode*largest && basis.add(v) {
			kept = append(kept, z)
		}
	}
	sums := [2][]complex128{make([]complex128, n), make([]complex128, n)}
	for j, c := range basis.coefficients(block.Complex(w.sol.Level(w.level + 1))) {
		v := basis.vectors[j]
		for i := range v {
			v[i] *= c
			sums[0][i] += v[i]
			sums[1][i] += v[i] * kept[j]
		}
		w.addMode(kept[j], w.afterArrival(v))
	}
	// Check the sums of modes against the solution, relative to the probability of the level.
	for k, sum := range sums {
		off, total := 0.0, 0.0
		for i, p := range w.sol.Level(w.level + 1 + k) {
			off += cmplx.Abs(sum[i] - complex(p, 0))
			total += p
		}
		if !(off <= modesOff*total) {
			return fmt.Errorf("markov: geometric terms are off by %.1g of level %d: %w", off/total, w.level+1+k,
				ErrInaccurate)
		}
	}
	return nil
}

// zeroMode is the size of an eigenvalue of R, relative to the largest, up to which it is a rounding error of zero.
const zeroMode = 1e-10

// orthogonal holds linearly independent vectors and an orthonormal basis q of their span.
type orthogonal struct {
	vectors, q [][]complex128
	r          [][]complex128 // vector j is Σ_i r_ji·q_i, i ≤ j
}

// add adds a vector, unless it depends linearly on the others.
func (o *orthogonal) add(v []complex128) bool {
	const dependent = 1e-8
	x, row := slices.Clone(v), make([]complex128, len(o.q)+1)
	size := norm(x)
	for range 2 { // the second time removes what rounding has left
		for i, q := range o.q {
			d := innerProduct(q, x)
			row[i] += d
			for k := range x {
				x[k] -= d * q[k]
			}
		}
	}
	left := norm(x)
	if !(left > dependent*size) {
		return false
	}
	row[len(o.q)] = complex(left, 0)
	for k := range x {
		x[k] /= complex(left, 0)
	}
	o.vectors, o.q, o.r = append(o.vectors, v), append(o.q, x), append(o.r, row)
	return true
}

// coefficients returns the coefficients of the combination of the vectors that is nearest to x.
func (o *orthogonal) coefficients(x []complex128) []complex128 {
	c := make([]complex128, len(o.q))
	for i, q := range o.q {
		c[i] = innerProduct(q, x)
	}
	for j := len(c) - 1; j >= 0; j-- {
		c[j] /= o.r[j][j]
		for i := range j {
			c[i] -= c[j] * o.r[j][i]
		}
	}
	return c
}

// innerProduct returns Σ conj(a_i)·b_i.
func innerProduct(a, b []complex128) (sum complex128) {
	for i, v := range a {
		sum += cmplx.Conj(v) * b[i]
	}
	return sum
}

// norm returns the Euclidean norm of x.
func norm(x []complex128) float64 { return math.Sqrt(real(innerProduct(x, x))) }

// sameMode is the distance of eigenvalues up to which they are one: the eigenvalue of a repartition is the same for every
// occupancy.
const sameMode = 1e-11

// addMode adds a mode. Modes with the same eigenvalue are merged.
func (w *QueueTransform) addMode(z complex128, v []complex128) {
	for _, mode := range w.modes {
		if cmplx.Abs(mode.z-z) <= sameMode {
			cmplxs.Add(mode.v, v)
			return
		}
	}
	w.modes = append(w.modes, mode{z, v})
}

// shifted returns the function that overwrites x with x·(sI − Local − z·Down − y·Up)⁻¹. The matrix is diagonally
// dominant, because Re s > 0, |z| ≤ 1 and |y| ≤ 1.
func (w *QueueTransform) shifted(s, z, y complex128) (solveLeft func(x []complex128)) {
	return w.factors(s, z, y).Solve
}

// factors returns the factors of the transpose of sI − Local − z·Down − y·Up.
func (w *QueueTransform) factors(s, z, y complex128) *block.ComplexFactors {
	down, up := 0, 0
	if z != 0 {
		down = 1
	}
	if y != 0 {
		up = 1
	}
	return w.patterns[down][up].Again(w.matrix(s, z, y))
}

// matrix returns the function that adds a row of the transpose of sI − Local − z·Down − y·Up to a row of zeros.
func (w *QueueTransform) matrix(s, z, y complex128) func(i int, row []complex128) {
	return func(i int, row []complex128) {
		row[i] = s + complex(w.out[i], 0)
		for k, scale := range [3]complex128{1, z, y} {
			if scale == 0 {
				continue
			}
			for _, e := range w.into[k][i] {
				row[e.from] -= complex(e.rate, 0) * scale
			}
		}
	}
}

// add adds x·M to y, where M has the listed entries.
func add(y, x []complex128, list []entry) {
	for _, e := range list {
		y[e.to] += x[e.from] * complex(e.rate, 0)
	}
}

// At returns values of transforms at s, Re s > 0. waiting is the transform of the probability that the job waits.
// next[b] is the transform of the phases with no job before it and b jobs behind it; the last entry includes all larger
// b. The error comes from ctx, or says that there is no queue or that behind is negative.
func (w *QueueTransform) At(ctx context.Context, s complex128, behind int) (waiting complex128, next [][]complex128, err error) {
	if w == nil || w.sol == nil || behind < 0 {
		return 0, nil, errors.New("markov: no queue")
	}
	if w.modes == nil {
		return w.levels(ctx, s, behind)
	}
	more, waiting, err := w.someAhead(ctx, s, behind)
	if err != nil {
		return 0, nil, err
	}
	total := slices.Clone(w.first)
	w.leaveQueue(more)
	for _, flow := range more {
		cmplxs.Add(total, flow)
	}
	w.shifted(s, 0, 1)(total)
	next = w.vectors(behind)
	w.byJobsBehind(ctx, w.shifted(s, 0, 0), w.first, total, next, more)
	return waiting + cmplxs.Sum(total), next, ctx.Err()
}

// someAhead returns Σ_{a≥1} Σ_b w_ab·1, and w_1b for each b; the last entry includes all larger b. It uses modes.
func (w *QueueTransform) someAhead(ctx context.Context, s complex128, behind int) (next [][]complex128, waiting complex128,
	err error) {
	next = w.vectors(behind)
	for _, mode := range w.modes {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		all := slices.Clone(mode.v)
		w.shifted(s, mode.z, 1)(all)
		waiting += cmplxs.Sum(all) / (1 - mode.z)
		w.byJobsBehind(ctx, w.shifted(s, mode.z, 0), mode.v, all, next, nil)
	}
	return next, waiting, nil
}

// vectors returns a zero vector for each number of jobs behind.
func (w *QueueTransform) vectors(behind int) [][]complex128 {
	list := make([][]complex128, behind+1)
	for b := range list {
		list[b] = make([]complex128, len(w.out))
	}
	return list
}

// leaveQueue multiplies each vector by Down.
func (w *QueueTransform) leaveQueue(list [][]complex128) {
	flow := make([]complex128, len(w.out))
	for b, x := range list {
		clear(flow)
		add(flow, x, w.down)
		list[b], flow = flow, x
	}
}

// byJobsBehind adds to sums the solution of a recursion over the number b of jobs behind: x_0·M = start + inflow_0 and
// x_b·M = x_{b−1}·Up + inflow_b. solveLeft solves with M, and total is the sum of all x_b. The last of sums gets the rest
// of total. The result is incomplete if ctx ends.
func (w *QueueTransform) byJobsBehind(ctx context.Context, solveLeft func(x []complex128), start, total []complex128,
	sums, inflow [][]complex128) {
	x, next := slices.Clone(start), make([]complex128, len(start))
	rest := slices.Clone(total)
	for b := range len(sums) - 1 {
		if ctx.Err() != nil {
			return
		}
		if inflow != nil {
			cmplxs.Add(x, inflow[b])
		}
		solveLeft(x)
		cmplxs.Add(sums[b], x)
		cmplxs.Sub(rest, x)
		clear(next)
		add(next, x, w.up)
		x, next = next, x
	}
	cmplxs.Add(sums[len(sums)-1], rest)
}
