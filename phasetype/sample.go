package phasetype

import "math/rand/v2"

// longWalk is the expected number of moves per draw beyond which a sampler inverts the survival function instead of
// walking from phase to phase.
const longWalk = 500

// Sampler draws from a distribution, whole or phase by phase. Its tables are read only after it was made: one Sampler
// may serve many goroutines, each with its own stream.
type Sampler struct {
	rate   []float64
	choose []alias // outcome n is absorption
	start  alias   // outcome n is the value 0
	n      int
	law    *Law // instead of walking, where that takes long
}

// NewSampler prepares draws from d; the tables of Walker, as Vose sets them up, make each choice in constant time.
//
// Reference: M. D. Vose, A linear algorithm for generating random numbers with a given distribution, IEEE Trans.
// Software Eng. 17 (1991) 972–975.
func NewSampler(d Dist) *Sampler {
	s := &Sampler{n: d.n, rate: make([]float64, d.n), choose: make([]alias, d.n)}
	s.start = newAlias(append(d.Alpha(), d.Atom()))
	for i := range d.n {
		s.rate[i] = -d.Rate(i, i)
		weights := append([]float64(nil), d.t[i*d.n:(i+1)*d.n]...)
		weights[i] = 0
		s.choose[i] = newAlias(append(weights, d.exit[i]))
	}
	if d.expectedMoves() > longWalk {
		s.law = NewLaw(d)
	}
	return s
}

// expectedMoves returns the mean number of phases visited until absorption.
func (d Dist) expectedMoves() float64 {
	if d.n == 0 {
		return 0
	}
	x := d.Alpha()
	d.eliminate().solveRow(x)
	var moves float64
	for i, v := range x {
		moves -= v * d.t[i*d.n+i]
	}
	return moves
}

// Draw returns a value of the distribution.
func (s *Sampler) Draw(r *rand.Rand) float64 {
	if s.law != nil {
		return s.law.InverseSurvival(1 - r.Float64())
	}
	var x float64
	for i := s.Start(r); i >= 0; i = s.Next(i, r) {
		x += r.ExpFloat64() / s.rate[i]
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

// cell is taken with probability 1/len(cells): then it is outcome a with probability p, otherwise b.
type cell struct {
	p    float64
	a, b int32
}

func newAlias(weights []float64) alias {
	var cells []cell
	var total float64
	for i, w := range weights {
		if w > 0 {
			cells = append(cells, cell{p: w, a: int32(i), b: int32(i)})
			total += w
		}
	}
	var small, large []int
	for k := range cells {
		cells[k].p = cells[k].p / total * float64(len(cells))
		if cells[k].p < 1 {
			small = append(small, k)
		} else {
			large = append(large, k)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		cells[s].b = cells[l].a
		cells[l].p -= 1 - cells[s].p
		if cells[l].p < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, k := range append(small, large...) { // what is left is 1 up to rounding
		cells[k].p = 1
	}
	return alias{cells: cells}
}

func (a alias) draw(r *rand.Rand) int {
	if len(a.cells) == 1 {
		return int(a.cells[0].a)
	}
	c := &a.cells[r.Uint64N(uint64(len(a.cells)))]
	if r.Float64() < c.p {
		return int(c.a)
	}
	return int(c.b)
}
