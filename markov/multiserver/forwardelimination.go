package multiserver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"github.com/partwise/partwise/markov/multiserver/internal/switchover"
)

// elimination eliminates the levels of the boundary one after the other, from level 1 upward.
//
// The block of a level is indexed by what arrivals find, not by the entries of the level. An arrival that leads to
// level l finds a pair (q, i): its class q and an occupancy i of level l−1. There are r·K_{l−1} pairs, fewer than the
// r·K_l entries. Let E denote the states in service of level l, (a, i), and Z the pairs that arrivals to level l find.
// H of level l−1 leads from a departure to level l−1 to the pair in Z that the next arrival to level l finds. H has
// n·K_{l−1} rows and r·K_{l−1} columns. Then
//
//	X = T⁻¹·(I⊗W)·H of level l−1, n·K_l × r·K_{l−1}   E → departure to level l−1 → Z,  T = −(D0 ⊕ L)
//	Q = T⁻¹·(F⊗I), n·K_l × r·K_l                      E → arrival at level l
//	ends = (I⊗U)·(A·end),  cut = (I⊗U)·(A·cut)        Z → E,  Z → next arrival during the switch-over
//	D = ends·X,  u = (cut + ends·Q)·1                 Z → E → Z,  probability of Z → arrival at level l
//
// The matrix (I−D)⁻¹ holds the mean numbers of visits to Z before an arrival at level l. So what that arrival finds is,
// from E,
//
//	J = Q + X·(I−D)⁻¹·(ends·Q + cut),
//
// and from a departure to level l it is H = end·J + cut. Here end and cut, without (I⊗U), belong to the switch-over
// after the departure. Each level stores only Y = X·(I−D)⁻¹. Its entries are mean numbers of visits to a pair in Z
// before the chain leaves the level upward. [block.GaussJordan] turns X into Y in place, in 2·n·r²·K_l·K_{l−1}²
// operations. The other matrices are sparse. I − D is an M-matrix with row sums u, so nothing is subtracted.
//
// J and H are made for some rows of Y at a time, as columns of transposed matrices. Each transition then combines two
// short rows, and all rows lie in the cache. For mixtures of exponentials a [mixtureStep] makes X without H.
type elimination struct {
	*boundary
	kept    *block.Stack // storage of the matrices that levels keep
	jordan  block.GaussJordan
	mixture *mixtureStep // nil if service or arrivals are of another kind
	below   block.Padded // Y of the level below, if it was eliminated in this run
	passing *block.Stack // storage of below, if that level does not keep its Y
	entries block.Combinations
	entered []float64 // scratch, by occupancy
}

// eliminateUpward eliminates levels 0 to top of a new boundary by [elimination]. The fields top and factored must be
// set before. It sets levelZero, the factors of level 0, and departure, the departures from level c. Level 0 gets k and
// arrival only. Levels 1 to c−1 get what [boundary.newLevel] sets, and found, the arrivals to the level. Levels 1 to
// top get what [boundary.eliminateLevels] sets. The error is a *[markov.BlockError] or ErrReducible if some state is
// never left, or the error of ctx. The boundary is then incomplete.
func (b *boundary) eliminateUpward(ctx context.Context) error {
	s := b.sys
	var err error
	if b.levelZero, err = block.FactorGTH(ctx, s.ar.D0.Clone(), slices.Clone(s.ar.PhaseRates)); err != nil {
		return err
	}
	b.levels[0] = boundaryLevel{k: 1, arrival: s.arrivalTransitions(ctx, 0)}
	for l := 1; l < s.c; l++ {
		lev, err := b.newLevel(ctx, l)
		if err != nil {
			return err
		}
		lev.found = b.levels[l-1].arrival
	}
	b.departure = s.departureTransitions(ctx, s.c)
	return b.eliminateLevels(ctx, 1)
}

// eliminateLevels eliminates the levels from level from ≥ 1 to top, as [elimination] describes. The levels below from
// must be eliminated already, level from−1 with its matrix Y, and the transitions of all levels must be set. For each
// level it sets escape, the probabilities of leaving the level upward, and excursions, the matrix of visits Y. A
// thinned level, see [thinned], gets further, the smaller matrix (I−D)⁻¹ − I, instead of Y. If b.factored, level top
// gets the factors loop instead, and excursions is X. The matrices lie in storage that it appends to b.storage.
//
// If from is above top, it does nothing. The error is a *[markov.BlockError] that names the level with a state that is
// never left, or the error of ctx.
func (b *boundary) eliminateLevels(ctx context.Context, from int) error {
	if from > b.top {
		return ctx.Err()
	}
	w := b.newElimination(from)
	defer w.jordan.Release()
	for l := from; l <= b.top; l++ {
		if err := w.eliminate(ctx, l); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// newElimination returns the elimination of the levels from level from to top, with room for their matrices. The caller
// releases jordan.
func (b *boundary) newElimination(from int) *elimination {
	s := b.sys
	rows, columns := b.visitSize(b.top)
	return &elimination{
		boundary: b, kept: b.newLevelStorage(from), jordan: block.NewGaussJordan(rows, columns), mixture: b.newMixtureStep(),
		entered: s.scratch.Vector(s.index.Size(b.top)), entries: b.newEntryRows(),
	}
}

// eliminate eliminates one level, after the level below it, and sets what [boundary.eliminateLevels] says. The error is a
// *[markov.BlockError] that names the level, or the error of ctx.
func (w *elimination) eliminate(ctx context.Context, level int) error {
	lev, storage := &w.levels[level], w.kept
	thinned := !w.thin.Keeps(level, w.top)
	if thinned {
		storage = w.passingStorage(level)
	}
	rows, columns := w.visitSize(level)
	x := storage.Next(rows, columns)
	lev.escape = w.escapeProbabilities(ctx, lev)
	w.setExcursions(ctx, level, x)
	lev.excursions = x.Matrix
	lev.setEntryRows(&w.entries)
	var err error
	if w.factored && level == w.top {
		err = lev.factor(ctx, x, w.entries)
	} else {
		err = w.jordan.Eliminate(ctx, x, w.entries, lev.escape)
	}
	if ctx.Err() != nil { // x may be incomplete, so that states seem never to be left
		return ctx.Err()
	}
	if err != nil {
		return statespace.Wrong(level, "service", -1, -1, "%w", err)
	}
	if thinned {
		lev.further = w.kept.Next(columns, columns).Matrix
		w.entries.Combine(lev.further, x)
	}
	w.releaseBelow(level - 1)
	if w.below = x; thinned {
		w.passing = storage
	}
	return nil
}

// releaseBelow gives back the storage of the matrix of visits of a level, and clears excursions of the level, if the
// level is thinned: its matrix was needed only for the next level. Otherwise it does nothing. The level is the last
// that was eliminated before the present level. passing is the storage of its matrix, or nil if the level keeps the
// matrix.
func (w *elimination) releaseBelow(level int) {
	if w.passing != nil {
		w.levels[level].excursions = block.Matrix{}
		w.passing.Release()
		w.passing = nil
	}
}

// setExcursions overwrites x with the matrix X of a level l. It leads from a state in service, by a departure, to what
// the next arrival to level l finds. It has a row for each arrival phase and occupancy of level l, and a column for
// each class and occupancy of level l−1. X = T⁻¹·(I⊗W)·H, where H, of [boundary.firstPassages], leads from a departure
// to what the next arrival finds. For mixtures of exponentials a [mixtureStep] makes X without H if it can. The
// columns of the padding of x become zero. Level l−1 must be eliminated and still have its matrix of visits; if it was
// eliminated in this run, this matrix is w.below. x is incomplete if ctx ends.
func (w *elimination) setExcursions(ctx context.Context, level int, x block.Padded) {
	lev, n := &w.levels[level], w.sys.ar.N
	if w.mixture != nil && w.below.Data != nil {
		if w.mixture.set(x.Matrix, lev, &w.levels[level-1], w.below, w.sys.down[level-1]) {
			return
		}
	}
	h := w.firstPassages(ctx, level-1)
	lev.departure.KronMul(ctx, x.Matrix, h, n)
	h.Release()
	lev.inService.Solve(ctx, x.RowRange(0, n*lev.k))
}

// factor sets loop to the factors of I − D of [elimination]. D leads from what an arrival to the level finds to what
// the next arrival finds. In between the chain has gone to a lower level. D has the order N = r·K_{l−1}, for r classes
// and the occupancies of the level below. The field escape must be set before: its N entries are the row sums of I − D,
// and the length gives the order. x is the matrix X, and entries are the rows of ends, as [boundaryLevel.setEntryRows]
// sets them; all three stay unchanged.
//
// The factors replace [block.GaussJordan.Eliminate] for a level through which only vectors go. They take N³/3
// multiplications instead of n·K_l·N², and N² more for each vector. [boundary.release] or [boundary.eliminateTop]
// releases them. The error is ErrReducible if some pair is never left upward, or the error of ctx; loop is then nil.
func (lev *boundaryLevel) factor(ctx context.Context, x block.Padded, entries block.Combinations) (err error) {
	d := entries.Of(x, len(lev.escape))
	lev.loop, err = block.FactorGTH(ctx, d, slices.Clone(lev.escape))
	return err
}

// eliminateTop eliminates level top if it is only factored, because levels above are to be eliminated now. It turns
// excursions of the level from X into the matrix of visits Y, in place, without the factors. It releases the factors
// and sets loop to nil. It sets b.factored to false in each case. The elimination cannot fail where the factors exist.
// If ctx ends, the matrix is incomplete, and the caller checks ctx.
func (b *boundary) eliminateTop(ctx context.Context) {
	lev := &b.levels[b.top]
	b.factored = false
	if lev.loop == nil {
		return
	}
	lev.loop.Release()
	lev.loop = nil
	jordan := block.NewGaussJordan(lev.excursions.Rows, lev.excursions.Cols)
	defer jordan.Release()
	var entries block.Combinations
	lev.setEntryRows(&entries)
	_ = jordan.Eliminate(ctx, block.Padded{Matrix: lev.excursions}, entries, lev.escape)
}

// firstPassagesOfZero returns the distribution of the class of the next arrival after a departure that leaves the
// machine empty: H = (−D0)⁻¹·F of level 0 in [elimination]. It has a row for each arrival phase and a column for each
// class. Columns of zeros pad it to the length [block.PaddedLen] that block products need. The factors of level 0 must
// be set. The result is a scratch block, which the caller releases; it is incomplete if ctx ends.
func (b *boundary) firstPassagesOfZero(ctx context.Context) block.Matrix {
	ar := b.sys.ar
	first := ar.F.Clone()
	b.levelZero.Solve(ctx, first)
	h := block.NewScratch(ar.N, block.PaddedLen(ar.Classes))
	for i := range ar.N {
		copy(h.Row(i), first.Row(i))
	}
	return h
}

// newEntryRows returns empty combinations of rows, which [boundaryLevel.setEntryRows] fills for one level after the
// other: the states in which service begins after an arrival to the level. They have room for every level up to top.
// Service with phase maps may need more room, which is then allocated. The occupancies must be numbered.
func (b *boundary) newEntryRows() block.Combinations {
	s := b.sys
	rows := s.ar.Classes * s.index.Size(b.top-1)
	entries := rows * s.ar.N * s.m
	return block.Combinations{
		Start: s.scratch.Places(rows + 1), Rows: s.scratch.Places(entries), Weights: s.scratch.Vector(entries),
	}
}

// setEntryRows overwrites combinations with the r·K_{l−1} rows of the matrix ends of [elimination] for this level l. A
// row belongs to the class of an arrival and the occupancy of level l−1 that it finds; the class is the major index. It
// holds the probabilities of the states in which service then begins. The index of a state is a·K_l + i for arrival
// phase a and occupancy i. A row sums to less than one if the next arrival can come before service begins. The storage
// of combinations is used again. k, found and ends of the level must be set.
func (lev *boundaryLevel) setEntryRows(combinations *block.Combinations) {
	start, rows, weights := append(combinations.Start[:0], 0), combinations.Rows[:0], combinations.Weights[:0]
	for q := range lev.ends.Rows {
		for i := range lev.found.Rows {
			cols, vals := lev.found.Row(i)
			for a, end := range lev.ends.Row(q) {
				if end == 0 {
					continue
				}
				for e, j := range cols {
					rows = append(rows, int32(a*lev.k)+j)
					weights = append(weights, end*vals[e])
				}
			}
			start = append(start, int32(len(rows)))
		}
	}
	combinations.Start, combinations.Rows, combinations.Weights = start, rows, weights
}

// escapeProbabilities returns the probability, after an arrival to a level, that the next event between levels is again
// an arrival. The new vector has an entry for each class of the arrival, the major index, and occupancy found at the
// level below. The entries are the row sums u of I − D in [elimination], with which the level is eliminated without
// subtractions. The transitions and the solver of lev must be set; w.entered is overwritten. The result is meaningless
// if ctx ends.
func (w *elimination) escapeProbabilities(ctx context.Context, lev *boundaryLevel) []float64 {
	s, k := w.sys, lev.k
	// q = Q·1: the probability that the next event other than a move within the level is an arrival.
	q := block.NewRaw(s.ar.N*k, 1) // T⁻¹·(F⊗I)·1
	defer q.Release()
	for a, rate := range s.ar.PhaseRates {
		for i := range k {
			q.Data[a*k+i] = rate
		}
	}
	lev.inService.Solve(ctx, q)
	up := s.store.Vector(s.ar.Classes * lev.found.Rows)
	entered := w.entered[:k]
	// u = (I⊗U)·((A·cut)·1 + (A·end)·q), row by row of the pairs (class, i).
	for class := range s.ar.Classes {
		cut := block.Sum(lev.cut.Row(class))
		for i := range entered {
			entered[i] = cut
		}
		for a, end := range lev.ends.Row(class) {
			floats.AddScaled(entered, end, q.Data[a*k:(a+1)*k])
		}
		row := up[class*lev.found.Rows:]
		for i := range lev.found.Rows {
			cols, vals := lev.found.Row(i)
			for e, j := range cols {
				row[i] += vals[e] * entered[j]
			}
		}
	}
	return up
}

// panelNumbers is the number of entries of each matrix of a panel that stay in the cache. fewestColumns is the least
// number of columns that is worth combining.
const (
	panelNumbers  = 32768
	fewestColumns = 16
)

// firstPassages returns what the first arrival to level l+1 finds after a departure to an eliminated level l: H of
// [elimination], with n·K_l rows. Row (a, i) belongs to arrival phase a and occupancy i. It is a distribution over the
// r·K_l pairs of a class and an occupancy of level l. Columns of zeros pad the rows to the length [block.PaddedLen]
// that the next level needs. A level above 0 must still have its matrix of visits Y; a factor in its place is not
// enough. Rows are computed in parallel. The result is a scratch block, which the caller releases; it is incomplete if
// ctx ends.
func (b *boundary) firstPassages(ctx context.Context, level int) block.Matrix {
	if level == 0 {
		return b.firstPassagesOfZero(ctx)
	}
	lev := &b.levels[level]
	n, k := b.sys.ar.N, lev.k
	h := block.NewRaw(n*k, block.PaddedLen(b.sys.ar.Classes*k))
	columns := max(fewestColumns, panelNumbers/(n*k))
	step := min(k, (columns+n-1)/n)
	p := &passagePanel{sys: b.sys, lev: lev, switchOver: b.sys.down[level]}
	block.Share(k, step, n*k*n*k*(8+n), func(from, to int) {
		part := *p
		part.allocate(n * step)
		defer part.release()
		for i := from; i < to && ctx.Err() == nil; i += step {
			part.fill(h, i, min(i+step, to))
		}
	})
	return h
}

// passagePanel makes some rows of H from Y, few enough that its matrices stay in the cache. The matrices are
// transposed: each has a column for each of these rows of H.
type passagePanel struct {
	sys        *system
	lev        *boundaryLevel
	switchOver *switchover.SwitchOver // after the departure

	row  block.Matrix // a row of (end⊗I)·Y, not transposed
	y, e block.Matrix // (end⊗I)·Y, and its product with I⊗U, the entries of level l, r·K_l rows
	x, h block.Matrix // (end⊗I)·(I + Y·ends)·T⁻¹, n·K_l rows, and the rows of H, r·K_l rows
}

// allocate makes the five matrices in which a panel computes some rows of [boundary.firstPassages] at a time. row is a
// single row of r·K_{l−1} entries. y, e, x and h have the given number of columns, one for each row of the result, and
// r·K_{l−1}, r·K_l, n·K_l and r·K_l rows. Their entries are undefined. sys and lev of the panel must be set, with
// escape of lev. [passagePanel.release] gives the storage back.
func (p *passagePanel) allocate(columns int) {
	n, r, k := p.sys.ar.N, p.sys.ar.Classes, p.lev.k
	p.row = block.NewRaw(1, len(p.lev.escape))
	p.y, p.e = block.NewRaw(len(p.lev.escape), columns), block.NewRaw(r*k, columns)
	p.x, p.h = block.NewRaw(n*k, columns), block.NewRaw(r*k, columns)
}

// release gives the storage of the five matrices that [passagePanel.allocate] made back to the pools. The panel must
// not be filled any more.
func (p *passagePanel) release() {
	for _, m := range []block.Matrix{p.row, p.y, p.e, p.x, p.h} {
		m.Release()
	}
}

// fill sets rows of h, the result of [boundary.firstPassages]: the rows a·K_l + i for all arrival phases a and the
// occupancies i0 ≤ i < i1, with zeros in the padding. The columns of the panel must be at least n·(i1 − i0), and its
// switchOver must be set. The matrices of the panel are overwritten.
func (p *passagePanel) fill(h block.Matrix, i0, i1 int) {
	k, lev := p.lev.k, p.lev
	columns := p.sys.ar.N * (i1 - i0)
	first := func(m block.Matrix) block.Matrix { return block.Over(m.Rows, columns, m.Data[:m.Rows*columns]) }
	y, entered, x, out := first(p.y), first(p.e), first(p.x), first(p.h)
	p.setDepartures(x, y, i0, i1)
	ctx := context.Background() // a panel is done in less than a millisecond
	// entered = y·(I⊗U) are entries of level l. x = (end⊗I + y·ends)·T⁻¹ are mean times in service.
	p.toEntries(entered, y)
	statespace.KronRowsAdd(ctx, x, statespace.Transposed(lev.ends), entered, k)
	lev.inService.SolveTransposed(x)
	// The next arrival comes in service (F), in a switch-over after an arrival (lev.cut), or in the one after the
	// departure.
	clear(out.Data)
	statespace.KronRowsAdd(ctx, out, statespace.Transposed(p.sys.ar.F), x, k)
	statespace.KronRowsAdd(ctx, out, statespace.Transposed(lev.cut), entered, k)
	p.addCut(out, i0, i1)
	p.setRows(h, out, i0, i1)
}

// setDepartures sets a column of x and y for each row of H that [passagePanel.fill] makes: end⊗I in x, and (end⊗I)·Y
// in y. Column a·(i1 − i0) + i − i0 belongs to a departure in arrival phase a that leads to occupancy i.
func (p *passagePanel) setDepartures(x, y block.Matrix, i0, i1 int) {
	clear(x.Data)
	columns, column := x.Cols, 0
	for a := range p.sys.ar.N {
		for i := i0; i < i1; i++ {
			p.setRow(a, i)
			for e, value := range p.row.Data {
				y.Data[e*columns+column] = value
			}
			for b, end := range p.switchOver.End.Row(a) {
				x.Data[(b*p.lev.k+i)*columns+column] = end
			}
			column++
		}
	}
}

// addCut adds to out, the transposed rows of H that [passagePanel.fill] makes, the arrivals that cut the switch-over after
// the departure short.
func (p *passagePanel) addCut(out block.Matrix, i0, i1 int) {
	k, width := p.lev.k, i1-i0
	for a := range p.sys.ar.N {
		for q, cut := range p.switchOver.Cut.Row(a) {
			for i := range width {
				out.Data[(q*k+i0+i)*out.Cols+a*width+i] += cut
			}
		}
	}
}

// setRows sets the rows of h for the columns of out, as [passagePanel.fill] says. A row is a distribution, so each row is
// divided by its sum: rounding errors would add up from level to level.
func (p *passagePanel) setRows(h, out block.Matrix, i0, i1 int) {
	column := 0
	for a := range p.sys.ar.N {
		for i := i0; i < i1; i++ {
			row := h.Row(a*p.lev.k + i)
			for e := range out.Rows {
				row[e] = out.Data[e*out.Cols+column]
			}
			clear(row[out.Rows:])
			floats.Scale(1/block.Sum(row[:out.Rows]), row[:out.Rows])
			column++
		}
	}
}

// toEntries overwrites entered with the entries of the panel's level l that belong to y: each column becomes y·(I⊗U)
// for the same column of y. y holds what arrivals to level l find, r·K_{l−1} rows by class and occupancy of level l−1.
// entered has r·K_l rows, by class and occupancy of level l after the arrival. y stays unchanged.
func (p *passagePanel) toEntries(entered, y block.Matrix) {
	found, k := p.lev.found, p.lev.k
	clear(entered.Data)
	for i := range y.Rows {
		class, row := i/found.Rows, y.Row(i)
		cols, vals := found.Row(i % found.Rows)
		for e, j := range cols {
			floats.AddScaled(entered.Row(class*k+int(j)), vals[e], row)
		}
	}
}

// setRow overwrites p.row with mean numbers of visits after a departure to the panel's level l. The departure comes in
// arrival phase a and leads to occupancy i of level l. The row has r·K_{l−1} entries: for each class of an arrival to
// level l, and each occupancy of level l−1 that it finds. Visits count until level l is left upward. The switch-over of
// the departure comes first, so that the row is a row of (end⊗I)·Y in [elimination].
func (p *passagePanel) setRow(a, i int) {
	all := len(p.row.Data)
	if p.switchOver.Phases == 0 {
		copy(p.row.Data, p.lev.excursions.Row(a*p.lev.k + i)[:all])
		return
	}
	clear(p.row.Data)
	for b, end := range p.switchOver.End.Row(a) {
		if end != 0 {
			floats.AddScaled(p.row.Data, end, p.lev.excursions.Row(b*p.lev.k + i)[:all])
		}
	}
}
