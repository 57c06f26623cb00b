package des

import (
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// Absorbed is the target of a choice that ends a phase-type time.
const Absorbed = -1

// Choice draws one of a few targets with given weights.
type Choice struct {
	sums    []float64 // cumulative weights
	targets []int32
}

// add adds a target with a weight, to which its probability is proportional. A target is left out if its weight is not
// positive.
func (c *Choice) add(weight float64, target int32) {
	if weight <= 0 {
		return
	}
	if n := len(c.sums); n > 0 {
		weight += c.sums[n-1]
	}
	c.sums = append(c.sums, weight)
	c.targets = append(c.targets, target)
}

// Pick returns a target, drawn with probabilities proportional to the weights. It takes one random number from s, or none
// if there is only one target. There must be a target.
func (c *Choice) Pick(s *Stream) int32 {
	if len(c.targets) == 1 {
		return c.targets[0]
	}
	return c.draw(s)
}

// pickAhead is [Choice.Pick] with the numbers of a.
func (c *Choice) pickAhead(a *Ahead) int32 {
	if len(c.targets) == 1 {
		return c.targets[0]
	}
	return c.drawAhead(a)
}

// draw and drawAhead return a target, drawn with one random number of the stream.
func (c *Choice) draw(s *Stream) int32     { return c.at(s.Float64()) }
func (c *Choice) drawAhead(a *Ahead) int32 { return c.at(a.number()) }

// at returns the target that belongs to the uniform number u, 0 ≤ u < 1: targets divide the interval in the order in
// which they were added. More than 17 targets are searched by bisection.
func (c *Choice) at(u float64) int32 {
	last := len(c.sums) - 1
	x := u * c.sums[last]
	if last > 16 {
		return c.targets[min(sort.Search(last, func(i int) bool { return x < c.sums[i] }), last)]
	}
	for i := range last {
		if x < c.sums[i] {
			return c.targets[i]
		}
	}
	return c.targets[last]
}

// Times is a phase-type distribution that is prepared for walks from phase to phase. A walk starts in a phase drawn from
// Start. It stays in phase k for an exponential time of rate Rate[k], and then moves by Next[k], to another phase or to
// Absorbed.
type Times struct {
	Start Choice
	Rate  []float64
	Next  []Choice
	plain bool // one phase and no atom: an exponential time
	short bool // every walk has exactly one phase
}

// NewTimes returns the walks of the distribution d, whose times are in its unit. The result is nil, whose times are 0, if
// d is zero with probability one. It is never modified, so that several streams may draw from it at a time.
func NewTimes(d phasetype.Dist) *Times {
	if d.IsZero() {
		return nil
	}
	n := d.Phases()
	p := &Times{Rate: make([]float64, n), Next: make([]Choice, n), short: true}
	for k, a := range d.Alpha() {
		p.Start.add(a, int32(k))
	}
	p.Start.add(d.Atom(), Absorbed)
	exit := d.Exit()
	for i := range n {
		p.Next[i].add(exit[i], Absorbed)
		for j := range n {
			if j != i {
				p.Next[i].add(d.Rate(i, j), int32(j))
			}
		}
		p.Rate[i] = -d.Rate(i, i)
		p.short = p.short && len(p.Next[i].targets) == 1 && exit[i] > 0
	}
	p.short = p.short && d.Atom() == 0
	p.plain = n == 1 && len(p.Start.targets) == 1
	return p
}

// ManyPhases reports whether some walks have more than one phase, or none.
func (p *Times) ManyPhases() bool { return !p.short }

// Draw returns a time; it is 0 if p is nil. Random numbers are drawn in the order in which the simulation of a job phase
// by phase draws them. So both see the same job on the same stream.
func (p *Times) Draw(s *Stream) float64 {
	if p == nil {
		return 0
	}
	return p.drawFrom(p.Start.Pick(s), s)
}

// drawFrom returns a random time from the beginning of phase k to absorption; 0 if k is Absorbed.
func (p *Times) drawFrom(k int32, s *Stream) float64 {
	var x float64
	for ; k != Absorbed; k = p.Next[k].Pick(s) {
		x += s.Exp() / p.Rate[k]
	}
	return x
}

// DrawAll draws one time and its first phase from each stream, into the same entry of times and of phases. The three lists
// must be equally long. The phase is Absorbed if the time is an atom at 0. Several streams at once take less time than one
// after the other; the numbers are the same as from [Times.Draw]. p must not be nil.
func (p *Times) DrawAll(phases []int32, times []float64, streams []Stream) {
	if !p.short {
		for i := range streams {
			phases[i] = p.Start.Pick(&streams[i])
			times[i] = p.drawFrom(phases[i], &streams[i])
		}
		return
	}
	p.BeginAll(phases, times, streams)
	for i, k := range phases {
		times[i] /= p.Rate[k]
	}
}

// BeginAll draws the first phase of a time from each stream into phases. It draws the hazard of this phase, an exponential
// number of mean 1, into the same entry of hazards. The three lists must be equally long. The numbers are the same as from
// Start.Pick and [Stream.Exp]. There must be no atom at 0.
func (p *Times) BeginAll(phases []int32, hazards []float64, streams []Stream) {
	only := len(p.Start.targets) == 1
	for i, s := range streams {
		if only {
			phases[i] = p.Start.targets[0]
		} else {
			s = s.next()
			phases[i] = p.Start.at(s.uniform())
		}
		s = s.next()
		hazards[i] = s.uniform()
		streams[i] = s
	}
	Exps(hazards)
}

// DrawAhead is [Times.Draw] with the numbers of a.
func (p *Times) DrawAhead(a *Ahead) float64 {
	switch {
	case p == nil:
		return 0
	case p.plain:
		return a.exponential() / p.Rate[0]
	}
	var x float64
	for k := p.Start.pickAhead(a); k != Absorbed; k = p.Next[k].pickAhead(a) {
		x += a.exponential() / p.Rate[k]
	}
	return x
}

// NewTimesList prepares the distributions of a list. Entry i of the result, i = 1..n, belongs to list[i−1]; it is nil
// if this distribution is zero or missing.
func NewTimesList(list []phasetype.Dist, n int) []*Times {
	all := make([]*Times, max(0, n)+1)
	for i := 1; i <= n && i <= len(list); i++ {
		all[i] = NewTimes(list[i-1])
	}
	return all
}

// Rows returns a choice for each row of a stochastic matrix: its targets are the columns, their probabilities the
// entries of the row. The result is nil if m is nil.
func Rows(m *mat.Dense) []Choice {
	if m == nil {
		return nil
	}
	n, cols := m.Dims()
	all := make([]Choice, n)
	for i := range n {
		for j := range cols {
			all[i].add(m.At(i, j), int32(j))
		}
	}
	return all
}

// Arrivals is a Markovian arrival process on its own stream.
type Arrivals struct {
	stream  Ahead
	phase   int32
	first   Choice // the stationary phase
	rate    []float64
	next    []Choice       // by phase; targets are a phase, or len(rate) + a phase after an arrival
	poisson bool           // there is one phase: the times between arrivals are exponential
	gaps    [block]float64 // of a Poisson process: the next times between arrivals, last first
	left    uint           // number of them that are left
}

// NewArrivals returns the arrival process m. [Arrivals.Begin] must be called before the first [Arrivals.Gap].
func NewArrivals(m phasetype.MAP) Arrivals {
	n := m.Phases()
	a := Arrivals{rate: make([]float64, n), next: make([]Choice, n)}
	d0, d1 := m.D0(), m.D1()
	for i, p := range m.Stationary() {
		a.first.add(p, int32(i))
		for j := range n {
			if j != i {
				a.next[i].add(d0.At(i, j), int32(j))
			}
			a.next[i].add(d1.At(i, j), int32(n+j))
		}
		a.rate[i] = -d0.At(i, i)
	}
	a.poisson = n == 1
	return a
}

// Begin starts the process on the stream that key names, in a phase drawn from its stationary distribution.
func (a *Arrivals) Begin(key Key) {
	a.stream, a.left = key.Ahead(), 0
	a.phase = a.first.pickAhead(&a.stream)
}

// Gap returns the time from the last arrival, or from the beginning, to the next arrival, in the unit of the process. It
// moves the process on to this arrival.
func (a *Arrivals) Gap() float64 {
	if a.poisson {
		if a.left == 0 {
			a.drawGaps()
		}
		a.left--
		return a.gaps[a.left%block]
	}
	n := int32(len(a.rate))
	var x float64
	for {
		x += a.stream.exponential() / a.rate[a.phase]
		to := a.next[a.phase].pickAhead(&a.stream)
		if to >= n {
			a.phase = to - n
			return x
		}
		a.phase = to
	}
}

// drawGaps draws the next block of times between arrivals of a Poisson process. A division takes long: with its result at
// hand, a simulation knows earlier which event comes next.
func (a *Arrivals) drawGaps() {
	rate := a.rate[0]
	for i := len(a.gaps) - 1; i >= 0; i-- {
		a.gaps[i] = a.stream.exponential() / rate
	}
	a.left = uint(len(a.gaps))
}
