package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Mean returns the mean number of jobs in the system, E[level].
func (sol *Solution) Mean() float64 { return sol.mean }

// Variance returns the variance of the number of jobs in the system.
func (sol *Solution) Variance() float64 { return sol.variance }

// DecayRate returns the limit of P(level = i+1)/P(level = i) for large i, a number below 1.
func (sol *Solution) DecayRate() float64 { return sol.decay }

// Diagnostics returns the method, the residual, the error bound and the size of the solution.
func (sol *Solution) Diagnostics() markov.Diagnostics { return sol.diagnostics }

// MeanWaiting returns E[(level − c)⁺], the mean number of jobs that wait, c being the number of servers.
func (sol *Solution) MeanWaiting() float64 { return sol.repeatingMass(1) }

// MeanInService returns the mean number of jobs in service. No job is in service during a switch-over.
func (sol *Solution) MeanInService() float64 {
	total := float64(sol.sys.c) * block.Sum(sol.x[0])
	for l, sum := range sol.flows.inServiceSums {
		total += float64(l) * sum
	}
	return total
}

// MeanInPhases returns the mean number of running jobs by phase, one number for each phase of [Queue.Service] in its
// order. It is 0 for a phase that is never visited. Jobs that wait are not counted. Unlike [Solution.MeanInService] it
// counts the jobs that stand still during a switch-over. The slice belongs to the caller.
func (sol *Solution) MeanInPhases() []float64 {
	s := sol.sys
	mean := make([]float64, s.phases)
	for l := 1; l < s.c; l++ {
		sol.addInPhases(mean, l, sol.flows.inService[l], 1)
		for a, time := range s.down[l].Time {
			k := s.index.Size(l)
			sol.addInPhases(mean, l, sol.flows.departures[l][a*k:(a+1)*k], time)
		}
		for q, time := range block.MulVec(s.ar.A, s.up[l].Time) {
			k := s.index.Size(l)
			sol.addInPhases(mean, l, sol.flows.arrivals[l][q*k:(q+1)*k], time)
		}
	}
	sol.addInPhases(mean, s.c, sol.x[0], 1)
	// Arrivals do not cut the switch-over of level c short, so its mean time is the same for every entry: the probability
	// that it is under way over the rate of entries. A rate too small for a number adds nothing.
	g, entering := sol.repeating.switchOver, block.Sum(sol.entry)
	if g.Phases > 0 && entering > 0 {
		sol.addInPhases(mean, s.c, sol.entry, floats.Dot(sol.u[0], g.Stay)/entering)
	}
	return mean
}

// addInPhases adds the number of jobs in phase j of each occupancy of a level, weighted by factor·x, to mean[j]. j
// counts the phases of [Queue.Service]. The level is from 1 to c. x holds a weight for each of the K_l occupancies of
// the level. It may also hold K_l weights for each arrival phase or class in turn; x stays unchanged. If x holds
// probabilities and factor is 1, mean gains mean numbers of jobs.
func (sol *Solution) addInPhases(mean []float64, level int, x []float64, factor float64) {
	s := sol.sys
	k := s.index.Size(level)
	for i, v := range x {
		for j, n := range s.index.At(level, i%k) {
			mean[s.order[j]] += float64(n) * v * factor
		}
	}
}

// Serving returns P(level ≥ 1 and no switch-over): the share of the time, 0 to 1, in which jobs are in service.
func (sol *Solution) Serving() float64 {
	total := block.Sum(sol.x[0])
	for _, sum := range sol.flows.inServiceSums[1:] {
		total += sum
	}
	return total
}

// Throughput returns the rate of departures, in jobs for each unit of time. The rate is summed from the departures of
// the solved levels, so it carries the errors of the solution. In equilibrium the exact rate is [Solution.ArrivalRate].
// Error bounds of modes compare the two rates.
func (sol *Solution) Throughput() float64 {
	total, k := 0.0, sol.repeating.k
	for a := range sol.sys.ar.N {
		total += floats.Dot(sol.x[0][a*k:(a+1)*k], sol.repeating.departures)
	}
	for _, sum := range sol.flows.departureSums[:sol.sys.c-1] { // what departs from level c is in x[0]
		total += sum
	}
	return total
}

// ArrivalWaits returns the probability that an arriving job finds c or more jobs, c being the number of servers. The
// probability is weighted by arrivals, not by time. The two weights agree if arrivals are Poisson.
func (sol *Solution) ArrivalWaits() float64 {
	rate, k := 0.0, sol.repeating.k
	for a, r := range sol.sys.ar.PhaseRates {
		rate += r * block.Sum(sol.x[0][a*k:(a+1)*k])
	}
	if sol.repeating.switchOver.Phases > 0 {
		rate += floats.Dot(sol.u[0], sol.repeating.switchOver.Next.RowSums())
	}
	return rate / sol.sys.ar.Rate
}

// ArrivalRate returns the rate of the arrival process, in jobs for each unit of time.
func (sol *Solution) ArrivalRate() float64 { return sol.sys.ar.Rate }

// Switching returns the probability that a switch-over is under way: the share of the time, 0 to 1, in which all jobs
// stand still.
func (sol *Solution) Switching() float64 {
	total := 0.0
	for l := range sol.flows.inService {
		total += sol.boundarySwitching(l)
	}
	if sol.repeating.switchOver.Phases > 0 {
		total += floats.Dot(sol.u[0], sol.repeating.switchOver.Stay)
	}
	return total
}

// switchOverMass returns P(level = c+k and switching over), k ≥ 0, where levels are known by modes. The vectors of
// modes hold the states in service only, so their callers add it. It is 0 without a switch-over at level c.
func (sol *Solution) switchOverMass(k int) float64 {
	g := sol.repeating.switchOver
	if g.Phases == 0 {
		return 0
	}
	return floats.Dot(sol.arrivalsDuringSwitchOver(k), g.Stay)
}

// switchOverTail returns P(level ≥ c+k and switching over), k ≥ 0, where levels are known by modes. The vectors of
// modes hold the states in service only, so their callers add it. It is 0 without a switch-over at level c.
// [Solution.sumSwitchOvers] must have set unfinishedSums.
func (sol *Solution) switchOverTail(k int) float64 {
	g := sol.repeating.switchOver
	if g.Phases == 0 {
		return 0
	}
	return floats.Dot(block.VecMul(sol.arrivalsDuringSwitchOver(k), sol.unfinishedSums), g.Stay)
}

// arrivalsDuringSwitchOver returns the rates of arrivals to level c+k, k ≥ 0, that find the switch-over of level c
// unfinished. For k = 0 they are the rates of entries of level c that start it. The new vector has r·s entries, by
// class of the arrival and switch-over phase, summed over occupancies. They follow from k = 0 by the k-th power of the
// matrix next of the switch-over, taken by repeated squaring. Level c must have a switch-over.
func (sol *Solution) arrivalsDuringSwitchOver(k int) []float64 {
	u, power := statespace.Collapse(sol.startedAtLevelC(), sol.repeating.k), sol.repeating.switchOver.Next
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			u = block.VecMul(u, power)
		}
		power = block.Mul(context.Background(), power, power)
	}
	return u
}

// SwitchRates returns the rates at which arrivals and departures start switch-overs that take time, for each unit of
// time. cut is the rate at which arrivals cut a switch-over short; this happens below level c only. A switch-over that
// replaces another is counted as started.
func (sol *Solution) SwitchRates() (byArrival, byDeparture, cut float64) {
	s := sol.sys
	for l := 1; l < s.c; l++ {
		k := s.index.Size(l)
		z, y := sol.flows.arrivals[l], sol.flows.departures[l]
		byArrival += sol.flows.arrivalSums[l] * (1 - s.up[l].Atom)
		byDeparture += sol.flows.departureSums[l] * (1 - s.down[l].Atom)
		if s.up[l].Phases > 0 {
			cut += floats.Dot(statespace.Collapse(z, k), sol.boundary.levels[l].cut.RowSums())
		}
		if s.down[l].Phases > 0 {
			cut += floats.Dot(statespace.Collapse(y, k), s.down[l].Cut.RowSums())
		}
	}
	byArrival += block.Sum(sol.entry) * (1 - s.up[s.c].Atom)
	return byArrival, byDeparture, cut
}

// SwitchStarts returns the rates at which the switch-overs of a level l, 1 ≤ l ≤ c, begin, for each unit of time: by
// arrivals that bring the number of jobs to l, and by departures that leave l jobs (0 for l = c). Switch-overs that
// take no time are counted. Both rates are 0 for any other level.
func (sol *Solution) SwitchStarts(level int) (byArrival, byDeparture float64) {
	switch {
	case level < 1 || level > sol.sys.c:
		return 0, 0
	case level == sol.sys.c:
		return block.Sum(sol.entry), 0
	}
	return sol.flows.arrivalSums[level], sol.flows.departureSums[level]
}
