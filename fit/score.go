package fit

import (
	"fmt"
	"math"
	"sort"

	"github.com/partwise/partwise/phasetype"
)

// candidate scores a solution on the data.
func (p *problem) candidate(name Family, s solution) (Candidate, error) {
	mean := p.score(s.dist)
	if math.IsInf(mean, 0) || math.IsNaN(mean) {
		return Candidate{}, fmt.Errorf("fit: %s with %d phases: the data are impossible under the fit", name, s.phases)
	}
	total := mean * p.total
	df := float64(s.parameters)
	c := Candidate{
		Family: name, Phases: s.phases, Dist: s.dist,
		LogLikelihood: total, MeanLogLikelihood: mean, DegreesOfFreedom: s.parameters,
		AIC: 2*df - 2*total, BIC: df*math.Log(p.total) - 2*total,
		Iterations: s.iterations, Converged: s.converged, Likelihood: "density",
		Samples: p.used, Zeros: p.zeros, Warnings: s.warnings,
	}
	if p.r > 0 || p.observed == 0 {
		c.Likelihood = "interval"
	}
	if p.zeros > 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf(
			"fit: %d zeros dropped: give the resolution of the clock to use them", p.zeros))
	}
	c.Goodness = p.goodness(s.dist)
	c.KS = c.Goodness.KS
	c.Queue = queueOf(s.dist)
	return c, nil
}

// fine is the split of the mesh that results are scored on: 128 nodes between x and 2x, whose interpolation error is
// below rounding at all orders.
const scoringSplit = 7

// load sets a kernel to d, whose times are divided by scale.
func (k *kernel) load(d phasetype.Dist, scale float64) {
	copy(k.alpha, d.Alpha())
	for i, e := range d.Exit() {
		k.exit[i] = e * scale
		for j := range k.m {
			k.t[i*k.n+j] = d.Rate(i, j) * scale
		}
	}
}

func triangular(d phasetype.Dist) bool {
	for i := range d.Phases() {
		for j := range i {
			if d.Rate(i, j) != 0 {
				return false
			}
		}
	}
	return true
}

// finest returns the mesh to score on: the data themselves if they are few.
func (p *problem) scoringQuadrature() *quadrature {
	const few = 100
	if p.sketch != nil && p.r == 0 {
		return p.sketch.quadrature(p)
	}
	if len(p.points) <= few {
		return p.exactQuadrature(p.points, 52)
	}
	return p.logGrid(scoringSplit)
}

// score returns the log-likelihood of the data under d, per unit of weight and in the unit of the data.
func (p *problem) score(d phasetype.Dist) float64 {
	if p.scoringQuad == nil {
		p.scoringQuad = p.scoringQuadrature()
	}
	k := newKernel(p.scoringQuad, d.Phases(), triangular(d), false)
	k.load(d, p.scale)
	mean := k.logLikelihood(false)
	if p.r == 0 {
		mean -= math.Log(p.scale) * p.observed / p.total
	}
	return mean
}

// curve is a survival function known, with its derivative, at rising times; it is interpolated by cubics.
type curve struct {
	t, survival, density []float64
}

// curve follows d over the range of the data, with 64 points between x and 2x.
func (p *problem) curve(d phasetype.Dist) *curve {
	q := *p
	q.r = 0
	if p.r > 0 { // edges of the intervals
		q.first, q.last = p.r/2, p.last+p.r
	}
	k := newKernel(q.gridNodes(6).quad, d.Phases(), triangular(d), false)
	k.load(d, p.scale)
	c := &curve{t: []float64{0}, survival: []float64{total(k.alpha)}, density: []float64{dot(k.alpha, k.exit)}}
	k.prepare()
	at := 0.0
	prev := k.start
	for j, level := range k.quad.level {
		cur := k.back[j&1]
		table, _ := k.table(level)
		k.forwardStep(cur, prev, table)
		prev = cur
		at += k.quad.length[j]
		c.t = append(c.t, at)
		decay := math.Exp(-k.slowest * at)
		c.survival = append(c.survival, decay*total(cur[:k.m]))
		c.density = append(c.density, decay*dot(cur[:k.m], k.exit))
	}
	return c
}

// at returns P(X > x).
func (c *curve) at(x float64) float64 {
	j := sort.SearchFloat64s(c.t, x)
	if j == len(c.t) {
		return c.survival[j-1]
	}
	if c.t[j] == x {
		return c.survival[j]
	}
	h := c.t[j] - c.t[j-1]
	u := (x - c.t[j-1]) / h
	v := 1 - u
	s := (1+2*u)*v*v*c.survival[j-1] + (1+2*v)*u*u*c.survival[j] - h*u*v*(v*c.density[j-1]-u*c.density[j])
	return min(1, max(0, s))
}
