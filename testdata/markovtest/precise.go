// Package markovtest solves quasi-birth-and-death processes with 31 digits and without subtractions, as a witness for solvers
// in double precision.
package markovtest

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// Solution is a stationary distribution in which every number has an error of rounding it to double precision, and hardly more.
type Solution struct {
	levels [][]twofold // 0..b+1, level l being levels[l]·2^exponents[l]
	exps   []int
	r      *matrix
	sums   [3][]twofold // Σ_k π_{b+1+k}, Σ_k k·π_{b+1+k}, Σ_k k²·π_{b+1+k}
	decay  float64
}

// Solve returns the stationary distribution of a stable process: the boundary by elimination of one state after another
// (Grassmann, Taksar, Heyman), the repeating part by logarithmic reduction (Latouche, Ramaswami) whose diagonals are sums of row
// entries, moments by doubling. It panics on a process that is not stable or not one that [markov.QBD] describes.
func Solve(q *markov.QBD) *Solution {
	up, local, down := exact(q.Repeating.Up), exact(q.Repeating.Local), exact(q.Repeating.Down)
	n := local.rows
	g := passage(up, local.clone(), down)
	// The generator of a repeating level until it goes lower leaves by Down.
	busy := eliminate(newMatrix(n, n).addProduct(up, g).plus(local), rowSums(down))
	s := &Solution{r: newMatrix(n, n)}
	for i := range n {
		copy(s.r.row(i), busy.left(up.row(i)))
	}

	b := len(q.Boundary) - 1
	lower, ups, downs := make([]*factors, b), make([]*matrix, b+1), make([]*matrix, b+1)
	var censored *matrix
	for l, level := range q.Boundary {
		w := exact(level.Local)
		if l > 0 {
			downs[l] = exact(level.Down)
			w.addProduct(downs[l], censored)
		}
		ups[l] = exact(level.Up)
		if l < b {
			lower[l] = eliminate(w, rowSums(ups[l]))
			censored = lower[l].right(ups[l])
			stochastic(censored)
		} else {
			s.levels = make([][]twofold, b+2)
			s.levels[b] = stationary(w.addProduct(ups[b], g))
		}
	}
	s.exps = make([]int, b+2)
	for l := b; l > 0; l-- {
		x := lower[l-1].left(downs[l].left(s.levels[l]))
		_, e := math.Frexp(largest(x))
		for i := range x {
			x[i] = x[i].scaled(-e)
		}
		s.levels[l-1], s.exps[l-1] = x, s.exps[l]+e
	}
	s.levels[b+1] = busy.left(ups[b].left(s.levels[b]))
	s.sumLevels()
	s.findDecay()
	s.normalise()
	return s
}

// exact copies a block; the diagonal of a generator, which is negative, becomes zero.
func exact(m mat.Matrix) *matrix {
	rows, cols := m.Dims()
	x := newMatrix(rows, cols)
	for i := range rows {
		for j := range cols {
			x.row(i)[j] = double(max(0, m.At(i, j)))
		}
	}
	return x
}

func (m *matrix) plus(b *matrix) *matrix {
	for i, v := range b.v {
		m.v[i] = m.v[i].plus(v)
	}
	return m
}

func rowSums(m *matrix) []twofold {
	s := make([]twofold, m.rows)
	for i := range s {
		s[i] = total(m.row(i))
	}
	return s
}

// stochastic divides the rows by their sums, which are 1 but for roundings.
func stochastic(m *matrix) {
	for i, s := range rowSums(m) {
		for j, v := range m.row(i) {
			if v.hi != 0 {
				m.row(i)[j] = v.over(s)
			}
		}
	}
}

// factors are those of −W for a generator W that is left at known rates: the pivots, above them the shares of rows that were
// added to later ones, right of them the rates that remained.
type factors struct {
	*matrix
	pivots []twofold
}

// eliminate factors −W. Rates within are those of w, whose diagonal is not read; w is overwritten. Each pivot is the sum of
// what is left of its row, the rate of leaving included.
func eliminate(w *matrix, leaving []twofold) *factors {
	n := w.rows
	f := &factors{w, make([]twofold, n)}
	leaving = slices.Clone(leaving)
	for k := range n {
		row := w.row(k)
		f.pivots[k] = leaving[k].plus(total(row[k+1:]))
		if f.pivots[k].hi == 0 {
			continue // not entered by what follows either
		}
		for i := k + 1; i < n; i++ {
			share := w.row(i)[k].over(f.pivots[k])
			w.row(i)[k] = share
			addMultiple(w.row(i)[k+1:], share, row[k+1:])
			leaving[i] = leaving[i].plus(share.times(leaving[k]))
		}
	}
	return f
}

// right returns (−W)⁻¹·b.
func (f *factors) right(b *matrix) *matrix {
	x := b.clone()
	for k := range f.rows {
		for i, share := range f.row(k)[:k] {
			addMultiple(x.row(k), share, x.row(i))
		}
	}
	for k := f.rows - 1; k >= 0; k-- {
		for j := k + 1; j < f.rows; j++ {
			addMultiple(x.row(k), f.row(k)[j], x.row(j))
		}
		for j, v := range x.row(k) {
			if v.hi != 0 {
				x.row(k)[j] = v.over(f.pivots[k])
			}
		}
	}
	return x
}

// left returns x·(−W)⁻¹.
func (f *factors) left(x []twofold) []twofold {
	z := slices.Clone(x)
	for k := range f.rows {
		if z[k].hi != 0 {
			z[k] = z[k].over(f.pivots[k])
		}
		addMultiple(z[k+1:], z[k], f.row(k)[k+1:])
	}
	for k := f.rows - 1; k >= 0; k-- {
		addMultiple(z[:k], z[k], f.row(k)[:k])
	}
	return z
}

// stationary returns the stationary vector of a generator, up to a factor: that of the visits to all states between two to the
// first, which the closed class contains; w is overwritten.
func stationary(w *matrix) []twofold {
	others, into := newMatrix(w.rows-1, w.rows-1), make([]twofold, w.rows-1)
	for i := range others.rows {
		into[i] = w.row(i + 1)[0]
		copy(others.row(i), w.row(i + 1)[1:])
	}
	return append([]twofold{double(1)}, eliminate(others, into).left(w.row(0)[1:])...)
}

// passage returns the probabilities G of the phases in which the level below is reached first; local is overwritten.
func passage(up, local, down *matrix) *matrix {
	h, l := jumps(up, local, down)
	g, t := l, h
	const steps, none = 100, 1e-60
	for range steps {
		h, l = jumps(h.times(h), h.times(l).addProduct(l, h), l.times(l))
		g = t.times(l).plus(g)
		if t = t.times(h); largest(t.v) < none {
			stochastic(g)
			return g
		}
	}
	panic(fmt.Sprintf("no convergence in %d steps: is the process stable?", steps))
}

// jumps returns the probabilities of the phases to which a level is left upward and downward; local is overwritten.
func jumps(up, local, down *matrix) (h, l *matrix) {
	n := local.rows
	both := newMatrix(n, 2*n)
	for i := range n {
		copy(both.row(i)[:n], up.row(i))
		copy(both.row(i)[n:], down.row(i))
	}
	both = eliminate(local, rowSums(both)).right(both)
	stochastic(both)
	h, l = newMatrix(n, n), newMatrix(n, n)
	for i := range n {
		copy(h.row(i), both.row(i)[:n])
		copy(l.row(i), both.row(i)[n:])
	}
	return h, l
}

// sumLevels sums levels b+1 and above, 2, 4, 8, … of them, until the next half does not matter to the second moment.
func (s *Solution) sumLevels() {
	n := s.r.rows
	s.sums[0] = slices.Clone(s.levels[s.above()])
	s.sums[1], s.sums[2] = make([]twofold, n), make([]twofold, n)
	power := powerOf(s.r)
	const most, none = 100, 1e-40
	for range most {
		// Levels k+levels follow from levels k: (k+levels)² = k² + 2k·levels + levels².
		levels := double(power.of)
		first, second := make([]twofold, n), make([]twofold, n)
		for j := range n {
			first[j] = s.sums[1][j].plus(s.sums[0][j].times(levels))
			second[j] = s.sums[2][j].plus(s.sums[1][j].times(double(2)).plus(s.sums[0][j].times(levels)).times(levels))
		}
		done := true
		for p, x := range [][]twofold{s.sums[0], first, second} {
			for j, v := range power.left(x) {
				v = v.scaled(power.exponent)
				done = done && !(v.hi > none*s.sums[p][j].hi)
				s.sums[p][j] = s.sums[p][j].plus(v)
			}
		}
		if done {
			return
		}
		power.square()
	}
	panic("levels do not decay: is the process stable?")
}

// power is a power of a matrix, matrix·2^exponent.
type power struct {
	*matrix
	of       float64 // which one
	exponent int
}

func powerOf(m *matrix) *power { return &power{m, 1, 0} }

func (p *power) square() {
	next := p.times(p.matrix)
	_, e := math.Frexp(largest(next.v))
	for j := range next.v {
		next.v[j] = next.v[j].scaled(-e)
	}
	p.matrix, p.of, p.exponent = next, 2*p.of, 2*p.exponent+e
}

// findDecay finds the decay rate from a power of R + σ·I, where σ is the power of two next to the largest geometric mean of the
// entries on a cycle. Powers of R itself can be periodic for more levels than a number counts. The rate is 0 where no phase is
// reached again, or where entries of R that close its cycles are below the range of numbers. In a queue with c servers these
// entries are as the c-th power of the rate.
func (s *Solution) findDecay() {
	// Two phases of the same rate, one of which leads to the other with a small probability, look like one for 1e10 levels.
	const levels = 0x1p64
	cycle := s.r.largestCycle()
	if math.IsInf(cycle, -1) {
		return
	}
	_, most := math.Frexp(largest(s.r.v))
	unit := (most + int(cycle)) / 2 // both σ and the largest entry have a square that is a number
	shifted := s.r.clone()
	for j := range shifted.v {
		shifted.v[j] = shifted.v[j].scaled(-unit)
	}
	for i := range s.r.rows {
		shifted.row(i)[i] = shifted.row(i)[i].plus(double(math.Ldexp(1, int(cycle)-unit)))
	}
	far := powerOf(shifted)
	for far.of < levels {
		far.square()
	}
	y := far.left(s.levels[s.above()])
	if all := total(y); all.hi > 0 {
		s.decay = total(s.r.left(y)).over(all).float()
	}
}

// largestCycle returns the logarithm to base 2 of the largest geometric mean of the entries on a cycle, −Inf without cycles. The
// largest products on paths of k steps follow from those of k−1 steps.
//
// Reference: R. M. Karp, A characterization of the minimum cycle mean in a digraph, Discrete Math. 23 (1978) 309–311.
func (m *matrix) largestCycle() float64 {
	n, largest := m.rows, math.Inf(-1)
	for from := range n {
		paths := make([]float64, n) // logarithms of the largest products from this phase
		for j := range paths {
			paths[j] = math.Log2(m.row(from)[j].hi)
		}
		for k := 1; k <= n; k++ {
			largest = max(largest, paths[from]/float64(k))
			next := slices.Repeat([]float64{math.Inf(-1)}, n)
			for i, path := range paths {
				for j, v := range m.row(i) {
					next[j] = max(next[j], path+math.Log2(v.hi))
				}
			}
			paths = next
		}
	}
	return largest
}

// normalise makes the levels sum to one.
func (s *Solution) normalise() {
	all := total(s.sums[0])
	_, e := math.Frexp(all.hi)
	for l := range s.levels[:len(s.levels)-1] {
		_, size := math.Frexp(total(s.levels[l]).hi)
		e = max(e, size+s.exps[l])
	}
	all = all.scaled(-e)
	for l, x := range s.levels[:len(s.levels)-1] {
		all = all.plus(total(x).scaled(s.exps[l] - e))
	}
	share := func(x []twofold, e int) {
		for i, v := range x {
			x[i] = v.over(all).scaled(e)
		}
	}
	for l, x := range s.levels {
		share(x, s.exps[l]-e)
	}
	for _, x := range s.sums {
		share(x, -e)
	}
}

// above is the first level that is not in the boundary.
func (s *Solution) above() int { return len(s.levels) - 1 }

// level returns the vector of a level.
func (s *Solution) level(i int) []twofold {
	if i <= s.above() {
		return s.levels[i]
	}
	return s.levelsOn(s.levels[s.above()], i-s.above())
}

// levelsOn returns x·R^k.
func (s *Solution) levelsOn(x []twofold, k int) []twofold {
	for power := s.r; k > 0; power = power.times(power) {
		if k&1 == 1 {
			x = power.left(x)
		}
		k >>= 1
	}
	return x
}

// Level returns the probabilities of the phases of a level.
func (s *Solution) Level(i int) []float64 { return rounded(s.level(i)) }

// RepeatingPhases returns the probabilities of the phases above the boundary.
func (s *Solution) RepeatingPhases() []float64 { return rounded(s.sums[0]) }

func rounded(x []twofold) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v.float()
	}
	return y
}

// Sum returns Σ f(level, phase)·P(level, phase) for f ≥ 0, which is called once for all levels above the boundary, with the first.
func (s *Solution) Sum(f func(level, phase int) float64) float64 {
	var sum twofold
	add := func(l int, x []twofold) {
		for i, v := range x {
			sum = sum.plus(v.times(double(f(l, i))))
		}
	}
	for l, x := range s.levels[:s.above()] {
		add(l, x)
	}
	add(s.above(), s.sums[0])
	return sum.float()
}

// Probability returns P(level = i).
func (s *Solution) Probability(i int) float64 { return total(s.level(i)).float() }

// Tail returns P(level > i), i being in the boundary or above it.
func (s *Solution) Tail(i int) float64 {
	if i+1 < s.above() {
		tail := total(s.sums[0])
		for _, x := range s.levels[i+1 : s.above()] {
			tail = tail.plus(total(x))
		}
		return tail.float()
	}
	return total(s.levelsOn(s.sums[0], i+1-s.above())).float()
}

// moment returns E[max(0, level−i)^p] for p = 1 or 2.
func (s *Solution) moment(i, p int) twofold {
	var sum twofold
	for l := max(0, i+1); l < s.above(); l++ {
		sum = sum.plus(total(s.levels[l]).times(double(math.Pow(float64(l-i), float64(p)))))
	}
	// Level above+k is k + (above−i) levels above i.
	from := double(float64(s.above() - i))
	one := total(s.sums[1]).plus(total(s.sums[0]).times(from))
	if p == 1 {
		return sum.plus(one)
	}
	two := total(s.sums[2]).plus(total(s.sums[1]).times(from).times(double(2))).plus(total(s.sums[0]).times(from).times(from))
	return sum.plus(two)
}

// Mean returns the mean of the level.
func (s *Solution) Mean() float64 { return s.moment(0, 1).float() }

// MeanAbove returns E[max(0, level−i)] for a level i of the boundary.
func (s *Solution) MeanAbove(i int) float64 { return s.moment(i, 1).float() }

// Variance returns the variance of the level. It sums squares of distances from the mean, so it keeps its digits where it is much
// smaller than the square of the mean.
func (s *Solution) Variance() float64 {
	mean := s.moment(0, 1)
	var sum twofold
	for l, x := range s.levels[:s.above()] {
		off := double(float64(l)).minus(mean)
		sum = sum.plus(total(x).times(off).times(off))
	}
	// Level above+k is k + from above the mean.
	from := double(float64(s.above())).minus(mean)
	far := total(s.sums[1]).times(double(2)).plus(total(s.sums[0]).times(from)).times(from)
	return sum.plus(total(s.sums[2])).plus(far).float()
}

// DecayRate returns the limit of P(level = i+1)/P(level = i), or 0 where it is out of range; see [Solution.findDecay].
func (s *Solution) DecayRate() float64 { return s.decay }

// Diagnostics names the method.
func (s *Solution) Diagnostics() markov.Diagnostics {
	return markov.Diagnostics{Method: "106 bits", ErrorBound: 0x1p-52}
}
