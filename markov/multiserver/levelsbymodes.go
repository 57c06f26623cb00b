package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/sensitivity"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// levelCByModes returns two vectors of level c: its entries, arrivals from below by class and occupancy, and the
// probabilities of its states in service, by arrival phase and occupancy. Both are in a unit in which the entries sum
// to about one; the caller normalises them. The modes must be set, and basis for iteration. It sets balance, the
// coefficients b, vectors, and what [repeatingPart.correctLevels] sets: level c and the levels near it are corrected.
// Levels of the boundary b may be eliminated meanwhile. The caller releases balance. The second vector is corrected[0].
//
// The error comes from [repeatingPart.solveBalance] or correctLevels. It wraps ErrInaccurate if level c or c+1 has
// negative probabilities that matter, see [spectrum.CheckNegative].
func (rp *repeatingPart) levelCByModes(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	if rp.balance, err = rp.solveBalance(ctx, b); err != nil {
		return nil, nil, err
	}
	rp.b = rp.balance.normalisedCoefficients(nil, rp.balance.b)
	levels := rp.levelsByModes(ctx)
	if entry, err = rp.correctLevels(ctx, b, levels); err != nil {
		return nil, nil, err
	}
	for _, v := range levels[:2] {
		if err := spectrum.CheckNegative(v); err != nil {
			return nil, nil, err
		}
	}
	rp.balance.dropPending()
	return entry, rp.corrected[0], nil
}

// dropScratch drops what only the solve needs of levels known by modes, and what lies in the scratch of the system: the
// factors of the equations for the coefficients, the sums of modes, and the last changes of corrected levels.
func (rp *repeatingPart) dropScratch() {
	rp.balance.release()
	rp.vectors, rp.lastChange = spectrum.LevelVectors{}, nil
}

// If a level has less than rarelyBusier times the probability of the level before, the levels up to c+mostNear are
// corrected. Above these levels, less probability is left than modes lose. The same levels are corrected where modes
// have lost too many digits of level c, see [Solution.improve]. All other levels above c are as the modes give them.
const (
	rarelyBusier = 0.25
	mostNear     = 10
)

// levelsByModes sets vectors, all sums of modes that the solution needs, in one pass over the modes. It returns the
// levels from c on that [repeatingPart.correctLevels] corrects, as the modes give them, and the level after them. Each
// level holds its states in service, a number for each arrival phase and occupancy. Level c alone is corrected, so that
// the result has 2 levels, unless the decay rate of the queue without switch-overs is below rarelyBusier, 0.25, or
// rp.improved is set: a first solve was not accurate enough. Then mostNear, 10, further levels are corrected too,
// because rare levels are differences of modes, and the result has 12 levels. The coefficients rp.b must be set, and
// the vectors have their unit. They lie in the scratch of the system, but levels to correct in its store. If ctx ends,
// the choice between the two may be wrong.
func (rp *repeatingPart) levelsByModes(ctx context.Context) [][]float64 {
	corrected := 1
	if rp.improved || rp.sys.station.QueueDecay(ctx) < rarelyBusier {
		corrected = mostNear + 1
	}
	rp.vectors = rp.LevelVectors(rp.sys.scratch, rp.b, spectrum.LevelChoice{
		Levels:   max(corrected, residualLevels) + 1,
		SumsFrom: corrected,
		Fourfold: sensitivity.Nearby + 1,
		Masses:   sensitivity.Farthest + 1,
		Unit:     rp.farUnit,
	})
	levels := rp.vectors.Levels[:corrected+1]
	for k, x := range levels[:corrected] { // the solution keeps corrected levels
		levels[k] = rp.sys.store.Clone(x)
	}
	return levels
}

// residualLevels is the number of levels above c whose states the residual reads: levels c+1 and c+2.
const residualLevels = 2

// scaleModes multiplies the coefficients of the modes and their sums over all levels above the corrected ones by the
// factor f, in place. Levels near c, in vectors.Levels, stay unchanged.
func (rp *repeatingPart) scaleModes(f float64) {
	cmplxs.Scale(complex(f, 0), rp.b)
	for _, list := range [][][]float64{rp.vectors.Sums[:], rp.vectors.Fourfold, {rp.vectors.Masses, rp.vectors.Tails}} {
		for _, x := range list {
			floats.Scale(f, x)
		}
	}
}

// balanceFlows scales all given levels except the last, in place. Then the flow of arrivals from each level to the next
// equals the flow of departures back. levels holds the states in service of levels c, c+1, …, each by arrival phase and
// occupancy. Only queues without a switch-over at level c balance so. Sweeps alone, see [repeatingPart.correctLevels],
// would take as many steps as a random walk through the levels takes to forget where it began.
//
// Reference for sweeps that alternate with the balance of groups of states: J. R. Koury, D. F. McAllister, W. J.
// Stewart, Iterative methods for computing stationary distributions of nearly completely decomposable Markov chains,
// SIAM J. Alg. Disc. Meth. 5 (1984) 164–186.
func (rp *repeatingPart) balanceFlows(levels [][]float64) {
	k, rates := rp.k, rp.sys.ar.PhaseRates
	for l := len(levels) - 2; l >= 0; l-- {
		up, down := 0.0, 0.0
		for a, rate := range rates {
			up += rate * block.Sum(levels[l][a*k:(a+1)*k])
			down += floats.Dot(rp.departures, levels[l+1][a*k:(a+1)*k])
		}
		floats.Scale(down/up, levels[l])
	}
}

// Sweeps end when no level changes by more than settledLevel, which is rounding, relative to itself. They also end when
// changes no longer halve, or after mostSweeps. The last change counts in the error bounds. mostRaised is the largest
// relative correction of the modes above the corrected levels. A larger difference shows that these levels are not the
// slowest mode alone.
const (
	settledLevel = fewRoundings
	mostSweeps   = 20
	mostRaised   = 1e-3
)

// checkClosing returns an error that wraps ErrInaccurate if the modes have lost the last of the given levels, otherwise
// nil. levels holds the states in service of three or more levels from c on; all but the last are corrected. At loads
// of a few per cent on many servers the last level has a probability of 1e-35 or less. It is then a difference of
// numbers that exceed it by sixteen digits. No change of the modes shows the error, if the level stays a small part of
// what it should be.
//
// Let r_k be the ratio of the sums of level k and the level before, over the root of the slowest mode, less one. Faster
// modes make r_k fall by nearly the same factor from level to level. Let r be the number r_k of the level before. The
// level is lost if its r_k is NaN, or differs from r by more than |r|/2 + mostRaised, with mostRaised = 10⁻³.
func (rp *repeatingPart) checkClosing(levels [][]float64) error {
	after := len(levels) - 1
	excess := func(k int) float64 {
		return block.Sum(levels[k])/(real(rp.List[0].Z)*block.Sum(levels[k-1])) - 1
	}
	before := excess(after - 1)
	if off := math.Abs(excess(after) - before); !(off <= math.Abs(before)/2+mostRaised) {
		return fmt.Errorf("spectral expansion: level %d differs by %.1g of itself from the level before: %w",
			rp.sys.c+after, off, markov.ErrInaccurate)
	}
	return nil
}

// correctLevels replaces all given levels except the last by corrected vectors, in the list levels. It returns the
// entries of level c, arrivals from below by class and occupancy. levels holds the states in service of two or more
// levels c, c+1, …, each by arrival phase and occupancy. Where modes nearly cancel, rare occupancies of a level lose
// digits, and so do rare levels. Steps of the balance equations are sums of nonnegative terms and restore the digits:
//
//	x_0 = (z·(atom·A⊗I) + u_0·(ending⊗I) + x_1·(I⊗V))·T⁻¹,   z = x_0·flow, the entries of level c,
//	x_k = (x_{k−1}·(F·A⊗I) + u_k·(ending⊗I) + x_{k+1}·(I⊗V))·T⁻¹,   k ≥ 1,
//
// with T of level c, u_k of [repeatingPart], and atom and ending of the [switchOver] of level c. Without a switch-over,
// atom is one and there are no u_k. A single step corrects level c alone. More levels take sweeps over them until no
// level changes by more than settledLevel, at most mostSweeps. Sweeps also end when changes no longer halve, unless
// rp.improved is set, see [Solution.improve]. Levels settle in the same way where rp.changed is set, for modes that have
// changed at random. How many sweeps the first modes took depends on their roundings, and the effect of a change would
// depend on this number. The last level is not checked then.
//
// The function sets corrected to the levels except the last, and lastChange to the last change of each of them. The last
// level, the coefficients rp.b and the sums of modes in vectors are scaled, in place, to agree with the highest corrected
// level. A sweep does not scale them if they would change by more than mostRaised, 10⁻³. They also stay as they are if
// only level c is corrected, or if rp.improved is set. Flows through the boundary b may change its pending departures, or
// eliminate its levels. The error wraps ErrInaccurate if the modes have lost the last level, see
// [repeatingPart.checkClosing]. Otherwise it comes from an elimination, [system.inServiceBlock] or ctx.
func (rp *repeatingPart) correctLevels(ctx context.Context, b *boundary, levels [][]float64) (entry []float64, err error) {
	t, err := rp.sys.inServiceBlock(ctx, rp.sys.c, &rp.moves)
	if err != nil {
		return nil, err
	}
	rp.corrected = levels[:len(levels)-1]
	rp.lastChange = make([][]float64, len(rp.corrected))
	last, raised := math.Inf(1), 1.0
	for sweep := 1; ; sweep++ {
		if rp.improved {
			rp.balanceFlows(levels)
		}
		if entry, err = b.entriesAfter(ctx, levels[0]); err != nil {
			return nil, err
		}
		unfinished, largest := rp.switchOversStarted(entry), 0.0
		next := rp.sys.scratch.Vector(len(unfinished))
		for k, before := range rp.corrected {
			x := rp.lastChange[k] // storage of the change before the last
			if x == nil {
				x = rp.sys.store.Vector(len(before))
			}
			clear(x)
			if k == 0 {
				rp.addServiceStarts(x, entry)
			} else {
				rp.setNextUnfinished(next, unfinished)
				unfinished, next = next, unfinished
				rp.addServiceStartsAbove(x, levels[k-1], unfinished)
			}
			rp.refill.KronLeft(x, levels[k+1], rp.sys.ar.N)
			t.SolveLeft(x)
			rp.lastChange[k] = floats.SubTo(before, before, x)
			largest = max(largest, floats.Norm(rp.lastChange[k], 1)/math.Abs(block.Sum(x)))
			levels[k] = x
		}
		if len(rp.corrected) == 1 {
			break
		}
		// Above these levels the slowest mode is alone. Its ratio from one level to the next stays, its coefficient is corrected.
		top := len(rp.corrected) - 1
		raise := block.Sum(levels[top]) / (block.Sum(levels[top]) + block.Sum(rp.lastChange[top]))
		if !rp.improved && math.Abs(raise-1) <= mostRaised {
			floats.Scale(raise, levels[top+1])
			raised *= raise
		}
		if largest <= settledLevel || !rp.improved && !(largest <= last/2) || sweep == mostSweeps {
			break
		}
		last = largest
	}
	if len(rp.corrected) > 1 && !rp.changed {
		if err := rp.checkClosing(levels); err != nil {
			return nil, err
		}
	}
	if raised != 1 {
		rp.scaleModes(raised)
	}
	return entry, ctx.Err()
}

// addServiceStarts adds to the vector to the rates at which service begins at level c after arrivals from below: n·K
// numbers, by arrival phase and occupancy. entry holds these arrivals, r·K rates by class and occupancy, and stays
// unchanged. Service begins at once, or when the switch-over of the level ends before the next arrival.
func (rp *repeatingPart) addServiceStarts(to, entry []float64) {
	g, k := rp.switchOver, rp.k
	if g.phases == 0 {
		statespace.KronVec(to, entry, rp.sys.ar.A, k)
		return
	}
	statespace.KronVec(to, floats.ScaleTo(make([]float64, len(entry)), g.atom, entry), rp.sys.ar.A, k)
	statespace.KronVec(to, rp.switchOversStarted(entry), g.ending, k)
}

// addServiceStartsAbove adds to the vector to, n·K numbers by arrival phase and occupancy, the rates at which service
// begins at a level above c. Service begins there by arrivals during service at the level below; x holds the
// probabilities of the states in service there, listed as to. It also begins when a switch-over ends that was
// unfinished at an arrival to the level. unfinished holds the rates of these arrivals, r·s·K numbers by class,
// switch-over phase and occupancy; it is not read if level c has no switch-over. x and unfinished stay unchanged.
func (rp *repeatingPart) addServiceStartsAbove(to, x, unfinished []float64) {
	come := block.NewScratch(1, rp.sys.ar.Classes*rp.k)
	defer come.Release()
	statespace.KronVec(come.Data, x, rp.sys.ar.F, rp.k)
	statespace.KronVec(to, come.Data, rp.sys.ar.A, rp.k)
	if rp.switchOver.phases > 0 {
		statespace.KronVec(to, unfinished, rp.switchOver.ending, rp.k)
	}
}

// setNextUnfinished overwrites the vector to with the rates of arrivals one level higher that find the switch-over of
// level c unfinished. u holds the rates of arrivals at the level before that find it unfinished, and stays unchanged.
// Both have r·s·K numbers, by class, switch-over phase and occupancy, and must not overlap. Without a switch-over it
// does nothing.
func (rp *repeatingPart) setNextUnfinished(to, u []float64) {
	if rp.switchOver.phases > 0 {
		clear(to)
		statespace.KronVec(to, u, rp.switchOver.next, rp.k)
	}
}

// sumsByModes returns three new vectors x[p] = Σ_{k≥0} k(k−1)…(k−p+1)·x_k for p = 0, 1, 2. x_k holds the states in
// service of level c+k, n·K numbers by arrival phase and occupancy. Moments of the level need these sums. The corrected
// levels are the w levels from c to c+w−1; the others are sums of modes, in the field vectors. Both must be set and in
// the same unit. With S_p the sums over k ≥ w with factors of k − w in place of k,
//
//	Σ x_k = S_0,   Σ k·x_k = w·S_0 + S_1,   Σ k(k−1)·x_k = w(w−1)·S_0 + 2w·S_1 + S_2.
func (rp *repeatingPart) sumsByModes() (x [3][]float64) {
	n := float64(len(rp.corrected))
	for p, sum := range rp.vectors.Sums {
		x[p] = rp.sys.store.Clone(sum)
	}
	floats.AddScaled(x[2], 2*n, x[1])
	floats.AddScaled(x[2], n*(n-1), x[0])
	floats.AddScaled(x[1], n, x[0])
	for k, near := range rp.corrected {
		k := float64(k)
		for p, factor := range [3]float64{1, k, k * (k - 1)} {
			floats.AddScaled(x[p], factor, near)
		}
	}
	return x
}

// tailByModes returns P(level ≥ c+k and in service), k ≥ 0: the sum of the corrected levels from c+k on, and of the
// modes at all other levels from c+k on. Small results may be negative by rounding.
func (rp *repeatingPart) tailByModes(k int) (tail float64) {
	level, w := rp.AtLevel(max(k, len(rp.corrected))), make([]complex128, rp.Order())
	for j := range rp.List {
		copy(w, rp.b[j*len(w):])
		level(j, w)
		rp.Sum(j, w)
		tail += real(rp.Mass(j, w))
	}
	for ; k < len(rp.corrected); k++ {
		tail += block.Sum(rp.corrected[k])
	}
	return tail
}
