package models

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
)

// transformed is the distribution of the response time by the transform of P(T > t), F(s) = ∫ e^{−st}·P(T > t) dt: of the
// wait, by [markov.QueueTransform], and of the time in service, a finite chain in which more than B jobs after the tagged one count
// as B, with B so large that it does not show. What that costs does not depend on the fastest rate.
type transformed struct {
	*follower
	*solvedMachine
	wait        *markov.QueueTransform
	behind      int     // B
	behindError float64 // of a probability, by B

	service *markov.Chain
	index   map[tagged]int
	served  []float64    // jobs that are served at once
	taken   [][]weighted // by phase of the waiting machine: who is taken into service, and at which rate
	*markov.SurvivalTransform
}

// byTransform finds the distribution from its transform.
func (f *follower) byTransform(ctx context.Context, machine *solvedMachine, st taggedSettings) (*followed, error) {
	f.most = math.MaxInt
	if err := f.arriving(ctx, machine, f.n); err != nil {
		return nil, err
	}
	// Every point takes two factors of the phases of a waiting machine at least.
	if err := f.transformable(transformPoints*2*2*math.Pow(float64(f.per), 3)/3, 0); err != nil {
		return nil, err
	}
	wait, err := markov.NewQueueTransform(ctx, machine.qbd, machine.sol, f.n, f.sys.Arrivals.Rate())
	if err != nil {
		return nil, fmt.Errorf("models: response times: %w", err)
	}
	t := &transformed{follower: f, solvedMachine: machine, wait: wait}
	t.findEntries()
	if err := t.findBehind(ctx, st); err != nil {
		return nil, err
	}
	if t.SurvivalTransform, err = markov.NewSurvivalTransform(ctx, t.meanTime, t.behindError, t.at); err != nil {
		return nil, err
	}
	if off := t.Off(); off > st.Lost {
		return nil, fmt.Errorf("models: response times: the transform gives probabilities to %.1g, not to %.1g: %w", off, st.Lost,
			markov.ErrInaccurate)
	}
	states := t.service.States() + wait.Phases()
	return &followed{transform: t, Jobs: f.n + t.behind, States: states}, nil
}

// findEntries finds who is taken into service when a job leaves and the tagged one is next.
func (t *transformed) findEntries() {
	t.taken = make([][]weighted, t.wait.Phases())
	for i, s := range t.levels.States(t.n) {
		if s.Kind != executing {
			continue
		}
		t.serve(s, nobody, func(by int, to Shared, rate float64) {
			if by == 0 {
				return
			}
			t.otherLeaves(t.n+1, tagged{machine: to}, func(to tagged, p float64) { t.taken[i] = append(t.taken[i], weighted{to, rate * p}) })
		})
	}
}

// mostBehind bounds B, behindOff is what it may change of the transform, relative to it.
const (
	mostBehind = 1 << 14
	behindOff  = 1e-9
)

// findBehind doubles B until it does not show in the transform at the time of a mean, where it shows most.
func (t *transformed) findBehind(ctx context.Context, st taggedSettings) error {
	last := 0.0
	for b := 16; ; b *= 2 {
		if b > mostBehind {
			return fmt.Errorf("models: response times: more than %d jobs after one that is served: %w", b, markov.ErrTooLarge)
		}
		if err := t.build(ctx, b, st); err != nil {
			return err
		}
		if err := t.transformable(t.work(), t.service.States()); err != nil {
			return err
		}
		v, err := t.at(ctx, complex(0.5/t.meanTime, 0))
		if err != nil {
			return err
		}
		f := real(v)
		if t.behindError = math.Abs(f-last) / f; t.behindError <= behindOff {
			return t.build(ctx, b/2, st) // as good, by half the work
		}
		last = f
	}
}

// maxTransformWork bounds the complex products of two windows, as many as most distributions take: some half a minute of one core.
const (
	maxTransformWork       = 2e10
	transformWorkPerMinute = 2 * maxTransformWork
	transformPoints        = 100 // of two windows
)

// transformable returns an error if a transform takes too much work.
func (f *follower) transformable(work float64, states int) error {
	if !(work > maxTransformWork) {
		return nil
	}
	return fmt.Errorf("models: response times: %d states of the machine, %d of a job in service need some %.1g products, "+
		"more than %.0g, and %.1f minutes: %w", f.per, states, work, maxTransformWork, work/transformWorkPerMinute, markov.ErrTooLarge)
}

// work estimates the complex products of two windows.
func (t *transformed) work() float64 {
	const passes = 120
	return transformPoints * (t.wait.Work(t.behind) + passes*float64(t.service.Transitions()))
}

// build makes the chain of a job in service with up to b jobs after it, numbered level by level.
func (t *transformed) build(ctx context.Context, b int, st taggedSettings) error {
	t.behind, t.full = b, b
	seeds := map[tagged]float64{}
	room := func() error {
		if states := len(seeds); states > maxTagged {
			return fmt.Errorf("models: response times: %d states or more: %w", states, markov.ErrTooLarge)
		} else if err := st.Memory.Check(taggedBytes * float64(states)); err != nil {
			return fmt.Errorf("models: response times: %d states or more: %w", states, err)
		}
		return ctx.Err()
	}
	for _, w := range t.start {
		seeds[w.tagged] += w.p
	}
	for _, list := range t.taken {
		for _, w := range list {
			if err := room(); err != nil {
				return err
			}
			for behind := range b + 1 {
				to := w.tagged
				to.behind = behind
				seeds[to] += 0
			}
		}
	}
	if err := room(); err != nil {
		return err
	}
	start := make([]tagged, 0, len(seeds))
	for s := range seeds {
		start = append(start, s)
	}
	start, err := t.sorted(ctx, start)
	if err != nil {
		return err
	}
	moves := func(s tagged, add func(to tagged, rate float64), leave func(rate float64)) {
		t.moves(s, add, leave, func(float64) {})
	}
	_, states, err := markov.Explore(ctx, start, maxTagged, moves)
	if err == nil {
		states, err = t.sorted(ctx, states)
	}
	if err == nil {
		t.service, states, err = markov.Explore(ctx, states, maxTagged, moves)
	}
	if err != nil {
		return err
	}
	t.index = make(map[tagged]int, len(states))
	t.served = make([]float64, len(states))
	for i, s := range states {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.index[s] = i
		t.served[i] = seeds[s]
	}
	return nil
}

// sorted returns states by level, then by what changes least often.
func (t *transformed) sorted(ctx context.Context, states []tagged) (all []tagged, err error) {
	var levels [][]tagged
	for _, s := range states {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := t.level(s)
		for l >= len(levels) {
			levels = append(levels, nil)
		}
		levels[l] = append(levels[l], s)
	}
	all = states[:0]
	for _, level := range levels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(level, before)
		all = append(all, level...)
	}
	return all, nil
}

// before orders states of a level.
func before(a, b tagged) int {
	return cmp.Or(cmp.Compare(a.machine.Kind, b.machine.Kind), cmp.Compare(a.machine.Jobs, b.machine.Jobs),
		a.phase-b.phase, a.machine.Arrival-b.machine.Arrival, a.machine.Phase-b.machine.Phase)
}

// at returns F(s).
func (t *transformed) at(ctx context.Context, s complex128) (complex128, error) {
	waiting, next, err := t.wait.At(ctx, s, t.behind)
	if err != nil {
		return 0, fmt.Errorf("models: response times: %w", err)
	}
	x := make([]complex128, len(t.served))
	for i, p := range t.served {
		x[i] = complex(p, 0)
	}
	for b, w := range next {
		for i, v := range w {
			for _, to := range t.taken[i] {
				state := to.tagged
				state.behind = b
				x[t.index[state]] += v * complex(to.p, 0)
			}
		}
	}
	y, _, err := t.service.Resolvent(ctx, s, x)
	if err != nil {
		return 0, err
	}
	for _, v := range y {
		waiting += v
	}
	return waiting, nil
}
