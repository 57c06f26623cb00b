package models

import (
	"slices"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// depPhase is a state of dynamic equi-partitioning without its level: the machine as an arriving job finds it.
type depPhase struct {
	arrival int
	kind    byte   // 's' or 'e' while shrinking or expanding, 0 while executing
	c       int    // phase of the repartition
	jobs    string // counts of the service phases of the jobs that hold partitions
}

// depStates knows the moves of dynamic equi-partitioning state by state, for what is followed job by job and for
// smoothing. The measures of [DEP] do not come from here.
type depStates struct {
	sys     *System
	n       int
	filling *waterFilling // nil if all jobs are alike
	alike   []float64     // their speeds by phase then, 1
}

// newDepStates returns the moves of a system among whose first n jobs the nodes are divided.
func newDepStates(s *System, n int) depStates {
	return depStates{s, n, s.waterFilling(), slices.Repeat([]float64{1}, s.Service[0].Phases())}
}

// chain returns the chain of the levels.
func (c *depStates) chain() *levelChain[depPhase] {
	none := noCounts(c.sys.Service[0].Phases())
	all := &levelChain[depPhase]{Repeats: c.n, Moves: c.moves}
	for a := range c.sys.Arrivals.Phases() {
		all.Empty = append(all.Empty, depPhase{arrival: a, jobs: none})
	}
	return all
}

func (c *depStates) moves(level int, s depPhase, add func(by int, to depPhase, rate float64)) {
	arr := c.sys.Arrivals
	for b := range arr.Phases() {
		to := s
		to.arrival = b
		if r := arr.Rate0(s.arrival, b); b != s.arrival && r > 0 {
			add(0, to, r)
		}
		if r := arr.Rate1(s.arrival, b); r > 0 {
			c.arrive(level, to, func(to depPhase, p float64) { add(1, to, r*p) })
		}
	}
	if s.kind != 0 {
		c.reshape(level, s.kind, s.c, func(kind byte, phase int, rate float64) {
			to := s
			to.kind, to.c = kind, phase
			add(0, to, rate)
		})
		return
	}
	c.serve(min(level, c.n), s.jobs, nobody, func(jobs string, left bool, rate float64) {
		to := s
		to.jobs = jobs
		if !left {
			add(0, to, rate)
			return
		}
		c.depart(level, to, func(to depPhase, p float64) { add(-1, to, rate*p) })
	})
}

// arrivals returns the arrival rate in a phase of the arrivals.
func (c *depStates) arrivals(phase int) float64 {
	rate := 0.0
	for b := range c.sys.Arrivals.Phases() {
		rate += c.sys.Arrivals.Rate1(phase, b)
	}
	return rate
}

// arrive adds what an arrival makes of a state of a level.
func (c *depStates) arrive(level int, s depPhase, add func(to depPhase, p float64)) {
	if level >= c.n {
		add(s, 1)
		return
	}
	mapPhases(s.jobs, c.sys.PhaseMap[Change{level, level + 1}], func(jobs string, p float64) {
		for j := range countPhases(jobs) {
			if beta := c.sys.Service[level].AlphaAt(j); beta > 0 {
				c.begin('s', level+1, func(kind byte, phase int, q float64) {
					add(depPhase{s.arrival, kind, phase, countChanged(jobs, j, 1)}, p*beta*q)
				})
			}
		}
	})
}

// depart adds what follows when a job has left a level.
func (c *depStates) depart(level int, s depPhase, add func(to depPhase, p float64)) {
	if level > c.n {
		for j := range countPhases(s.jobs) {
			if beta := c.sys.Service[c.n-1].AlphaAt(j); beta > 0 {
				to := s
				to.jobs = countChanged(s.jobs, j, 1)
				add(to, beta)
			}
		}
		return
	}
	mapPhases(s.jobs, c.sys.PhaseMap[Change{level, level - 1}], func(jobs string, p float64) {
		c.begin('e', level-1, func(kind byte, phase int, q float64) {
			add(depPhase{s.arrival, kind, phase, jobs}, p*q)
		})
	})
}

// cost returns the repartition of a kind to i jobs.
func (c *depStates) cost(kind byte, i int) phasetype.Dist {
	switch kind {
	case launching:
		return c.sys.ShrinkTo(1)
	case shrinking:
		return c.sys.ShrinkTo(i)
	case expanding:
		return c.sys.ExpandTo(i)
	}
	return phasetype.Dist{}
}

// begin adds the ways in which a repartition to i jobs begins; kind 0 is one that takes no time.
func (c *depStates) begin(kind byte, i int, add func(kind byte, phase int, p float64)) {
	d := c.cost(kind, i)
	for k := range d.Phases() {
		if p := d.AlphaAt(k); p > 0 {
			add(kind, k, p)
		}
	}
	if p := d.Atom(); p > 0 {
		add(0, 0, p)
	}
}

// reshape adds the moves of the repartition under way at a level.
func (c *depStates) reshape(level int, kind byte, phase int, add func(kind byte, phase int, rate float64)) {
	d := c.cost(kind, min(level, c.n))
	for k := range d.Phases() {
		if r := d.Rate(phase, k); k != phase && r > 0 {
			add(kind, k, r)
		}
	}
	if r := d.ExitAt(phase); r > 0 {
		add(0, 0, r)
	}
}

// nobody is the phase of no job.
const nobody = -1

// serve adds the moves of running jobs while the machine has i shares: a change of phase, or left and one job fewer. A job in
// phase beside, unless that is nobody, runs as well.
func (c *depStates) serve(i int, jobs string, beside int, add func(jobs string, left bool, rate float64)) {
	if i == 0 {
		return
	}
	b, speed := c.sys.Service[i-1], c.speeds(i, jobs, beside)
	for j := range countPhases(jobs) {
		k := countAt(jobs, j)
		if k == 0 {
			continue
		}
		rest := countChanged(jobs, j, -1)
		for to := range b.Phases() {
			if r := b.Rate(j, to); to != j && r > 0 {
				add(countChanged(rest, to, 1), false, float64(k)*r*speed[j])
			}
		}
		if r := b.ExitAt(j); r > 0 {
			add(rest, true, float64(k)*r*speed[j])
		}
	}
}

// speeds returns the speed of a job by its phase over that of B_i while the machine has i shares.
func (c *depStates) speeds(i int, jobs string, beside int) []float64 {
	if c.filling == nil {
		return c.alike
	}
	occupancy, speed := make([]int32, countPhases(jobs)), make([]float64, countPhases(jobs))
	for j := range occupancy {
		occupancy[j] = int32(countAt(jobs, j))
	}
	if beside != nobody {
		occupancy[beside]++
	}
	c.filling.speed(occupancy, i, speed)
	return speed
}

// mapPhases adds what becomes of the phases of jobs that draw them from the rows of phi; nil keeps them.
func mapPhases(jobs string, phi *mat.Dense, add func(jobs string, p float64)) {
	if phi == nil {
		add(jobs, 1)
		return
	}
	var draw func(from, to string, p float64)
	draw = func(from, to string, p float64) {
		for j := range countPhases(from) {
			if countAt(from, j) == 0 {
				continue
			}
			for k := range countPhases(to) {
				if v := phi.At(j, k); v > 0 {
					draw(countChanged(from, j, -1), countChanged(to, k, 1), p*v)
				}
			}
			return
		}
		add(to, p)
	}
	draw(jobs, noCounts(countPhases(jobs)), 1)
}
