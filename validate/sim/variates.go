package machine

import (
	"sort"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"gonum.org/v1/gonum/mat"
)

// absorbed is the target of a choice that ends a phase-type time.
const absorbed = -1

// choice draws one of a few targets with given weights.
type choice struct {
	sums    []float64 // cumulative weights
	targets []int32
}

func (c *choice) add(weight float64, target int32) {
	if weight <= 0 {
		return
	}
	if n := len(c.sums); n > 0 {
		weight += c.sums[n-1]
	}
	c.sums = append(c.sums, weight)
	c.targets = append(c.targets, target)
}

// pick draws a target; a choice of one draws no number.
func (c *choice) pick(s *des.Stream) int32 {
	last := len(c.sums) - 1
	if last == 0 {
		return c.targets[0]
	}
	x := s.Float64() * c.sums[last]
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

// phases is a phase-type distribution, ready to be walked phase by phase: a job starts in a phase drawn from start and
// stays in phase k for an exponential time of rate rate[k], then moves by next[k], to another phase or to absorbed.
type phases struct {
	start choice
	rate  []float64
	next  []choice
}

// newPhases returns nil for a distribution that is identically zero.
func newPhases(d phasetype.Dist) *phases {
	if d.IsZero() {
		return nil
	}
	n := d.Phases()
	p := &phases{rate: make([]float64, n), next: make([]choice, n)}
	for k, a := range d.Alpha() {
		p.start.add(a, int32(k))
	}
	p.start.add(d.Atom(), absorbed)
	exit := d.Exit()
	for i := range n {
		p.next[i].add(exit[i], absorbed)
		for j := range n {
			if j != i {
				p.next[i].add(d.Rate(i, j), int32(j))
			}
		}
		p.rate[i] = -d.Rate(i, i)
	}
	return p
}

// draw returns a whole time; p may be nil, the time 0. It takes its numbers in the order in which a job that is walked
// phase by phase does, so that both see the same job on the same stream.
func (p *phases) draw(s *des.Stream) float64 {
	if p == nil {
		return 0
	}
	var x float64
	for k := p.start.pick(s); k != absorbed; k = p.next[k].pick(s) {
		x += s.Exp() / p.rate[k]
	}
	return x
}

func newPhasesList(list []phasetype.Dist, n int) []*phases {
	all := make([]*phases, n+1)
	for i := 1; i <= n && i <= len(list); i++ {
		all[i] = newPhases(list[i-1])
	}
	return all
}

// rows returns the choice of each row of a stochastic matrix.
func rows(m *mat.Dense) []choice {
	if m == nil {
		return nil
	}
	n, cols := m.Dims()
	all := make([]choice, n)
	for i := range n {
		for j := range cols {
			all[i].add(m.At(i, j), int32(j))
		}
	}
	return all
}

// arrivals is a Markovian arrival process on its own stream.
type arrivals struct {
	stream des.Stream
	phase  int32
	first  choice // the stationary phase
	rate   []float64
	next   []choice // targets: a phase, or len(rate) + a phase with an arrival
}

func newArrivals(m phasetype.MAP) arrivals {
	n := m.Phases()
	a := arrivals{rate: make([]float64, n), next: make([]choice, n)}
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
	return a
}

// begin starts the process in a phase drawn from its stationary distribution.
func (a *arrivals) begin(key des.Key) {
	a.stream = key.Stream()
	a.phase = a.first.pick(&a.stream)
}

// gap returns the time to the next arrival.
func (a *arrivals) gap() float64 {
	n := int32(len(a.rate))
	var x float64
	for {
		x += a.stream.Exp() / a.rate[a.phase]
		to := a.next[a.phase].pick(&a.stream)
		if to >= n {
			a.phase = to - n
			return x
		}
		a.phase = to
	}
}
