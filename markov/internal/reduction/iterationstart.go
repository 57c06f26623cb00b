package reduction

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// neededVectors is the number of vectors over the phases that are rows of censored.vectors.
const neededVectors = 9

// farUp is the distribution v of the phases far up, where the probabilities of levels fall by η: the left eigenvector of
// R. It solves
//
//	v·(Up/η + Local + η·Down) = 0,  η = v·Up·1/(v·Down·1).
type farUp struct {
	v        []float64
	eta      float64
	err      float64   // estimate of the largest relative error of an entry of v
	out      []float64 // total rates out of the phases
	up, down []float64 // the part of out that leads up, and down
}

// farUp returns the distribution of the phases far up, by the power method. It ends when the error is estimated as at most
// settled, or after so many steps. It needs few steps where phases are soon forgotten.
func (c *censored) farUp(steps int, settled float64) farUp {
	f := farUp{v: c.vectors.Row(0), out: c.vectors.Row(2), up: c.vectors.Row(3), down: c.vectors.Row(4), err: 1}
	next, change := c.vectors.Row(1), 1.0
	floats.AddConst(1, zeroed(f.v))
	c.up.setRowSums(f.up)
	c.down.setRowSums(f.down)
	for i := range f.out {
		f.out[i] = block.Sum(c.local.Row(i)) - c.local.At(i, i) + f.up[i] + f.down[i]
	}
	for k := 0; k < steps && f.err > settled; k++ {
		f.eta = floats.Dot(f.v, f.up) / floats.Dot(f.v, f.down)
		if !(f.eta > 0) {
			break
		}
		c.addWithin(zeroed(next), f)
		c.up.addLeft(next, floats.ScaleTo(c.vectors.Row(8), 1/f.eta, f.v))
		floats.Div(next, f.out)
		floats.Scale(1/block.Sum(next), next)
		last := change
		change = block.LargestChange(f.v, next)
		f.err = change * min(1, change/last)
		f.v, next = next, f.v
	}
	return f
}

// addWithin adds v·(Local + η·Down) to y. It overwrites the last row of c.vectors that is scratch.
func (c *censored) addWithin(y []float64, f farUp) {
	block.VecMulAdd(y, f.v, c.local)
	for i := range y {
		y[i] -= f.v[i] * c.local.At(i, i)
	}
	c.down.addLeft(y, floats.ScaleTo(c.vectors.Row(8), f.eta, f.v))
}

// setFirst overwrites w with Up·G₀. It reports false if there is no distribution g, in which first passages from far up
// end. If direct is nil, G₀ = 1·g: all first passages end as those from far up do. Otherwise this is assumed only of first
// passages that do not go down at once, and direct adds Up·D·Down to w:
//
//	G₀ = D·Down + (1 − D·Down·1)·g,  D = diag(1/out).
//
// In both cases W·1 = Up·1, and g is such that v·W = η·v·Down. The product Up·D·Down takes 2·n³ operations. It comes as
// much closer to G as half an iteration of 4.7·n³. So it pays where it makes an iteration unnecessary: with 300 phases
// without zeros three iterations are left of four.
func (c *censored) setFirst(ctx context.Context, w passages, f farUp, direct addDirect) bool {
	g, from := zeroed(c.vectors.Row(5)), c.vectors.Row(6)
	if copy(from, f.v); direct != nil {
		c.addWithin(zeroed(from), f)
		floats.Div(from, f.out)
	}
	c.down.addLeft(g, from)
	total := block.Sum(g)
	if !(total > 0) {
		return false
	}
	floats.Scale(1/total, g)
	others := f.up // rates up, before transitions other than down if direct
	clear(w.Data)
	if direct != nil {
		direct(ctx, w, f)
		shares := c.vectors.Row(8)
		floats.SubTo(shares, f.out, f.down)
		floats.Div(shares, f.out)
		others = c.vectors.Row(7)
		c.up.setRight(others, shares)
	}
	for e, j := range w.to {
		g[e] = g[j]
	}
	for k, i := range w.from {
		floats.AddScaled(w.Row(k), others[i], g[:w.Cols])
	}
	return true
}

// addDirect is a function that adds Up·D·Down to w.
type addDirect = func(ctx context.Context, w passages, f farUp)

// addDirect is an [addDirect] in double precision.
func (c *censored) addDirect(ctx context.Context, w passages, f farUp) {
	n := len(f.v)
	up := c.up.Matrix
	if !c.up.toAll(n) {
		up = block.Over(c.up.Rows, n, c.work.Data[n*w.Cols:][:c.up.Rows*n])
		clear(up.Data)
		for k := range c.up.from {
			c.up.spread(up.Row(k), k)
		}
	}
	down := block.Over(n, w.Cols, c.work.Data[:n*w.Cols])
	clear(down.Data)
	for k, i := range c.down.from {
		floats.ScaleTo(down.Row(i), 1/f.out[i], c.down.Row(k))
	}
	block.MulAdd(ctx, w.Matrix, up, down)
}

// zeroed returns x, whose entries it overwrites with zeros.
func zeroed(x []float64) []float64 {
	clear(x)
	return x
}

// memory is the share of a difference between two distributions over the phases that is left after a move up or down.
// The two shares differ where phases follow each other: three in a row are forgotten after three moves, but not after one.
type memory struct {
	mean float64 // of several moves, an estimate of the second eigenvalue of their chain
	most float64 // in the move that forgets least
}

// rememberedBelow estimates the share of a difference between two starts that is left after a move down. In practice it
// bounds the share that is left after a first passage.
func (c *censored) rememberedBelow() memory {
	down := c.vectors.Row(2)
	c.down.setRowSums(down)
	return c.remembered(down, c.down.setRight)
}

// rememberedAbove estimates the share of a difference between two ends that is left before a move up, from phases that are
// distributed as far up. The chain of moves up is reversed.
func (c *censored) rememberedAbove(f farUp) memory {
	arrivals, weighted := zeroed(c.vectors.Row(7)), c.vectors.Row(8)
	c.up.addLeft(arrivals, f.v)
	return c.remembered(arrivals, func(next, x []float64) {
		floats.MulTo(weighted, f.v, x)
		c.up.addLeft(zeroed(next), weighted)
	})
}

// remembered estimates the memory of moves with the stochastic matrix diag(1/sums)·M, by a few steps of the power method.
// times overwrites next with M·x. The function overwrites two rows of c.vectors.
func (c *censored) remembered(sums []float64, times func(next, x []float64)) memory {
	const steps = 4
	x, next := c.vectors.Row(5), c.vectors.Row(6)
	for i := range x {
		_, x[i] = math.Modf(float64(i+1) * math.Phi) // any vector without structure
		x[i] -= .5
	}
	first := floats.Norm(x, math.Inf(1))
	last, most := first, 0.0
	for range steps {
		times(next, x)
		x, next = next, x
		mean := 0.0
		for i, total := range sums {
			if total > 0 {
				x[i] /= total
			}
			mean += x[i] / float64(len(x))
		}
		floats.AddConst(-mean, x)
		size := floats.Norm(x, math.Inf(1))
		if !(size > 0) {
			break
		}
		most = max(most, size/last)
		last = size
	}
	return memory{math.Pow(floats.Norm(x, math.Inf(1))/first, 1./steps), most}
}
