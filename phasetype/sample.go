package phasetype

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// longWalk is the expected number of sojourns per draw beyond which a sampler uses a table of the quantiles instead of
// walking from phase to phase; of many phases such a table takes long to make, and only endless walks are worth it.
const (
	longWalk   = 100
	endless    = 1e6
	manyPhases = 200
)

// Sampler draws from a distribution, whole or phase by phase. Its tables are read only after it was made: one Sampler
// may serve many goroutines, each with its own stream.
type Sampler struct {
	rate   []float64
	choose []alias // outcome n is absorption
	start  alias   // outcome n is the value 0
	n      int
	walk   []stop         // by phase
	law    *Law           // instead of walking, where that takes long
	table  *quantileTable // of the law, if it is not too long
}

// stop is a phase seen by a walk: the time spent there, and in those of the same rate that surely follow, is a gamma
// variable.
type stop struct {
	mean   float64 // of each sojourn
	shape  gamma
	phases int
	last   int32 // the last of those phases
	next   int32 // what surely follows, n for absorption, −1 if that is to be chosen
}

// NewSampler prepares draws from d. The tables of Walker, as Vose sets them up, make each choice with one random
// number; the phases of an Erlang distribution are drawn at once; where a walk takes long, a table of the quantiles is
// made that is interpolated to 1e-9 of the value.
//
// References: M. D. Vose, A linear algorithm for generating random numbers with a given distribution, IEEE Trans.
// Software Eng. 17 (1991) 972–975; G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, ACM
// Trans. Math. Software 26 (2000) 363–372.
func NewSampler(d Dist) *Sampler {
	s := &Sampler{n: d.n, rate: make([]float64, d.n), choose: make([]alias, d.n), walk: make([]stop, d.n)}
	s.start = newAlias(append(d.Alpha(), d.Atom()))
	for i := range d.n {
		s.rate[i] = -d.Rate(i, i)
		weights := append([]float64(nil), d.t[i*d.n:(i+1)*d.n]...)
		weights[i] = 0
		s.choose[i] = newAlias(append(weights, d.exit[i]))
	}
	for i := range d.n {
		s.walk[i] = s.runFrom(i)
	}
	if stops := s.expectedStops(d); stops > endless || stops > longWalk && d.n <= manyPhases {
		s.law = NewLaw(d)
		s.table = newQuantileTable(s.law)
	}
	return s
}

// runFrom follows phase i as long as the next phase is certain and has the same rate.
func (s *Sampler) runFrom(i int) stop {
	p := stop{mean: 1 / s.rate[i], phases: 1, last: int32(i)}
	for {
		p.next = -1
		if cells := s.choose[p.last].cells; len(cells) == 1 {
			p.next = cells[0].a
		}
		if p.next < 0 || p.next == int32(s.n) || s.rate[p.next] != s.rate[i] || p.phases == s.n {
			p.shape = newGamma(p.phases)
			return p
		}
		p.last = p.next
		p.phases++
	}
}

// expectedStops returns the mean number of stops of a walk.
func (s *Sampler) expectedStops(d Dist) float64 {
	if d.n == 0 {
		return 0
	}
	x := d.Alpha()
	d.eliminate().solveRow(x)
	var stops float64
	for i, v := range x {
		stops += v * s.rate[i] // visits to a phase, each of which is the first of a run or within one
	}
	for i, p := range s.walk {
		if p.phases > 1 {
			stops -= x[i] * s.rate[i] * float64(p.phases-1) / float64(p.phases)
		}
	}
	return stops
}

// Draw returns a value of the distribution.
func (s *Sampler) Draw(r *rand.Rand) float64 {
	switch {
	case s.table != nil:
		return s.table.draw(r)
	case s.law != nil:
		return s.law.InverseSurvival(1 - r.Float64())
	}
	var x float64
	for i := s.start.draw(r); i < s.n; {
		p := &s.walk[i]
		x += p.mean * p.shape.draw(r)
		if i = int(p.next); i < 0 {
			i = s.choose[p.last].draw(r)
		}
	}
	return x
}

// Start returns the phase the time begins in, −1 if the value is 0.
func (s *Sampler) Start(r *rand.Rand) int {
	if i := s.start.draw(r); i < s.n {
		return i
	}
	return -1
}

// Next returns the phase that follows phase i, −1 for absorption.
func (s *Sampler) Next(i int, r *rand.Rand) int {
	if j := s.choose[i].draw(r); j < s.n {
		return j
	}
	return -1
}

// Rate returns the rate −T_ii of leaving phase i; the sojourn there is exponential with it.
func (s *Sampler) Rate(i int) float64 { return s.rate[i] }

// MAPSampler draws the path of an arrival process. Its tables are read only after it was made.
type MAPSampler struct {
	n        int
	rate     []float64
	choose   []alias // outcome j: to phase j without an arrival; n + j: with one
	anytime  alias
	embedded alias
}

// NewMAPSampler prepares draws from m. A process without phases has no path: its sampler must not be drawn from.
func NewMAPSampler(m MAP) *MAPSampler {
	n := m.n
	s := &MAPSampler{n: n, rate: make([]float64, n), choose: make([]alias, n)}
	for i := range n {
		s.rate[i] = -m.d0[i*n+i]
		weights := append([]float64(nil), m.d0[i*n:(i+1)*n]...)
		weights[i] = 0
		s.choose[i] = newAlias(append(weights, m.d1[i*n:(i+1)*n]...))
	}
	s.anytime = newAlias(m.pi)
	s.embedded = newAlias(m.AfterArrival())
	return s
}

// Start returns a phase of the stationary process at an arbitrary time.
func (s *MAPSampler) Start(r *rand.Rand) int { return s.anytime.draw(r) }

// StartAfterArrival returns a phase of the stationary process just after an arrival.
func (s *MAPSampler) StartAfterArrival(r *rand.Rand) int { return s.embedded.draw(r) }

// Rate returns the rate of events (changes of phase, arrivals, or both) in phase i.
func (s *MAPSampler) Rate(i int) float64 { return s.rate[i] }

// Next returns the phase after the event that ends the sojourn in phase i, and whether it is an arrival. The phase may
// be i again if it is.
func (s *MAPSampler) Next(i int, r *rand.Rand) (phase int, arrival bool) {
	j := s.choose[i].draw(r)
	if j >= s.n {
		return j - s.n, true
	}
	return j, false
}

// Draw returns the time to the next arrival from phase i, and the phase just after it.
func (s *MAPSampler) Draw(i int, r *rand.Rand) (time float64, phase int) {
	for {
		time += r.ExpFloat64() / s.rate[i]
		var arrival bool
		if i, arrival = s.Next(i, r); arrival {
			return time, i
		}
	}
}

// alias chooses among outcomes of given weights. Only outcomes that can happen are kept, so that a certain one costs
// no random number.
type alias struct {
	cells []cell
}

// cell is taken with probability 1/len(cells): then it is outcome a with probability below/2⁶⁴, otherwise b.
type cell struct {
	below uint64
	a, b  int32
}

func newAlias(weights []float64) alias {
	var cells []cell
	var p []float64
	var total float64
	for i, w := range weights {
		if w > 0 {
			cells = append(cells, cell{a: int32(i), b: int32(i)})
			p = append(p, w)
			total += w
		}
	}
	var small, large []int
	for k := range cells {
		p[k] = p[k] / total * float64(len(cells))
		if p[k] < 1 {
			small = append(small, k)
		} else {
			large = append(large, k)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		cells[s].b = cells[l].a
		cells[s].below = uint64(p[s] * 0x1p64) // p < 1, so that it fits
		p[l] -= 1 - p[s]
		if p[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return alias{cells: cells} // those that are left are 1 up to rounding: there b is a
}

// draw uses one random number: the whole part of it times the number of cells is the cell, the fraction decides there.
func (a alias) draw(r *rand.Rand) int {
	if len(a.cells) == 1 {
		return int(a.cells[0].a)
	}
	k, fraction := bits.Mul64(r.Uint64(), uint64(len(a.cells)))
	c := &a.cells[k]
	if fraction < c.below {
		return int(c.a)
	}
	return int(c.b)
}

// gamma draws the sum of so many exponential variables of mean one.
type gamma struct {
	phases int
	d, c   float64 // of Marsaglia and Tsang
}

// fewPhases are added one by one, which is as fast.
const fewPhases = 4

func newGamma(phases int) gamma {
	d := float64(phases) - 1./3
	return gamma{phases: phases, d: d, c: 1 / math.Sqrt(9*d)}
}

func (g *gamma) draw(r *rand.Rand) float64 {
	if g.phases <= fewPhases {
		x := r.ExpFloat64()
		for k := 1; k < g.phases; k++ {
			x += r.ExpFloat64()
		}
		return x
	}
	for {
		z := r.NormFloat64()
		v := 1 + g.c*z
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - r.Float64() // not 0
		if u < 1-0.0331*z*z*z*z || math.Log(u) < z*z/2+g.d*(1-v+math.Log(v)) {
			return g.d * v
		}
	}
}
