package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/markovtest"
	"github.com/partwise/partwise/testdata/needs"
)

// pairChain is the chain of first come, first served with the class of the head as part of the phase: a description that shares
// nothing with that of the package, where only what is known of the head is.
type pairChain struct {
	system *models.System
	top    int // the last boundary level
	states [][]pairState
	index  []map[pairState]int
}

// pairState is the phase of the arrivals, the running jobs by class and phase, a byte each, and the class of the head, −1 without
// one.
type pairState struct {
	arrival int
	jobs    string
	head    int
}

func (c *pairChain) used(jobs string) (nodes, running int) {
	j := 0
	for _, class := range c.system.Classes {
		for range class.Demand.Phases() {
			nodes, running = nodes+int(jobs[j])*class.Nodes, running+int(jobs[j])
			j++
		}
	}
	return nodes, running
}

// begun calls f for the running jobs after a job of a class has begun, with probabilities.
func (c *pairChain) begun(jobs string, k int, f func(jobs string, p float64)) {
	from := 0
	for _, class := range c.system.Classes[:k] {
		from += class.Demand.Phases()
	}
	for j, p := range c.system.Classes[k].Demand.Alpha() {
		if p > 0 {
			b := []byte(jobs)
			b[from+j]++
			f(string(b), p)
		}
	}
}

// fill lets jobs start until the class of the next does not fit, or no job waits.
func (c *pairChain) fill(jobs string, waiting int, p float64, f func(jobs string, head int, p float64)) {
	if waiting == 0 {
		f(jobs, -1, p)
		return
	}
	used, _ := c.used(jobs)
	for k, class := range c.system.Classes {
		if used+class.Nodes > c.system.Nodes {
			f(jobs, k, p*class.Share)
			continue
		}
		c.begun(jobs, k, func(next string, q float64) { c.fill(next, waiting-1, p*class.Share*q, f) })
	}
}

func (c *pairChain) moves(level int, s pairState, add func(by int, to pairState, rate float64)) {
	arrivals := c.system.Arrivals
	used, running := c.used(s.jobs)
	for to := range arrivals.Phases() {
		if rate := arrivals.Rate0(s.arrival, to); to != s.arrival && rate > 0 {
			add(0, pairState{to, s.jobs, s.head}, rate)
		}
		rate := arrivals.Rate1(s.arrival, to)
		if rate > 0 && s.head >= 0 {
			add(1, pairState{to, s.jobs, s.head}, rate)
		} else if rate > 0 {
			c.fill(s.jobs, 1, rate, func(jobs string, head int, rate float64) { add(1, pairState{to, jobs, head}, rate) })
		}
	}
	j := 0
	for k, class := range c.system.Classes {
		for phase, exit := range class.Demand.Exit() {
			n := float64(s.jobs[j])
			b := []byte(s.jobs)
			b[j]--
			for to := range class.Demand.Phases() {
				if rate := class.Demand.Rate(phase, to); n > 0 && to != phase && rate > 0 {
					moved := []byte(string(b))
					moved[j-phase+to]++
					add(0, pairState{s.arrival, string(moved), s.head}, n*rate)
				}
			}
			j++
			if n*exit == 0 {
				continue
			}
			left, behind := string(b), level-running-1
			free := c.system.Nodes - used + c.system.Classes[k].Nodes
			switch {
			case s.head < 0:
				add(-1, pairState{s.arrival, left, -1}, n*exit)
			case c.system.Classes[s.head].Nodes > free:
				add(-1, pairState{s.arrival, left, s.head}, n*exit)
			default:
				c.begun(left, s.head, func(jobs string, p float64) {
					c.fill(jobs, behind, n*exit*p, func(jobs string, head int, rate float64) { add(-1, pairState{s.arrival, jobs, head}, rate) })
				})
			}
		}
	}
}

// qbd returns the chain as dense blocks.
func (c *pairChain) qbd() *markov.QBD {
	least, phases := c.system.Nodes, 0
	for _, class := range c.system.Classes {
		least, phases = min(least, class.Nodes), phases+class.Demand.Phases()
	}
	c.top = c.system.Nodes/least + 1
	c.states, c.index = make([][]pairState, c.top+1), make([]map[pairState]int, c.top+1)
	type visit struct {
		level int
		s     pairState
	}
	var todo []visit
	meet := func(level int, s pairState) int {
		level = min(level, c.top)
		if c.index[level] == nil {
			c.index[level] = map[pairState]int{}
		}
		i, met := c.index[level][s]
		if !met {
			i = len(c.states[level])
			c.index[level][s] = i
			c.states[level] = append(c.states[level], s)
			todo = append(todo, visit{level, s})
		}
		return i
	}
	for a := range c.system.Arrivals.Phases() {
		meet(0, pairState{a, string(make([]byte, phases)), -1})
	}
	for len(todo) > 0 {
		v := todo[0]
		todo = todo[1:]
		for l := v.level; l <= v.level || v.level == c.top && l == c.top+1; l++ {
			c.moves(l, v.s, func(by int, to pairState, _ float64) { meet(l+by, to) })
		}
	}
	q := &markov.QBD{}
	for l := range c.top + 2 {
		size := func(l int) int { return len(c.states[min(l, c.top)]) }
		level := markov.Level{Up: mat.NewDense(size(l), size(l+1), nil), Local: mat.NewDense(size(l), size(l), nil)}
		blocks := map[int]*mat.Dense{0: level.Local.(*mat.Dense), 1: level.Up.(*mat.Dense)}
		if l > 0 {
			blocks[-1] = mat.NewDense(size(l), size(l-1), nil)
			level.Down = blocks[-1]
		}
		for i, s := range c.states[min(l, c.top)] {
			c.moves(l, s, func(by int, to pairState, rate float64) {
				j := c.index[min(l+by, c.top)][to]
				blocks[by].Set(i, j, blocks[by].At(i, j)+rate)
			})
		}
		if l > c.top {
			q.Repeating = level
			break
		}
		q.Boundary = append(q.Boundary, level)
	}
	return q
}

// rigidWitness is a solution of the chain.
type rigidWitness interface {
	Sum(f func(level, phase int) float64) float64
	MeanAbove(level int) float64
	Mean() float64
	Variance() float64
	Probability(level int) float64
}

// waiting returns the mean number of waiting jobs of a class.
func (c *pairChain) waiting(s rigidWitness, k int) float64 {
	share := c.system.Classes[k].Share
	return share*s.MeanAbove(c.top+1) + s.Sum(func(level, phase int) float64 {
		state := c.states[min(level, c.top)][phase]
		if state.head < 0 {
			return 0
		}
		_, running := c.used(state.jobs)
		behind := share * float64(level-running-1)
		if state.head == k {
			return behind + 1
		}
		return behind
	})
}

// drawRigid draws a machine of 2 to 4 classes with exponential, Erlang or hyperexponential run times and Markovian arrivals of
// order up to 3, at a traffic intensity up to .999.
func drawRigid(t *testing.T, r *rand.Rand) *models.System {
	nodes := 2 + r.IntN(5)
	var classes []rigidClass
	left := 1.0
	n := 2 + r.IntN(3)
	for k := range n {
		share := left * (0.2 + 0.6*r.Float64())
		if k == n-1 {
			share = left
		}
		left -= share
		mean := math.Pow(10, 2*r.Float64()-1)
		run := must(phasetype.Erlang(1+r.IntN(2), mean))
		if r.IntN(3) == 0 {
			run = must(phasetype.BalancedHyperexponential(mean, 1.5+4*r.Float64()))
		}
		classes = append(classes, rigidClass{share, 1 + r.IntN(nodes), run})
	}
	order := 1 + r.IntN(3)
	d0, d1 := mat.NewDense(order, order, nil), mat.NewDense(order, order, nil)
	for i := range order {
		for j := range order {
			if i != j {
				d0.Set(i, j, 0.1+r.Float64())
			}
			if i == j || r.IntN(2) == 0 {
				d1.Set(i, j, math.Pow(10, 2*r.Float64()-1))
			}
		}
	}
	for i := range order {
		sum := 0.0
		for j := range order {
			sum += d1.At(i, j)
			if j != i {
				sum += d0.At(i, j)
			}
		}
		d0.Set(i, i, -sum)
	}
	s := rigidSystem(t, nodes, must(phasetype.NewMAP(d0, d1)), classes...)
	rate := must(must(s.Chain(policy.FCFS{})).(saturating).MaxArrivalRate(t.Context()))
	intensity := []float64{0.05, 0.3, 0.6, 0.8, 0.95, 0.99, 0.999}[r.IntN(7)]
	return must(s.WithArrivalRate(intensity * rate))
}

// drawnRigid compares drawn machines with a chain of another description, solved with 106 bits: no bound may be broken, neither
// of dense blocks nor of the iteration. Above .96 of the stability limit, chains of no more than so many phases are solved with
// 113 bits.
func drawnRigid(t *testing.T, instances, most int) {
	r, worst := rand.New(rand.NewPCG(53, 1)), 0.0
	for done := 0; done < instances; {
		s := drawRigid(t, r)
		c := &pairChain{system: s}
		q := c.qbd()
		const mostPhases = 60
		if len(c.states[c.top]) > mostPhases {
			continue
		}
		done++
		var witness rigidWitness = markovtest.Solve(q)
		if s.Arrivals.Rate() > 0.96*must(must(s.Chain(policy.FCFS{})).(saturating).MaxArrivalRate(t.Context())) && len(c.states[c.top]) <= most {
			witness = solveQuads(q)
		}
		model := must(s.Chain(policy.FCFS{}))
		dense := must(model.Solve(t.Context(), markov.Settings{}))
		for _, m := range []models.Measures{dense, must(models.SolveSparse(t.Context(), model, markov.Settings{}))} {
			name := fmt.Sprintf("instance %d (%d phases, intensity %.3g) by %s", done, m.Diagnostics.Phases, m.TrafficIntensity, m.Diagnostics.Method)
			bound := m.Diagnostics.ErrorBound
			worst = max(worst, math.Abs(m.MeanJobs/witness.Mean()-1)/bound)
			near(t, name+": E[jobs]", m.MeanJobs, witness.Mean(), bound)
			near(t, name+": Var[jobs]", m.VarianceJobs, witness.Variance(), 2*bound)
			near(t, name+": P(empty)", m.ProbabilityEmpty, witness.Probability(0), bound)
			for k, class := range s.Classes {
				near(t, name+": E[W] of a class", m.Classes[k].MeanWaitingTime, c.waiting(witness, k)/(s.Arrivals.Rate()*class.Share), bound)
			}
		}
		if t.Failed() {
			return
		}
		if done%100 == 0 {
			t.Logf("%d instances, %.2g of the error bound at most", done, worst)
		}
	}
}

func TestRigidDrawn(t *testing.T) {
	needs.Long(t, "solves 40 chains with 31 digits")
	drawnRigid(t, 40, 12)
}

func TestRigidDrawnMany(t *testing.T) {
	needs.Study(t, "solves 2,000 chains with 31 digits")
	drawnRigid(t, 2000, 60)
}

// TestRigidHeavyTraffic: (1 − ρ)·E[T] tends to (Δ + 1)/λ* as ρ = λ/λ* tends to 1, where Δ is the mean, over the states after
// departures of the saturated machine, of the departures that a state is ahead of the mean. At ρ = 0.9 the limit is some percent
// off.
//
// Reference: I. Grosof, Y. Hong, M. Harchol-Balter, A. Scheller-Wolf, The RESET and MARC techniques, with application to
// multiserver-job analysis, Perform. Eval. 162 (2023).
func TestRigidHeavyTraffic(t *testing.T) {
	classes := []rigidClass{{0.6, 1, must(phasetype.Erlang(1, 1))}, {0.3, 3, must(phasetype.Erlang(2, 2))}, {0.1, 8, must(phasetype.Erlang(1, 5))}}
	s := rigidSystem(t, 8, poisson(1), classes...)
	rate := must(must(s.Chain(policy.FCFS{})).(saturating).MaxArrivalRate(t.Context()))
	q := (&pairChain{system: s}).qbd()
	n, _ := q.Repeating.Local.Dims()
	generator, down := mat.NewDense(n, n, nil), q.Repeating.Down
	generator.Add(q.Repeating.Local, down)
	pi := must(markov.Stationary(t.Context(), generator))
	right := mat.NewVecDense(n, nil)
	for i := range n {
		out, departures := 0.0, 0.0
		for j := range n {
			departures += down.At(i, j)
			if j != i {
				out += generator.At(i, j)
			}
		}
		generator.Set(i, i, -out)
		right.SetVec(i, rate-departures)
	}
	for i := range n {
		for j := range n {
			generator.Set(i, j, generator.At(i, j)-pi[j]) // so that Σ π·ahead = 0
		}
	}
	var ahead mat.VecDense
	if err := ahead.SolveVec(generator, right); err != nil {
		t.Fatal(err)
	}
	delta := 0.0
	for i, p := range pi {
		for j := range n {
			delta += p * down.At(i, j) * ahead.AtVec(j) / rate
		}
	}
	for _, c := range []struct{ rho, off float64 }{{0.9, 0.1}, {0.999, 1e-3}, {0.9999, 1e-4}} {
		m := chained(t, must(s.WithArrivalRate(c.rho*rate)), policy.FCFS{})
		near(t, "(1−ρ)·E[T]", (1-c.rho)*m.MeanResponseTime, (delta+1)/rate, c.off)
	}
}
