package models_test

import (
	"math/big"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// quadBits is the precision of IEEE quadruple numbers.
const quadBits = 113

// quads is a matrix of numbers of 113 bits.
type quads [][]*big.Float

func newQuads(rows, cols int) quads {
	m := make(quads, rows)
	for i := range m {
		for range cols {
			m[i] = append(m[i], new(big.Float).SetPrec(quadBits))
		}
	}
	return m
}

func quadsOf(m mat.Matrix) quads {
	rows, cols := m.Dims()
	q := newQuads(rows, cols)
	for i := range q {
		for j, v := range q[i] {
			v.SetFloat64(m.At(i, j))
		}
	}
	return q
}

// plus returns a + sign·b.
func (a quads) plus(b quads, sign int) quads {
	c := newQuads(len(a), len(a[0]))
	for i := range c {
		for j, v := range c[i] {
			if sign < 0 {
				v.Sub(a[i][j], b[i][j])
			} else {
				v.Add(a[i][j], b[i][j])
			}
		}
	}
	return c
}

func (a quads) times(b quads) quads {
	c, product := newQuads(len(a), len(b[0])), new(big.Float).SetPrec(quadBits)
	for i := range a {
		for k, v := range a[i] {
			if v.Sign() == 0 {
				continue
			}
			for j, w := range b[k] {
				if w.Sign() != 0 {
					c[i][j].Add(c[i][j], product.Mul(v, w))
				}
			}
		}
	}
	return c
}

// under returns a⁻¹·b by Gaussian elimination; both are overwritten. The matrices here are M-matrices, which need no pivoting.
func (a quads) under(b quads) quads {
	share, product := new(big.Float).SetPrec(quadBits), new(big.Float).SetPrec(quadBits)
	subtract := func(to, row []*big.Float) {
		for j, w := range row {
			if w.Sign() != 0 {
				to[j].Sub(to[j], product.Mul(share, w))
			}
		}
	}
	for k := range a {
		for i := range a {
			if i != k && a[i][k].Sign() != 0 {
				share.Quo(a[i][k], a[k][k])
				subtract(a[i][k:], a[k][k:])
				subtract(b[i], b[k])
			}
		}
	}
	for i := range b {
		for _, v := range b[i] {
			v.Quo(v, a[i][i])
		}
	}
	return b
}

func identityQuads(n int) quads {
	m := newQuads(n, n)
	for i := range m {
		m[i][i].SetInt64(1)
	}
	return m
}

// leaving returns minus the generator within a level: the rates out on the diagonal, minus the rates between phases elsewhere. The
// diagonal of local is not read.
func leaving(local quads, others ...quads) quads {
	m := newQuads(len(local), len(local)).plus(local, -1)
	for i := range m {
		m[i][i].SetInt64(0)
		for j, v := range local[i] {
			if j != i {
				m[i][i].Add(m[i][i], v)
			}
		}
		for _, block := range others {
			for _, v := range block[i] {
				m[i][i].Add(m[i][i], v)
			}
		}
	}
	return m
}

// quadSolution is a stationary distribution found with 113 bits, rounded to double precision.
type quadSolution struct {
	levels [][]float64  // 0..b
	sums   [3][]float64 // Σ_k π, Σ_k k·π, Σ_k k²·π of levels b+1+k
}

// solveQuads solves a stable process: the repeating part by logarithmic reduction (Latouche, Ramaswami 1993), the boundary from the
// highest level to level 0, moments by the inverse of I − R. It shares no code with the solvers of double precision.
func solveQuads(q *markov.QBD) *quadSolution {
	up, local, down := quadsOf(q.Repeating.Up), quadsOf(q.Repeating.Local), quadsOf(q.Repeating.Down)
	n, b := len(local), len(q.Boundary)-1
	out := func() quads { return leaving(local, up, down) }
	h, l := out().under(quadsOf(q.Repeating.Up)), out().under(quadsOf(q.Repeating.Down))
	g, t := l, h
	const most = 60
	for range most {
		u := h.times(l).plus(l.times(h), 1)
		rest := func() quads { return identityQuads(n).plus(u, -1) }
		h, l = rest().under(h.times(h)), rest().under(l.times(l))
		g = g.plus(t.times(l), 1)
		if t = t.times(h); t.largest() < 1e-40 {
			break
		}
	}
	busy := out().plus(up.times(g), -1).under(identityQuads(n))
	r := up.times(busy)

	steps := make([]quads, b+1) // π_l = π_{l−1}·steps[l]
	var above quads
	for l := b; l >= 0; l-- {
		level := q.Boundary[l]
		blocks := []quads{quadsOf(level.Up)}
		if l > 0 {
			blocks = append(blocks, quadsOf(level.Down))
		}
		w := leaving(quadsOf(level.Local), blocks...)
		if l == b {
			w = w.plus(blocks[0].times(g), -1)
		} else {
			w = w.plus(above, -1)
		}
		if l == 0 {
			above = w
			break
		}
		steps[l] = quadsOf(q.Boundary[l-1].Up).times(w.under(identityQuads(len(w))))
		above = steps[l].times(quadsOf(level.Down))
	}
	pi := quads{nullVector(above)}
	total := new(big.Float).SetPrec(quadBits)
	levels := []quads{pi}
	for l := 1; l <= b; l++ {
		levels = append(levels, levels[l-1].times(steps[l]))
	}
	next := levels[b].times(quadsOf(q.Boundary[b].Up)).times(busy)
	inverse := identityQuads(n).plus(r, -1).under(identityQuads(n))
	ahead := r.times(inverse)
	sums := [3]quads{next.times(inverse)}
	sums[1] = sums[0].times(ahead)
	sums[2] = sums[1].plus(sums[1].times(ahead), 1).plus(sums[1].times(ahead), 1) // Σ k² = Σ k + Σ k(k − 1)
	for _, x := range append(levels, sums[0]) {
		for _, v := range x[0] {
			total.Add(total, v)
		}
	}
	s := &quadSolution{}
	for _, x := range levels {
		s.levels = append(s.levels, x.shares(total))
	}
	for p := range sums {
		s.sums[p] = sums[p].shares(total)
	}
	return s
}

// nullVector returns x with x·w = 0 and x_0 = 1.
func nullVector(w quads) []*big.Float {
	one := new(big.Float).SetPrec(quadBits).SetInt64(1)
	if len(w) == 1 {
		return []*big.Float{one}
	}
	n := len(w) - 1
	rest, right := newQuads(n, n), newQuads(n, 1) // transposed, without the first equation
	for i := range n {
		right[i][0].Neg(w[0][i+1])
		for j := range n {
			rest[i][j].Set(w[j+1][i+1])
		}
	}
	x := []*big.Float{one}
	for _, row := range rest.under(right) {
		x = append(x, row[0])
	}
	return x
}

func (a quads) largest() float64 {
	largest := 0.0
	for i := range a {
		for _, v := range a[i] {
			f, _ := v.Float64()
			largest = max(largest, f, -f)
		}
	}
	return largest
}

// shares returns the first row over a total.
func (a quads) shares(total *big.Float) []float64 {
	var all []float64
	for _, v := range a[0] {
		f, _ := new(big.Float).SetPrec(quadBits).Quo(v, total).Float64()
		all = append(all, f)
	}
	return all
}

// Sum returns Σ f(level, phase)·P(level, phase), where f is called once for all levels above the boundary, with the first.
func (s *quadSolution) Sum(f func(level, phase int) float64) float64 {
	sum := 0.0
	for l, x := range append(s.levels, s.sums[0]) {
		for i, p := range x {
			sum += p * f(l, i)
		}
	}
	return sum
}

// MeanAbove returns E[max(0, level − b − 1)], for the first level b + 1 that repeats.
func (s *quadSolution) MeanAbove(int) float64 {
	return mat.Sum(mat.NewVecDense(len(s.sums[1]), s.sums[1]))
}

func (s *quadSolution) Mean() float64 {
	return s.MeanAbove(0) + s.Sum(func(level, _ int) float64 { return float64(level) })
}

func (s *quadSolution) Variance() float64 {
	first, mean := float64(len(s.levels)), s.Mean()
	square := s.Sum(func(level, _ int) float64 { return (float64(level) - mean) * (float64(level) - mean) })
	for i, k := range s.sums[1] {
		square += 2*(first-mean)*k + s.sums[2][i]
	}
	return square
}

func (s *quadSolution) Probability(level int) float64 {
	return mat.Sum(mat.NewVecDense(len(s.levels[level]), s.levels[level]))
}
