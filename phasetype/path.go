package phasetype

import (
	"math"
	"math/rand/v2"
)

// Path draws the interarrival times of a stationary arrival process one after the other, made by [MAP.With]. It must
// not be used from several goroutines at once.
type Path struct {
	process *pathTables
	source  *rand.Rand
	phase   int
}

// pathTables are the tables of a process, which do not change.
type pathTables struct {
	n        int
	rate     []float64
	choose   []alias // outcome j: to phase j without an arrival; n + j: with an arrival
	embedded alias   // the phase after an arrival
}

// With returns a path of m that begins just after an arrival; a nil source stands for the functions of package
// math/rand/v2, which are seeded at random. The same source gives the same path. The error is an *[Error] if m has no
// phases, and so no arrivals.
func (m MAP) With(src rand.Source) (*Path, error) {
	if m.n == 0 {
		return nil, bad("D0", -1, -1, "no phases, so there are no arrivals to draw")
	}
	n := m.n
	t := &pathTables{n: n, rate: make([]float64, n), choose: make([]alias, n), embedded: newAlias(m.AfterArrival())}
	for i := range n {
		t.rate[i] = -m.d0[i*n+i]
		weights := append([]float64(nil), m.d0[i*n:(i+1)*n]...)
		weights[i] = 0
		t.choose[i] = newAlias(append(weights, m.d1[i*n:(i+1)*n]...))
	}
	return t.begin(src), nil
}

// With returns another path of the same process, from its beginning, with another source.
func (p *Path) With(src rand.Source) *Path {
	if p.process == nil {
		return &Path{}
	}
	return p.process.begin(src)
}

func (t *pathTables) begin(src rand.Source) *Path {
	p := &Path{process: t, source: newSource(src)}
	p.phase = t.embedded.draw(p.source)
	return p
}

// Phase returns the phase just after the last arrival.
func (p *Path) Phase() int { return p.phase }

// Next returns the time to the next arrival; +Inf for the zero Path, which has no arrivals.
func (p *Path) Next() (time float64) {
	t := p.process
	if t == nil {
		return math.Inf(1)
	}
	for {
		time += p.source.ExpFloat64() / t.rate[p.phase]
		next := t.choose[p.phase].draw(p.source)
		if next >= t.n {
			p.phase = next - t.n
			return time
		}
		p.phase = next
	}
}
