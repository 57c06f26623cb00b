package reduction

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// When functional iteration is tried, and when it is given up.
const (
	forgotten  = 0.15 // the largest share of a difference between starts that may be left after a first passage
	mostToCome = 6    // the number of iterations that may be expected to come
)

// iterate finds U by functional iteration,
//
//	W ← Up·(−Local − W)⁻¹·Down,
//
// W being what passages through the levels above add to Local: first passages are stochastic, so that the diagonal is
// minus Down·1 and the rest of the row, and nothing is subtracted. It is tried where first passages soon forget where
// they began, and given up where that does not bring it to its end in few iterations, 4.7·n³ each; c is then as it was.
// It returns how many it took.
//
// It begins with first passages that end as those from far up do, wherever they begin. So W·1 is right, and v·W for the
// left eigenvector v of R: an error E of W becomes R·E·G, to first order, with E·1 = 0 and v·E = 0, and decreases by the
// second eigenvalues of both R and G.
//
// Reference: B. Meini, New convergence results on functional iteration techniques for the numerical solution of M/G/1
// type Markov chains, Numer. Math. 78 (1997) 39–58, for starts that are stochastic.
func (c *censored) iterate(ctx context.Context, most int) (passes int, done bool, err error) {
	memory := c.memory()
	if memory > forgotten {
		return 0, false, nil
	}
	n, up, down := c.u.Rows, c.up, c.down
	m := c.room(n+up.Rows, n+down.Cols)
	w := passages{block.New(up.Rows, down.Cols), up.from, down.to}
	if !c.start(w) {
		return 0, false, nil
	}
	enough := max(EntryTol, block.UnitRoundoff*math.Sqrt(float64(n)))
	last := pace{math.Inf(1), 0}
	for k := 1; k <= most; k++ {
		for i := range n {
			row := m.Row(i)
			clear(row[copy(row, c.local.Row(i)):])
		}
		for e, i := range up.from {
			w.addTo(m.Row(i)[:n], w.Row(e))
			upper := m.Row(n + e)
			clear(upper)
			up.spread(upper[:n], e)
		}
		for e, i := range down.from {
			copy(m.Row(i)[n:], down.Row(e))
		}
		if err := block.Censor(ctx, m, n); err != nil {
			return k, false, err
		}
		change := replace(w, m.RowRange(n, m.Rows), c.u)
		if change <= enough || k > 2 && change*last.expected(change, memory) <= enough {
			for e, i := range up.from {
				w.addTo(c.u.Row(i), w.Row(e))
			}
			return k, true, ctx.Err()
		}
		if k > 1 && change*math.Pow(change/last.change, mostToCome) > enough {
			return k, false, nil
		}
		last = pace{change, change / last.change}
	}
	return most, false, nil
}

// pace is the change of an iteration, and its ratio to that of the one before.
type pace struct{ change, rate float64 }

// expected returns by how much the next change is less than this one, which follows p: by as much as this one is less
// than the last, but for what was hidden so far by changes that decrease faster. That decreases by the second eigenvalue
// of G alone, memory; its share is what made the decrease slower.
func (p pace) expected(change, memory float64) float64 {
	const least = 0.01
	rate := change / p.change
	return max(rate, max(least, 1-p.rate/rate)*memory)
}

// replace puts the last columns of m in the place of w and returns the largest change relative to u + w, that of the
// diagonal excepted.
func replace(w passages, m, u block.Matrix) float64 {
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

// start sets w to Up·1·g, the product with Down of a start far up being a multiple of g, or reports that there is none.
func (c *censored) start(w passages) bool {
	g := c.down.left(c.farUp())
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

// farUp returns about how phases are distributed far up, where the probabilities of levels fall by η: v with
//
//	v·(Up/η + Local + η·Down) = 0,  η = v·Up·1/(v·Down·1),
//
// by a few steps of the power method.
func (c *censored) farUp() []float64 {
	const steps = 5
	out := c.local.RowSums()
	ones := block.Ones(len(out))
	up, down := c.up.right(ones), c.down.right(ones)
	for i := range out {
		out[i] += up[i] + down[i] - c.local.At(i, i)
	}
	v := ones
	for range steps {
		eta := floats.Dot(v, up) / floats.Dot(v, down)
		if !(eta > 0) {
			break
		}
		next, rise, fall := block.VecMul(v, c.local), c.up.left(v), c.down.left(v)
		for i := range next {
			next[i] = (next[i] - v[i]*c.local.At(i, i) + rise[i]/eta + fall[i]*eta) / out[i]
		}
		floats.Scale(1/block.Sum(next), next)
		v = next
	}
	return v
}

// memory estimates how much a step of the chain that Down makes, if every row is a distribution, leaves of a difference
// between starts: its second eigenvalue.
func (c *censored) memory() float64 {
	const steps = 4
	x := make([]float64, c.u.Rows)
	for i := range x {
		_, x[i] = math.Modf(float64(i+1) * math.Phi) // nothing in particular
		x[i] -= .5
	}
	down := c.down.right(block.Ones(len(x)))
	size := floats.Norm(x, math.Inf(1))
	for range steps {
		x = c.down.right(x)
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
