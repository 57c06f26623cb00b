package markov

import (
	"context"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/levelvectors"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// Regimes is a quasi-birth-and-death process whose phases are divided into regimes. A regime is in force until another
// replaces it, like the division of a machine among its jobs. Levels 0 to b may differ. From level b+1 on all levels are
// alike, with the phases of level b. Most transitions stay within a regime. Transitions into another regime end in few of
// its phases, its entries. The process is solved regime by regime by means of the entries, never in whole levels.
//
// Transitions from or to levels above b lead from every regime to itself or to the last regime, and from the last to
// itself only.
type Regimes struct {
	// Of[l][i] is the regime, numbered from 0, of phase i of level l, 0 ≤ l ≤ b.
	Of [][]int
	// Moves calls add for the transitions out of a phase of level 0 to b+1: by −1, 0 or +1 levels, to a phase, at a rate. Rates
	// to the same phase are added. A rate to the phase itself has no effect.
	Moves func(level, phase int, add func(by, to int, rate float64))
	// ByLevels selects the elimination of levels 0 to b one after the other, instead of the regimes. It suits processes that
	// leave their regimes often and enter each level in few of its phases.
	ByLevels bool
	// Held is the number of bytes that the caller holds for Of and Moves. They are reserved together with the bytes of
	// Solve.
	Held float64
}

// move is a transition to a phase of the level by levels away.
type move struct {
	to   int32
	rate float64
	by   int8
}

// regimeChain holds the transitions and the phases of each regime.
type regimeChain struct {
	b       int
	rows    [][][]move      // by level 0..b+1 and phase
	of      [][]int         // by level 0..b and phase
	members [][]phaseList   // by regime and level 0..b: phases
	place   [][]int32       // by level 0..b and phase: index of the phase among the members of its regime
	entry   [][]int32       // by level 0..b and phase: number of the entry, or −1
	entries [][]levelPhase  // by regime
	count   int             // number of entries
	g       block.Matrix    // first passages of the last regime to the level below, above level b
	regimes []*regimeLevels // by regime: what has been solved
}

type levelPhase struct{ level, phase int32 }

// regimeLevels is a regime with the levels above b folded into level b, and the factors of its levels 0 to b: −W_l =
// −(Local_l + Down_l·(−W_{l−1})⁻¹·Up_{l−1}).
type regimeLevels struct {
	number int
	// The solution above level b; the "first" class is the last regime. Sojourns has no rows if the regime has no phases there.
	// Into and ToFirst, the rates to the last regime, have no rows for the last regime itself.
	reduction.Class

	r        block.Matrix        // R within the regime
	sum      reduction.Geometric // of powers of r
	up, down []block.Matrix      // by level 0..b
	w        []*block.GTH        // by level 0..b: factors of −W_l
	folded   block.Matrix        // rates from level b to the last regime in level b, by way of levels above
	first    int                 // lowest and (last) highest level that has phases
	last     int
}

// Solve returns the stationary distribution. The error is
//   - a *[BlockError] for rates that are not valid or lead where they must not,
//   - a *[parallel.LimitError] if the solve needs more than st.Memory, or the elimination of regimes more than a day,
//   - ErrReducible, ErrUnstable, ErrNoConvergence, ErrMethod, ErrInaccurate, or the error of ctx.
//
// The steps are:
//
//   - Above level b, each regime t other than the last is a [reduction.Class]. Its U_tt and U_t0, where 0 is the last
//
// regime, follow from G_00.
//   - These are folded into level b. So each regime becomes a finite chain that can be left, whose levels are eliminated
//
// from the lowest up.
//   - The mean times in a regime from each entry give the rates between the entries of all regimes.
//   - The stationary vector of the entries gives the vectors of all levels.
//
// With E entries in all and n phases of a level of a regime, the steps cost E³ + Σ n³ operations. The sum is over
// regimes and levels.
func (q *Regimes) Solve(ctx context.Context, st Settings) (*RegimesSolution, error) {
	s, err := q.solve(ctx, st)
	return finished(ctx, s, err)
}

// solve is [Regimes.Solve] without the prefix of its errors.
func (q *Regimes) solve(ctx context.Context, st Settings) (*RegimesSolution, error) {
	began := time.Now()
	method, err := st.reduction()
	if err != nil {
		return nil, err
	}
	c, err := q.check(ctx)
	if err != nil {
		return nil, err
	}
	var byLevels *levelwise
	if q.ByLevels {
		byLevels = c.newLevelwise()
	} else {
		c.findEntries()
	}
	release, err := c.reserve(ctx, st.Memory, method, byLevels, q.Held)
	if err != nil {
		return nil, err
	}
	defer release()
	s := &RegimesSolution{chain: c}
	s.first, s.next = c.b, c.timesR
	d := Diagnostics{Method: method.Name}
	if d.Drift, d.Iterations, err = c.reduce(ctx, method); err != nil {
		return nil, err
	}
	pi, eliminated := levelvectors.Scaled{Exponents: make([]int, c.b+1)}, c.count
	if q.ByLevels {
		s.levels, pi.Exponents, err = byLevels.solve(ctx)
		eliminated = len(c.of[c.b])
	} else {
		s.levels, err = c.solveLevels(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := c.prepareSums(ctx, method); err != nil {
		return nil, err
	}
	s.sumLevels(c.sumR)
	pi.Levels = s.levels[:c.b+1]
	s.normalise(pi)
	d.Residual = s.residual(pi, c.flow, c.out)
	return s, s.finish(d, pi, eliminated, began, st.Tolerance)
}

// check reads and checks the transitions.
func (q *Regimes) check(ctx context.Context) (*regimeChain, error) {
	if q == nil || len(q.Of) == 0 || q.Moves == nil {
		return nil, blockError(0, "rates", -1, -1, "are missing")
	}
	c := &regimeChain{b: len(q.Of) - 1, of: q.Of}
	if err := c.sort(); err != nil {
		return nil, err
	}
	var row []move
	for l := range c.b + 2 {
		rows := make([][]move, len(c.phases(l)))
		for i := range rows {
			if block.Stopped(ctx, i) {
				return nil, ctx.Err()
			}
			row = row[:0]
			var wrong error
			q.Moves(l, i, func(by, to int, rate float64) {
				if err := c.checkMove(l, i, by, to, rate); err != nil {
					wrong = err
				} else if rate > 0 && (by != 0 || to != i) {
					row = append(row, move{int32(to), rate, int8(by)})
				}
			})
			if wrong != nil {
				return nil, wrong
			}
			rows[i] = slices.Clone(row)
		}
		c.rows = append(c.rows, rows)
	}
	return c, nil
}

// phases returns the regimes of the phases of a level.
func (c *regimeChain) phases(level int) []int { return c.of[min(level, c.b)] }

// sort lists the phases of each regime.
func (c *regimeChain) sort() error {
	regimes := 0
	for l, phases := range c.of {
		for i, r := range phases {
			if r < 0 {
				return blockError(l, "regimes", i, -1, "are numbered from 0, not %d", r)
			}
			regimes = max(regimes, r+1)
		}
	}
	c.members = make([][]phaseList, regimes)
	for t := range c.members {
		c.members[t] = make([]phaseList, c.b+1)
		c.regimes = append(c.regimes, &regimeLevels{number: t})
	}
	for l, phases := range c.of {
		place := make([]int32, len(phases))
		for i, r := range phases {
			place[i] = int32(len(c.members[r][l]))
			c.members[r][l] = append(c.members[r][l], int32(i))
		}
		c.place = append(c.place, place)
	}
	if regimes < 2 || len(c.members[regimes-1][c.b]) == 0 {
		return blockError(-1, "regimes", -1, -1, "of %d the last has no phases, or there are fewer than two", regimes)
	}
	return nil
}

// checkMove returns a *[BlockError] for a transition that is wrong: it leads to a phase that does not exist, has no
// valid rate, or leads to a regime that it must not enter.
func (c *regimeChain) checkMove(l, i, by, to int, rate float64) error {
	switch {
	case by < -1 || by > 1 || l+by < 0 || to < 0 || to >= len(c.phases(l+by)):
		return blockError(l, "rates", i, to, "there is no such phase %+d levels on", by)
	case !(rate >= 0):
		return blockError(l, "rates", i, to, "%v is not a rate", rate)
	case l+max(by, 0) <= c.b:
		return nil
	}
	if from, into := c.of[c.b][i], c.of[c.b][to]; from != into && into != len(c.members)-1 {
		return blockError(-1, "regimes", i, to, "lead from regime %d to regime %d", from, into)
	}
	return nil
}

// findEntries numbers the entries: the phases of levels 0 to b that are entered from another regime. All phases of the
// last regime in level b are entries, because they can be entered by way of levels above.
func (c *regimeChain) findEntries() {
	for _, phases := range c.of {
		c.entry = append(c.entry, slices.Repeat([]int32{-1}, len(phases)))
	}
	last := len(c.members) - 1
	for _, i := range c.members[last][c.b] {
		c.entry[c.b][i] = 0
	}
	for l := range c.b + 1 {
		for i, row := range c.rows[l] {
			for _, m := range row {
				if to := l + int(m.by); to <= c.b && c.of[to][m.to] != c.of[l][i] {
					c.entry[to][m.to] = 0
				}
			}
		}
	}
	c.entries = make([][]levelPhase, len(c.members))
	for t := range c.members {
		for l, phases := range c.members[t] {
			for _, i := range phases {
				if c.entry[l][i] == 0 {
					c.entry[l][i] = int32(c.count)
					c.count++
					c.entries[t] = append(c.entries[t], levelPhase{int32(l), i})
				}
			}
		}
	}
}

// block returns the rates from regime t in level l to regime into in level l+by.
func (c *regimeChain) block(l, t, by, into int) block.Matrix {
	if l+by < 0 {
		return block.Matrix{}
	}
	from, to := c.members[t][min(l, c.b)], min(l+by, c.b)
	m := block.New(len(from), len(c.members[into][to]))
	for i, phase := range from {
		for _, e := range c.rows[l][phase] {
			if int(e.by) == by && c.of[to][e.to] == into {
				m.Row(i)[c.place[to][e.to]] += e.rate
			}
		}
	}
	return m
}

// blocks returns the rates from regime t in level l to regime into: up, within the level and down.
func (c *regimeChain) blocks(l, t, into int) reduction.Blocks {
	return reduction.Blocks{Up: c.block(l, t, 1, into), Local: c.block(l, t, 0, into), Down: c.block(l, t, -1, into)}
}

// solveLevels returns the vectors of levels 0 to b+1, up to a common factor, by the elimination of regimes.
func (c *regimeChain) solveLevels(ctx context.Context) ([][]float64, error) {
	// between holds the probabilities that the next entry after one entry is another one, from the mean times in a
	// regime.
	between := block.New(c.count, c.count)
	row := 0
	for t, r := range c.regimes {
		if err := c.eliminate(ctx, r); err != nil {
			return nil, err
		}
		for starts := range slices.Chunk(c.entries[t], c.startsAtATime(t)) {
			if err := c.followStarts(ctx, r, starts, between.RowRange(row, row+len(starts))); err != nil {
				return nil, err
			}
			row += len(starts)
		}
	}
	// entered are the relative frequencies of the entries. With the mean times after an entry, they give the levels.
	entered, err := block.StationaryGTH(ctx, between)
	if err != nil {
		return nil, blockError(c.b, "local", -1, -1, "states in more than one closed class: %w", ErrReducible)
	}
	levels := make([][]float64, c.b+2)
	for l := range levels {
		levels[l] = make([]float64, len(c.phases(l)))
	}
	for t, r := range c.regimes {
		x := c.newVisits(r, 1)
		for _, e := range c.entries[t] {
			x[e.level].Data[c.place[e.level][e.phase]] = entered[c.entry[e.level][e.phase]]
		}
		if err := c.sojourns(ctx, r, x); err != nil {
			return nil, err
		}
		for l := r.first; l <= r.last; l++ {
			for i, phase := range c.members[t][l] {
				levels[l][phase] = x[l].Data[i]
			}
		}
	}
	c.aboveLevelB(levels)
	return levels, ctx.Err()
}

// followStarts adds to rates the rates at which entries of other regimes are reached. Each row belongs to a start: an
// entry of the regime r, at which the process is when it begins.
func (c *regimeChain) followStarts(ctx context.Context, r *regimeLevels, starts []levelPhase, rates block.Matrix) error {
	x := c.newVisits(r, len(starts))
	for k, e := range starts {
		x[e.level].Row(k)[c.place[e.level][e.phase]] = 1
	}
	if err := c.sojourns(ctx, r, x); err != nil {
		return err
	}
	c.addEntryRates(ctx, r, x, rates)
	return nil
}

// aboveLevelB sets the vector of level b+1, given the vector of level b.
func (c *regimeChain) aboveLevelB(levels [][]float64) {
	c.flow(levels[c.b], c.b, 1, levels[c.b+1])
	c.solveLeft(levels[c.b+1])
}

// solveLeft overwrites x with x·(−U)⁻¹, with U of the levels above b. U is block triangular: other regimes lead to the
// last one.
func (c *regimeChain) solveLeft(x []float64) {
	last := len(c.regimes) - 1
	into := c.repeating(last).gather(x)
	for t, r := range c.regimes[:last] {
		if r.Sojourns.Rows == 0 {
			continue
		}
		own := block.VecMul(c.repeating(t).gather(x), r.Sojourns)
		c.repeating(t).scatter(x, own)
		block.VecMulAdd(into, own, r.ToFirst)
	}
	c.repeating(last).scatter(x, block.VecMul(into, c.regimes[last].Sojourns))
}

// repeating returns the phases of a regime in the levels from b on.
func (c *regimeChain) repeating(t int) phaseList { return c.members[t][c.b] }

// phaseList is a list of phases of a level.
type phaseList []int32

// gather returns the entries of a vector of the level at these phases; scatter sets them.
func (p phaseList) gather(x []float64) []float64 {
	y := make([]float64, len(p))
	for k, i := range p {
		y[k] = x[i]
	}
	return y
}

// scatter overwrites the entries of x, a vector over a whole level, that belong to the listed phases with the entries
// of y.
func (p phaseList) scatter(x, y []float64) {
	for k, i := range p {
		x[i] = y[k]
	}
}

// rows returns a copy of the columns from to to−1 of the rows of these phases; put sets whole rows.
func (p phaseList) rows(m block.Matrix, from, to int) block.Matrix {
	out := block.New(len(p), to-from)
	for k, i := range p {
		copy(out.Row(k), m.Row(int(i))[from:to])
	}
	return out
}

// put overwrites the rows of m that belong to the listed phases with the given rows.
func (p phaseList) put(m, rows block.Matrix) {
	for k, i := range p {
		copy(m.Row(int(i)), rows.Row(k))
	}
}

// timesR returns x·R = x·Up·(−U)⁻¹.
func (c *regimeChain) timesR(x []float64) []float64 {
	y := make([]float64, len(x))
	c.flow(x, c.b+1, 1, y)
	c.solveLeft(y)
	return y
}

// prepareSums computes R of every regime and prepares the sums of its powers.
func (c *regimeChain) prepareSums(ctx context.Context, method reduction.Method) error {
	for _, r := range c.regimes {
		if r.Sojourns.Rows == 0 {
			continue
		}
		r.r = reduction.Times(ctx, r.Own.Up, r.Sojourns)
		r.sum = method.Sum(ctx, r.r)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// sumR overwrites x with x·(I − R)⁻¹, where R is block triangular: first in the regimes that can be left, then in the
// last, into which they lead.
func (c *regimeChain) sumR(x []float64) {
	last := len(c.regimes) - 1
	left := make([]float64, len(x))
	for t, r := range c.regimes[:last] {
		if r.Sojourns.Rows == 0 {
			continue
		}
		own := c.repeating(t).gather(x)
		r.sum.SolveLeft(own)
		c.repeating(t).scatter(left, own)
	}
	into := c.repeating(last).gather(c.timesR(left))
	floats.Add(into, c.repeating(last).gather(x))
	c.regimes[last].sum.SolveLeft(into)
	copy(x, left)
	c.repeating(last).scatter(x, into)
}

// out returns the total rates out of the phases of a level.
func (c *regimeChain) out(level int) []float64 {
	rates := make([]float64, len(c.phases(level)))
	for i, row := range c.row(level) {
		for _, m := range row {
			rates[i] += m.rate
		}
	}
	return rates
}

// RegimesSolution is the stationary distribution of [Regimes]. Phases have the numbers that they have there.
type RegimesSolution struct {
	levelVectors
	chain *regimeChain
}

// DecayRate returns the limit of P(level = i+1)/P(level = i), the largest spectral radius of R within a regime. The
// error comes from ctx.
func (s *RegimesSolution) DecayRate(ctx context.Context) (float64, error) {
	if s == nil || s.chain == nil {
		return 0, prefixed(errNoSolution)
	}
	decay := 0.0
	for _, r := range slices.Backward(s.chain.regimes) {
		if r.r.NormInf() > decay { // a bound of the spectral radius
			decay = max(decay, block.Perron(ctx, r.r))
		}
	}
	return finished(ctx, decay, nil)
}
