package reduction

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Functional iteration is tried where first passages soon forget where they began, as in blocks without zeros.
//
//   - mostRemembered: the largest share of a difference between starts that may be left after a first passage.
//   - fewToCome: the number of iterations that may be expected to be left. With more, a step of cyclic reduction is cheaper.
const (
	mostRemembered = 0.15
	fewToCome      = 6
)

// neededVectors is the number of vectors over the phases that [censored.setFirst] overwrites, more than all other
// functions.
const neededVectors = 6

// iterate finds U by functional iteration,
//
//	W ← Up·(−Local − W)⁻¹·Down,
//
// where W is what excursions to the levels above add to Local. First passages are certain, so the diagonal is minus Down·1
// and the rest of the row, and nothing is subtracted. An iteration costs 4.7·n³ operations instead of 12.7·n³.
//
// It is tried where first passages soon forget where they began. It is given up where it would not end in few iterations;
// then c is as it was. The function returns the number of iterations, and whether they ended. If so, c.u is U.
//
// The first W has first passages that all end as first passages from far up do, wherever they begin. So W·1 is right,
// and so is v·W for the left eigenvector v of R. An error E of W becomes R·E·G, to first order, with E·1 = 0 and v·E =
// 0. So errors decrease by the second eigenvalues of both R and G.
//
// Reference: B. Meini, New convergence results on functional iteration techniques for the numerical solution of M/G/1 type
// Markov chains, Numer. Math. 78 (1997) 39–58, for starts that are stochastic.
func (c *censored) iterate(ctx context.Context, most int) (iterations int, done bool, err error) {
	if floats.Max(c.exit) > 0 { // first passages are not certain
		return 0, false, nil
	}
	remembered := c.remembered()
	if !(remembered <= mostRemembered) {
		return 0, false, nil
	}
	n, up, down := c.u.Rows, c.up, c.down
	rows, cols := n+up.Rows, n+down.Cols
	m := block.Over(rows, cols, c.work.Data[:rows*cols])
	w := passages{block.Over(up.Rows, down.Cols, c.work.Data[rows*cols:][:up.Rows*down.Cols]), up.from, down.to}
	if !c.setFirst(w) {
		return 0, false, nil
	}
	enough := max(EntryTol, block.UnitRoundoff*math.Sqrt(float64(n)))
	last := pace{math.Inf(1), 0}
	for k := 1; k <= most; k++ {
		c.fillIteration(m, w)
		if err := block.Censor(ctx, m, make([]float64, rows), n); err != nil {
			return k, false, err
		}
		change := replaceExcursions(w, m.RowRange(n, rows), c.u)
		if change <= enough || k > 2 && change*last.next(change, remembered) <= enough {
			for e, i := range up.from {
				w.addTo(c.u.Row(i), w.Row(e))
			}
			return k, true, ctx.Err()
		}
		if k > 1 && !(change*math.Pow(change/last.change, fewToCome) <= enough) {
			return k, false, nil
		}
		last = pace{change, change / last.change}
	}
	return most, false, nil
}

// fillIteration overwrites m with Local + W and Down, and below them Up. The elimination of the first n rows leaves
// Up·(−Local − W)⁻¹·Down in the rows below.
func (c *censored) fillIteration(m block.Matrix, w passages) {
	n, up, down := c.u.Rows, c.up, c.down
	for i := range n {
		clear(m.Row(i)[copy(m.Row(i), c.local.Row(i)):])
	}
	clear(m.RowRange(n, m.Rows).Data)
	for k, i := range up.from {
		w.addTo(m.Row(i)[:n], w.Row(k))
		up.spread(m.Row(n + k)[:n], k)
	}
	for k, i := range down.from {
		copy(m.Row(i)[n:], down.Row(k))
	}
}

// pace is the largest relative change of an entry in an iteration, and its ratio to the change of the iteration before.
type pace struct{ change, rate float64 }

// next estimates the ratio of the next change to the present one, which follows p. Changes decrease as they did last,
// but for a part that changes which decrease faster have hidden so far. This part decreases by the second eigenvalue of G
// alone, remembered. Its share is what made the decrease slower.
func (p pace) next(change, remembered float64) float64 {
	const least = 0.01
	rate := change / p.change
	return max(rate, max(least, 1-p.rate/rate)*remembered)
}

// replaceExcursions overwrites w with the last columns of m. It returns the largest change of an entry relative to u + w,
// the diagonal excepted.
func replaceExcursions(w passages, m, u block.Matrix) float64 {
	change := 0.0
	for k, i := range w.from {
		was, is, row := w.Row(k), m.Row(k)[m.Cols-w.Cols:], u.Row(i)
		is = is[:len(was)]
		for e, j := range w.to {
			if d := math.Abs(is[e] - was[e]); d > change*(row[j]+is[e]) && i != j {
				change = d / (row[j] + is[e])
			}
		}
		copy(was, is)
	}
	return change
}

// setFirst overwrites w with Up·1·g, where g is the distribution in which first passages from far up end. It reports
// false if no such distribution exists.
func (c *censored) setFirst(w passages) bool {
	g := c.vectors.Row(neededVectors - 1)
	clear(g)
	c.down.addLeft(g, 1, c.farUp())
	total := block.Sum(g)
	if !(total > 0) {
		return false
	}
	for k, out := range c.up.RowSums() {
		for e, j := range w.to {
			w.Row(k)[e] = out * g[j] / total
		}
	}
	return true
}

// farUp returns approximately the distribution of the phases far up, where the probabilities of levels fall by η: v with
//
//	v·(Up/η + Local + η·Down) = 0,  η = v·Up·1/(v·Down·1),
//
// by a few steps of the power method. The result is a row of c.vectors, whose last row stays unchanged.
func (c *censored) farUp() []float64 {
	const steps = 5
	v, next := c.vectors.Row(0), c.vectors.Row(1)
	out, up, down := c.vectors.Row(2), c.vectors.Row(3), c.vectors.Row(4)
	floats.AddConst(1, zeroed(v))
	c.up.setRowSums(up)
	c.down.setRowSums(down)
	for i := range out {
		out[i] = block.Sum(c.local.Row(i)) + up[i] + down[i] - c.local.At(i, i)
	}
	for range steps {
		eta := floats.Dot(v, up) / floats.Dot(v, down)
		if !(eta > 0) {
			break
		}
		block.VecMulAdd(zeroed(next), v, c.local)
		for i := range next {
			next[i] -= v[i] * c.local.At(i, i)
		}
		c.up.addLeft(next, 1/eta, v)
		c.down.addLeft(next, eta, v)
		floats.Div(next, out)
		floats.Scale(1/block.Sum(next), next)
		v, next = next, v
	}
	return v
}

// zeroed returns x, whose entries it overwrites with zeros.
func zeroed(x []float64) []float64 {
	clear(x)
	return x
}

// remembered estimates the share of a difference between two starts that is left after a move down: the second
// eigenvalue of the chain of moves down, by a few steps of the power method. In practice it bounds the share that is
// left after a first passage.
func (c *censored) remembered() float64 {
	const steps = 4
	x, next, down := c.vectors.Row(0), c.vectors.Row(1), c.vectors.Row(2)
	c.down.setRowSums(down)
	for i := range x {
		_, x[i] = math.Modf(float64(i+1) * math.Phi) // any vector without structure
		x[i] -= .5
	}
	size := floats.Norm(x, math.Inf(1))
	for range steps {
		c.down.setRight(next, x)
		x, next = next, x
		mean := 0.0
		for i, total := range down {
			if total > 0 {
				x[i] /= total
			}
			mean += x[i] / float64(len(x))
		}
		floats.AddConst(-mean, x)
	}
	return math.Pow(floats.Norm(x, math.Inf(1))/size, 1./steps)
}

// addLeft adds scale·x·P to y, where P are the passages, and x and y vectors over all phases.
func (p passages) addLeft(y []float64, scale float64, x []float64) {
	for k, i := range p.from {
		if p.toAll(len(y)) {
			floats.AddScaled(y, scale*x[i], p.Row(k))
			continue
		}
		for e, v := range p.Row(k) {
			y[p.to[e]] += scale * x[i] * v
		}
	}
}

// setRight overwrites y with P·x, where P are the passages, and x and y vectors over all phases.
func (p passages) setRight(y, x []float64) {
	clear(y)
	for k, i := range p.from {
		if p.toAll(len(x)) {
			y[i] = floats.Dot(p.Row(k), x)
			continue
		}
		for e, v := range p.Row(k) {
			y[i] += v * x[p.to[e]]
		}
	}
}

// setRowSums overwrites y with P·1, where P are the passages, and y is a vector over all phases.
func (p passages) setRowSums(y []float64) {
	clear(y)
	for k, i := range p.from {
		y[i] = block.Sum(p.Row(k))
	}
}
