// This file takes steps of functional iteration in single precision, where products take half the time.
//
// A step W ← Up·(−Local − W)⁻¹·Down in single precision leaves an error of some 5e-8 of an entry. A step in double precision
// follows. It changes W by E, and further steps would change W, to first order, by the terms
//
//	R·E·G,  R·(R·E·G)·G,  ….
//
// A term is so small that single precision gives more of its digits than W can hold. Terms decrease as the changes of an
// iteration, so few of them are needed. All eliminations are in double precision and without a subtraction, and R comes
// from U in double precision.
//
// In operations of double precision a step in single precision costs 2.7·n³, and a term 3·n³. A step in double precision
// costs 4.7·n³. With 300 phases without zeros, U takes 11.3·n³ instead of 16·n³: the first W, a step of each kind, and one
// term. With R this is 0.8 of the time. It pays from some 50 phases on.

package reduction

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Steps in single precision are taken under these conditions.
//
//   - fewestForSingle: the least number of phases.
//   - smallestForSingle, largestForSingle: the range of the rates out of phases. Products of several blocks neither overflow
//     nor underflow.
//   - mostApart: the largest ratio of an entry of W to the entry of a matrix of rank one, and its inverse. Then each entry of
//     W has the size that the other entries of its row and column have. A smaller entry would be lost in their roundings.
//   - settledForSingle: the largest error of v. Each step in single precision brings it back into W.
const (
	fewestForSingle   = 48
	smallestForSingle = 1e-5
	largestForSingle  = 1e5
	mostApart         = 8
	settledForSingle  = 1e-14
)

// singleRoundoff is the relative rounding error of an operation in single precision.
const singleRoundoff = 0x1p-24

// singleSteps holds a chain in single precision. Down is 1·d and a rest with terms of both signs. Sums of these terms have
// smaller roundings than sums of positive terms.
type singleSteps struct {
	*censored
	far           farUp
	d             []float64        // mean of the rows of Down, v·Down
	down1         block.Single     // Down
	rest1         block.Single     // Down − 1·d
	r1            block.Single     // R₁ = Up·(−Local − W)⁻¹ of the latest step
	sojourns      *block.SingleGTH // (−Local − W)⁻¹ of the latest step; nil before
	rough         bool             // the next step is in single precision
	exact         bool             // the latest step was in double precision
	mostCorrected float64          // the largest change that terms in single precision can follow
}

// suitsSingle reports whether the chain has enough phases, and transitions up and down from and to all of them.
func (c *censored) suitsSingle() bool {
	n := c.u.Rows
	all := c.up.fromAll(n) && c.up.toAll(n) && c.down.fromAll(n) && c.down.toAll(n)
	return n >= fewestForSingle && all && block.HasSingle()
}

// newSingleSteps returns the chain of an iteration in single precision. It is nil if [censored.suitsSingle] is false, or
// if rates are too far apart.
func (c *censored) newSingleSteps(it *iteration) *singleSteps {
	if !c.suitsSingle() || !(it.far.err <= settledForSingle) {
		return nil
	}
	n := c.u.Rows
	s := &singleSteps{censored: c, far: it.far, d: make([]float64, n), rough: true}
	s.mostCorrected = 2 * it.enough * math.Sqrt(float64(n)) / singleRoundoff
	c.down.addLeft(s.d, it.far.v)
	for _, rates := range [][]float64{it.far.out, it.far.up, it.far.down, s.d} {
		if !(floats.Min(rates) > smallestForSingle && floats.Max(rates) < largestForSingle) {
			return nil
		}
	}
	s.down1, s.rest1 = block.SingleOf(c.down.Matrix), block.NewSingle(n, n)
	for i := range n {
		block.RoundDifference(s.rest1.Row(i), c.down.Row(i), s.d)
	}
	return s
}

// release releases the storage.
func (s *singleSteps) release() {
	s.down1.Release()
	s.rest1.Release()
	s.forgetFactors()
}

// forgetFactors releases what belongs to the latest step.
func (s *singleSteps) forgetFactors() {
	if s.sojourns != nil {
		s.sojourns.Release()
		s.r1.Release()
		s.sojourns = nil
	}
}

// addDirect is an [addDirect].
func (s *singleSteps) addDirect(ctx context.Context, w passages, f farUp) {
	up, direct := block.SingleOf(s.up.Matrix), block.NewSingle(s.down1.Rows, s.down1.Cols) // direct is D·Down
	defer up.Release()
	defer direct.Release()
	for i, out := range f.out {
		to, share := direct.Row(i), float32(1/out)
		for j, v := range s.down1.Row(i) {
			to[j] = share * v
		}
	}
	product := block.MulSingle(ctx, up, direct)
	defer product.Release()
	for i := range w.Rows {
		block.AddSingle(w.Row(i), w.Row(i), product.Row(i))
	}
}

// step takes the next step of an iteration. Steps are in single precision until the next error would be one that terms
// can correct. Then a step in double precision and terms follow.
//
// A term follows a change of at most 2·√n·enough/ε, for the rounding error ε of single precision. Roundings of the term are
// sums of n roundings of either sign, each of about ε times the change, which R and G average.
func (s *singleSteps) step(ctx context.Context, it *iteration) (done bool, err error) {
	switch {
	case s.rough:
		return false, s.roughStep(ctx, it)
	case s.exact && it.last.change <= s.mostCorrected:
		err = s.addTerm(ctx, it.w, it.next)
		return it.advance(), err
	}
	before := it.last
	if err := s.exactStep(ctx, it.w, it.next); err != nil {
		return false, err
	}
	done = it.advance()
	if !s.exact && it.steps > 2 { // the change is that of single precision's roundings
		it.last.rate, it.last.most = before.rate, before.most
	}
	s.exact = true
	return done, ctx.Err()
}

// roughStep takes a step in single precision. If entries of W are too far apart for it, the iteration goes on in double
// precision from where it was.
func (s *singleSteps) roughStep(ctx context.Context, it *iteration) error {
	if _, err := s.factor(ctx, it.w); err != nil {
		return err
	}
	s.r1 = block.SingleOf(s.up.Matrix)
	s.sojourns.SolveLeftRows(ctx, s.r1)
	rest := block.MulSingle(ctx, s.r1, s.rest1)
	defer rest.Release()
	if !s.setBalanced(it.next, rest) {
		clear(it.next.Data)
		it.release()
		it.single = nil
		return ctx.Err()
	}
	it.advance()
	it.errorOfV = s.far.err
	rate := it.last.rate
	if it.steps == 1 {
		// The rate after one change is a guess: in practice the first changes decrease faster than phases are forgotten. A
		// wrong guess costs a step, and no digits.
		rate = it.below.mean * s.rememberedAbove(s.far).mean / 16
	}
	s.rough = it.last.change*rate > s.mostCorrected
	return ctx.Err()
}

// factor factors −Local − W.
func (s *singleSteps) factor(ctx context.Context, w passages) (*block.GTH, error) {
	n := s.u.Rows
	m := block.Over(n, n, s.work.Data[:n*n])
	floats.AddTo(m.Data, s.local.Data, w.Data)
	s.forgetFactors()
	f, err := block.FactorGTH(ctx, m, slices.Clone(s.far.down))
	if err == nil {
		s.sojourns = f.Single()
	}
	return f, err
}

// setBalanced overwrites w with the sum of rest and two matrices of rank one, x·d and up·y. The vector x is such that W·1 =
// Up·1, and y such that v·W = η·v·Down. It reports whether w is nearly up·d/(d·1).
func (s *singleSteps) setBalanced(w passages, rest block.Single) bool {
	total := block.Sum(s.d)
	for i := range w.Rows {
		row := w.Row(i)
		floats.ScaleTo(row, (s.far.up[i]-rest.RowSum(i))/total, s.d)
		block.AddSingle(row, row, rest.Row(i))
	}
	y := zeroed(s.vectors.Row(5))
	block.VecMulAdd(y, s.far.v, w.Matrix)
	up := floats.Dot(s.far.v, s.far.up)
	for j, v := range y {
		y[j] = (s.far.eta*s.d[j] - v) / up
	}
	for i := range w.Rows {
		row := w.Row(i)
		floats.AddScaled(row, s.far.up[i], y)
		if !nearlyProportional(row, s.d, s.far.up[i]/total) {
			return false
		}
	}
	return true
}

// nearlyProportional reports whether x is nearly factor·d.
func nearlyProportional(x, d []float64, factor float64) bool {
	least, most := factor/mostApart, factor*mostApart
	for j, v := range x {
		if !(v >= least*d[j] && v <= most*d[j]) {
			return false
		}
	}
	return true
}

// exactStep sets next to Up·(−Local − W)⁻¹·Down in double precision.
func (s *singleSteps) exactStep(ctx context.Context, w, next passages) error {
	f, err := s.factor(ctx, w)
	if err != nil {
		return err
	}
	n := s.u.Rows
	r := block.Over(n, n, s.work.Data[n*n:2*n*n])
	copy(r.Data, s.up.Data)
	f.SolveLeftRows(ctx, r)
	s.r1 = block.SingleOf(r)
	clear(next.Data)
	block.MulAdd(ctx, next.Matrix, r, s.down.Matrix)
	return ctx.Err()
}

// addTerm overwrites before with w + R·(w − before)·G, where before is the W of the step or term before w.
//
// Rows of a term sum to zero. Roundings give other sums, which G would not reduce. So a matrix of rank one takes them back.
func (s *singleSteps) addTerm(ctx context.Context, w, before passages) error {
	e := block.SingleDifference(w.Matrix, before.Matrix)
	x := block.MulSingle(ctx, s.r1, e)
	e.Release()
	defer x.Release()
	s.sojourns.SolveLeftRows(ctx, x)
	term := block.MulSingle(ctx, x, s.down1)
	defer term.Release()
	total := block.Sum(s.d)
	for i := range w.Rows {
		row := before.Row(i)
		block.AddSingle(row, w.Row(i), term.Row(i))
		floats.AddScaled(row, -term.RowSum(i)/total, s.d)
	}
	return ctx.Err()
}
