// Package switchover describes a switch-over of the queue while jobs arrive: how it ends, and which arrival cuts it
// short.
//
// A switch-over is a phase-type time that runs together with the Markovian arrivals. So its state is a pair of an
// arrival phase and a phase of the switch-over. One elimination without subtractions (GTH) gives the mean times in all
// pairs until an arrival or the end. For n arrival phases and s phases of the switch-over it takes some 2·(n·s)³
// multiplications, once for each level whose switch-over differs from the level below. Every other number is a product
// with these mean times.
package switchover

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// SwitchOver is a switch-over of phase type C with s phases after a change of level. No job is served until the
// switch-over has ended or an arrival has cut it short. Arrivals of r classes continue during the switch-over, so the
// outcome depends on the phase of the arrival process. The rows of End, Cut and Time are arrival phases at the beginning.
type SwitchOver struct {
	Phases int          // s, 0 if it takes no time
	Atom   float64      // probability that it takes no time
	End    block.Matrix // n×n: ends before the next arrival, with the arrival phase then
	Cut    block.Matrix // n×r: an arrival of that class comes first
	Time   []float64    // n: mean time until it ends or is cut short

	// Arrivals do not cut the switch-over of level c short. [NewUncut] alone sets its course between arrivals, with rows
	// (class of the last arrival, switch-over phase):
	Gamma  []float64        // s: initial phase, sums to 1 − Atom
	Next   block.Matrix     // (r·s)×(r·s): from just after one arrival to just after the next, unfinished
	Ending block.Matrix     // (r·s)×n: ends before the next arrival
	Stay   []float64        // r·s: mean time until end or arrival
	Stages *spectrum.Stages // for modes, if no phase leads to an earlier one

	Rates   statespace.RateSpread
	Slowest float64 // the rate at which it ends in the long run, ∞ if it takes no time
}

// Instantaneous returns the switch-over that takes no time: it ends at once, in the same arrival phase, and no arrival
// cuts it short. With it, queues with and without switch-overs have the same equations. The fields for the switch-over
// of level c stay empty.
func Instantaneous(ar *statespace.Arrivals) *SwitchOver {
	return &SwitchOver{
		Atom: 1, Slowest: math.Inf(1),
		End: block.Identity(ar.N), Cut: block.New(ar.N, ar.Classes), Time: make([]float64, ar.N),
	}
}

// AddEnded adds y·(End⊗I) to x in place: the rates at which service begins after departures y whose switch-over ends
// before the next arrival. Both have k numbers, one for each occupancy, for each arrival phase.
func (g *SwitchOver) AddEnded(x, y []float64, k int) {
	if g.Phases == 0 {
		floats.Add(x, y)
		return
	}
	statespace.KronVec(x, y, g.End, k)
}

// New returns how the switch-over that takes the given time ends if arrivals ar may come first; the time must not be
// zero. Let γ be its initial phases, C its subgenerator, and exit its rates of absorption. With B = (−(D0 ⊕ C))⁻¹ the
// mean times in states (arrival phase, phase of C),
//
//	End = Atom·I + (I⊗γ)·B·(I⊗exit),  Cut = (I⊗γ)·B·(F⊗1),  Time = (I⊗γ)·B·1.
//
// F holds the rates of arrivals by arrival phase and class. Atom, the probability that the switch-over takes no time,
// is what is missing from the sum of γ to one, or 0 below atomTol, 10⁻¹⁴.
//
// The error is a *[markov.BlockError] with the given level and ingredient. It names what [statespace.PhaseType.Checked]
// rejects, a sum of initial probabilities above 1, or a switch-over that never ends. If ctx ends meanwhile, it is the
// error of ctx.
func New(ctx context.Context, ar *statespace.Arrivals, time statespace.PhaseType, level int, ingredient string) (*SwitchOver, error) {
	p, err := newProcess(ctx, ar, time, level, ingredient)
	if err != nil {
		return nil, err
	}
	return p.start(ctx), ctx.Err()
}

// NewUncut returns the result of [New] for the switch-over of level c, which arrivals do not cut short. It also sets its
// course from one arrival to the next. The rows belong to the class of the last arrival, then the switch-over phase:
//
//	Next = (A⊗I)·B·(F⊗I),   Ending = (A⊗I)·B·(I⊗exit),   Stay = (A⊗I)·B·1.
//
// A holds the arrival phases after an arrival of each class, and B is the matrix of New. Stages stays nil if the phases
// have a cycle. The errors are those of New.
func NewUncut(ctx context.Context, ar *statespace.Arrivals, time statespace.PhaseType, level int, ingredient string) (
	*SwitchOver, error) {
	p, err := newProcess(ctx, ar, time, level, ingredient)
	if err != nil {
		return nil, err
	}
	g, s := p.start(ctx), len(p.gamma)
	between := block.Mul(ctx, block.KronIdentity(ar.A, s), p.sojourns)
	g.Ending = block.Mul(ctx, between, p.ends())
	g.Stay = between.RowSums()
	g.Next = block.Mul(ctx, between, block.KronIdentity(ar.F, s))
	if statespace.AcyclicInOrder(p.rates) {
		g.Stages = &spectrum.Stages{Gamma: p.gamma, Exit: p.exit, T: p.rates, Atom: g.Atom, Next: g.Next, Between: between}
	}
	return g, ctx.Err()
}

// process is a switch-over that runs together with the arrivals, until an arrival or its end.
type process struct {
	arrivals *statespace.Arrivals
	gamma    []float64    // s: initial phases
	rates    block.Matrix // s×s: rates between phases, zero diagonal
	exit     []float64    // s: rates of absorption
	sojourns block.Matrix // n·s × n·s: B, the mean times in each state (arrival phase, phase) from each state
}

// newProcess returns the process of a switch-over and the arrivals ar. Phases that are never visited are left out. The
// errors are those of [New].
func newProcess(ctx context.Context, ar *statespace.Arrivals, time statespace.PhaseType, level int, ingredient string) (
	process, error) {
	p := process{arrivals: ar}
	var err error
	if p.gamma, p.rates, p.exit, err = time.Visited(ctx, level, ingredient); err != nil {
		return p, err
	}
	if sum := block.Sum(p.gamma); sum > 1 && !markov.SumsToOne(sum) {
		return p, statespace.Wrong(level, ingredient, -1, -1, "initial probabilities sum to %g, more than 1", sum)
	}
	p.sojourns, err = ar.SwitchOverSojourns(ctx, p.rates, p.exit)
	switch {
	case ctx.Err() != nil:
		return p, ctx.Err()
	case err != nil:
		return p, statespace.Wrong(level, ingredient, -1, -1, "never ends from some phase: %w", err)
	}
	return p, nil
}

// atomTol is the largest probability of an atom that is taken for the rounding of a sum.
const atomTol = 1e-14

// start returns the switch-over from its beginning until it ends or an arrival comes, the result of [New]. The numbers
// are incomplete if ctx ends.
func (p *process) start(ctx context.Context) *SwitchOver {
	g := &SwitchOver{
		Phases: len(p.gamma), Atom: max(0, 1-block.Sum(p.gamma)), Gamma: p.gamma,
		Slowest: statespace.LeastRate(ctx, p.rates, p.exit),
	}
	if g.Atom < atomTol {
		g.Atom = 0
	}
	g.Rates.Include(p.rates.Data...)
	g.Rates.Include(p.exit...)
	from := block.Mul(ctx, p.starts(), p.sojourns)
	g.End = block.Mul(ctx, from, p.ends())
	for a := range g.End.Rows {
		g.End.Row(a)[a] += g.Atom
	}
	g.Cut = block.Mul(ctx, from, p.cuts())
	g.Time = from.RowSums()
	return g
}

// starts returns I⊗γ, n × n·s: the first phase of the switch-over, in each arrival phase.
func (p *process) starts() block.Matrix {
	n, s := p.arrivals.N, len(p.gamma)
	starts := block.New(n, n*s)
	for a := range n {
		copy(starts.Row(a)[a*s:(a+1)*s], p.gamma)
	}
	return starts
}

// ends returns I⊗exit, n·s × n: the rates at which the switch-over ends, by the arrival phase then.
func (p *process) ends() block.Matrix {
	n, s := p.arrivals.N, len(p.gamma)
	ends := block.New(n*s, n)
	for a := range n {
		for k, rate := range p.exit {
			ends.Row(a*s + k)[a] = rate
		}
	}
	return ends
}

// cuts returns F⊗1, n·s × r: the rates of arrivals by their class.
func (p *process) cuts() block.Matrix {
	n, s := p.arrivals.N, len(p.gamma)
	cuts := block.New(n*s, p.arrivals.Classes)
	for i := range cuts.Rows {
		copy(cuts.Row(i), p.arrivals.F.Row(i/s))
	}
	return cuts
}
