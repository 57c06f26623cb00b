package markov

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// levelwise eliminates the levels of a regime chain from level 0 upward, by means of the phases in which a level is
// entered. Let A_l be the phases of level l that are entered from above, and B_l the phases that are entered from
// below. Let T_l be minus the rates within level l, a sparse matrix that is nearly triangular if phases are passed in
// turn. Then
//
//	P = T_l⁻¹·(Up_l | Down_l)                   first move out of the level
//	D = P(B_l → A_{l−1})·K_{l−1}                 B_l → B_l without going up
//	J = (I−D)⁻¹·P(B_l → B_{l+1})                B_l → B_{l+1}
//	K_l = P(A_l → B_{l+1}) + P(A_l → A_{l−1})·K_{l−1}·J   first passages from A_l to the level above
//
// So dense blocks are as wide as the sets of entries, not as the levels. The levels from last on are one excursion from
// the entries B of level last to A of the level below.
//
// Reference: D. P. Gaver, P. A. Jacobs, G. Latouche, Finite birth-and-death models in randomly changing environments,
// Adv. Appl. Probab. 16 (1984) 715–731.
type levelwise struct {
	*regimeChain
	last   int // b, or b+1 if level b differs from the levels above in more than its rates down
	levels []passedLevel
}

// passedLevel holds what back substitution needs of a level.
type passedLevel struct {
	above, below entryPhases // A_l and B_l
	local        *localBlock
	loop         *block.GTH   // I − D
	passages     block.Matrix // K_l
}

// entryPhases is a set of phases of a level.
type entryPhases struct {
	phases phaseList
	place  []int32 // by phase: index in the list, −1 if it is not in the set
}

// row returns the transitions of the phases of a level, in the order of the phases.
func (c *regimeChain) row(level int) [][]move { return c.rows[min(level, c.b+1)] }

// enteredFrom returns the phases of a level to which transitions from level+by lead.
func (c *regimeChain) enteredFrom(level, by int) entryPhases {
	e := entryPhases{place: slices.Repeat([]int32{-1}, len(c.phases(level)))}
	if level+by < 0 {
		return e
	}
	for _, row := range c.row(level + by) {
		for _, m := range row {
			if int(m.by) == -by {
				e.place[m.to] = 0
			}
		}
	}
	for i, place := range e.place {
		if place == 0 {
			e.place[i] = int32(len(e.phases))
			e.phases = append(e.phases, int32(i))
		}
	}
	return e
}

// likeAbove reports whether level b is like the levels above, except for the phases to which its rates down lead.
func (c *regimeChain) likeAbove() bool {
	for i, row := range c.rows[c.b] {
		stays, down := notDown(row)
		above, downAbove := notDown(c.rows[c.b+1][i])
		if !slices.Equal(stays, above) || math.Abs(down-downAbove) > fewRoundings*down {
			return false
		}
	}
	return true
}

// fewRoundings is the relative rounding error of a sum of a few rates.
const fewRoundings = 8 * block.UnitRoundoff

// notDown returns the transitions that do not lead down, and the total rate of the transitions that lead down.
func notDown(row []move) (rest []move, down float64) {
	for _, m := range row {
		if m.by < 0 {
			down += m.rate
			continue
		}
		rest = append(rest, m)
	}
	return rest, down
}

// newLevelwise finds the entries of all levels.
func (c *regimeChain) newLevelwise() *levelwise {
	w := &levelwise{regimeChain: c, last: c.b}
	if c.b == 0 || !c.likeAbove() {
		w.last++
	}
	w.levels = make([]passedLevel, w.last+1)
	for l := range w.levels {
		w.levels[l].below, w.levels[l].above = c.enteredFrom(l, -1), c.enteredFrom(l, 1)
	}
	return w
}

// bytes returns an upper bound on the memory of the elimination.
func (w *levelwise) bytes() float64 {
	total, most := 0.0, 0.0
	for l := range w.last {
		a, b, up := len(w.levels[l].above.phases), len(w.levels[l].below.phases), len(w.levels[l+1].below.phases)
		down := 0
		if l > 0 {
			down = len(w.levels[l-1].above.phases)
		}
		total += 8 * float64(a*up+b*b)
		most = max(most, 8*float64((len(w.phases(l))+a+b)*(up+down)+2*b*up))
	}
	return total + most
}

// solve returns the vectors of levels 0 to b+1, up to a common factor, and the exponents of levels 0 to b.
func (w *levelwise) solve(ctx context.Context) ([][]float64, []int, error) {
	for l := range w.last {
		if err := w.eliminate(ctx, l); err != nil {
			return nil, nil, err
		}
	}
	// The highest level: mean times in its phases from the stationary frequencies of its entries.
	entered, err := w.entriesOfLast(ctx)
	if err != nil {
		return nil, nil, err
	}
	levels, exponents := make([][]float64, w.b+2), make([]int, w.b+2)
	x := make([]float64, len(w.phases(w.last)))
	w.levels[w.last].below.phases.scatter(x, entered)
	w.solveLeft(x)
	levels[w.last] = x
	// Back substitution: what flows down from level l+1 gives level l. Exponents keep tiny levels in range.
	for l := w.last - 1; l >= 0; l-- {
		y := make([]float64, len(w.phases(l)))
		w.flow(levels[l+1], l+1, -1, y)
		if exponents[l] = exponents[l+1]; l < w.b {
			exponents[l] += block.Rescale(y)
		}
		levels[l] = w.backSubstitute(l, y)
	}
	if w.last == w.b {
		levels[w.b+1] = w.timesR(levels[w.b])
	}
	return levels, exponents[:w.b+1], ctx.Err()
}

// eliminate finds K_l, given K of the level below.
func (w *levelwise) eliminate(ctx context.Context, l int) error {
	lev := &w.levels[l]
	var err error
	if lev.local, err = w.newLocalBlock(ctx, l); err != nil {
		return blockError(l, "local", -1, -1, "%w", err)
	}
	p, up := w.movesOut(l)
	defer p.Release()
	lev.local.solve(ctx, p)
	// P = T⁻¹·(Up | Down). The direct passages upward first.
	lev.passages = lev.above.phases.rows(p, 0, up)
	if l == 0 {
		return ctx.Err()
	}
	lower := &w.levels[l-1]
	// D = P(B → A of the level below)·K_{l−1}, and j becomes J = (I−D)⁻¹·P(B → level above).
	d := block.New(len(lev.below.phases), len(lev.below.phases))
	block.MulAdd(ctx, d, lev.below.phases.rows(p, up, p.Cols), lower.passages)
	j := lev.below.phases.rows(p, 0, up)
	if lev.loop, err = block.FactorGTH(ctx, d, j.RowSums()); err != nil {
		return blockError(l, "local", -1, -1, "%w", err)
	}
	lev.loop.Solve(ctx, j)
	block.MulAdd(ctx, lev.passages, lev.above.phases.rows(p, up, p.Cols), block.Mul(ctx, lower.passages, j))
	reduction.Stochastic(lev.passages) // rounding errors would add up from level to level
	return ctx.Err()
}

// movesOut returns the rates Up_l | Down_l to the entries of the levels above and below, as a scratch block. up is the
// number of its columns for the level above, 0 for the last level.
func (w *levelwise) movesOut(l int) (rates block.Matrix, up int) {
	var above, below entryPhases
	if l < w.last {
		above = w.levels[l+1].below
	}
	if l > 0 {
		below = w.levels[l-1].above
	}
	up = len(above.phases)
	rates = block.NewScratch(len(w.phases(l)), up+len(below.phases))
	for i, row := range w.row(l) {
		for _, m := range row {
			switch {
			case m.by < 0:
				rates.Row(i)[up+int(below.place[m.to])] += m.rate
			case m.by > 0 && l < w.last:
				rates.Row(i)[above.place[m.to]] += m.rate
			}
		}
	}
	return rates, up
}

// entriesOfLast returns the stationary distribution of the entries B of the last level.
func (w *levelwise) entriesOfLast(ctx context.Context) ([]float64, error) {
	down, _ := w.movesOut(w.last)
	defer down.Release()
	w.solveRight(ctx, down)
	entered := w.levels[w.last].below.phases.rows(down, 0, down.Cols)
	x, err := block.StationaryGTH(ctx, block.Mul(ctx, entered, w.levels[w.last-1].passages))
	if err == nil {
		return x, ctx.Err()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, blockError(w.b, "local", -1, -1, "states in more than one closed class: %w", ErrReducible)
}

// solveRight overwrites x with (−U)⁻¹·x, with U of the levels above b.
func (c *regimeChain) solveRight(ctx context.Context, x block.Matrix) {
	last := len(c.regimes) - 1
	into := reduction.Times(ctx, c.regimes[last].Sojourns, c.repeating(last).rows(x, 0, x.Cols))
	c.repeating(last).put(x, into)
	for t, r := range c.regimes[:last] {
		if r.Sojourns.Rows == 0 {
			continue
		}
		own := c.repeating(t).rows(x, 0, x.Cols)
		block.MulAdd(ctx, own, r.ToFirst, into)
		c.repeating(t).put(x, reduction.Times(ctx, r.Sojourns, own))
	}
}

// backSubstitute returns the vector of level l, given the flow y with which it is entered from above. The excursions to lower
// levels bring the entries from below: z = (x_y·Down gathered at A_{l−1})·K_{l−1}·(I−D)⁻¹ with x_y = y·T⁻¹, and the
// vector is x_y + z·T⁻¹.
func (w *levelwise) backSubstitute(l int, y []float64) []float64 {
	lev := &w.levels[l]
	lev.local.solveLeft(y)
	if l == 0 {
		return y
	}
	lower := &w.levels[l-1]
	down := make([]float64, len(w.phases(l-1)))
	w.flow(y, l, -1, down)
	z := block.VecMul(lower.above.phases.gather(down), lower.passages)
	lev.loop.SolveLeft(z)
	x := make([]float64, len(y))
	lev.below.phases.scatter(x, z)
	lev.local.solveLeft(x)
	floats.Add(x, y)
	return x
}

// flow adds to y the flow from vector x of a level to the level by levels away.
func (c *regimeChain) flow(x []float64, level, by int, y []float64) {
	for i, row := range c.row(level) {
		for _, m := range row {
			if int(m.by) == by {
				y[m.to] += x[i] * m.rate
			}
		}
	}
}

// localBlock is −Local of a level in sparse form. Phases that lead to each other are factored together, all others one by
// one.
type localBlock struct {
	rows   [][]move
	out    []float64
	groups []phaseGroup // a group comes after the groups to which it leads
}

// phaseGroup is a strongly connected component of the phases of a level.
type phaseGroup struct {
	phases phaseList
	factor *block.GTH // nil for a single phase
}

// newLocalBlock finds the groups of a level and factors the groups of several phases. The error is ErrReducible if a
// phase has no rate out.
func (c *regimeChain) newLocalBlock(ctx context.Context, level int) (*localBlock, error) {
	t := &localBlock{rows: c.row(level), out: c.out(level)}
	t.findGroups()
	for k := range t.groups {
		g := &t.groups[k]
		if len(g.phases) == 1 {
			if i := g.phases[0]; t.out[i] == 0 {
				return nil, block.ErrReducible
			}
			continue
		}
		in := t.members(g)
		rates, exit := block.New(len(g.phases), len(g.phases)), make([]float64, len(g.phases))
		for i, phase := range g.phases {
			for _, m := range t.rows[phase] {
				if j, ok := in[m.to]; ok && m.by == 0 {
					rates.Row(i)[j] += m.rate
				} else {
					exit[i] += m.rate
				}
			}
		}
		var err error
		if g.factor, err = block.FactorGTH(ctx, rates, exit); err != nil {
			return nil, err
		}
	}
	return t, ctx.Err()
}

// members returns the place of each phase of a group within the group.
func (t *localBlock) members(g *phaseGroup) map[int32]int {
	in := make(map[int32]int, len(g.phases))
	for k, i := range g.phases {
		in[i] = k
	}
	return in
}

// findGroups finds the strongly connected components by depth-first search.
//
// Reference: R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146–160.
func (t *localBlock) findGroups() {
	n := len(t.rows)
	index, low := make([]int32, n), make([]int32, n)
	done := int32(n + 1)
	clock := int32(0)
	stack, storage := make([]int32, 0, n), make([]int32, 0, n)
	var visit func(i int32)
	visit = func(i int32) {
		clock++
		index[i], low[i] = clock, clock
		stack = append(stack, i)
		for _, m := range t.rows[i] {
			if m.by != 0 {
				continue
			}
			if index[m.to] == 0 {
				visit(m.to)
			}
			low[i] = min(low[i], low[m.to])
		}
		if low[i] < index[i] {
			return
		}
		at := slices.Index(stack, i)
		from := len(storage)
		storage = append(storage, stack[at:]...)
		for _, j := range stack[at:] {
			low[j] = done
		}
		stack = stack[:at]
		t.groups = append(t.groups, phaseGroup{phases: storage[from:]})
	}
	for i := range n {
		if index[i] == 0 {
			visit(int32(i))
		}
	}
}

// solve overwrites b with T⁻¹·b; b is incomplete if ctx ends. Groups come after the groups to which they lead. So the
// rows of b to which a phase leads are ready, and
//
//	b_i = (b_i + Σ_j rate_ij·b_j)/out_i
//
// for a single phase, with a factored block for a group of several.
func (t *localBlock) solve(ctx context.Context, b block.Matrix) {
	for k, g := range t.groups {
		if block.Stopped(ctx, k) {
			return
		}
		if g.factor == nil {
			i := g.phases[0]
			row := b.Row(int(i))
			for _, m := range t.rows[i] {
				if m.by == 0 {
					floats.AddScaled(row, m.rate, b.Row(int(m.to)))
				}
			}
			floats.Scale(1/t.out[i], row)
			continue
		}
		in := t.members(&g)
		rows := g.phases.rows(b, 0, b.Cols)
		for e, i := range g.phases {
			for _, m := range t.rows[i] {
				if _, inside := in[m.to]; m.by == 0 && !inside {
					floats.AddScaled(rows.Row(e), m.rate, b.Row(int(m.to)))
				}
			}
		}
		g.factor.Solve(ctx, rows)
		g.phases.put(b, rows)
	}
}

// solveLeft overwrites x with x·T⁻¹. It takes the groups in reverse order: every group passes its entries on to the
// groups to which it leads.
func (t *localBlock) solveLeft(x []float64) {
	for _, g := range slices.Backward(t.groups) {
		if g.factor == nil {
			i := g.phases[0]
			if x[i] == 0 {
				continue
			}
			x[i] /= t.out[i]
			for _, m := range t.rows[i] {
				if m.by == 0 {
					x[m.to] += x[i] * m.rate
				}
			}
			continue
		}
		in, own := t.members(&g), g.phases.gather(x)
		g.factor.SolveLeft(own)
		g.phases.scatter(x, own)
		for _, i := range g.phases {
			for _, m := range t.rows[i] {
				if _, inside := in[m.to]; m.by == 0 && !inside {
					x[m.to] += x[i] * m.rate
				}
			}
		}
	}
}
