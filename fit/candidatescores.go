package fit

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/fit/internal/products"
	"github.com/partwise/partwise/phasetype"
)

// fewObservations is the number of observations below which a fit gets the warning [ErrFewValues].
const fewObservations = 10

// fitted returns a solution of a family with its scores: log-likelihood, AIC, BIC and KS. ks is its Kolmogorov–Smirnov
// distance. A solution that did not converge gets a warning, and so does a solution for equal or for few values. The caller
// sets Seconds. The error is a *[CandidateError] with [ErrImpossible] if the mean log-likelihood is not finite, so that the data
// are impossible.
func (p *problem) fitted(name Family, s solution, ks float64) (Fitted, error) {
	scores, err := p.scores(s.mean, ks, s.parameters)
	if err != nil {
		return Fitted{}, &CandidateError{name, s.phases, ErrImpossible}
	}
	f := Fitted{Family: name, Phases: s.phases, Scores: scores, Iterations: s.iterations, Converged: s.converged}
	if !s.converged {
		f.Warnings = append(f.Warnings, notConverged(name, s.phases, s.iterations))
	}
	switch n := scores.size(); {
	case p.constant():
		f.Warnings = append(f.Warnings, p.constantWarning())
	case n < fewObservations:
		f.Warnings = append(f.Warnings, fmt.Errorf("%v values tell little of how much the values vary: %w", n, ErrFewValues))
	}
	return f, nil
}

// candidate returns a solution as a candidate, with its scores, its goodness of fit on the data and its queues, M/PH/1
// and PH/M/1. It has warnings if the solution did not converge, and if zeros were dropped from the data. The caller
// sets Seconds. The error is a *[CandidateError] if the data are impossible. The candidate is incomplete if ctx ends.
func (p *problem) candidate(ctx context.Context, name Family, s solution) (Candidate, error) {
	goodness := p.goodness(ctx, s.dist)
	f, err := p.fitted(name, s, goodness.KS)
	if err != nil {
		return Candidate{}, err
	}
	if p.zeros > 0 {
		f.Warnings = append(f.Warnings, fmt.Errorf("fit: %d %w", p.zeros, ErrZeros))
	}
	return Candidate{Fitted: f, Dist: s.dist, Goodness: goodness, Queue: queueOf(s.dist)}, nil
}

// scoringSplit is the split of the grid on which results are scored: 128 nodes between x and 2x, with an interpolation
// error below rounding at all orders.
const scoringSplit = 7

// scoringQuadrature returns a new quadrature on which results of all families and orders are scored. With at most 100
// distinct values and lower bounds, its nodes are the times of the data. With more it is a logarithmic grid of 128
// nodes between x and 2x, finer than the grids of ascents. The quadrature is incomplete if ctx ends.
func (p *problem) scoringQuadrature(ctx context.Context) *quadrature {
	const few = 100
	if len(p.points) <= few {
		return p.exactQuadrature(ctx, p.points, 52)
	}
	return p.logGrid(ctx, scoringSplit)
}

// score returns the mean log-likelihood of the data under d, both in the unit of the data; −Inf if the data are
// impossible. Fits of different orders and families are compared by it. All fits are scored on one quadrature, finer
// than the quadratures of ascents; see [problem.scoringQuadrature]. p stores the quadrature and the evaluator of the
// last call, so calls are not safe for concurrent use. The number is meaningless if ctx ends.
func (p *problem) score(ctx context.Context, d phasetype.Dist) float64 {
	if p.scoringQuad == nil {
		p.scoringQuad = p.scoringQuadrature(ctx)
	}
	l := p.scorer
	if l == nil || l.m != d.Phases() || l.triangular != products.Triangular(d.Phases(), d.Rate) {
		l = newLikelihood(p.scoringQuad, d.Phases(), products.Triangular(d.Phases(), d.Rate), false)
		p.scorer = l
	}
	l.load(d, p.scale)
	return p.inUnitOfData(l.mean(ctx, d.Alpha()))
}

// curve is a survival function that is known, with its density, at ascending times. Between two times it is the cubic
// with these values and derivatives.
type curve struct {
	t, survival, density []float64
}

// curve returns the survival function P(X > t) of d, with its density. The scaled times t are 0 and times over the
// range of the data. There are 64 of these times between x and 2x, fewer in octaves with few data. With a resolution r
// of the data, the range is from r/2 to the largest time plus r. d is in the unit of the data. [curve.at] interpolates
// the curve, much faster than a matrix exponential for each value. The curve is incomplete if ctx ends.
func (p *problem) curve(ctx context.Context, d phasetype.Dist) *curve {
	q := *p
	q.r = 0
	if p.r > 0 { // from edge to edge of the intervals
		q.first, q.last = p.r/2, p.last+p.r
	}
	nodes := q.gridNodes(ctx, 6).quad
	nodes.allocate(len(nodes.level))
	for j := range nodes.level {
		nodes.observed[j], nodes.censored[j] = 1, 1
	}
	l := newLikelihood(nodes, d.Phases(), products.Triangular(d.Phases(), d.Rate), false)
	l.load(d, p.scale)
	alpha := d.Alpha()
	c := &curve{t: []float64{0}, survival: []float64{1 - d.Atom()}, density: []float64{optimum.Dot(alpha, l.exit)}}
	l.evaluate(ctx)
	at := 0.0
	value := func(c *column, j int) float64 { return math.Exp(c.logs[j]) * optimum.Dot(alpha, c.at[j*l.n:j*l.n+l.m]) }
	for j, length := range nodes.length {
		at += length
		c.t = append(c.t, at)
		c.survival = append(c.survival, value(l.censored, j))
		c.density = append(c.density, value(l.observed, j))
	}
	return c
}

// at returns P(X > x), between 0 and 1, for a scaled time x ≥ 0. Between two nodes of the curve it is a cubic with the
// values and slopes of the survival function at both. Beyond the last node it returns the value there.
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
