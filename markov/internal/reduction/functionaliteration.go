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
//   - fewRemembered: the share up to which a closer first W saves an iteration.
//   - fewToCome: the number of iterations that may be expected to be left. With more, a step of cyclic reduction is cheaper.
const (
	mostRemembered = 0.15
	fewRemembered  = 0.042
	fewToCome      = 6
)

// iterate finds U by functional iteration,
//
//	W ← Up·(−Local − W)⁻¹·Down,
//
// where W is what excursions to the levels above add to Local. First passages are certain, so the diagonal is minus Down·1
// and the rest of the row, and nothing is subtracted. An iteration costs 4.7·n³ operations instead of 12.7·n³.
//
// It is tried where first passages soon forget where they began. It is given up where it would not end in few iterations;
// then c is as it was. The function returns the number of iterations, and whether they ended. If so, c.u is U. With many
// phases and no zeros, [singleSteps] take the place of some iterations.
//
// The first W has the right W·1, and the right v·W for the left eigenvector v of R ([censored.setFirst]). An error E of
// W becomes R·E·G, to first order, with E·1 = 0 and v·E = 0. So errors decrease by the second eigenvalues of both R and
// G. The error of v decreases by the second eigenvalue of G alone.
//
// Reference: B. Meini, New convergence results on functional iteration techniques for the numerical solution of M/G/1 type
// Markov chains, Numer. Math. 78 (1997) 39–58, for starts that are stochastic.
func (c *censored) iterate(ctx context.Context, most int) (iterations int, done bool, err error) {
	it, ok := c.newIteration(ctx)
	if !ok {
		return 0, false, nil
	}
	defer it.release()
	for it.steps < most {
		done, err := it.step(ctx)
		if done && err == nil {
			for e, i := range c.up.from {
				it.w.addTo(c.u.Row(i), it.w.Row(e))
			}
		}
		if done || err != nil {
			return it.steps, done, err
		}
		if it.steps > 1 && !(it.last.change*math.Pow(it.last.rate, fewToCome) <= it.enough) {
			break
		}
	}
	return it.steps, false, nil
}

// iteration is a functional iteration in progress.
type iteration struct {
	*censored
	w, next  passages // the latest W, and room for the next
	far      farUp
	single   *singleSteps // nil if all further steps are in double precision
	steps    int
	last     pace    // of the latest step
	errorOfV float64 // what the error of v leaves in W
	enough   float64 // the relative change of an entry that is a few roundings
}

// newIteration returns an iteration with the first W. ok is false if first passages are not certain or not soon forgotten.
//
// From the second halving on, a halving about squares what first passages remember. Where the square is still far too
// much, it is not estimated again. The first halving can forget more: moves down that keep the phase remember all of it,
// until the moves include transitions within levels.
func (c *censored) newIteration(ctx context.Context) (it *iteration, ok bool) {
	if floats.Max(c.exit) > 0 {
		return nil, false
	}
	if expected := c.below.mean * c.below.mean; c.halvings > 1 && expected > 2*mostRemembered {
		c.below.mean = expected
		return nil, false
	}
	c.below = c.rememberedBelow()
	if !(c.below.mean <= mostRemembered) {
		return nil, false
	}
	c.needWork(5 * c.u.Rows * c.u.Rows)
	it = &iteration{
		censored: c, w: c.excursions(0), next: c.excursions(1), last: pace{change: math.Inf(1)},
		enough: max(EntryTol, block.UnitRoundoff*math.Sqrt(float64(c.u.Rows))),
	}
	if c.suitsSingle() {
		it.far = c.farUp(24, settledForSingle)
	} else {
		it.far = c.farUp(12, 1e-11)
	}
	it.errorOfV = it.far.err
	it.single = c.newSingleSteps(it)
	var direct addDirect
	switch {
	case it.single != nil:
		direct = it.single.addDirect
	case c.below.mean <= fewRemembered:
		direct = c.addDirect
	}
	if !c.setFirst(ctx, it.w, it.far, direct) {
		it.release()
		return nil, false
	}
	clear(it.next.Data)
	return it, true
}

// release releases the storage that only the iteration needs.
func (it *iteration) release() {
	if it.single != nil {
		it.single.release()
	}
}

// step takes a step, and reports whether W is exact up to roundings.
func (it *iteration) step(ctx context.Context) (done bool, err error) {
	if it.single != nil {
		return it.single.step(ctx, it)
	}
	m, up := it.iterationBlocks(it.w)
	if err := block.Through(ctx, it.next.Matrix, up, m); err != nil {
		it.steps++
		return false, err
	}
	return it.advance(), ctx.Err()
}

// advance makes next the latest W. It reports whether the step after it would change nothing but roundings.
func (it *iteration) advance() (done bool) {
	change := changeOfExcursions(it.w, it.next, it.u)
	it.w, it.next = it.next, it.w
	it.steps++
	it.errorOfV *= it.below.mean
	done = change <= it.enough ||
		it.steps > 2 && it.nextIsEnough(change, it.last, it.enough-it.errorOfV, it.below.most, it.far)
	it.last = it.last.after(change)
	return done
}

// nextIsEnough reports whether the change after the present one, which follows last, would be at most enough. In the long
// run changes decrease at least by the second eigenvalue of G, and below bounds the share that first passages remember.
// Only where this does not tell, the share that is remembered above is estimated, too.
func (c *censored) nextIsEnough(change float64, last pace, enough, below float64, far farUp) bool {
	if change*last.next(change, 0) > enough {
		return false
	}
	return change*last.next(change, below) <= enough ||
		change*last.next(change, below*min(1, c.rememberedAbove(far).most)) <= enough
}

// excursions returns one of two matrices W, from the phases of up to the phases of down. It lies at the end of c.work.
func (c *censored) excursions(number int) passages {
	rows, cols := c.up.Rows, c.down.Cols
	end := len(c.work.Data) - number*rows*cols
	return passages{block.Over(rows, cols, c.work.Data[end-rows*cols:end]), c.up.from, c.down.to}
}

// iterationBlocks returns Local + W and Down side by side, and Up, each for all phases of its level. They lie at the
// beginning of c.work.
func (c *censored) iterationBlocks(w passages) (m, up block.Matrix) {
	n, cols := c.u.Rows, c.u.Rows+c.down.Cols
	m = block.Over(n, cols, c.work.Data[:n*cols])
	up = block.Over(c.up.Rows, n, c.work.Data[n*cols:][:c.up.Rows*n])
	for i := range n {
		copy(m.Row(i), c.local.Row(i))
		if c.down.Rows < n {
			clear(m.Row(i)[n:])
		}
	}
	for k, i := range c.down.from {
		copy(m.Row(i)[n:], c.down.Row(k))
	}
	if !c.up.toAll(n) {
		clear(up.Data)
	}
	for k, i := range c.up.from {
		w.addTo(m.Row(i)[:n], w.Row(k))
		c.up.spread(up.Row(k), k)
	}
	return m, up
}

// pace is the largest relative change of an entry in an iteration, its ratio to the change of the iteration before, and
// the largest such ratio so far.
type pace struct{ change, rate, most float64 }

// after returns the pace of a change that follows p.
func (p pace) after(change float64) pace {
	rate := change / p.change
	return pace{change, rate, max(p.most, rate)}
}

// next bounds the ratio of the next change to the present one, which follows p. In practice changes decrease as in the
// slowest iteration so far, because an iteration can be fast by accident: changes of both signs meet. But a part may
// decrease more slowly, by slowest, that other changes have hidden so far. Its share is what made the decrease slower.
func (p pace) next(change, slowest float64) float64 {
	const least = 0.01
	now := p.after(change)
	return max(now.most, max(least, 1-p.rate/now.rate)*slowest)
}

// changeOfExcursions returns the largest change of an entry from w to next, relative to u + next, the diagonal excepted.
func changeOfExcursions(w, next passages, u block.Matrix) float64 {
	change := 0.0
	for k, i := range w.from {
		was, is, own := w.Row(k), next.Row(k), u.Row(i)
		if w.toAll(len(own)) {
			change = block.ChangeOf(was[:i], is, own, change)
			change = block.ChangeOf(was[i+1:], is[i+1:], own[i+1:], change)
			continue
		}
		for e, j := range w.to {
			if i != j {
				change = block.ChangeOf(was[e:e+1], is[e:], own[j:], change)
			}
		}
	}
	return change
}

// addLeft adds x·P to y, where P are the passages, and x and y vectors over all phases.
func (p passages) addLeft(y, x []float64) {
	from := x
	if !p.fromAll(len(x)) {
		room := block.NewRaw(1, p.Rows)
		defer room.Release()
		from = room.Data
		for k, i := range p.from {
			from[k] = x[i]
		}
	}
	if p.toAll(len(y)) {
		block.VecMulAdd(y, from, p.Matrix)
		return
	}
	room := block.NewScratch(1, p.Cols)
	defer room.Release()
	block.VecMulAdd(room.Data, from, p.Matrix)
	p.addTo(y, room.Data)
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
