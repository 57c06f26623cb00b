// This file finds the variances of the waiting time and of the response time of rigid jobs in the order of their arrival.

package models

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/levels"
)

// TimeVariances are variances of the times of jobs, in the squared unit of the times.
type TimeVariances struct {
	WaitingTime  float64 `measure:"variance_waiting_time"`
	ResponseTime float64 `measure:"variance_response_time"`
}

// waitRecursion finds moments of the time W that a job waits, given the running jobs c and the number n of jobs ahead in the queue.
// Jobs that arrive later do not matter. The sizes of the jobs ahead are drawn when their turn comes. Let q be the rates of the
// running jobs, and r the rate of a reward. Then the reward w_n(c) until the job starts satisfies
//
//	out(c)·w_n(c) = r + Σ q(c, c')·w_n(c') + Σ q(c, c')·v_n(c'),
//
// where the first sum is over changes of phase, and the second over departures. The head of the queue did not fit beside c. After a
// departure it is one of the sizes that fit beside c' and starts, or it does not fit either:
//
//	v_n(c') = Σ_k p_k·Σ_j α_kj·u_{n−1}(c' + e_kj) + P(the head does not fit)·w_n(c'),
//
// and u_n(c) is the same sum with the next job drawn among all sizes. u_0 belongs to the job itself, which starts if it fits.
// Rewards of rate 1 give E[W]. Rewards of rate 2·E[W | n, c] give E[W²].
type waitRecursion struct {
	*rigidQueue
	machines []string       // running jobs by phase
	index    map[string]int // among the machines
	fits     []int          // by machine: number of sizes that fit
	begins   [][][]beginning
	blocked  *waitLevel // at least one job is ahead
}

// beginning is the start of a job: the machine that follows, and the probability of the initial phase.
type beginning struct {
	to int32
	p  float64
}

// waitLevel is the time in which the number of jobs ahead is the same.
type waitLevel struct {
	states []int             // machines beside which the head, of unknown size, does not fit
	starts [][]beginning     // by state: rates at which the head starts, to machines
	reward func(r []float64) // overwrites rates of reward with rewards until the head starts
}

// newWaitRecursion returns the recursion for a queue whose chain has been found.
func (q *rigidQueue) newWaitRecursion(ctx context.Context, chain *levels.Chain[rigidState]) (*waitRecursion, error) {
	w := &waitRecursion{rigidQueue: q, index: map[string]int{}}
	for l := range chain.Repeats + 1 {
		for _, s := range chain.States(l) {
			w.at(s.jobs)
		}
	}
	for i := 0; i < len(w.machines); i++ { // machines are met while the loop runs
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.fits = append(w.fits, q.Fitting(q.Used(w.machines[i])))
		w.begins = append(w.begins, w.beginnings(i))
		w.eachService(i, func(int, int, float64) {})
	}
	var err error
	w.blocked, err = w.newLevel(ctx, len(q.Sizes)-1, true)
	return w, err
}

// at returns the index of running jobs.
func (w *waitRecursion) at(jobs string) int {
	i, met := w.index[jobs]
	if !met {
		i = len(w.machines)
		w.index[jobs] = i
		w.machines = append(w.machines, jobs)
	}
	return i
}

// beginnings returns what follows the start of a job, by size, for the sizes that fit.
func (w *waitRecursion) beginnings(machine int) (all [][]beginning) {
	for _, z := range w.Sizes[:w.fits[machine]] {
		var of []beginning
		eachStart(z.Service, func(j int, p float64) {
			of = append(of, beginning{int32(w.at(counts.Changed(w.machines[machine], z.From+j, 1))), p})
		})
		all = append(all, of)
	}
	return all
}

// eachService calls f for the transitions of the running jobs: by −1 job or none, to a machine, at a rate.
func (w *waitRecursion) eachService(machine int, f func(by, to int, rate float64)) {
	w.serve(rigidMachine{jobs: w.machines[machine]}, func(by int, to rigidMachine, rate float64) { f(by, w.at(to.jobs), rate) })
}

// newLevel returns the level in which the head does not fit while sizes up to most fit. The head is of any size if it is unknown, and
// else of the size most.
func (w *waitRecursion) newLevel(ctx context.Context, most int, unknown bool) (*waitLevel, error) {
	level := &waitLevel{}
	for i, fits := range w.fits {
		if fits <= most {
			level.states = append(level.states, i)
		}
	}
	level.starts = make([][]beginning, len(level.states))
	place := 0
	chain, _, err := markov.Explore(ctx, level.states, len(level.states), func(i int, add func(int, float64), leave func(float64)) {
		w.eachService(i, func(by, to int, rate float64) {
			switch {
			case by == 0 || w.fits[to] == w.fits[i] || !unknown && w.fits[to] <= most:
				add(to, rate)
				return
			case !unknown:
				leave(rate)
				return
			}
			rate /= w.AtLeast[w.fits[i]]
			if larger := w.AtLeast[w.fits[to]]; larger > 0 {
				add(to, rate*larger)
			}
			for k := w.fits[i]; k < w.fits[to]; k++ {
				leave(rate * w.Sizes[k].Share)
				for _, b := range w.begins[to][k] {
					level.starts[place] = append(level.starts[place], beginning{b.to, rate * w.Sizes[k].Share * b.p})
				}
			}
		})
		place++
	})
	if err == nil {
		level.reward, err = chain.Rewards(ctx)
	}
	return level, err
}

// next returns w_n by machine, given the rates of reward r by machine and u_{n−1}.
func (w *waitRecursion) next(r, u []float64) []float64 {
	level := w.blocked
	x := make([]float64, len(level.states))
	for s, i := range level.states {
		x[s] = r[i]
		for _, b := range level.starts[s] {
			x[s] += b.p * u[b.to]
		}
	}
	return w.byMachine(level, x)
}

// byMachine overwrites rates of reward of the states of a level with rewards, and returns them by machine.
func (w *waitRecursion) byMachine(level *waitLevel, x []float64) []float64 {
	level.reward(x)
	all := make([]float64, len(w.machines))
	for s, i := range level.states {
		all[i] = x[s]
	}
	return all
}

// draw returns u_n, given w_n and u_{n−1}, for n ≥ 1.
func (w *waitRecursion) draw(next, before []float64) []float64 {
	u := make([]float64, len(next))
	for i, fits := range w.fits {
		u[i] = w.AtLeast[fits] * next[i]
		for k, of := range w.begins[i] {
			for _, b := range of {
				u[i] += w.Sizes[k].Share * b.p * before[b.to]
			}
		}
	}
	return u
}

// waitMoments are E[W | n, c] and E[W² | n, c]/2 of the jobs of a size, found for n = 0, 1, …, one after the other. For a large n
// they tend to polynomials of n of the first and second degree, because each start takes 1/λ* in the mean.
type waitMoments struct {
	*waitRecursion
	n      int
	u      [2][]float64      // u_0, and from n = 1 on u_n − u_{n−1}
	recent []conditionalWait // n, n−1, …, as many as the states of a level have
	pace   float64           // 1/λ*
	sums   [2]float64        // of the moments over the levels so far, weighted by the states that an arriving job finds
}

// conditionalWait are E[W | n, c] and E[W² | n, c]/2 for one n by machine; zero where the job does not wait. straight is the relative
// difference from the polynomials: of u_n − u_{n−1} from 1/λ*, and of its difference from 1/λ*².
type conditionalWait struct {
	moments  [2][]float64
	straight float64
}

// newWaitMoments returns the moments at n = 0, of a job with nobody ahead in the queue.
func (w *waitRecursion) newWaitMoments(ctx context.Context, size int, pace float64) (*waitMoments, error) {
	first, err := w.newLevel(ctx, size, false)
	if err != nil {
		return nil, err
	}
	m, now := &waitMoments{waitRecursion: w, pace: pace}, conditionalWait{straight: math.Inf(1)}
	reward := slices.Repeat([]float64{1}, len(w.machines))
	for i := range now.moments {
		x := make([]float64, len(first.states))
		for s, machine := range first.states {
			x[s] = reward[machine]
		}
		reward = w.byMachine(first, x)
		now.moments[i] = reward
	}
	m.u, m.recent = now.moments, []conditionalWait{now}
	return m, nil
}

// advance goes from n to n + 1. From n = 2 on the differences follow the recursion themselves, without a reward of rate 1. So no
// digits cancel.
func (m *waitMoments) advance() {
	m.n++
	now, last := conditionalWait{straight: math.Inf(1)}, m.u[1]
	reward := make([]float64, len(m.machines))
	if m.n == 1 {
		floats.AddConst(1, reward)
	}
	for i, before := range m.recent[0].moments {
		x := m.next(reward, m.u[i])
		reward = x
		u, step := m.draw(x, m.u[i]), x
		if m.n == 1 {
			floats.Sub(u, m.u[i])
			step = floats.SubTo(make([]float64, len(x)), x, before)
		}
		m.u[i], now.moments[i] = u, floats.AddTo(make([]float64, len(x)), before, step)
	}
	if m.n > 1 {
		now.straight = m.straight(last)
	}
	m.recent = append([]conditionalWait{now}, m.recent[:min(len(m.recent), m.Most()+1)]...)
}

// straight returns the relative difference of u_n from the polynomials, given u_{n−1} − u_{n−2} for the second moment. Where all
// u_n are the polynomials, all that follow are.
func (m *waitMoments) straight(last []float64) (off float64) {
	for i, u := range m.u[1] {
		off = max(off, math.Abs(m.u[0][i]/m.pace-1), math.Abs((u-last[i])/(m.pace*m.pace)-1))
	}
	return off
}

// reach advances to n jobs ahead.
func (m *waitMoments) reach(n int) {
	for m.n < n {
		m.advance()
	}
}

// ahead returns the moments with n jobs ahead.
func (m *waitMoments) ahead(n int) [2][]float64 { return m.recent[m.n-n].moments }

// above returns what the levels above a level add to the sums, with the polynomials of the moments. states are the
// states of the level itself, and moments are the factorial moments of the distance to the level, by state.
func (m *waitMoments) above(states []waitingState, moments [3][]float64) (sums [2]float64) {
	for i, s := range states {
		here, before := m.ahead(s.ahead), m.ahead(s.ahead-1)
		p, first, second := moments[0][i], moments[1][i], moments[2][i]
		sums[0] += s.arriving * (p*here[0][s.machine] + first*m.pace)
		step := here[1][s.machine] - before[1][s.machine]
		sums[1] += s.arriving * (p*here[1][s.machine] + first*step + (second/2+first)*m.pace*m.pace)
	}
	return sums
}

// waitingState is what matters of a state to an arriving job.
type waitingState struct {
	machine, ahead int
	arriving       float64 // relative to the mean rate
}

// waitingStates returns the states of a level.
func (w *waitRecursion) waitingStates(chain *levels.Chain[rigidState], level int) (all []waitingState) {
	arriving := w.arrivingRates()
	for _, s := range chain.States(min(level, chain.Repeats)) {
		all = append(all, waitingState{w.index[s.jobs], len(s.window) + s.behind(level), arriving[s.arrival]})
	}
	return all
}

// waits returns E[W] and E[W²] of the jobs of each size, and the relative error that the polynomials cause. Sums go from level to
// level until the polynomials are accurate enough for all levels above.
func (q *rigidQueue) waits(ctx context.Context, pace float64, chain *levels.Chain[rigidState],
	sol levels.Decaying) (all [][2]float64, off float64, err error) {
	w, err := q.newWaitRecursion(ctx, chain)
	if err != nil {
		return nil, 0, err
	}
	sizes := make([]*waitMoments, len(q.Sizes))
	for k := range sizes {
		if sizes[k], err = w.newWaitMoments(ctx, k, pace); err != nil {
			return nil, 0, err
		}
	}
	all = make([][2]float64, len(sizes))
	rest := sol.RepeatingMoments()
	sol.Each(func(level int, pi []float64, _ float64) bool {
		if level > chain.Repeats {
			levels.MomentsFromNext(&rest, pi)
		}
		states := w.waitingStates(chain, level)
		off = 0
		for k, m := range sizes {
			m.reach(level)
			for i, s := range states {
				for p, moments := range m.ahead(s.ahead) {
					m.sums[p] += pi[i] * s.arriving * moments[s.machine]
				}
			}
			if level < chain.Repeats {
				continue
			}
			above := m.above(states, rest)
			all[k] = [2]float64{m.sums[0] + above[0], 2 * (m.sums[1] + above[1])}
			off = max(off, m.recent[len(m.recent)-1].straight*above[1]/(m.sums[1]+above[1]))
		}
		const enough, mostLevels = 1e-13, 1 << 17
		return (level < chain.Repeats || !(off <= enough)) && level < mostLevels && ctx.Err() == nil
	})
	return all, off, ctx.Err()
}

// variances sets the variances of the waiting and of the response time. The wait of a job and its run time are independent.
func (q *rigidQueue) variances(ctx context.Context, m *Measures, chain *levels.Chain[rigidState], sol levels.Decaying) error {
	waits, off, err := q.waits(ctx, 1/m.MaxArrivalRate, chain, sol)
	if err != nil {
		return err
	}
	all := &TimeVariances{}
	for i, c := range q.Classes {
		wait := waits[c.Size]
		of := TimeVariances{WaitingTime: max(0, wait[1]-wait[0]*wait[0])}
		of.ResponseTime = of.WaitingTime + c.Service.Variance()
		all.WaitingTime += c.Share * (of.WaitingTime + square(wait[0]-m.MeanWaitingTime))
		all.ResponseTime += c.Share * (of.ResponseTime + square(wait[0]+c.Service.Mean()-m.MeanResponseTime))
		mean := m.MeanWaitingTime
		if len(m.Classes) > 0 {
			m.Classes[i].Variances, mean = &of, m.Classes[i].MeanWaitingTime
		}
		if err := checkWait(m, wait[0], mean); err != nil {
			return err
		}
	}
	m.Variances = all
	m.Diagnostics.ErrorBound = max(m.Diagnostics.ErrorBound, off)
	return nil
}

// checkWait returns an error if the mean waiting time of a followed job differs from the mean by Little's law.
func checkWait(m *Measures, followed, mean float64) error {
	tol := conservationTol + 1e-14/(1-m.TrafficIntensity)
	if off := math.Abs(followed - mean); !(off <= tol*mean) {
		return fmt.Errorf("a followed job waits %v, but by Little's law %v: %w", followed, mean, markov.ErrInaccurate)
	}
	return nil
}

// square returns x².
func square(x float64) float64 { return x * x }
