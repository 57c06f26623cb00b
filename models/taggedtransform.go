package models

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/laplace"
)

// transformed is the distribution of the response time by the transform of P(T > t), F(s) = ∫ e^{−st}·P(T > t) dt. What
// that costs depends neither on the fastest rate nor on how many jobs wait.
//
// Of a job that waits, with a jobs before it in the queue and b after it, w_ab is the transform of where the machine is,
// over the phases of level N. With Local, Up and Down of the levels above N,
//
//	w_ab·(sI − Local) = w_{a,b−1}·Up + w_{a+1,b}·Down + δ_b0·π_{N+a}·Up/λ,
//
// and as π_{N+1+k} = Σ_j c_j·z_j^k·ℓ_j with the eigenvalues and left eigenvectors of R, for a ≥ 1
//
//	w_ab = Σ_j z_j^{a−1}·ω_jb,   ω_jb·(sI − Local − z_j·Down) = ω_{j,b−1}·Up + δ_b0·c_j·ℓ_j·Up/λ.
//
// A job in service is a finite chain: more than B jobs after it count as B, with B so large that it does not show.
type transformed struct {
	*follower
	*solvedMachine
	lambda float64

	local, up, down []entry
	out             []float64
	modes           []responseMode
	starts          [][]complex128 // π_{N+a}·Up/λ for a ≥ 1, where that is less work than modes
	first           []complex128   // π_N·Up/λ
	behind          int            // B
	behindError     float64        // of a probability, by B

	service *markov.Chain
	index   map[tagged]int
	arrive  []float64    // jobs that are served at once
	taken   [][]weighted // by phase of the waiting machine: who is taken into service, and at which rate
	windows []*laplace.Window
}

type entry struct {
	from, to int
	rate     float64
}

// responseMode is z_j with c_j·ℓ_j·Up/λ.
type responseMode struct {
	z complex128
	v []complex128
}

// newTransformed prepares the transform.
func (f *follower) newTransformed(ctx context.Context, machine *solvedMachine, st TaggedSettings) (*transformed, error) {
	t := &transformed{follower: f, solvedMachine: machine, lambda: f.sys.Arrivals.Rate()}
	q, n := machine.qbd, len(machine.levels.phases[f.n])
	t.out = make([]float64, n)
	for _, block := range []struct {
		m  mat.Matrix
		to *[]entry
	}{{q.Repeating.Local, &t.local}, {q.Repeating.Up, &t.up}, {q.Repeating.Down, &t.down}} {
		for i := range n {
			for j := range n {
				if r := block.m.At(i, j); r > 0 && !(i == j && block.to == &t.local) {
					*block.to = append(*block.to, entry{i, j, r})
					t.out[i] += r
				}
			}
		}
	}
	t.first = t.arrived(complexOf(machine.sol.Level(f.n)))
	if err := t.findLevels(ctx); err != nil {
		return nil, err
	}
	t.findEntries()
	return t, t.findBehind(ctx, st)
}

func complexOf(x []float64) []complex128 {
	y := make([]complex128, len(x))
	for i, v := range x {
		y[i] = complex(v, 0)
	}
	return y
}

// arrived returns x·Up/λ.
func (t *transformed) arrived(x []complex128) []complex128 {
	y := make([]complex128, len(x))
	for _, e := range t.up {
		y[e.to] += x[e.from] * complex(e.rate/t.lambda, 0)
	}
	return y
}

// levelsLeft is the probability beyond the last level that is written out.
const levelsLeft = 1e-11

// findLevels writes the levels above N out one by one, or as modes where these are fewer by the order of the work.
func (t *transformed) findLevels(ctx context.Context) error {
	eta, err := t.sol.DecayRate(ctx)
	if err != nil {
		return err
	}
	n := len(t.out)
	if count := math.Log(levelsLeft) / math.Log(eta); count > float64(4*n) {
		return t.findModes()
	}
	for a := 1; ; a++ {
		x, rest := t.sol.Level(t.n+a), t.sol.Tail(t.n+a)
		if rest <= levelsLeft {
			floats.Scale(1+rest/floats.Sum(x), x)
		}
		t.starts = append(t.starts, t.arrived(complexOf(x)))
		if rest <= levelsLeft {
			return ctx.Err()
		}
	}
}

// modesOff is how far, relative to their sum, the modes may be from the levels that they stand for.
const modesOff = 1e-9

// findModes writes the levels above N as sums of geometric terms.
func (t *transformed) findModes() error {
	r := t.sol.R()
	n, _ := r.Dims()
	var eigen mat.Eigen
	if !eigen.Factorize(r, mat.EigenLeft) {
		return fmt.Errorf("models: response times: eigenvalues of R: %w", markov.ErrNoConvergence)
	}
	var left mat.CDense
	eigen.LeftVectorsTo(&left)
	basis := make([]complex128, n*n) // ℓ_j in row j
	for j := range n {
		for i := range n {
			basis[j*n+i] = cmplx.Conj(left.At(i, j))
		}
	}
	c := complexOf(t.sol.Level(t.n + 1))
	laplace.Factor(slices.Clone(basis), n).SolveLeft(c)
	sums := [2][]complex128{make([]complex128, n), make([]complex128, n)}
	for j, z := range eigen.Values(nil) {
		v := basis[j*n : (j+1)*n]
		for i := range v {
			v[i] *= c[j]
			sums[0][i] += v[i]
			sums[1][i] += v[i] * z
		}
		t.addMode(z, t.arrived(v))
	}
	for k, sum := range sums {
		off, total := 0.0, 0.0
		for i, p := range t.sol.Level(t.n + 1 + k) {
			off += cmplx.Abs(sum[i] - complex(p, 0))
			total += p
		}
		if !(off <= modesOff*total) {
			return fmt.Errorf("models: response times: geometric terms are off by %.1g of level %d: %w", off/total, t.n+1+k,
				markov.ErrInaccurate)
		}
	}
	return nil
}

// sameMode: eigenvalues that differ by less are one; repartitions have the same whatever the occupancy.
const sameMode = 1e-11

// addMode adds a term, to one with the same eigenvalue if there is one.
func (t *transformed) addMode(z complex128, v []complex128) {
	for _, mode := range t.modes {
		if cmplx.Abs(mode.z-z) <= sameMode {
			for i := range v {
				mode.v[i] += v[i]
			}
			return
		}
	}
	t.modes = append(t.modes, responseMode{z, v})
}

// findEntries finds who is taken into service when a job leaves and the tagged one is next.
func (t *transformed) findEntries() {
	t.taken = make([][]weighted, len(t.out))
	for i, s := range t.levels.phases[t.n] {
		if s.kind != 0 {
			continue
		}
		t.serve(t.n, s.jobs, func(jobs string, left bool, rate float64) {
			if !left {
				return
			}
			to := tagged{machine: s}
			to.machine.jobs = jobs
			t.otherLeaves(t.n+1, to, func(to tagged, p float64) { t.taken[i] = append(t.taken[i], weighted{to, rate * p}) })
		})
	}
}

// mostBehind bounds B, behindOff is what it may change of the transform, relative to it.
const (
	mostBehind = 1 << 14
	behindOff  = 1e-9
)

// findBehind doubles B until it does not show in the transform at the time of a mean, where it shows most.
func (t *transformed) findBehind(ctx context.Context, st TaggedSettings) error {
	last := 0.0
	for b := 16; ; b *= 2 {
		if b > mostBehind {
			return fmt.Errorf("models: response times: more than %d jobs after one that is served: %w", b, ErrTooLarge)
		}
		if err := t.build(ctx, b, st); err != nil {
			return err
		}
		if work := t.work(); work > maxTransformWork {
			return fmt.Errorf("models: response times: %d states of the machine, %d of a job in service need some %.1g products, "+
				"more than %.0g: %w", len(t.out), t.service.States(), work, maxTransformWork, ErrTooLarge)
		}
		v, err := t.at(ctx, complex(0.5/t.meanTime, 0))
		if err != nil {
			return err
		}
		f := real(v)
		if t.behindError = math.Abs(f-last) / f; t.behindError <= behindOff {
			return nil
		}
		last = f
	}
}

// maxTransformWork bounds the complex products of all windows: some five minutes.
const maxTransformWork = 2e11

// work estimates the complex products of two windows.
func (t *transformed) work() float64 {
	const points, passes = 100, 120
	n, b := float64(len(t.out)), float64(t.behind)
	factors, rows := 2*float64(len(t.modes)+1), b*float64(len(t.modes)+len(t.starts)+1)
	return points * (factors*n*n*n/3 + rows*n*n + passes*float64(t.service.Transitions()))
}

// build makes the chain of a job in service with up to b jobs after it, numbered level by level.
func (t *transformed) build(ctx context.Context, b int, st TaggedSettings) error {
	t.behind, t.full = b, b
	seeds := map[tagged]float64{}
	for _, w := range t.start {
		seeds[w.tagged] += w.p
	}
	for _, list := range t.taken {
		for _, w := range list {
			for behind := range b + 1 {
				to := w.tagged
				to.behind = behind
				seeds[to] += 0
			}
		}
	}
	start := make([]tagged, 0, len(seeds))
	for s := range seeds {
		start = append(start, s)
	}
	slices.SortFunc(start, t.before)
	moves := func(s tagged, add func(to tagged, rate float64), leave func(rate float64)) {
		t.moves(s, add, leave, func(float64) {})
	}
	if states := float64(len(seeds)); states > maxTagged {
		return fmt.Errorf("models: response times: %.0f states or more: %w", states, ErrTooLarge)
	}
	if err := st.Memory.Check(taggedBytes * float64(len(seeds))); err != nil {
		return fmt.Errorf("models: response times: %d states or more: %w", len(seeds), err)
	}
	_, states, err := markov.Explore(ctx, start, maxTagged, moves)
	if err != nil {
		return err
	}
	slices.SortFunc(states, t.before)
	if t.service, states, err = markov.Explore(ctx, states, maxTagged, moves); err != nil {
		return err
	}
	t.index = make(map[tagged]int, len(states))
	t.arrive = make([]float64, len(states))
	for i, s := range states {
		t.index[s] = i
		t.arrive[i] = seeds[s]
	}
	return nil
}

// before orders states by level, then by what changes least often.
func (t *transformed) before(a, b tagged) int {
	return cmp.Or(t.level(a)-t.level(b), cmp.Compare(a.machine.kind, b.machine.kind), cmp.Compare(a.machine.jobs, b.machine.jobs),
		a.phase-b.phase, a.machine.arrival-b.machine.arrival, a.machine.c-b.machine.c)
}

// shifted factors sI − Local − z·Down − w·Up.
func (t *transformed) shifted(s, z, w complex128) *laplace.LU {
	n := len(t.out)
	m := make([]complex128, n*n)
	for i, r := range t.out {
		m[i*n+i] = s + complex(r, 0)
	}
	for _, part := range []struct {
		list  []entry
		scale complex128
	}{{t.local, 1}, {t.down, z}, {t.up, w}} {
		if part.scale != 0 {
			for _, e := range part.list {
				m[e.from*n+e.to] -= complex(e.rate, 0) * part.scale
			}
		}
	}
	return laplace.Factor(m, n)
}

// add adds x times the entries to y.
func add(y, x []complex128, list []entry) {
	for _, e := range list {
		y[e.to] += x[e.from] * complex(e.rate, 0)
	}
}

func sumOf(x []complex128) (sum complex128) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// at returns F(s).
func (t *transformed) at(ctx context.Context, s complex128) (complex128, error) {
	next, waiting, err := t.someAhead(ctx, s)
	if err != nil {
		return 0, err
	}
	// a job with nobody before it
	total := append([]complex128(nil), t.first...)
	t.leaveQueue(next)
	for _, flow := range next {
		for i, v := range flow {
			total[i] += v
		}
	}
	t.shifted(s, 0, 1).SolveLeft(total)
	waiting += sumOf(total)
	ahead := t.vectors()
	t.byJobsBehind(t.shifted(s, 0, 0), t.first, total, ahead, next)
	x := complexOf(t.arrive)
	for b, w := range ahead {
		for i, v := range w {
			for _, to := range t.taken[i] {
				state := to.tagged
				state.behind = b
				x[t.index[state]] += v * complex(to.p, 0)
			}
		}
	}
	y, _, err := t.service.Resolvent(ctx, s, x)
	if err != nil {
		return 0, err
	}
	return waiting + sumOf(y), nil
}

// someAhead returns Σ_a≥1 Σ_b w_ab·1, and w_1b by b, that of B with what is beyond.
func (t *transformed) someAhead(ctx context.Context, s complex128) (next [][]complex128, waiting complex128, err error) {
	next = t.vectors()
	for _, mode := range t.modes {
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("models: %w", err)
		}
		all := slices.Clone(mode.v)
		t.shifted(s, mode.z, 1).SolveLeft(all)
		waiting += sumOf(all) / (1 - mode.z)
		t.byJobsBehind(t.shifted(s, mode.z, 0), mode.v, all, next, nil)
	}
	if t.modes != nil {
		return next, waiting, nil
	}
	one, every := t.shifted(s, 0, 0), t.shifted(s, 0, 1)
	all := make([]complex128, len(t.out)) // Σ_b of a+1
	for a := len(t.starts) - 1; a >= 0; a-- {
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("models: %w", err)
		}
		t.leaveQueue(next)
		total := slices.Clone(t.starts[a])
		add(total, all, t.down)
		every.SolveLeft(total)
		all = total
		waiting += sumOf(all)
		here := t.vectors()
		t.byJobsBehind(one, t.starts[a], all, here, next)
		next = here
	}
	return next, waiting, nil
}

// vectors returns zeros for each number of jobs behind.
func (t *transformed) vectors() [][]complex128 {
	list := make([][]complex128, t.behind+1)
	for b := range list {
		list[b] = make([]complex128, len(t.out))
	}
	return list
}

// leaveQueue multiplies each vector by Down.
func (t *transformed) leaveQueue(list [][]complex128) {
	for b, x := range list {
		flow := make([]complex128, len(x))
		add(flow, x, t.down)
		list[b] = flow
	}
}

// byJobsBehind adds to sums what a recursion over the number of jobs behind gives, x_b·M = x_{b−1}·Up + inflow_b with
// x_0·M = start + inflow_0, and to the last what total, the sum of all x_b, leaves.
func (t *transformed) byJobsBehind(m *laplace.LU, start, total []complex128, sums, inflow [][]complex128) {
	x := append([]complex128(nil), start...)
	rest := append([]complex128(nil), total...)
	for b := range t.behind {
		if inflow != nil {
			for i, v := range inflow[b] {
				x[i] += v
			}
		}
		m.SolveLeft(x)
		for i, v := range x {
			sums[b][i] += v
			rest[i] -= v
		}
		next := make([]complex128, len(x))
		add(next, x, t.up)
		x = next
	}
	for i, v := range rest {
		sums[t.behind][i] += v
	}
}

// Windows reach from where more than half of the jobs are still there to where hardly any is, each over a factor of
// windowRatio.
const (
	windowRatio = 8
	leastAlive  = 1e-3
	mostAlive   = 0.6
)

// invert makes the windows.
func (t *transformed) invert(ctx context.Context) error {
	window := func(length float64) (*laplace.Window, error) { return laplace.NewWindow(ctx, length, t.at) }
	w, err := window(2 * t.meanTime)
	if err != nil {
		return err
	}
	t.windows = []*laplace.Window{w}
	for {
		w := t.windows[len(t.windows)-1]
		if v, _ := w.At(w.Length()); v <= leastAlive {
			break
		}
		if w, err = window(w.Length() * windowRatio); err != nil {
			return err
		}
		t.windows = append(t.windows, w)
	}
	for {
		w := t.windows[0]
		if v, _ := w.At(w.Length() / windowRatio); v >= mostAlive || len(t.windows) > 12 {
			return nil
		}
		if w, err = window(w.Length() / windowRatio); err != nil {
			return err
		}
		t.windows = slices.Insert(t.windows, 0, w)
	}
}

// survival returns P(T > x) and a bound of its error, inside the windows; before and beyond them the bounds are those of
// their ends.
func (t *transformed) survival(x float64) (low, high float64) {
	first, last := t.windows[0], t.windows[len(t.windows)-1]
	around := func(v, off float64) (low, high float64) {
		off += t.behindError
		return max(0, v-off), min(1, v+off)
	}
	switch {
	case x < 0:
		return 1, 1
	case x < first.Length()/windowRatio:
		low, _ = around(first.At(first.Length() / windowRatio))
		return low, 1
	case x > last.Length():
		_, high = around(last.At(last.Length()))
		return 0, high
	}
	for _, w := range t.windows {
		if x <= w.Length() {
			return around(w.At(x))
		}
	}
	return 0, 1
}

// off returns the largest error bound at the ends of the windows.
func (t *transformed) off() float64 {
	off := 0.0
	for _, w := range t.windows {
		for _, x := range []float64{w.Length() / windowRatio, w.Length() / 2, w.Length()} {
			_, e := w.At(x)
			off = max(off, e)
		}
	}
	return off + t.behindError
}

// quantile returns the time by which survival, or its upper bound, has fallen to a probability.
func (t *transformed) quantile(rest float64, upper bool) float64 {
	lo, hi := 0.0, t.windows[len(t.windows)-1].Length()
	for range 80 {
		mid := (lo + hi) / 2
		low, high := t.survival(mid)
		if upper {
			low = high
		}
		if low > rest {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// states returns the states that are followed.
func (t *transformed) states() int { return t.service.States() + len(t.modes)*len(t.out) }
