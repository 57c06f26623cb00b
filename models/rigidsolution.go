// This file solves the chain of rigid jobs and computes their measures.

package models

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/models/policy"
)

// rigid is a policy of rigid jobs on a system. Each job keeps the nodes that it asks for from its start to its end. Of the first
// jobs of the queue, as many as are tried, the first that fits into the free nodes starts. If one job is tried, jobs start in the
// order of their arrival, and the first of the queue blocks all others.
//
// [rigidQueue] describes the chain, which is written out state by state and solved with dense blocks. The largest stable arrival
// rate comes first, from the saturated machine. With n phases in a level and L + W boundary levels, a solution takes of the order
// of (L + W)·n³ operations. Its blocks have (L + W)·n² numbers. The sizes of all levels are predicted, so that a chain that is
// too large is refused at once.
//
// References: P. H. Brill, L. Green, Manage. Sci. 30 (1984) 51–68; D. Filippopoulos, H. Karatza, An M/M/2 parallel system model with
// pure space sharing among rigid jobs, Math. Comput. Model. 45 (2007) 491–530.
type rigid struct {
	sys    *System
	policy policy.Queued
	queue  *rigidQueue
}

// newRigid returns the chain of a policy of rigid jobs.
func newRigid(s *System, p policy.Queued) (Model, error) {
	jobs, err := s.rigidJobs()
	if err != nil {
		return nil, err
	}
	q := &rigidQueue{Jobs: jobs, arrivals: s.Arrivals, tried: p.Tried()}
	return &rigid{s, p, q}, nil
}

// CheckSize returns an error if the chain has too many phases, or needs more memory than st.Memory. Otherwise it returns about
// how many seconds Solve takes on one core. It finds no states.
func (r *rigid) CheckSize(_ context.Context, st markov.Settings) (seconds float64, err error) {
	size, err := r.queue.predicted()
	if err == nil {
		err = size.check(st.Memory)
	}
	if err != nil {
		return 0, fmt.Errorf("models: %s: %w%s", r.policy, err, r.smaller(err))
	}
	return size.seconds(), nil
}

// smaller says what would make a chain smaller that is too large.
func (r *rigid) smaller(err error) string {
	if !errors.Is(err, markov.ErrTooLarge) {
		return ""
	}
	return fmt.Sprintf("; %s; simulate --policy %s has no such limit", r.queue.smaller(), r.policy)
}

// ownQueue returns the queue with outcomes of its own, because several calls may use one model at the same time.
func (r *rigid) ownQueue() *rigidQueue {
	q := *r.queue
	q.settled = map[unsettledMachine][]outcome{}
	return &q
}

// MaxArrivalRate returns λ*, the arrival rate below which the policy is stable, from the saturated machine alone. The error wraps
// [markov.ErrTooLarge] if the saturated machine has too many states.
func (r *rigid) MaxArrivalRate(ctx context.Context) (float64, error) {
	rate, err := r.ownQueue().maxArrivalRate(ctx)
	if err != nil {
		return 0, fmt.Errorf("models: %s: %w", r.policy, err)
	}
	return rate, nil
}

// Solve returns the measures of the system under the policy. An unstable system is not an error.
func (r *rigid) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	m, err := r.solve(ctx, st, (*rigidChainSize).dense)
	if err != nil {
		return m, fmt.Errorf("models: %s: %w", r.policy, err)
	}
	return m, nil
}

// solve is Solve with errors that do not name the policy. dense says of a size whether blocks are dense.
func (r *rigid) solve(ctx context.Context, st markov.Settings, dense func(*rigidChainSize) bool) (Measures, error) {
	q := r.ownQueue()
	size, err := q.predicted()
	if err == nil {
		err = size.check(st.Memory)
	}
	if err != nil {
		return Measures{}, fmt.Errorf("%w%s", err, r.smaller(err))
	}
	capacity, err := q.maxArrivalRate(ctx)
	if err != nil {
		return Measures{}, err
	}
	m, stable := newMeasures(r.sys, capacity)
	m.Rigid = &RigidMeasures{SaturatedUtilization: capacity * q.Work() / float64(q.Machine)}
	if !stable {
		return m, nil
	}
	chain := &levels.Chain[rigidState]{Repeats: q.repeats(), Empty: q.empty(), Moves: q.settledMoves, MostPhases: maxSparsePhases}
	sol, err := chain.Solve(ctx, dense(size), st)
	if err == nil {
		m.DecayRate, err = sol.DecayRate(ctx)
	}
	if err != nil {
		return m, err
	}
	if err := q.measure(&m, r.sys, chain, sol); err != nil {
		return m, err
	}
	if q.tried == 1 { // in a window later arrivals overtake
		if err := q.variances(ctx, &m, chain, sol); err != nil {
			return m, err
		}
		of := m
		m.times = func(ctx context.Context, class string) (jobtimes.Distributions, error) {
			times, err := r.ownQueue().times(ctx, class, &of, chain, sol)
			if err != nil {
				err = fmt.Errorf("models: %s: %w", r.policy, err)
			}
			return times, err
		}
	}
	return m, nil
}

// rigidSums are sums over the states of the chain, weighted by their probabilities.
type rigidSums struct {
	running []float64 // jobs of each size that run
	inside  []float64 // jobs of each size in the window
	behind  float64   // jobs behind the window
	waits   []float64 // by size: share of the arrivals that have to wait
	held    float64   // nodes that jobs hold
	idle    float64   // nodes that are idle while a job waits
	ends    float64   // departures per time
}

// sums returns the sums over all states.
func (q *rigidQueue) sums(chain *levels.Chain[rigidState], sol levels.Solution) rigidSums {
	n := len(q.Sizes)
	s := rigidSums{running: make([]float64, n), inside: make([]float64, n), waits: make([]float64, n)}
	s.behind = sol.MeanAbove(chain.Repeats + 1) // on top of level Repeats+1, as which the states above are counted
	arriving := q.arrivingRates()
	chain.Each(sol, func(level int, at rigidState, p float64) {
		used := q.Used(at.jobs)
		held := float64(used * q.Unit)
		s.held += p * held
		s.ends += p * q.Departures(at.jobs)
		s.behind += p * float64(at.behind(level))
		for j := range q.Phases {
			s.running[q.SizeOf[j]] += p * float64(counts.At(at.jobs, j))
		}
		for i := range len(at.window) {
			for k := range q.Sizes {
				s.inside[k] += p * q.Likely(k, int(at.window[i]))
			}
		}
		if len(at.window) > 0 {
			s.idle += p * (float64(q.Machine) - held)
		}
		fitting := q.Fitting(used)
		for k := range q.Sizes {
			if len(at.window) == q.tried || k >= fitting {
				s.waits[k] += p * arriving[at.arrival]
			}
		}
	})
	return s
}

// measure computes the measures from the solution. Nothing that has happened depends on the class of a waiting job
// among the classes of its size. So the job belongs to these classes in proportion to their shares, and classes of one
// size wait equally long:
//
//	E[W_k] = (E[jobs of the size in the window] + p·E[jobs behind the window])/(λ·p),
//
// with the share p of the size in the arrivals. The error tells that a size's running jobs, or all departures, contradict Little's
// law.
func (q *rigidQueue) measure(m *Measures, s *System, chain *levels.Chain[rigidState], sol levels.Solution) error {
	sums, lambda := q.sums(chain, sol), s.Arrivals.Rate()
	m.readLevels(sol, lambda, floats.Sum(sums.inside)+sums.behind)
	m.MeanExecuting = floats.Sum(sums.running)
	m.Throughput = sums.ends
	m.Utilization = sums.held / float64(q.Machine)
	m.Rigid.IdleBlocked = sums.idle / float64(q.Machine)
	for k, z := range q.Sizes {
		m.ProbabilityWait += z.Share * sums.waits[k]
	}
	for _, c := range q.Named() {
		z := q.Sizes[c.Size]
		wait := (sums.inside[c.Size] + z.Share*sums.behind) / (lambda * z.Share)
		response := wait + c.Service.Mean()
		m.Classes = append(m.Classes, ClassMeasures{Name: c.Name, Share: c.Share, MeanResponseTime: response, MeanWaitingTime: wait,
			ProbabilityWait: sums.waits[c.Size], MeanSlowdown: response / c.Service.Mean(),
			MeanJobsInService: lambda * c.Share * c.Service.Mean()})
	}
	if err := checkConservation(m, s); err != nil {
		return err
	}
	return q.checkRunning(m, lambda, sums.running)
}
