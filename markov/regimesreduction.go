package markov

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// reduce solves the levels above b, regime by regime, the last regime first. It returns the drift of the last regime.
func (c *regimeChain) reduce(ctx context.Context, method reduction.Method) (drift float64, iterations int, err error) {
	last := len(c.regimes) - 1
	for t, r := range slices.Backward(c.regimes) {
		if len(c.members[t][c.b]) == 0 {
			continue
		}
		r.Own = c.blocks(c.b+1, t, t)
		if t < last {
			r.Into = c.blocks(c.b+1, t, last)
		} else if drift, err = meanDrift(ctx, r.Own); err != nil {
			return drift, iterations, err
		}
		k, err := r.Solve(ctx, c.g, method)
		iterations = max(iterations, k)
		if err != nil {
			return drift, iterations, err
		}
		if t == last {
			c.g = reduction.Stochastic(reduction.Times(ctx, r.Sojourns, r.Own.Down))
		}
	}
	return drift, iterations, ctx.Err()
}

// eliminate factors −W_l for all levels of a regime, from the lowest up. The levels above b are folded into level b.
func (c *regimeChain) eliminate(ctx context.Context, r *regimeLevels) error {
	levels := c.members[r.number]
	r.first, r.last = 0, -1
	r.up, r.down, r.w = make([]block.Matrix, c.b+1), make([]block.Matrix, c.b+1), make([]*block.GTH, c.b+1)
	var leaves []float64 // rates out of the regime by way of the levels below
	for l, phases := range levels {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(phases) == 0 {
			leaves = nil
			continue
		}
		if r.last < 0 {
			r.first = l
		} else if r.last != l-1 {
			return blockError(l, "regimes", -1, -1, "regime %d has no phase in level %d, but in levels around it", r.number, l-1)
		}
		r.last = l
		local, exit := c.block(l, r.number, 0, r.number), c.leaving(r, l)
		if l < c.b {
			r.up[l] = c.block(l, r.number, 1, r.number)
		} else if err := c.foldExcursions(ctx, r, local, exit); err != nil {
			return err
		}
		if l > r.first {
			r.down[l] = c.block(l, r.number, -1, r.number)
			// W_l = Local_l + Down_l·(−W_{l−1})⁻¹·Up_{l−1}. The rates out of the regime by way of lower levels follow in
			// the same way.
			up := r.up[l-1].Clone()
			r.w[l-1].Solve(ctx, up)
			block.MulAdd(ctx, local, r.down[l], up)
			r.w[l-1].SolveVec(leaves)
			floats.Add(exit, block.MulVec(r.down[l], leaves))
		}
		leaves = slices.Clone(exit)
		if l < c.b && r.up[l].Cols > 0 {
			floats.Add(exit, r.up[l].RowSums())
		}
		var err error
		if r.w[l], err = block.FactorGTH(ctx, local, exit); err != nil {
			return blockError(l, "local", -1, -1, "%w", err)
		}
	}
	return nil
}

// leaving returns the rates at which the phases of a regime in level l lead to other regimes in levels up to b.
func (c *regimeChain) leaving(r *regimeLevels, l int) []float64 {
	rates := make([]float64, len(c.members[r.number][l]))
	for i, phase := range c.members[r.number][l] {
		for _, m := range c.rows[l][phase] {
			if to := l + int(m.by); to <= c.b && c.of[to][m.to] != r.number {
				rates[i] += m.rate
			}
		}
	}
	return rates
}

// foldExcursions adds the excursions through levels above b to the rates local within level b, and to the rates leaving the regime.
// With 0 the last regime, excursions of regime t end in t at the rates Up_tt·(−U_tt)⁻¹·Down_tt. They end in the last
// regime at the rates folded,
//
//	Up_tt·(−U_tt)⁻¹·(Down_t0 + U_t0·G_00) + Up_t0·G_00.
func (c *regimeChain) foldExcursions(ctx context.Context, r *regimeLevels, local block.Matrix, leaving []float64) error {
	up, last := c.block(c.b, r.number, 1, r.number), len(c.regimes)-1
	if r.number == last {
		block.MulAdd(ctx, local, up, c.g)
		return ctx.Err()
	}
	into := r.Into.Down.Clone() // becomes first passages into the last regime, G_t0
	block.MulAdd(ctx, into, r.ToFirst, c.g)
	into = reduction.Times(ctx, r.Sojourns, into)
	block.MulAddEntries(ctx, local, up, reduction.Times(ctx, r.Sojourns, r.Own.Down))
	r.folded = reduction.Times(ctx, up, into)
	block.MulAddEntries(ctx, r.folded, c.block(c.b, r.number, 1, last), c.g)
	floats.Add(leaving, r.folded.RowSums())
	return ctx.Err()
}

// newVisits returns a zero block with so many rows for each level of a regime.
func (c *regimeChain) newVisits(r *regimeLevels, rows int) []block.Matrix {
	x := make([]block.Matrix, c.b+1)
	for l := r.first; l <= r.last; l++ {
		x[l] = block.New(rows, len(c.members[r.number][l]))
	}
	return x
}

// sojourns overwrites x with the mean times in the phases of a regime until the regime is left. Before, x holds the
// numbers of visits to the phases, by level; each row is one start. The factors of the levels are used upward and then
// downward.
func (c *regimeChain) sojourns(ctx context.Context, r *regimeLevels, x []block.Matrix) error {
	for l := r.first + 1; l <= r.last; l++ {
		if !x[l-1].IsZero() {
			through := x[l-1].Clone()
			r.w[l-1].SolveLeftRows(ctx, through)
			block.MulAdd(ctx, x[l], through, r.up[l-1])
		}
	}
	for l := r.last; l >= r.first; l-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l < r.last {
			block.MulAdd(ctx, x[l], x[l+1], r.down[l+1])
		}
		r.w[l].SolveLeftRows(ctx, x[l])
	}
	return nil
}

// addEntryRates adds to rates the rates at which entries of other regimes are reached, a row for each start. x holds
// the mean times in the phases of a regime.
func (c *regimeChain) addEntryRates(ctx context.Context, r *regimeLevels, x []block.Matrix, rates block.Matrix) {
	for l := r.first; l <= r.last; l++ {
		for i, phase := range c.members[r.number][l] {
			for _, m := range c.rows[l][phase] {
				to := l + int(m.by)
				if to > c.b || c.of[to][m.to] == r.number {
					continue
				}
				e := int(c.entry[to][m.to])
				for k := range rates.Rows {
					rates.Data[k*rates.Cols+e] += x[l].Data[k*x[l].Cols+i] * m.rate
				}
			}
		}
	}
	if r.folded.Rows > 0 {
		add := block.Mul(ctx, x[c.b], r.folded)
		for j, phase := range c.members[len(c.members)-1][c.b] {
			for k := range rates.Rows {
				rates.Row(k)[c.entry[c.b][phase]] += add.At(k, j)
			}
		}
	}
}
