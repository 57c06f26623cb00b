package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
)

// response is the distribution of the response time of a job under dynamic equi-partitioning, by inversion of the transform of
// P(T > t), F(s) = ∫ e^{−st}·P(T > t) dt. The transform is that of the wait, by [markov.QueueTransform], and of the time in
// service, a finite chain in which more than B jobs after the followed one count as B. B is so large that it does not show. The
// cost does not depend on the fastest rate.
type response struct {
	*Sharing
	*markov.SurvivalTransform
	of       phasesOfClass // that the followed job can be in
	meanTime float64       // by Little's law

	// The machine without the followed job.
	levels *levelChain[Shared]
	qbd    *markov.QBD
	sol    *markov.QBDSolution

	wait        *markov.QueueTransform
	behind      int     // B
	behindError float64 // of a probability, by B

	service *markov.Chain // of the followed job once it is served
	index   map[tagged]int
	start   []weighted   // jobs that are served at once, by what they meet
	served  []float64    // the same by state of service
	taken   [][]weighted // by phase of the waiting machine: who is taken into service, and at which rate
}

// tagged is a state of the machine as a job in service sees it.
type tagged struct {
	machine Shared // jobs without the followed one
	behind  int    // the length of the queue
	phase   int    // of the service of the followed job
}

type weighted struct {
	tagged
	p float64
}

// Limits of the distribution of a response time.
const (
	responseError = 1e-6      // of a probability, the largest that is accepted
	maxTagged     = 2_000_000 // states of a job in service
	taggedBytes   = 600       // that a state with its transitions takes, its place in a map included
)

// responseTime returns the distribution of the response time of the jobs of a class; of any job if class is empty.
//
// It returns [markov.ErrTooLarge] if the distribution takes more work or memory than there is, an error that wraps
// [markov.ErrInaccurate] if probabilities have larger errors than responseError, and the error of ctx soon after that ends.
func (s *dep) responseTime(ctx context.Context, class string, memory *markov.Memory) (*response, error) {
	if s.n < s.Partitions() {
		return nil, errors.New("models: response times are followed for N jobs, not for a cap below")
	}
	r := &response{Sharing: newSharing(s.System, s.n)}
	var err error
	if r.of, err = s.classNamed(class); err != nil {
		return nil, err
	}
	if err = r.solve(ctx, memory); err == nil {
		err = r.invert(ctx, memory)
	}
	if err != nil {
		return nil, fmt.Errorf("models: response times: %w", err)
	}
	return r, nil
}

// solve solves the machine without the followed job.
func (r *response) solve(ctx context.Context, memory *markov.Memory) (err error) {
	if r.sys.Load() >= 1-unstableMargin {
		return markov.ErrUnstable
	}
	r.levels = r.even()
	if r.qbd, err = r.levels.QBD(ctx, memory); err != nil {
		return err
	}
	if r.sol, err = r.qbd.Solve(ctx, markov.Settings{Memory: memory}); err != nil {
		return err
	}
	lambda, inService := r.sys.Arrivals.Rate(), 0.0
	r.levels.Each(r.sol, func(_ int, s Shared, p float64) {
		for j := r.of.from; j < r.of.to && s.Shares > 0; j++ {
			inService += p * float64(countAt(s.Jobs, j))
		}
	})
	r.meanTime = (r.sol.MeanAbove(r.n) + inService/r.of.share) / lambda
	return nil
}

// invert finds the transform and inverts it.
func (r *response) invert(ctx context.Context, memory *markov.Memory) (err error) {
	// Every point takes two factors of the phases of a waiting machine at least.
	if err := r.checkWork(transformPoints*2*2*math.Pow(float64(len(r.levels.States(r.n))), 3)/3, 0); err != nil {
		return err
	}
	if r.wait, err = markov.NewQueueTransform(ctx, r.qbd, r.sol, r.n, r.sys.Arrivals.Rate()); err != nil {
		return err
	}
	r.findEntries()
	if err := r.findBehind(ctx, memory); err != nil {
		return err
	}
	if r.SurvivalTransform, err = markov.NewSurvivalTransform(ctx, r.meanTime, r.behindError, r.at); err != nil {
		return err
	}
	if off := r.Off(); off > responseError {
		return fmt.Errorf("the transform gives probabilities to %.1g, not to %.1g: %w", off, responseError, markov.ErrInaccurate)
	}
	return nil
}

// first returns the probabilities of the phases in which the followed job begins its service while there are i jobs.
func (r *response) first(i int) []float64 {
	alpha := r.sys.Service[i-1].Alpha()
	own := make([]float64, len(alpha))
	floats.ScaleTo(own[r.of.from:r.of.to], 1/floats.Sum(alpha[r.of.from:r.of.to]), alpha[r.of.from:r.of.to])
	return own
}

// findEntries finds who is served at once, and who is taken into service when a job leaves and the followed one is next.
func (r *response) findEntries() {
	lambda := r.sys.Arrivals.Rate()
	for level := range r.n {
		pi := r.sol.Level(level)
		for i, s := range r.levels.States(level) {
			r.arrivals(s, func(by int, seen Shared, rate float64) {
				if by > 0 {
					r.enter(level, seen, func(t tagged, p float64) { r.start = append(r.start, weighted{t, pi[i] * rate * p / lambda}) })
				}
			})
		}
	}
	r.taken = make([][]weighted, r.wait.Phases())
	for i, s := range r.levels.States(r.n) {
		if s.Kind != executing {
			continue
		}
		r.serve(s, nobody, func(by int, to Shared, rate float64) {
			for j, beta := range r.first(r.n) {
				if by < 0 && beta > 0 {
					r.taken[i] = append(r.taken[i], weighted{tagged{machine: to, phase: j}, rate * beta})
				}
			}
		})
	}
}

// enter adds the states in which a job begins that finds level jobs, fewer than N.
func (r *response) enter(level int, s Shared, add func(t tagged, p float64)) {
	if level == 0 {
		s.Jobs = noCounts(r.sys.Service[0].Phases())
	}
	s.Shares = level + 1
	mapPhases(s.Jobs, r.sys.PhaseMap[Change{level, level + 1}], func(jobs string, p float64) {
		for j, beta := range r.first(level + 1) {
			if beta > 0 {
				r.begin(s.with(jobs), shrinking, func(to Shared, q float64) { add(tagged{machine: to, phase: j}, p*beta*q) })
			}
		}
	})
}

// mostBehind bounds B, behindOff is what it may change of the transform, relative to it.
const (
	mostBehind = 1 << 14
	behindOff  = 1e-9
)

// findBehind doubles B until it does not show in the transform at the time of a mean, where it shows most.
func (r *response) findBehind(ctx context.Context, memory *markov.Memory) error {
	last := 0.0
	for b := 16; ; b *= 2 {
		if b > mostBehind {
			return fmt.Errorf("more than %d jobs after one that is served: %w", b, markov.ErrTooLarge)
		}
		if err := r.build(ctx, b, memory); err != nil {
			return err
		}
		const passes = 120
		work := transformPoints * (r.wait.Work(b) + passes*float64(r.service.Transitions()))
		if err := r.checkWork(work, r.service.States()); err != nil {
			return err
		}
		v, err := r.at(ctx, complex(0.5/r.meanTime, 0))
		if err != nil {
			return err
		}
		f := real(v)
		if r.behindError = math.Abs(f-last) / f; r.behindError <= behindOff {
			return r.build(ctx, b/2, memory) // as good, by half the work
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

// checkWork returns an error if a transform takes too much work.
func (r *response) checkWork(work float64, states int) error {
	if !(work > maxTransformWork) {
		return nil
	}
	return fmt.Errorf("%d states of the machine, %d of a job in service need some %.1g products, more than %.0g, and %.1f minutes: %w",
		len(r.levels.States(r.n)), states, work, maxTransformWork, work/transformWorkPerMinute, markov.ErrTooLarge)
}

// build makes the chain of a job in service with up to b jobs after it, numbered level by level.
func (r *response) build(ctx context.Context, b int, memory *markov.Memory) error {
	r.behind = b
	seeds := map[tagged]float64{}
	var start []tagged // in an order that is always the same
	seed := func(t tagged, p float64) {
		if _, met := seeds[t]; !met {
			start = append(start, t)
		}
		seeds[t] += p
	}
	room := func() error {
		if states := len(seeds); states > maxTagged {
			return fmt.Errorf("%d states or more: %w", states, markov.ErrTooLarge)
		} else if err := memory.Check(taggedBytes * float64(states)); err != nil {
			return fmt.Errorf("%d states or more: %w", states, err)
		}
		return ctx.Err()
	}
	for _, w := range r.start {
		seed(w.tagged, w.p)
	}
	for _, list := range r.taken {
		for _, w := range list {
			if err := room(); err != nil {
				return err
			}
			for w.behind = range b + 1 {
				seed(w.tagged, 0)
			}
		}
	}
	if err := room(); err != nil {
		return err
	}
	var states []tagged
	var err error
	if r.service, states, err = markov.Explore(ctx, start, maxTagged, r.moves); err != nil {
		return err
	}
	r.index = make(map[tagged]int, len(states))
	r.served = make([]float64, len(states))
	for i, s := range states {
		r.index[s] = i
		r.served[i] = seeds[s]
	}
	return ctx.Err()
}

// level returns the number of jobs in a state.
func (t tagged) level() int { return 1 + t.machine.Running() + t.behind }

// at returns F(s).
func (r *response) at(ctx context.Context, s complex128) (complex128, error) {
	waiting, next, err := r.wait.At(ctx, s, r.behind)
	if err != nil {
		return 0, err
	}
	x := make([]complex128, len(r.served))
	for i, p := range r.served {
		x[i] = complex(p, 0)
	}
	for b, w := range next {
		for i, v := range w {
			for _, to := range r.taken[i] {
				state := to.tagged
				state.behind = b
				x[r.index[state]] += v * complex(to.p, 0)
			}
		}
	}
	y, _, err := r.service.Resolvent(ctx, s, x)
	if err != nil {
		return 0, err
	}
	for _, v := range y {
		waiting += v
	}
	return waiting, nil
}

// moves calls add for the transitions of a state, done for the followed job's departure.
func (r *response) moves(t tagged, add func(to tagged, rate float64), done func(rate float64)) {
	level := t.level()
	r.arrivals(t.machine, func(by int, machine Shared, rate float64) {
		to := t.on(machine)
		switch {
		case by == 0, t.behind >= r.behind:
			add(to, rate)
		case level >= r.n:
			to.behind++
			add(to, rate)
		default:
			r.otherComes(level, to, func(to tagged, p float64) { add(to, rate*p) })
		}
	})
	if t.machine.Kind != executing {
		r.reshape(t.machine, func(to Shared, rate float64) { add(t.on(to), rate) })
		return
	}
	r.serve(t.machine, t.phase, func(by int, to Shared, rate float64) {
		if by == 0 {
			add(t.on(to), rate)
			return
		}
		r.otherLeaves(level, t.on(to), func(to tagged, p float64) { add(to, rate*p) })
	})
	speed := r.speeds(t.machine, t.phase)[t.phase]
	eachMove(r.sys.Service[t.machine.Shares-1], t.phase, func(to int, rate float64) {
		if to == ended {
			done(rate * speed)
			return
		}
		moved := t
		moved.phase = to
		add(moved, rate*speed)
	})
}

// on returns the state with the machine in another one.
func (t tagged) on(machine Shared) tagged {
	t.machine = machine
	return t
}

// otherComes adds what an arrival below N jobs makes of a state.
func (r *response) otherComes(level int, t tagged, add func(to tagged, p float64)) {
	r.mapAllPhases(t, level+1, func(t tagged, p float64) {
		r.joined(t.machine, 1, func(s Shared, beta float64) {
			r.begin(s, shrinking, func(to Shared, q float64) { add(t.on(to), p*beta*q) })
		})
	})
}

// otherLeaves adds what follows when one of the other jobs, already taken out, has left.
func (r *response) otherLeaves(level int, t tagged, add func(to tagged, p float64)) {
	if level > r.n {
		t.behind--
		r.joined(t.machine, 1, func(s Shared, beta float64) { add(t.on(s), beta) })
		return
	}
	r.mapAllPhases(t, level-1, func(t tagged, p float64) {
		r.begin(t.machine, expanding, func(to Shared, q float64) { add(t.on(to), p*q) })
	})
}

// mapAllPhases divides the machine into other shares, and maps the phases of the other running jobs and of the followed one.
func (r *response) mapAllPhases(t tagged, shares int, add func(to tagged, p float64)) {
	phi := r.sys.PhaseMap[Change{t.machine.Shares, shares}]
	t.machine.Shares = shares
	mapPhases(t.machine.Jobs, phi, func(jobs string, p float64) {
		to := t.on(t.machine.with(jobs))
		if phi == nil {
			add(to, p)
			return
		}
		for j, v := range phi.RawRowView(t.phase) {
			if v > 0 {
				to.phase = j
				add(to, p*v)
			}
		}
	})
}
