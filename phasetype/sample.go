package phasetype

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Random is a distribution with a source of random numbers, made by [Dist.With]. It satisfies the interfaces Rander,
// LogProber and Quantiler of gonum's package distuv. Its functions share their tables; see [Law]. Rand must not be
// called from several goroutines at once; With makes one for each of them, which share the tables of the sampler too.
type Random struct {
	Law
	sample *sampler
	source *rand.Rand
}

// With returns d with a source of random numbers; nil stands for the functions of package math/rand/v2, which are
// seeded at random. The same source gives the same values. With prepares tables, which take longer to make than a
// value:
//
//   - each choice of a phase takes one random number, by alias tables;
//   - phases of an Erlang distribution are drawn together, as one gamma variable;
//   - if a walk through the phases would be long, values are quantiles, interpolated to 1e-9 of the value.
//
// References: M. D. Vose, A linear algorithm for generating random numbers with a given distribution, IEEE Trans.
// Software Eng. 17 (1991) 972–975; G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, ACM
// Trans. Math. Software 26 (2000) 363–372.
func (d Dist) With(src rand.Source) *Random {
	return &Random{Law: *NewLaw(d), sample: newSampler(d), source: newSource(src)}
}

// With returns the same distribution with another source.
func (r *Random) With(src rand.Source) *Random {
	if r.sample == nil {
		return r.Dist.With(src)
	}
	return &Random{Law: r.Law, sample: r.sample, source: newSource(src)}
}

// Rand returns a value of the distribution; of the zero Random it is 0.
func (r *Random) Rand() float64 {
	if r.sample == nil {
		return 0
	}
	return r.sample.draw(r.source)
}

// newSource returns random numbers from src, or from the global functions if it is nil.
func newSource(src rand.Source) *rand.Rand {
	if isNil(src) {
		src = global{}
	}
	return rand.New(src)
}

// global is the source behind the functions of package math/rand/v2.
type global struct{}

func (global) Uint64() uint64 { return rand.Uint64() }

// longWalk is the expected number of sojourns per value above which a sampler uses a table of the quantiles instead of
// walking from phase to phase. With many phases such a table takes long to make, and is only used for endless walks.
const (
	longWalk   = 100
	endless    = 1e6
	manyPhases = 200
)

// sampler draws from a distribution. Its tables do not change after it was made.
type sampler struct {
	rate   []float64
	choose []alias // outcome n is absorption
	start  alias   // outcome n is the value 0
	n      int
	walk   []stop         // by phase
	law    *Law           // replaces walking if that takes long
	table  *quantileTable // of the law, unless it had too many pieces
}

// stop is a run of phases of a walk: one phase and those of the same rate that follow it with probability one. The time
// spent in them is a gamma variable.
type stop struct {
	mean   float64 // of the sojourn in one phase
	shape  gamma
	phases int
	last   int32 // the last of the phases
	next   int32 // the phase that follows with probability one, n for absorption, −1 if it must be drawn
}

func newSampler(d Dist) *sampler {
	s := &sampler{n: d.n, rate: make([]float64, d.n), choose: make([]alias, d.n), walk: make([]stop, d.n)}
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

// runFrom returns the run of phases that begins with phase i.
func (s *sampler) runFrom(i int) stop {
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
func (s *sampler) expectedStops(d Dist) float64 {
	if d.n == 0 {
		return 0
	}
	x := d.Alpha()
	d.eliminate().solveRow(x)
	var stops float64
	for i, v := range x {
		stops += v * s.rate[i] // visits to phase i
	}
	for i, p := range s.walk {
		if p.phases > 1 {
			stops -= x[i] * s.rate[i] * float64(p.phases-1) / float64(p.phases)
		}
	}
	return stops
}

// draw returns a value of the distribution.
func (s *sampler) draw(r *rand.Rand) float64 {
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

// alias chooses among outcomes with given weights. It keeps only those of positive weight, so that a single one takes
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
	return alias{cells: cells} // in the cells that are left, which have probability 1 up to rounding, b is a
}

// draw uses one random number: times the number of cells, its integer part is the cell and its fraction decides between
// the two outcomes.
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

// gamma draws sums of so many exponential variables of mean one.
type gamma struct {
	phases int
	d, c   float64 // of Marsaglia and Tsang
}

// fewPhases is the number of phases up to which adding exponential variables is as fast.
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
