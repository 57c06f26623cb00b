package multiserver

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/switchover"
)

// mixtureStep makes X of a level from Y of the level below, for service in two phases and renewal arrivals, both
// mixtures of exponentials. Neither the phase of a job nor the phase of the arrivals changes then while a level lasts:
// T is diagonal, and with the symbols of [elimination] so are
//
//	Q = T⁻¹·F,   g = cut + A·end·Q,      in service → arrival,  entry → arrival,  by occupancy.
//
// H of the level below and X of this level are
//
//	H = end·(Q + Y·U·diag(g)) + cut,   X = T⁻¹·(I⊗W)·H.
//
// Occupancies of two phases are listed by the jobs in the second phase. So an arrival, by U, leaves the place of an
// occupancy or moves it by one, and so does a departure, by W. A row of X is a combination of two rows of Y, each at
// two places, and H is not needed. The step takes 4·n·K² multiplications, in one pass over Y, where the panels of
// [boundary.firstPassages] take some ten passes. It pays at all sizes, most below 200 servers, where a level stays in
// the cache.
type mixtureStep struct {
	sys     *system
	weights []float64    // of the rows of Y in a row of X, four for each row
	g       []float64    // padded with zeros
	q       block.Matrix // end·Q + cut, n × K_{l−1}
}

// newMixtureStep returns a fast step of the elimination of levels up to top; see [mixtureStep]. Its scratch is large
// enough for all these levels. It serves service in two phases and renewal arrivals that are both mixtures of
// exponentials at all levels. The step is nil for other service or arrivals. It is also nil where rates are more than
// manyDecades, 8, powers of ten apart, because products could underflow.
func (b *boundary) newMixtureStep() *mixtureStep {
	s := b.sys
	if s.m != 2 || s.ar.Classes != 1 || !s.ar.Diagonal || s.decades > manyDecades {
		return nil
	}
	for _, t := range s.t {
		if !t.IsZero() {
			return nil
		}
	}
	most := s.index.Size(b.top)
	return &mixtureStep{
		sys: s, weights: s.scratch.Vector(4 * most), g: s.scratch.Vector(block.PaddedLen(most)),
		q: s.scratch.Matrix(s.ar.N, most),
	}
}

// set overwrites x with the matrix X of level lev in [elimination]: from a state in service, by a departure, to what
// the next arrival to the level finds. X has a row for each arrival phase and occupancy, and a column for each
// occupancy of the level below. y is Y, the matrix of visits of the level below; it stays unchanged. after is the
// switch-over after a departure to the level below. The moves, ends, cut and transitions of both levels must be set.
// set reports false, and changes nothing, if arrivals or departures move occupancies by other places, as a phase map
// can make them do.
func (w *mixtureStep) set(x block.Matrix, lev, below *boundaryLevel, y block.Padded, after *switchover.SwitchOver) bool {
	if below.found.Shift != 1 || lev.departure.Shift != -1 {
		return false
	}
	shifts := [2]float64(below.found.Val) // the same for all occupancies
	w.setArrivals(below)
	if after.Phases > 0 {
		through := block.NewStack(x.Cols, block.PaddedSize(y.Rows, y.Cols))
		defer through.Release()
		y = w.throughSwitchOver(through, y, below.k, after)
	}
	for a := range w.sys.ar.N {
		w.setRows(x.RowRange(a*lev.k, (a+1)*lev.k), a, lev, y, below.k, shifts)
	}
	return true
}

// setArrivals sets w.g and w.q for the level below, g and Q of [mixtureStep]: the probability that the next event
// between levels is an arrival. g is this probability after an entry of the level, a number for each occupancy followed
// by zeros. q, n × K_{l−1}, is the probability during service, a row for each arrival phase and a column for each
// occupancy.
func (w *mixtureStep) setArrivals(below *boundaryLevel) {
	k := below.k
	w.g, w.q = w.g[:block.PaddedLen(k)], block.Over(w.q.Rows, k, w.q.Data[:w.q.Rows*k])
	clear(w.g)
	for a := range w.q.Rows {
		q, out := w.q.Row(a), below.moves.out[a*k:(a+1)*k]
		for i := range q {
			q[i] = w.sys.ar.F.Data[a] / out[i]
		}
		floats.AddScaled(w.g[:k], below.ends.Data[a], q)
	}
	floats.AddConst(below.cut.Data[0], w.g[:k])
}

// throughSwitchOver returns end·Y for the matrix of visits y = Y of a level with k occupancies: visits after a
// departure whose switch-over has to end first. end leads to the arrival phase at its end, and cut is the probability
// that an arrival comes first. It overwrites w.q = Q, which [mixtureStep.setArrivals] has set, with end·Q + cut: the
// probability that the next event between levels is an arrival. The result has the size of y and lies in storage; y
// stays as it is.
func (w *mixtureStep) throughSwitchOver(storage *block.Stack, y block.Padded, k int, after *switchover.SwitchOver) block.Padded {
	n, size := w.sys.ar.N, k*y.Cols
	ended, q := storage.Next(n*k, y.Cols-1), block.New(n, k)
	clear(ended.Data)
	for a := range n {
		floats.AddConst(after.Cut.Data[a], q.Row(a))
		for b, end := range after.End.Row(a) {
			floats.AddScaled(ended.Data[a*size:(a+1)*size], end, y.Data[b*size:(b+1)*size])
			floats.AddScaled(q.Row(a), end, w.q.Row(b))
		}
	}
	copy(w.q.Data, q.Data)
	return ended
}

// The sums of rows drift from level to level by less than one rounding. They are checked on every levelsPerSum-th
// level, because a sum takes as long as making the row. sumTol is the relative error of a sum up to which the row stays
// as it is. The error is removed once it has grown to a few roundings.
const (
	levelsPerSum = 4
	sumTol       = 4 * block.UnitRoundoff
)

// setRows overwrites x with the rows of the matrix X of level lev for one arrival phase, a row for each occupancy. X
// leads from a state in service, by a departure, to what the next arrival finds; see [mixtureStep]. y is the matrix of
// visits of the level below, which has k occupancies. shifts holds the probabilities by which an arrival leaves the
// place of an occupancy or moves it by one. w.g and w.q must be set; w.weights is scratch.
func (w *mixtureStep) setRows(x block.Matrix, arrivalPhase int, lev *boundaryLevel, y block.Padded, k int, shifts [2]float64) {
	times, rates := lev.moves.Over[arrivalPhase*lev.k:], lev.departure.Val
	weights := w.weights[:4*lev.k]
	for i := range lev.k {
		stay, move := rates[2*i]*times[i], rates[2*i+1]*times[i]
		of := weights[4*i : 4*i+4]
		of[0], of[1], of[2], of[3] = stay*shifts[0], stay*shifts[1], move*shifts[0], move*shifts[1]
	}
	y.CombineShifted(x, w.g, weights, arrivalPhase*k, [2]int{0, 1})
	for j, q := range w.q.Row(arrivalPhase) { // departures to occupancy j come from j and j+1
		x.Row(j)[j] += rates[2*j] * times[j] * q
		x.Row(j + 1)[j] += rates[2*j+3] * times[j+1] * q
	}
	if (lev.k-1)%levelsPerSum == 0 { // level l has l+1 occupancies of two phases
		for i := range lev.k {
			correctSum(x.Row(i), rates[2*i]*times[i]+rates[2*i+1]*times[i])
		}
	}
}

// correctSum scales a row of X to the given sum, departure rates over total rates, if its sum is off by more than
// sumTol. Otherwise rounding errors would add up from level to level.
func correctSum(row []float64, leaves float64) {
	if sum := block.Sum(row); math.Abs(sum-leaves) > sumTol*leaves {
		floats.Scale(leaves/sum, row)
	}
}
