// This file finds the distributions of the waiting time and of the response time of rigid jobs in the order of their arrival.

package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/models/internal/levels"
)

// rigidWait is the waiting time W of a job of one size under first come, first served, if it waits. Jobs that arrive later do not
// matter to it. While it waits, the chain follows the running jobs and the number of jobs ahead of it in the queue, until it starts.
//
// The transform ∫ e^{−st}·P(W > t) dt is x·(sI − Q)⁻¹·1. Here x is the distribution of the states that an arriving job finds, and
// Q holds the rates of this chain. The mean wait comes from Little's law.
type rigidWait struct {
	waits float64 // probability of waiting
	start []float64
	chain *markov.Chain
	lost  float64 // probability of the states that are left out
}

// aheadState is a state while a job waits.
type aheadState struct {
	ahead int    // waiting jobs before it
	jobs  string // running jobs by phase
}

// Limits of the states of a waiting job: their number, and the probability that more jobs are ahead.
const (
	maxAheadStates = 1_000_000
	aheadLeft      = 1e-12
)

// newRigidWait returns the waiting time of jobs of a size, from the solution of the queue. The error wraps [markov.ErrTooLarge]
// if there are too many states.
func (q *rigidQueue) newRigidWait(ctx context.Context, size int, chain *levels.Chain[rigidState],
	sol levels.Decaying) (*rigidWait, error) {
	w := &rigidWait{}
	found := map[aheadState]float64{}
	var met []aheadState
	arriving := q.arrivingRates()
	sol.Each(func(level int, pi []float64, above float64) bool {
		for i, s := range chain.States(min(level, chain.Repeats)) {
			ahead := len(s.window) + s.behind(level)
			if ahead == 0 && size < q.Fitting(q.Used(s.jobs)) {
				continue
			}
			at := aheadState{ahead, s.jobs}
			if _, known := found[at]; !known {
				met = append(met, at)
			}
			found[at] += pi[i] * arriving[s.arrival]
		}
		w.lost = above
		return above > aheadLeft && len(met) <= maxAheadStates && ctx.Err() == nil
	})
	var states []aheadState
	var err error
	if w.chain, states, err = markov.Explore(ctx, met, maxAheadStates, q.waitingMoves(size)); err != nil {
		return nil, fmt.Errorf("states of a waiting job: %w", err)
	}
	w.start = make([]float64, len(states))
	for i, s := range states {
		w.start[i] = found[s]
		w.waits += found[s]
	}
	return w, nil
}

// arrivingRates returns the arrival rate in each phase of the arrivals, relative to the mean.
func (q *rigidQueue) arrivingRates() []float64 {
	rates := make([]float64, q.arrivals.Phases())
	for a := range rates {
		for to := range rates {
			rates[a] += q.arrivals.Rate1(a, to) / q.arrivals.Rate()
		}
	}
	return rates
}

// waitingMoves returns the function that adds the transitions while a job of a size waits. The chain is left when it starts.
func (q *rigidQueue) waitingMoves(size int) func(s aheadState, add func(to aheadState, rate float64), leave func(rate float64)) {
	return func(s aheadState, add func(aheadState, float64), leave func(float64)) {
		// asked is called when all jobs ahead have started.
		asked := func(jobs string, rate float64) {
			if size < q.Fitting(q.Used(jobs)) {
				leave(rate)
				return
			}
			add(aheadState{0, jobs}, rate)
		}
		running := counts.Total(s.jobs)
		m := rigidMachine{jobs: s.jobs}
		if s.ahead > 0 {
			m.window = string([]byte{byte(q.Fitting(q.Used(s.jobs)))})
		}
		q.serve(m, func(by int, to rigidMachine, rate float64) {
			switch {
			case by == 0:
				add(aheadState{s.ahead, to.jobs}, rate)
			case s.ahead == 0:
				asked(to.jobs, rate)
			default:
				for _, o := range q.outcomes(to, s.ahead-1) {
					started := counts.Total(o.jobs) - running + 1
					if started == s.ahead {
						asked(o.jobs, rate*o.p)
						continue
					}
					add(aheadState{s.ahead - started, o.jobs}, rate*o.p)
				}
			}
		})
	}
}

// at returns the transform of P(W > t).
func (w *rigidWait) at(ctx context.Context, s complex128) (complex128, error) {
	return jobtimes.Transform(ctx, w.chain, w.start, s)
}

// rigidDelay is the waiting time and the response time of the jobs of several classes together, with the shares of the classes.
type rigidDelay struct {
	classes []delayedClass
	waits   float64 // probability of waiting
	lost    float64
}

// delayedClass is a class with its share in the jobs, its waiting time and its run time.
type delayedClass struct {
	share   float64
	wait    *rigidWait
	service *markov.Chain
	alpha   []float64
}

// times returns the distributions of the jobs of a class, or of all jobs if class is empty. The model's measures are m.
func (q *rigidQueue) times(ctx context.Context, class string, m *Measures, chain *levels.Chain[rigidState],
	sol levels.Decaying) (jobtimes.Distributions, error) {
	d, none := &rigidDelay{}, jobtimes.Distributions{}
	total := 0.0
	waits := map[int]*rigidWait{}
	for _, c := range q.Classes {
		if class != "" && c.Name != class {
			continue
		}
		if waits[c.Size] == nil {
			w, err := q.newRigidWait(ctx, c.Size, chain, sol)
			if err != nil {
				return none, err
			}
			waits[c.Size] = w
		}
		service, err := jobtimes.PhaseChain(ctx, c.Service)
		if err != nil {
			return none, err
		}
		d.classes = append(d.classes, delayedClass{share: c.Share, wait: waits[c.Size], service: service, alpha: c.Service.Alpha()})
		total += c.Share
	}
	if total == 0 {
		return none, wrong("Classes", "have no class %q with jobs", class)
	}
	for i := range d.classes {
		c := &d.classes[i]
		c.share /= total
		d.waits += c.share * c.wait.waits
		d.lost = max(d.lost, c.wait.lost)
	}
	meanWait, meanResponse := m.MeanWaitingTime, m.MeanResponseTime
	for _, c := range m.Classes {
		if c.Name == class {
			meanWait, meanResponse = c.MeanWaitingTime, c.MeanResponseTime
		}
	}
	return d.distributions(ctx, meanWait, meanResponse, m.Diagnostics.ErrorBound)
}

// distributions inverts the transforms. The inverted waiting time is the time of the jobs that wait, because its
// distribution has no atom.
func (d *rigidDelay) distributions(ctx context.Context, meanWait, meanResponse, bound float64) (jobtimes.Distributions, error) {
	response, err := markov.NewSurvivalTransform(ctx, meanResponse, d.lost, d.responseAt)
	if err != nil {
		return jobtimes.Distributions{}, err
	}
	times := jobtimes.Distributions{
		Response: func(ctx context.Context, p float64) (float64, error) { return jobtimes.Middle(ctx, response, 1-p) },
		Waiting:  func(ctx context.Context, p float64) (float64, error) { return 0, ctx.Err() },
		// The wait's error is relative to the jobs that wait.
		ProbabilityError: response.Off,
		RelativeError:    func() float64 { return bound },
	}
	if !(d.waits > 0) {
		return times, nil
	}
	conditionalWait := func(ctx context.Context, s complex128) (complex128, error) {
		v, err := d.waitAt(ctx, s)
		return v / complex(d.waits, 0), err
	}
	waiting, err := markov.NewSurvivalTransform(ctx, meanWait/d.waits, d.lost/d.waits, conditionalWait)
	if err != nil {
		return jobtimes.Distributions{}, err
	}
	times.Waiting = func(ctx context.Context, p float64) (float64, error) {
		if 1-p >= d.waits {
			return 0, ctx.Err()
		}
		return jobtimes.Middle(ctx, waiting, (1-p)/d.waits)
	}
	times.ProbabilityError = func() float64 { return max(response.Off(), waiting.Off()*d.waits) }
	return times, nil
}

// waitAt returns the transform of P(W > t).
func (d *rigidDelay) waitAt(ctx context.Context, s complex128) (sum complex128, err error) {
	for _, c := range d.classes {
		v, err := c.wait.at(ctx, s)
		if err != nil {
			return 0, err
		}
		sum += complex(c.share, 0) * v
	}
	return sum, nil
}

// responseAt returns the transform of P(W + S > t). With the transforms F_W and F_S of P(W > t) and P(S > t) it is
//
//	F_W + (1 − s·F_W)·F_S.
func (d *rigidDelay) responseAt(ctx context.Context, s complex128) (sum complex128, err error) {
	for _, c := range d.classes {
		wait, err := c.wait.at(ctx, s)
		if err != nil {
			return 0, err
		}
		service, err := jobtimes.Transform(ctx, c.service, c.alpha, s)
		if err != nil {
			return 0, err
		}
		sum += complex(c.share, 0) * (wait + (1-s*wait)*service)
	}
	return sum, nil
}
