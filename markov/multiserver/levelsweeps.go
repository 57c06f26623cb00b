package multiserver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/sensitivity"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Sweeps end when no level changes by more than settledLevel, which is rounding, relative to itself. They also end when
// changes no longer halve, or after mostSweeps. The last change counts in the error bounds. mostRaised is the largest
// relative correction of the modes above the corrected levels. A larger difference shows that these levels are not the
// slowest mode alone.
//
// Where the modes above follow the corrected levels, changes need not halve. With long phases of service they fall by a
// sixth in each sweep. The modes that change at random begin twenty times as far off as the modes themselves, and what is
// left of that counts in the error bounds. In a queue of 495 occupancies mostFollowed sweeps leave bounds of 2·10⁻¹² to
// 2·10⁻¹¹ for eight draws of these changes; 30 sweeps leave up to 9·10⁻¹¹.
const (
	settledLevel = fewRoundings
	mostSweeps   = 20
	mostFollowed = 40
	mostRaised   = 1e-3
)

// sweeps correct the levels c, c+1, … of a repeating part, one after the other in each sweep. Where modes nearly cancel,
// rare occupancies of a level lose digits, and so do rare levels. Steps of the balance equations are sums of nonnegative
// terms and restore the digits:
//
//	x_0 = (z·(atom·A⊗I) + u_0·(ending⊗I) + x_1·(I⊗V))·T⁻¹,   z = x_0·flow, the entries of level c,
//	x_k = (x_{k−1}·(F·A⊗I) + u_k·(ending⊗I) + x_{k+1}·(I⊗V))·T⁻¹,   k ≥ 1,
//
// with T of level c, u_k of [repeatingPart], and atom and ending of the switch-over of level c. Without a switch-over,
// atom is one and there are no u_k. A step takes some ten multiplications for each state of a level.
type sweeps struct {
	*repeatingPart
	below     *boundary
	inService statespace.InServiceBlock // T
	levels    [][]float64               // x_0, x_1, …; the last level is given
	entry     []float64                 // z of the latest sweep
	raised    float64                   // factor of all levels above the corrected ones
}

// correctLevels replaces all given levels except the last by corrected vectors, in the list levels. It returns the
// entries of level c, arrivals from below by class and occupancy. levels holds the states in service of two or more
// levels c, c+1, …, each by arrival phase and occupancy. A single step of [sweeps] corrects level c alone. More levels
// take sweeps over them, which end as [sweeps.settled] says.
//
// The function sets corrected to the levels except the last, and lastChange to the last change of each of them. The last
// level, the coefficients rp.b and the sums of modes in vectors are changed to agree with the highest corrected level, as
// [sweeps.closeAbove] says. They stay as they are if only level c is corrected. Flows through the boundary b may change
// its pending departures, or eliminate its levels. The error wraps ErrInaccurate if the modes have lost the last level,
// see [spectrum.Modes.CheckLast]. It is not checked where rp.changed is set, for modes that have changed at random.
// Otherwise the error comes from an elimination, [system.inServiceBlock] or ctx.
func (rp *repeatingPart) correctLevels(ctx context.Context, b *boundary, levels [][]float64) (entry []float64, err error) {
	t, err := rp.sys.inServiceBlock(ctx, rp.sys.c, &rp.moves)
	if err != nil {
		return nil, err
	}
	rp.corrected = levels[:len(levels)-1]
	rp.lastChange = make([][]float64, len(rp.corrected))
	s := &sweeps{repeatingPart: rp, below: b, inService: t, levels: levels, raised: 1}
	last := math.Inf(1)
	for sweep := 1; ; sweep++ {
		largest, err := s.sweep(ctx)
		if err != nil {
			return nil, err
		}
		s.closeAbove()
		if s.settled(sweep, largest, last) {
			break
		}
		last = largest
	}
	if len(rp.corrected) > 1 && !rp.changed {
		if err := rp.CheckLast(levels, mostRaised); err != nil {
			return nil, err
		}
	}
	if rp.above != nil {
		rp.setVectors(rp.above.AtLevelC(), len(rp.corrected))
		copy(rp.vectors.Levels, rp.corrected)
	} else if s.raised != 1 {
		cmplxs.Scale(complex(s.raised, 0), rp.b)
		rp.vectors.Scale(s.raised)
	}
	return s.entry, ctx.Err()
}

// setVectors sets rp.b to the coefficients b of the modes at level c, and vectors to all sums of modes that the solution
// needs. The given number of levels from c on is corrected. The vectors lie in the scratch of the system.
func (rp *repeatingPart) setVectors(b []complex128, corrected int) {
	rp.b = b
	levels := corrected + 1
	if !rp.changed {
		levels = max(levels, residualLevels+1)
	}
	rp.vectors = rp.LevelVectors(rp.sys.scratch, b, spectrum.LevelChoice{
		Levels:   levels,
		SumsFrom: corrected,
		Fourfold: sensitivity.Nearby + 1,
		Masses:   sensitivity.Farthest + 1,
		Unit:     rp.farUnit,
	})
}

// residualLevels is the number of levels above c whose states the residual reads: levels c+1 and c+2. Modes that have changed
// at random have no residual.
const residualLevels = 2

// sweep makes a step for each level from c to the last but one, upward. It sets entry, and overwrites lastChange with the
// change of each level. It returns the largest change of a level in the 1-norm, relative to the level. The error comes
// from [boundary.entriesAfter].
func (s *sweeps) sweep(ctx context.Context) (largest float64, err error) {
	if s.above != nil {
		s.balanceFlows(s.levels)
	}
	if s.entry, err = s.below.entriesAfter(ctx, s.levels[0]); err != nil {
		return 0, err
	}
	unfinished := s.switchOversStarted(s.entry)
	next := s.sys.scratch.Vector(len(unfinished))
	for k, before := range s.corrected {
		x := s.lastChange[k] // storage of the change before the last
		if x == nil {
			x = s.sys.store.Vector(len(before))
		}
		clear(x)
		if k == 0 {
			s.addServiceStarts(x, s.entry)
		} else {
			s.setNextUnfinished(next, unfinished)
			unfinished, next = next, unfinished
			s.addServiceStartsAbove(x, s.levels[k-1], unfinished)
		}
		s.refill.KronLeft(x, s.levels[k+1], s.sys.ar.N)
		s.inService.SolveLeft(x)
		s.lastChange[k] = floats.SubTo(before, before, x)
		largest = max(largest, floats.Norm(s.lastChange[k], 1)/math.Abs(block.Sum(x)))
		s.levels[k] = x
	}
	return largest, nil
}

// closeAbove lets the level after the corrected ones agree with the highest of them after a sweep. If rp.above is set, it
// follows the arrivals out of that level. Otherwise the slowest mode is alone above these levels. Its ratio from one
// level to the next stays, and its coefficient is scaled as the highest corrected level has changed. It stays as it is if
// it would change by more than mostRaised, 10⁻³, or if only level c is corrected.
func (s *sweeps) closeAbove() {
	top := len(s.corrected) - 1
	if s.above != nil {
		s.above.Follow(s.arrivalsOf(s.levels[top], s.sys.scratch))
		return
	}
	raise := block.Sum(s.levels[top]) / (block.Sum(s.levels[top]) + block.Sum(s.lastChange[top]))
	if top > 0 && math.Abs(raise-1) <= mostRaised {
		floats.Scale(raise, s.levels[top+1])
		s.raised *= raise
	}
}

// settled reports whether the given sweep, counted from 1, is the last: if only level c is corrected, if no level has
// changed by more than settledLevel, or if changes no longer halve. largest is the largest relative change of a level,
// and last that of the sweep before. There are at most mostSweeps, 20. Where the modes above follow, changes need not
// halve, and there are at most mostFollowed, 40, sweeps. Changes of modes that have changed at random settle in the same
// way. How many sweeps the first modes took depends on their roundings, and the effect of a change would depend on this
// number.
func (s *sweeps) settled(sweep int, largest, last float64) bool {
	if len(s.corrected) == 1 || largest <= settledLevel {
		return true
	}
	if s.above != nil {
		return sweep == mostFollowed
	}
	return !(largest <= last/2) || sweep == mostSweeps
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

// addServiceStarts adds to the vector to the rates at which service begins at level c after arrivals from below: n·K
// numbers, by arrival phase and occupancy. entry holds these arrivals, r·K rates by class and occupancy, and stays
// unchanged. Service begins at once, or when the switch-over of the level ends before the next arrival.
func (rp *repeatingPart) addServiceStarts(to, entry []float64) {
	g, k := rp.switchOver, rp.k
	if g.Phases == 0 {
		statespace.KronVec(to, entry, rp.sys.ar.A, k)
		return
	}
	statespace.KronVec(to, floats.ScaleTo(make([]float64, len(entry)), g.Atom, entry), rp.sys.ar.A, k)
	statespace.KronVec(to, rp.switchOversStarted(entry), g.Ending, k)
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
	if rp.switchOver.Phases > 0 {
		statespace.KronVec(to, unfinished, rp.switchOver.Ending, rp.k)
	}
}

// setNextUnfinished overwrites the vector to with the rates of arrivals one level higher that find the switch-over of
// level c unfinished. u holds the rates of arrivals at the level before that find it unfinished, and stays unchanged.
// Both have r·s·K numbers, by class, switch-over phase and occupancy, and must not overlap. Without a switch-over it
// does nothing.
func (rp *repeatingPart) setNextUnfinished(to, u []float64) {
	if rp.switchOver.Phases > 0 {
		clear(to)
		statespace.KronVec(to, u, rp.switchOver.Next, rp.k)
	}
}
