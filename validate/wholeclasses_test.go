package validate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// wholeState is who runs on a machine of whole units, by the classes of the jobs in the order of their starts, and how many wait.
type wholeState struct {
	running string // a byte for each job, its class
	waiting int
}

// wholeChain is dynamic equi-partitioning in whole units of nodes for classes of exponential demands where resizing is free, written
// out state by state: each running job has a unit, and each further unit goes to the job that has the fewest and can use one more,
// of equals to the one that started first.
type wholeChain struct {
	*models.System
	states []wholeState
	index  map[wholeState]int
	into   [][]wholeMove // by state
	out    []float64     // rates
}

type wholeMove struct {
	from int
	rate float64
}

// units returns the units of each running job.
func (c *wholeChain) units(running string) []int {
	units := make([]int, len(running))
	for left := c.Partitions(); left > 0; left-- {
		least := -1
		for j := range units {
			most := c.Classes[running[j]].MaxNodes / c.MinNodes
			if (units[j] == 0 || units[j] < most) && (least < 0 || units[j] < units[least]) {
				least = j
			}
		}
		if least < 0 {
			break
		}
		units[least]++
	}
	return units
}

// visit returns the index of a state.
func (c *wholeChain) visit(s wholeState) int {
	i, known := c.index[s]
	if !known {
		i = len(c.states)
		c.index[s] = i
		c.states, c.into, c.out = append(c.states, s), append(c.into, nil), append(c.out, 0)
	}
	return i
}

// newWholeChain finds the states in which at most so many jobs wait.
func newWholeChain(s *models.System, mostWaiting int) *wholeChain {
	c := &wholeChain{System: s, index: map[wholeState]int{}}
	c.visit(wholeState{})
	total := 0.0
	for _, class := range s.Classes {
		total += class.Share
	}
	for i := 0; i < len(c.states); i++ {
		now := c.states[i]
		move := func(to wholeState, rate float64) {
			j := c.visit(to)
			c.into[j] = append(c.into[j], wholeMove{i, rate})
			c.out[i] += rate
		}
		starts := func(running string, waiting int, rate float64) { // of the next job, which is of any class
			for k, class := range s.Classes {
				move(wholeState{running + string(rune(k)), waiting}, rate*class.Share/total)
			}
		}
		lambda := s.Arrivals.Rate()
		switch {
		case len(now.running) < s.Partitions():
			starts(now.running, 0, lambda)
		case now.waiting < mostWaiting:
			move(wholeState{now.running, now.waiting + 1}, lambda)
		}
		for j, u := range c.units(now.running) {
			class := s.Classes[now.running[j]]
			rate := class.Speedup.At(float64(u*s.MinNodes)) / class.Demand.Mean()
			left := now.running[:j] + now.running[j+1:]
			if now.waiting > 0 {
				starts(left, now.waiting-1, rate)
			} else {
				move(wholeState{left, 0}, rate)
			}
		}
	}
	return c
}

// responseTimes returns the mean response time of each class, from the stationary distribution by the method of Gauss and Seidel.
func (c *wholeChain) responseTimes() []float64 {
	p := make([]float64, len(c.states))
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
	for change := 1.0; change > 1e-9; {
		change = 0
		sum := 0.0
		for j, moves := range c.into {
			flow := 0.0
			for _, m := range moves {
				flow += p[m.from] * m.rate
			}
			flow /= c.out[j]
			change = max(change, math.Abs(flow-p[j])/max(flow, 1e-12))
			p[j] = flow
			sum += flow
		}
		for j := range p {
			p[j] /= sum
		}
	}
	total, waiting := 0.0, 0.0
	inService := make([]float64, len(c.Classes))
	for i, s := range c.states {
		waiting += p[i] * float64(s.waiting)
		for k := range inService {
			inService[k] += p[i] * float64(strings.Count(s.running, string(rune(k))))
		}
	}
	for _, class := range c.Classes {
		total += class.Share
	}
	times := make([]float64, len(c.Classes))
	for k, class := range c.Classes {
		times[k] = waiting/c.Arrivals.Rate() + inService[k]/(c.Arrivals.Rate()*class.Share/total)
	}
	return times
}

// On whole nodes, too, a simulation is held against an exact chain: the random models with exponential demands and free resizes.
// A class whose jobs run 3 % longer is noticed. The chain of average nodes, to which partwise validate compares both, is
// another machine; how far it is away is logged.
func TestWholeNodesOfClassesAgreeWithTheirChain(t *testing.T) {
	needs.Concurrency(t)
	models, jobs := uint64(1), int64(1_000_000)
	if needs.IsStudy() {
		models, jobs = 12, validate.EnoughJobs
	} else if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	for seed := range models {
		drawn := randomClasses(t, seed)
		for k := range drawn.Classes {
			drawn.Classes[k].Demand = exponential(drawn.Classes[k].Demand.Mean())
		}
		s := mixed(t, drawn.Nodes, drawn.MinNodes, drawn.Load(), drawn.Classes...)
		const waiting = 80 // 0.7⁸⁰ is 4e-13
		want := newWholeChain(s, waiting).responseTimes()
		sim := simulate(t, s, dynamic, validate.Options{Fidelity: validate.MachineFidelity, Seed: 1, MinJobs: jobs})
		away := func(times []float64) (most float64) { // in standard errors
			for k, c := range sim.Classes {
				most = max(most, math.Abs(c.MeanResponseTime.Mean-times[k])/c.MeanResponseTime.StdErr)
			}
			return most
		}
		const level = 4.5 // standard errors: 36 comparisons fail by chance once in two thousand runs, for 15 degrees of freedom
		if z := away(want); !(z <= level) {
			t.Errorf("model %d: %.1f standard errors from the chain of whole nodes: %v", seed, z, want)
		}
		for k := range s.Classes {
			if z := away(newWholeChain(slowed(t, s, k), waiting).responseTimes()); z <= level {
				t.Errorf("model %d: a class %d that is 3 %% slower is not noticed: %.1f standard errors", seed, k, z)
			}
		}
		for k, c := range solved(t, s, dynamic).Classes {
			t.Logf("model %d, %s: whole nodes %+.2f %% from average ones", seed, c.Name, 100*(want[k]/c.MeanResponseTime-1))
		}
	}
}
