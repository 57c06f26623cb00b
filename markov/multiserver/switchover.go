package multiserver

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Phases is a phase-type time, given by initial probabilities and a subgenerator. If Alpha sums to less than one, the
// time is zero with the missing probability. The zero value takes no time.
type Phases struct {
	Alpha []float64
	T     mat.Matrix
	// Exit holds the rates of absorption −T·1. If nil, they are computed from T; they lose digits where they are much smaller
	// than the diagonal.
	Exit []float64
}

// takesTime reports whether the time can be positive, that is, whether a phase is entered with positive probability.
func (p Phases) takesTime() bool { return len(p.Alpha) > 0 && block.Sum(p.Alpha) > 0 }

// sameNumbers reports whether two times are given by the same numbers: initial probabilities, subgenerator, and rates
// of absorption or none. It is false if a subgenerator is missing.
func (p Phases) sameNumbers(as Phases) bool {
	return slices.Equal(p.Alpha, as.Alpha) && (p.Exit == nil) == (as.Exit == nil) && slices.Equal(p.Exit, as.Exit) &&
		!block.Missing(p.T) && !block.Missing(as.T) && mat.Equal(p.T, as.T)
}

// switchOver is a switch-over of phase type C with s phases after a change of level. No job is served until the
// switch-over has ended or an arrival has cut it short. Arrivals continue during the switch-over, so the outcome depends
// on the phase of the arrival process. The rows of end, cut and time are arrival phases at the beginning.
type switchOver struct {
	phases int
	atom   float64      // probability that it takes no time
	end    block.Matrix // n×n: ends before the next arrival, with the arrival phase then
	cut    block.Matrix // n×r: an arrival of that class comes first
	time   []float64    // n: mean time until it ends or is cut short

	// Arrivals do not cut the switch-over of level c short. For it alone, with rows (class of the last arrival, switch-over phase):
	gamma  []float64        // s: initial phase, sums to 1 − atom
	next   block.Matrix     // (r·s)×(r·s): from just after one arrival to just after the next, unfinished
	ending block.Matrix     // (r·s)×n: ends before the next arrival
	stay   []float64        // r·s: mean time until end or arrival
	stages *spectrum.Stages // for modes, if no phase leads to an earlier one

	rates   statespace.RateSpread
	slowest float64 // the rate at which it ends in the long run, ∞ if it takes no time
}

// instantaneous returns the switch-over that takes no time: it ends at once, in the same arrival phase, and no arrival
// cuts it short. With it, queues with and without switch-overs have the same equations. The fields for the switch-over
// of level c stay empty.
func instantaneous(ar *statespace.Arrivals) *switchOver {
	return &switchOver{
		atom: 1, slowest: math.Inf(1),
		end: block.Identity(ar.N), cut: block.New(ar.N, ar.Classes), time: make([]float64, ar.N),
	}
}

// addEnded adds y·(end⊗I) to x in place: the rates at which service begins after departures y whose switch-over ends
// before the next arrival. Both have k numbers, one for each occupancy, for each arrival phase.
func (g *switchOver) addEnded(x, y []float64, k int) {
	if g.phases == 0 {
		floats.Add(x, y)
		return
	}
	statespace.KronVec(x, y, g.end, k)
}

// newSwitchOver returns how the switch-over with the phase-type time c ends if arrivals ar may come first. If c takes
// no time, it returns none, the result of [instantaneous]. Let γ be the initial phases, C the subgenerator of c, and
// exit its rates of absorption. With B = (−(D0 ⊕ C))⁻¹ the mean times in states (arrival phase, phase of C),
//
//	end = atom·I + (I⊗γ)·B·(I⊗exit),  cut = (I⊗γ)·B·(F⊗1),  time = (I⊗γ)·B·1.
//
// atom, the probability that the switch-over takes no time, is what is missing from the sum of γ to one, or 0 below
// atomTol, 10⁻¹⁴. If uncut, as at level c, arrivals do not cut the switch-over short, and [switchOver.setUncut] sets
// its course between arrivals as well.
//
// The error is a *[markov.BlockError] with the given level and name. It names what [checkedPhases] rejects, a sum of
// initial probabilities above 1, or a switch-over that never ends. If ctx ends meanwhile, it is the error of ctx.
func newSwitchOver(ctx context.Context, level int, name string, ar *statespace.Arrivals, none *switchOver, c Phases, uncut bool) (
	*switchOver, error) {
	if !c.takesTime() {
		return none, nil
	}
	alpha, t, exit, err := visitedPhases(ctx, level, name, c)
	if err != nil {
		return nil, err
	}
	if sum := block.Sum(alpha); sum > 1 && !markov.SumsToOne(sum) {
		return nil, statespace.Wrong(level, name, -1, -1, "initial probabilities sum to %g, more than 1", sum)
	}
	s := len(alpha)
	b, err := ar.SwitchOverSojourns(ctx, t, exit)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, statespace.Wrong(level, name, -1, -1, "never ends from some phase: %w", err)
	}
	n, r := ar.N, ar.Classes
	g := &switchOver{phases: s, atom: max(0, 1-block.Sum(alpha)), gamma: alpha, slowest: statespace.LeastRate(ctx, t, exit)}
	if g.atom < atomTol {
		g.atom = 0
	}
	g.rates.Include(t.Data...)
	g.rates.Include(exit...)
	start := block.New(n, n*s)
	for a := range n {
		copy(start.Row(a)[a*s:(a+1)*s], alpha)
	}
	ends, cuts := block.New(n*s, n), block.New(n*s, r)
	for a := range n {
		for k := range s {
			ends.Data[(a*s+k)*n+a] = exit[k]
			copy(cuts.Row(a*s+k), ar.F.Row(a))
		}
	}
	from := block.Mul(ctx, start, b)
	g.end = block.Mul(ctx, from, ends)
	for a := range n {
		g.end.Data[a*n+a] += g.atom
	}
	g.cut = block.Mul(ctx, from, cuts)
	g.time = from.RowSums()

	if uncut {
		g.setUncut(ctx, ar, t, exit, b, ends)
	}
	return g, ctx.Err()
}

// setUncut sets next, ending, stay and stages: the course of a switch-over that arrivals do not cut short, from one
// arrival to the next. The rows belong to the class of the last arrival, then the switch-over phase:
//
//	next = (A⊗I)·B·(F⊗I),   ending = (A⊗I)·B·(I⊗exit),   stay = (A⊗I)·B·1.
//
// F holds the rates of arrivals by arrival phase and class, and A the phases after an arrival of each class. t and exit
// are the rates between the phases of the switch-over and the rates of absorption; stages keeps them. b is B = (−(D0 ⊕
// C))⁻¹, and ends is I⊗exit; see [newSwitchOver]. phases, gamma and atom must be set. stages stays nil if the phases
// have a cycle. The numbers are incomplete if ctx ends.
func (g *switchOver) setUncut(ctx context.Context, ar *statespace.Arrivals, t block.Matrix, exit []float64, b, ends block.Matrix) {
	s := g.phases
	between := block.Mul(ctx, block.KronIdentity(ar.A, s), b)
	g.ending = block.Mul(ctx, between, ends)
	g.stay = between.RowSums()
	g.next = block.Mul(ctx, between, block.KronIdentity(ar.F, s))
	if statespace.AcyclicInOrder(t) {
		g.stages = &spectrum.Stages{Gamma: g.gamma, Exit: exit, T: t, Atom: g.atom, Next: g.next, Between: between}
	}
}

// atomTol is the largest probability of an atom that is taken for the rounding of a sum.
const atomTol = 1e-14

// visitedPhases returns the initial probabilities, the rates between phases (zero diagonal) and the rates of absorption
// of a switch-over c, in new storage. Phases that cannot be visited are left out. The phases are in topological order
// if there is no cycle, so that blocks are triangular; otherwise they keep their order. The error comes from
// [checkedPhases].
func visitedPhases(ctx context.Context, level int, name string, c Phases) (
	alpha []float64, t block.Matrix, exit []float64, err error) {
	all, rates, err := checkedPhases(ctx, level, name, c)
	if err != nil {
		return nil, block.Matrix{}, nil, err
	}
	visited := statespace.Reachable(len(c.Alpha), func(i int) bool { return c.Alpha[i] > 0 },
		func(i, j int) bool { return all.At(i, j) > 0 })
	order := statespace.Topological(len(c.Alpha), func(i, j int) bool { return all.At(i, j) > 0 })
	if order == nil {
		for i := range c.Alpha {
			order = append(order, i)
		}
	}
	var keep []int
	for _, i := range order {
		if visited[i] {
			keep = append(keep, i)
			alpha, exit = append(alpha, c.Alpha[i]), append(exit, rates[i])
		}
	}
	return alpha, all.Permuted(keep), exit, nil
}

// checkedPhases returns a copy t of the rates between the phases of a phase-type time, with a zero diagonal, and the
// rates of absorption, exit. Rates of absorption that are not given are minus the row sums of T. Sums of at most
// phaseRowTol, 10⁻¹², times the diagonal count as zero.
//
// The matrix T must have the order of Alpha, finite rates that are not negative, a negative diagonal, and no positive
// row sum. Initial probabilities must lie between 0 and 1; their sum is not checked. Rates of absorption that are given
// must be one for each phase, not negative, and agree with T up to the same tolerance. Otherwise the error is a
// *[markov.BlockError] with the given level and name. If ctx ends while T is copied, the error comes from ctx.
func checkedPhases(ctx context.Context, level int, name string, c Phases) (t block.Matrix, exit []float64, err error) {
	n := len(c.Alpha)
	if t, err = statespace.Rates(ctx, level, name, c.T, n, n, true); err != nil {
		return block.Matrix{}, nil, err
	}
	for i, p := range c.Alpha {
		if !(p >= 0 && p <= 1) {
			return block.Matrix{}, nil, statespace.Wrong(level, name, -1, i, "initial probability %v", p)
		}
	}
	if c.Exit != nil && len(c.Exit) != n {
		return block.Matrix{}, nil, statespace.Wrong(level, name, -1, -1, "%d exit rates for %d phases", len(c.Exit), n)
	}
	exit = make([]float64, n)
	for i := range n {
		// The exit rate is minus the row sum. A row sum of at most phaseRowTol times the diagonal counts as 0.
		diag := -t.At(i, i)
		if !(diag > 0) {
			return block.Matrix{}, nil, statespace.Wrong(level, name, i, i, "diagonal %g is not negative", -diag)
		}
		switch total := block.Sum(t.Row(i)); {
		case total > phaseRowTol*diag:
			return block.Matrix{}, nil, statespace.Wrong(level, name, i, -1, "row sums to %g, more than zero", total)
		case c.Exit != nil && (!(c.Exit[i] >= 0) || math.Abs(c.Exit[i]+total) > phaseRowTol*diag):
			return block.Matrix{}, nil, statespace.Wrong(level, name, i, -1,
				"row sums to %g, but its exit rate is %g", total, c.Exit[i])
		case c.Exit != nil:
			exit[i] = c.Exit[i]
		case total < -phaseRowTol*diag:
			exit[i] = -total
		}
		t.Data[i*n+i] = 0
	}
	return t, exit, nil
}

// phaseRowTol is the largest sum of a row of a subgenerator, relative to the diagonal, that is taken for zero: such a
// phase has no exit. The sum of rounded rates carries about one rounding error per entry.
const phaseRowTol = 1e-12
