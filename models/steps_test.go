package models

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/testdata/markovtest"
)

// stepSettings bound the work of following a tagged job; the zero value works.
type stepSettings struct {
	// Lost is the largest error of a probability that is accepted; 0 for 1e-6. Where the job is followed step by step it
	// bounds the probability that the job meets more jobs than the truncated chain follows, or that it is still there after
	// the last step.
	Lost float64
	// Work is the largest number of products to be computed, 0 for 4e9, some ten seconds.
	Work float64
	// Memory limits what is taken at a time; nil for [parallel.DefaultMemory].
	Memory *markov.Memory
	// Class is the name of the class of the job that is followed; empty for any job that arrives.
	Class string
}

// stepResponse is the distribution of the response time of a job under dynamic equi-partitioning, exact but for a chain cut
// off at many jobs: what is lost there is not followed, and bounds the error.
type stepResponse struct {
	rate   float64   // of the uniformized chain
	alive  []float64 // P(the job is still there after k steps), without what is lost
	off    float64   // of a probability: what was lost, and is still there after the last step
	Jobs   int       // the level at which the chain is cut off
	States int       // that are followed
}

// stepState is a state of the machine as one job sees it. Waiting, it has ahead jobs before it in the queue, those in
// partitions not counted, and behind after it; running, ahead is −1 and behind the length of the queue.
type stepState struct {
	machine       Shared // jobs without the stepState one
	ahead, behind int
	phase         int // of its service
}

// followBySteps follows a job from its arrival to its departure by uniformization: with P the chain at the epochs of a Poisson
// process of rate Λ and s_k = π·P^k·1 the probability to be there after k steps,
//
//	P(T > t) = Σ_k e^{−Λt}·(Λt)^k/k!·s_k.
//
// It witnesses the distribution that [dep.responseTime] finds from a transform: it shares the machine without the job and no
// more.
//
// Reference: A. Jensen, Markoff chains as an aid in the study of Markoff processes, Skand. Aktuarietidskr. 36 (1953) 87–91.
func (s *dep) followBySteps(ctx context.Context, class string) (*stepResponse, error) {
	st := stepSettings{Lost: 1e-6, Work: 4e9, Class: class}
	f := &stepFollower{Sharing: newSharing(s.System, s.n)}
	var err error
	if f.of, err = s.classNamed(st.Class); err != nil {
		return nil, err
	}
	machine, err := f.prepare(ctx, st)
	if err != nil {
		return nil, err
	}
	if err := f.arriving(ctx, machine, f.most); err != nil {
		return nil, err
	}
	return f.run(ctx, st)
}

// walk returns the response time of a job with 31 digits, from the machine solved with 31 digits, and the number of the state in
// which a job is lost that meets more jobs than are followed. Lost is the probability of such jobs to aim at. The error wraps
// [markov.ErrTooLarge] if there are more than most states.
func (s *dep) walk(ctx context.Context, class string, lost float64, most int) (w *markovtest.Walk, lostAt int, err error) {
	f := &stepFollower{Sharing: newSharing(s.System, s.n)}
	if f.of, err = s.classNamed(class); err != nil {
		return nil, 0, err
	}
	machine, err := f.prepare(ctx, stepSettings{Lost: lost})
	if err != nil {
		return nil, 0, err
	}
	if states := f.states(); states > most {
		return nil, 0, fmt.Errorf("%d states: %w", states, markov.ErrTooLarge)
	}
	machine.level = markovtest.Solve(machine.qbd).Level
	if err := f.arriving(ctx, machine, f.most); err != nil {
		return nil, 0, err
	}
	begins := make([]stepState, len(f.start))
	for i, begin := range f.start {
		begins[i] = begin.stepState
	}
	var moves []markovtest.Move
	index := map[stepState]int{}
	number := func(t stepState) int {
		i, known := index[t]
		if !known {
			i = len(index)
			index[t] = i
		}
		return i
	}
	const nowhere = -2 // the number of states is not known yet
	_, states, err := markov.Explore(ctx, begins, maxTagged, func(t stepState, add func(to stepState, rate float64), leave func(rate float64)) {
		from := number(t)
		f.moves(t, func(to stepState, rate float64) {
			add(to, rate)
			moves = append(moves, markovtest.Move{From: from, To: number(to), Rate: rate})
		}, func(rate float64) {
			leave(rate)
			moves = append(moves, markovtest.Move{From: from, To: -1, Rate: rate})
		}, func(rate float64) {
			leave(rate)
			moves = append(moves, markovtest.Move{From: from, To: nowhere, Rate: rate})
		})
	})
	if err != nil {
		return nil, 0, err
	}
	lostAt = len(states)
	for i, m := range moves {
		if m.To == nowhere {
			moves[i].To = lostAt
		}
	}
	start, all := make([]float64, lostAt+1), 0.0
	for _, begin := range f.start {
		start[index[begin.stepState]] += begin.p
		all += begin.p
	}
	start[lostAt] = max(0, 1-all)
	return markovtest.NewWalk(start, moves), lostAt, nil
}

// stepFollower builds and runs the chain of a tagged job.
type stepFollower struct {
	*Sharing
	of       phasesOfClass // that the followed job can be in
	most     int           // jobs at which the chain is cut off
	per      int           // phases of a level
	meanTime float64
	start    []stepWeight

	full int       // of a job in service: as many jobs after it as are told apart; 0 for no such limit
	drop []float64 // by state: the rate into what is lost
}

type stepWeight struct {
	stepState
	p float64
}

// states estimates how many states are followed.
func (f *stepFollower) states() int { return f.per * f.most * f.most / 2 }

// solvedMachine is the machine without the tagged job.
type solvedMachine struct {
	levels *levels.Chain[Shared]
	qbd    *markov.QBD
	sol    *markov.QBDSolution
	level  func(level int) []float64 // probabilities of a level
}

// prepare solves the machine and decides where to cut off.
func (f *stepFollower) prepare(ctx context.Context, st stepSettings) (*solvedMachine, error) {
	if !markov.Stable(f.sys.Load()) {
		return nil, fmt.Errorf("models: response times: %w", markov.ErrUnstable)
	}
	levels := f.even()
	q, err := levels.QBD(ctx, st.Memory)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	sol, err := q.Solve(ctx, markov.Settings{Memory: st.Memory})
	if err != nil {
		return nil, err
	}
	f.meanTime = f.mean(levels, sol)
	f.per = len(levels.States(f.n))
	eta, err := sol.DecayRate(ctx)
	if err != nil {
		return nil, err
	}
	if !(eta < 1) {
		return nil, fmt.Errorf("models: response times: the decay rate of the levels is lost to roundings: %w", markov.ErrInaccurate)
	}
	// Those that arrive while the job is there are about as many as it finds: twice the level that is as rare as Lost.
	above := math.Ceil(max(4, math.Log(st.Lost/10/max(sol.Tail(f.n+4), st.Lost/10))/math.Log(eta)))
	f.most = 2*f.n + int(min(above*1.5, math.Sqrt(8*maxTagged)))
	return &solvedMachine{levels, q, sol, sol.Level}, nil
}

// mean returns the mean response time of jobs that are followed, by Little's law.
func (f *stepFollower) mean(chain *levels.Chain[Shared], sol *markov.QBDSolution) float64 {
	lambda := f.sys.Arrivals.Rate()
	if f.of.share == 1 {
		return sol.Mean() / lambda
	}
	inService := 0.0
	chain.Each(sol, func(_ int, s Shared, p float64) {
		for j := f.of.from; j < f.of.to && s.Shares > 0; j++ {
			inService += p * float64(counts.At(s.Jobs, j))
		}
	})
	return (sol.MeanAbove(f.n) + inService/f.of.share) / lambda
}

// first returns the probabilities of the phases in which the followed job begins its service while there are i jobs.
func (f *stepFollower) first(i int) []float64 {
	alpha := f.sys.Service[i-1].Alpha()
	if f.of.share == 1 {
		return alpha
	}
	own := make([]float64, len(alpha))
	floats.ScaleTo(own[f.of.from:f.of.to], 1/floats.Sum(alpha[f.of.from:f.of.to]), alpha[f.of.from:f.of.to])
	return own
}

// arriving finds what a job meets that arrives below a level.
func (f *stepFollower) arriving(ctx context.Context, machine *solvedMachine, below int) error {
	f.start = nil
	lambda := f.sys.Arrivals.Rate()
	for l := range below {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("models: %w", err)
		}
		pi := machine.level(l)
		for i, s := range machine.levels.States(min(l, f.n)) {
			f.arrivals(s, func(by int, seen Shared, r float64) {
				if by > 0 && pi[i] > 0 {
					f.enter(l, seen, func(t stepState, p float64) {
						f.start = append(f.start, stepWeight{t, pi[i] * r * p / lambda})
					})
				}
			})
		}
	}
	return nil
}

// enter adds the states in which a job begins that finds level jobs.
func (f *stepFollower) enter(level int, s Shared, add func(t stepState, p float64)) {
	if level >= f.n {
		add(stepState{machine: s, ahead: level - f.n}, 1)
		return
	}
	if level == 0 {
		s.Jobs = counts.None(f.sys.Service[0].Phases())
	}
	s.Shares = level + 1
	counts.EachMapped(s.Jobs, f.sys.PhaseMap[Change{level, level + 1}], func(jobs string, p float64) {
		for j, beta := range f.first(level + 1) {
			if beta > 0 {
				f.begin(s.with(jobs), shrinking, func(to Shared, q float64) { add(stepState{machine: to, ahead: -1, phase: j}, p*beta*q) })
			}
		}
	})
}

// level returns the number of jobs in a state.
func (f *stepFollower) level(t stepState) int {
	if t.ahead >= 0 {
		return f.n + t.ahead + 1 + t.behind
	}
	return 1 + t.machine.Running() + t.behind
}

// explore finds all states, those of the start first, and their transitions.
func (f *stepFollower) explore(ctx context.Context) (*markov.Chain, []stepState, error) {
	start := make([]stepState, len(f.start))
	for i, w := range f.start {
		start[i] = w.stepState
	}
	return markov.Explore(ctx, start, maxTagged, func(t stepState, add func(to stepState, rate float64), leave func(rate float64)) {
		drop := 0.0
		f.moves(t, add, leave, func(rate float64) {
			leave(rate)
			drop += rate
		})
		f.drop = append(f.drop, drop)
	})
}

// moves calls add for the transitions of a state, done for the tagged job's departure, lose for what is not followed.
func (f *stepFollower) moves(t stepState, add func(to stepState, rate float64), done, lose func(rate float64)) {
	level := f.level(t)
	f.arrivalMoves(level, t, add, lose)
	if t.machine.Kind != executing {
		f.reshape(t.machine, func(to Shared, rate float64) { add(t.on(to), rate) })
		return
	}
	beside := nobody
	if t.ahead < 0 {
		beside = t.phase
	}
	f.serveBeside(t.machine, beside, func(by int, to Shared, rate float64) {
		if by == 0 {
			add(t.on(to), rate)
			return
		}
		f.otherLeaves(level, t.on(to), func(to stepState, p float64) { add(to, rate*p) })
	})
	if t.ahead < 0 {
		speed := f.speedsBeside(t.machine, beside)[t.phase]
		eachMove(f.sys.Service[t.machine.Shares-1], t.phase, func(to int, rate float64) {
			if to == ended {
				done(rate * speed)
				return
			}
			moved := t
			moved.phase = to
			add(moved, rate*speed)
		})
	}
}

// nobody is the phase of no job.
const nobody = -1

// serveBeside adds the moves of running jobs while a job in phase beside, unless that is nobody, runs as well.
func (f *stepFollower) serveBeside(s Shared, beside int, add func(by int, to Shared, rate float64)) {
	speed := f.speedsBeside(s, beside)
	for j := range counts.Phases(s.Jobs) {
		k := counts.At(s.Jobs, j)
		if k == 0 {
			continue
		}
		rest := counts.Changed(s.Jobs, j, -1)
		eachMove(f.sys.Service[s.Shares-1], j, func(to int, rate float64) {
			if rate *= float64(k) * speed[j]; to == ended {
				add(-1, s.with(rest), rate)
			} else {
				add(0, s.with(counts.Changed(rest, to, 1)), rate)
			}
		})
	}
}

// speedsBeside returns the speeds of jobs by their phase while a job in phase beside, unless that is nobody, runs as well.
func (f *stepFollower) speedsBeside(s Shared, beside int) []float64 {
	if beside != nobody {
		s = s.with(counts.Changed(s.Jobs, beside, 1))
	}
	return f.speeds(s)
}

// on returns the state with the machine in another one.
func (t stepState) on(machine Shared) stepState {
	t.machine = machine
	return t
}

func (f *stepFollower) arrivalMoves(level int, t stepState, add func(to stepState, rate float64), lose func(rate float64)) {
	f.arrivals(t.machine, func(by int, machine Shared, r float64) {
		to := t.on(machine)
		switch {
		case by == 0, f.full > 0 && t.ahead < 0 && t.behind >= f.full:
			add(to, r)
		case level >= f.most:
			lose(r)
		case level >= f.n:
			to.behind++
			add(to, r)
		default:
			f.otherComes(level, to, func(to stepState, p float64) { add(to, r*p) })
		}
	})
}

// otherComes adds what an arrival below N jobs makes of a running tagged job's state.
func (f *stepFollower) otherComes(level int, t stepState, add func(to stepState, p float64)) {
	f.mapAllPhases(t, level+1, func(t stepState, p float64) {
		f.joined(t.machine, 1, func(s Shared, beta float64) {
			f.begin(s, shrinking, func(to Shared, q float64) { add(t.on(to), p*beta*q) })
		})
	})
}

// otherLeaves adds what follows when one of the other jobs, already taken out, has left.
func (f *stepFollower) otherLeaves(level int, t stepState, add func(to stepState, p float64)) {
	switch {
	case t.ahead == 0: // the tagged job is next
		for j, beta := range f.first(f.n) {
			if beta > 0 {
				to := t
				to.ahead, to.phase = -1, j
				add(to, beta)
			}
		}
	case level > f.n:
		if t.ahead > 0 {
			t.ahead--
		} else {
			t.behind--
		}
		f.joined(t.machine, 1, func(s Shared, beta float64) { add(t.on(s), beta) })
	default:
		f.mapAllPhases(t, level-1, func(t stepState, p float64) {
			f.begin(t.machine, expanding, func(to Shared, q float64) { add(t.on(to), p*q) })
		})
	}
}

// mapAllPhases divides the machine into other shares, and maps the phases of the other running jobs and of the stepState one.
func (f *stepFollower) mapAllPhases(t stepState, shares int, add func(to stepState, p float64)) {
	phi := f.sys.PhaseMap[Change{t.machine.Shares, shares}]
	t.machine.Shares = shares
	counts.EachMapped(t.machine.Jobs, phi, func(jobs string, p float64) {
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

// aliveRest is the probability to be still there at which the steps end, by the largest error that is accepted: with 1e-7
// for an error of 1e-6, far beyond the 99th percentile.
const aliveRest = 0.1

// aliveBytes is what the probability after a step takes, in a list that grows by copies.
const aliveBytes = 24

// run steps the uniformized chain until the job has left.
func (f *stepFollower) run(ctx context.Context, st stepSettings) (*stepResponse, error) {
	release, err := st.Memory.Reserve(ctx, taggedBytes*float64(min(f.states(), maxTagged)))
	if err != nil {
		return nil, fmt.Errorf("models: some %d states for up to %d jobs: %w", f.states(), f.most, err)
	}
	defer release()
	chain, states, err := f.explore(ctx)
	if err != nil {
		return nil, err
	}
	u := chain.Uniformize()
	rest := aliveRest * st.Lost
	// the tail of a response time reaches 1e-7 after some sixteen of its means
	steps := u.Rate() * f.meanTime * -math.Log(rest)
	if err := st.Memory.Check(aliveBytes * steps); err != nil {
		return nil, fmt.Errorf("models: response times: %.3g steps: %w", steps, err)
	}
	if work := float64(chain.Transitions()) * steps; work > st.Work {
		return nil, fmt.Errorf("models: %d states with rates up to %.3g need some %.1g products for jobs that stay for "+
			"%.3g: %w",
			len(states), u.Rate(), work, f.meanTime, markov.ErrTooLarge)
	}
	r := &stepResponse{rate: u.Rate(), Jobs: f.most, States: len(states)}
	v, all := f.begins(states)
	next := make([]float64, len(v))
	lost := max(0, 1-all)
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("models: %w", err)
		}
		alive := 0.0
		for _, p := range v {
			alive += p // floats.Sum depends on where they lie
		}
		r.alive = append(r.alive, alive)
		if alive < rest {
			break
		}
		lost += floats.Dot(v, f.drop) / u.Rate()
		u.Step(next, v)
		v, next = next, v
	}
	if r.off = lost + rest; r.off > st.Lost {
		return nil, fmt.Errorf("models: %.1g of the probability is lost beyond %d jobs, more than %.1g: %w", lost, f.most,
			st.Lost-rest, markov.ErrTooLarge)
	}
	return r, nil
}

// begins returns the distribution of the state that an arriving job makes, and its sum.
func (f *stepFollower) begins(states []stepState) (v []float64, all float64) {
	v = make([]float64, len(states))
	index := map[stepState]int{}
	for _, s := range f.start {
		i, seen := index[s.stepState]
		if !seen { // states of the start come first, in order
			i = len(index)
			index[s.stepState] = i
		}
		v[i] += s.p
		all += s.p
	}
	return v, all
}

// Survival returns bounds of P(T > t): that of jobs followed to their end, and with all that was lost added.
func (r *stepResponse) Survival(t float64) (low, high float64) {
	if t < 0 {
		return 1, 1
	}
	low = r.aliveAt(t)
	return low, min(1, low+r.Lost())
}

// aliveAt returns Σ_k e^{−Λt}·(Λt)^k/k!·s_k, s_k being the probability that a job is there after k steps. The weights are
// found by their ratios from the mode outward, and scaled to sum to one.
func (r *stepResponse) aliveAt(t float64) float64 {
	const least = 1e-32
	a, sum, total := r.rate*t, 0.0, 0.0
	add := func(k int, w float64) {
		total += w
		if k < len(r.alive) {
			sum += w * r.alive[k]
		}
	}
	mode := int(a)
	for k, w := mode, 1.0; k >= 0 && w > least; k-- {
		add(k, w)
		w *= float64(k) / a
	}
	for k, w := mode+1, a/float64(mode+1); w > least; k++ {
		add(k, w)
		w *= a / float64(k+1)
	}
	return sum / total
}

// Lost returns the error bound of the probabilities.
func (r *stepResponse) Lost() float64 {
	return r.off
}

// Mean returns a lower bound of the mean, Σ s_k/Λ; what was lost, and the rest of the tail, is missing.
func (r *stepResponse) Mean() float64 {
	sum := 0.0
	for _, s := range r.alive {
		sum += s
	}
	return sum / r.rate
}

// Quantile returns bounds of the time by which a job has left with probability p.
func (r *stepResponse) Quantile(p float64) (low, high float64) {
	find := func(extra float64) float64 {
		lo, hi := 0.0, float64(len(r.alive))/r.rate
		for range 60 {
			mid := (lo + hi) / 2
			if r.aliveAt(mid)+extra > 1-p {
				lo = mid
			} else {
				hi = mid
			}
		}
		return (lo + hi) / 2
	}
	return find(0), find(r.Lost())
}
