package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// profile evaluates the profile likelihood of canonical form 1: for given rates, the likelihood with the best initial
// vector alpha, and its derivatives with respect to the logarithms of the rates.
//
// The probabilities and densities of all observations are linear in alpha. Their coefficients are entries of the
// columns
//
//	exp(T·t)·exit,  exp(T·t)·1,  1 − exp(T·t)·1,
//
// the densities, survival functions and distribution functions of the time from each phase on. So the log-likelihood is
// Σ w·log(row·alpha), which [optimum.Mixing] maximises over alpha. This leaves half of the parameters to the search, and
// removes the bounds and the directions in which the likelihood is nearly constant. At the best alpha the derivatives
// are the partial ones with alpha fixed; a backward pass computes them.
//
// Reference: G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose
// variables separate, SIAM J. Numer. Anal. 10 (1973) 413–432, for the idea to search over the nonlinear parameters
// only.
type profile struct {
	exponentials
	optimum.Mixing
	rates        []float64 // ascending
	order        []int     // index of each rate among the parameters
	columns      []*column // those of the following three that occur in the data
	observed     *column   // exp(T·t)·exit or, for rounded values, the probability of the interval that begins at t
	censored     *column   // exp(T·t)·1
	below        *column   // 1 − exp(T·t)·1
	intervalRows []float64 // intervals×m
	slopes       []float64
	back         [2][]float64
}

// column is a vector f(t) = exp(T·t)·f(0) at the nodes.
type column struct {
	start        []float64
	at           []float64 // nodes×n, each row scaled
	factor       []float64 // the factor, besides the table, between rows j−1 and j
	logs         []float64 // logarithms of the scales: row j of f is at·exp(logs[j])
	weight       []float64 // derivatives of the log-likelihood with respect to at·alpha
	dStart       []float64
	observations []nodeObservation
}

// nodeObservation says which row of the mixing is the observation at a node.
type nodeObservation struct{ node, row int }

func newProfile(q *quadrature, phases int) *profile {
	p := &profile{exponentials: newExponentials(q, phases, q.rounded), Mixing: optimum.NewMixing(phases, q.total)}
	p.triangular = true
	p.rates, p.slopes, p.order = make([]float64, phases), make([]float64, phases), make([]int, phases)
	p.back = [2][]float64{make([]float64, p.n), make([]float64, p.n)}
	p.observed = p.newColumn(lastNonzero(q.observed))
	p.observed.addObservations(p, q.observed, 1)
	p.below = p.newColumn(lastNonzero(q.below))
	p.below.addObservations(p, q.below, 1)
	if p.below != nil {
		p.below.start[phases] = 1
	}
	p.censored = p.newColumn(max(lastNonzero(q.censored), lastNonzero(q.truncated), q.lastInterval()))
	p.censored.addObservations(p, q.censored, 1)
	p.censored.addObservations(p, q.truncated, -1)
	if p.censored != nil {
		for i := range phases {
			p.censored.start[i] = 1
		}
	}
	p.intervalRows = make([]float64, len(q.intervals)*phases)
	for i, s := range q.intervals {
		p.Rows = append(p.Rows, optimum.Observation{Weight: s.w, Row: p.intervalRows[i*phases : (i+1)*phases]})
	}
	p.IndexRows()
	return p
}

// newColumn returns a column up to the last node with an observation, nil if there is none.
func (p *profile) newColumn(last int) *column {
	if last < 0 {
		return nil
	}
	c := &column{start: make([]float64, p.n), at: make([]float64, (last+1)*p.n), dStart: make([]float64, p.n)}
	for _, v := range []*[]float64{&c.factor, &c.logs, &c.weight} {
		*v = make([]float64, last+1)
	}
	p.columns = append(p.columns, c)
	return c
}

// addObservations makes the observations at the nodes of a column rows of the mixing.
func (c *column) addObservations(p *profile, observed []float64, sign float64) {
	for j, w := range observed {
		if w != 0 {
			c.observations = append(c.observations, nodeObservation{j, len(p.Rows)})
			p.Rows = append(p.Rows, optimum.Observation{Weight: sign * w, Row: c.at[j*p.n : j*p.n+p.m]})
		}
	}
}

// Value returns the negative mean log-likelihood at the logarithms of the rates, and sets alpha.
func (p *profile) Value(ctx context.Context, y []float64) float64 {
	if !p.load(y) || p.tooFast() {
		return math.Inf(1)
	}
	p.exponentiate()
	if p.observed != nil {
		p.setObservedStart(p.observed.start)
	}
	var logs float64
	for _, c := range p.columns {
		if !p.propagate(ctx, c) {
			return math.Inf(1)
		}
		for _, l := range c.observations {
			logs += p.Rows[l.row].Weight * c.logs[l.node]
		}
	}
	for i := range p.quad.intervals {
		if stopped(ctx, i) {
			return math.Inf(1)
		}
		s := &p.quad.intervals[i]
		logs += s.w * p.setIntervalRow(p.intervalRows[i*p.m:(i+1)*p.m], s)
	}
	mean := p.Maximise(ctx) + logs/p.quad.total
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.Inf(1)
	}
	return -mean
}

// load sets T to the rates, in ascending order, and reports whether they are in range.
func (p *profile) load(y []float64) bool {
	for i := range y { // insertion sort: the rates are nearly in order
		k := i
		for ; k > 0 && y[p.order[k-1]] > y[i]; k-- {
			p.order[k] = p.order[k-1]
		}
		p.order[k] = i
	}
	ok := true
	for i, from := range p.order {
		r := math.Exp(y[from])
		ok = ok && r > minPositive && r < 1/minPositive
		p.rates[i] = r
		p.t[i*p.n+i] = -r
		if i+1 < p.n {
			p.t[i*p.n+i+1] = r
		}
	}
	return ok
}

// setObservedStart sets the start of the column for observed values.
func (p *profile) setObservedStart(start []float64) {
	if !p.quad.rounded {
		start[p.m-1] = p.rates[p.m-1]
		return
	}
	table, _ := p.table(p.quad.resolutionLevel)
	for i := range p.m {
		start[i] = table[i*p.n+p.m]
	}
}

// propagate computes a column node by node and reports whether it stays in the range of floating-point numbers.
func (p *profile) propagate(ctx context.Context, c *column) bool {
	n := p.n
	prev := c.start
	var log float64
	for j := range c.logs {
		if stoppedAtNode(ctx, j) {
			return false
		}
		cur := c.at[j*n : j*n+n]
		table, _ := p.table(p.quad.level[j])
		var largest float64
		for i := range cur {
			from := prev[i:n]
			row := table[i*n+i : i*n+n]
			row = row[:len(from)]
			var s float64
			for k, v := range from {
				s += row[k] * v
			}
			cur[i] = s
			largest = max(largest, s)
		}
		log -= p.slowest * p.quad.length[j]
		c.factor[j] = 1
		if largest < tiny {
			if largest == 0 {
				return false
			}
			factor, lift := liftingFactor(largest)
			c.factor[j] = factor
			log += lift
			for i := range cur {
				cur[i] *= factor
			}
		}
		c.logs[j] = log
		prev = cur
	}
	return true
}

// Gradient returns the derivatives with respect to the logarithms of the rates, after Value.
func (p *profile) Gradient(ctx context.Context) []float64 {
	p.clearDerivatives()
	p.setNodeDerivatives()
	for _, c := range p.columns {
		p.propagateBack(ctx, c)
	}
	last := p.m - 1
	var leave float64 // derivative with respect to the exit rate of the last phase
	if p.quad.rounded {
		_, d := p.table(p.quad.resolutionLevel)
		if p.observed != nil {
			for i := range p.m {
				d[i*p.n+p.m] += p.observed.dStart[i]
			}
		}
	} else if p.observed != nil {
		leave = p.observed.dStart[last]
	}
	p.backpropagate()
	for i, r := range p.rates {
		d := -p.dT[i*p.n+i]
		if i+1 < p.n {
			d += p.dT[i*p.n+i+1]
		} else {
			d += leave
		}
		p.slopes[p.order[i]] = -r * d / p.quad.total
	}
	return p.slopes
}

// setNodeDerivatives sets the derivatives with respect to at·alpha at the nodes of the columns.
func (p *profile) setNodeDerivatives() {
	for _, c := range p.columns {
		clear(c.weight)
		for _, l := range c.observations {
			c.weight[l.node] += p.Derivative(l.row)
		}
	}
	first := len(p.Rows) - len(p.quad.intervals)
	for i := range p.quad.intervals {
		s := &p.quad.intervals[i]
		by, scale := p.Derivative(first+i), p.intervalScale(s)
		p.addStencilDerivative(&s.lo, scale, by)
		p.addStencilDerivative(&s.hi, scale, -by)
	}
}

// propagateBack adds the derivatives with respect to the tables, and sets those with respect to the start.
func (p *profile) propagateBack(ctx context.Context, c *column) {
	n := p.n
	cur, next := p.back[0], p.back[1]
	clear(next)
	for j := len(c.weight) - 1; j >= 0; j-- {
		if stoppedAtNode(ctx, j) {
			return
		}
		if w := c.weight[j]; w != 0 {
			for i, a := range p.Alpha {
				next[i] += w * a
			}
		}
		prev := c.start
		if j > 0 {
			prev = c.at[(j-1)*n : j*n]
		}
		table, dTable := p.table(p.quad.level[j])
		factor := c.factor[j]
		clear(cur)
		for i := range n {
			x := next[i] * factor
			to := cur[i:n]
			row, d, from := table[i*n+i:i*n+n], dTable[i*n+i:i*n+n], prev[i:n]
			row, d, from = row[:len(to)], d[:len(to)], from[:len(to)]
			for k := range to {
				to[k] += x * row[k]
				d[k] += x * from[k]
			}
		}
		cur, next = next, cur
	}
	copy(c.dStart, next)
}

// intervalScale returns the logarithm of the scale of the row of an interval.
func (p *profile) intervalScale(s *intervalTerm) float64 {
	if s.lo.n == 0 {
		return 0
	}
	return p.censored.logs[s.lo.at]
}

// setIntervalRow sets the row of an interval, its probabilities given each initial phase, and returns its scale.
func (p *profile) setIntervalRow(row []float64, s *intervalTerm) (scale float64) {
	scale = p.intervalScale(s)
	one := s.lo.one - s.hi.one
	if one != 0 { // otherwise the scale may be out of range
		one *= math.Exp(-scale)
	}
	for i := range row {
		row[i] = one
	}
	for _, part := range []struct {
		st   *stencil
		sign float64
	}{{&s.lo, 1}, {&s.hi, -1}} {
		for k, c := range part.st.c[:part.st.n] {
			j := part.st.at + k
			c *= part.sign * p.rescaled(j, scale)
			for i, v := range p.censored.at[j*p.n : j*p.n+p.m] {
				row[i] += c * v
			}
		}
	}
	return scale
}

// addStencilDerivative adds a derivative with respect to P(X > x) to those at the nodes of the stencil.
func (p *profile) addStencilDerivative(st *stencil, scale, by float64) {
	for k, c := range st.c[:st.n] {
		p.censored.weight[st.at+k] += by * c * p.rescaled(st.at+k, scale)
	}
}

// rescaled returns the factor from the scale of node j to the given one.
func (p *profile) rescaled(j int, scale float64) float64 {
	if l := p.censored.logs[j]; l != scale {
		return math.Exp(l - scale)
	}
	return 1
}
