package fit

import "math"

// profile evaluates, for the rates of canonical form 1, the likelihood of the best probabilities of entry alpha, and
// its derivatives by the logarithms of the rates.
//
// Everything that is observed is linear in alpha: with the columns
//
//	exp(T·t)·exit,  exp(T·t)·1,  1 − exp(T·t)·1,
//
// the densities, survival and distribution functions of a start in each phase, the log-likelihood is Σ w·log(row·alpha),
// which a [mixing] maximises. That takes the flat and the bounded directions out of the search, of which half the
// parameters and a likelihood that is the same for rates in any order remain. As alpha is the best, the derivatives are
// those with alpha kept; they come from one sweep backwards.
//
// Reference: G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose
// variables separate, SIAM J. Numer. Anal. 10 (1973) 413–432, for the idea that a search may keep to what is not linear.
type profile struct {
	exponentials
	mixing
	rates        []float64 // rising
	order        []int     // of each rate among the parameters
	columns      []*column // those that are looked at, of
	observed     *column   // exp(T·t)·exit or, of rounded values, the probability of an interval that begins at t;
	censored     *column   // exp(T·t)·1;
	below        *column   // 1 − exp(T·t)·1
	intervalRows []float64 // spans×m
	slopes       []float64
	back         [2][]float64
}

// column is a vector f(t) = exp(T·t)·f(0) followed along the mesh.
type column struct {
	start        []float64
	at           []float64 // nodes×n, each row scaled
	factor       []float64 // what row j was multiplied by, besides the matrix, to keep it in range
	logs         []float64 // of what rows are to be multiplied by
	weight       []float64 // derivatives of the log-likelihood by at·alpha
	dStart       []float64
	observations []nodeObservation
}

// look is an observation at a node: a row of the mixing.
type nodeObservation struct{ node, row int }

func newProfile(m *quadrature, phases int) *profile {
	p := &profile{exponentials: newExponentials(m, phases, m.rounded), mixing: newMixing(phases, m.total)}
	p.triangular, p.bidiagonal = true, true
	p.rates, p.slopes, p.order = make([]float64, phases), make([]float64, phases), make([]int, phases)
	p.back = [2][]float64{make([]float64, p.n), make([]float64, p.n)}
	p.observed = p.newColumn(lastNonzero(m.observed))
	p.observed.addObservations(p, m.observed, 1)
	p.below = p.newColumn(lastNonzero(m.below))
	p.below.addObservations(p, m.below, 1)
	if p.below != nil {
		p.below.start[phases] = 1
	}
	p.censored = p.newColumn(max(lastNonzero(m.censored), lastNonzero(m.truncated), m.lastInterval()))
	p.censored.addObservations(p, m.censored, 1)
	p.censored.addObservations(p, m.truncated, -1)
	if p.censored != nil {
		for i := range phases {
			p.censored.start[i] = 1
		}
	}
	p.intervalRows = make([]float64, len(m.intervals)*phases)
	for i, s := range m.intervals {
		p.rows = append(p.rows, observation{s.w, p.intervalRows[i*phases : (i+1)*phases]})
	}
	p.indexRows()
	return p
}

// follow returns a column up to the last node at which it is observed, nil if there is none.
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

// observe enters what is observed of a column.
func (c *column) addObservations(p *profile, observed []float64, sign float64) {
	for j, w := range observed {
		if w != 0 {
			c.observations = append(c.observations, nodeObservation{j, len(p.rows)})
			p.rows = append(p.rows, observation{sign * w, c.at[j*p.n : j*p.n+p.m]})
		}
	}
}

// value returns the negative mean log-likelihood at the logarithms of the rates, and sets alpha.
func (p *profile) value(y []float64) float64 {
	if !p.load(y) || p.tooFast() {
		return math.Inf(1)
	}
	p.exponentiate()
	if p.observed != nil {
		p.setObservedStart(p.observed.start)
	}
	var logs float64
	for _, c := range p.columns {
		if !p.propagate(c) {
			return math.Inf(1)
		}
		for _, l := range c.observations {
			logs += p.rows[l.row].w * c.logs[l.node]
		}
	}
	for i := range p.quad.intervals {
		s := &p.quad.intervals[i]
		logs += s.w * p.setIntervalRow(p.intervalRows[i*p.m:(i+1)*p.m], s)
	}
	mean := p.maximise() + logs/p.quad.total
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.Inf(1)
	}
	return -mean
}

// load sets T to the rates, in rising order, and reports whether they are in range.
func (p *profile) load(y []float64) bool {
	for i := range y { // by insertion: they are nearly in order
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

// open sets the start of the column of what is seen.
func (p *profile) setObservedStart(start []float64) {
	if !p.quad.rounded {
		start[p.m-1] = p.rates[p.m-1]
		return
	}
	w, _ := p.table(p.quad.resolutionLevel)
	for i := range p.m {
		start[i] = w[i*p.n+p.m]
	}
}

// sweep follows a column and reports whether it stays within the range of floating-point numbers.
func (p *profile) propagate(c *column) bool {
	n := p.n
	prev := c.start
	var log float64
	for j := range c.logs {
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

// gradient returns the derivatives by the logarithms of the rates, after value.
func (p *profile) gradient() []float64 {
	p.clearDerivatives()
	p.setNodeDerivatives()
	for _, c := range p.columns {
		p.propagateBack(c)
	}
	last := p.m - 1
	var leave float64 // derivative by the exit rate of the last phase
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

// blame sets the derivatives by what is observed at the nodes, over alpha.
func (p *profile) setNodeDerivatives() {
	for _, c := range p.columns {
		clear(c.weight)
		for _, l := range c.observations {
			c.weight[l.node] += p.derivative(l.row)
		}
	}
	first := len(p.rows) - len(p.quad.intervals)
	for i := range p.quad.intervals {
		s := &p.quad.intervals[i]
		by, scale := p.derivative(first+i), p.intervalScale(s)
		p.addStencilDerivative(&s.lo, scale, by)
		p.addStencilDerivative(&s.hi, scale, -by)
	}
}

// sweepBack adds the derivatives by the tables, and sets those by the start.
func (p *profile) propagateBack(c *column) {
	n := p.n
	cur, next := p.back[0], p.back[1]
	clear(next)
	for j := len(c.weight) - 1; j >= 0; j-- {
		if w := c.weight[j]; w != 0 {
			for i, a := range p.alpha {
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

// spanScale is the logarithm of what the row of an interval is to be multiplied by.
func (p *profile) intervalScale(s *intervalTerm) float64 {
	if s.lo.n == 0 {
		return 0
	}
	return p.censored.logs[s.lo.at]
}

// spanRow sets the probabilities of an interval for a start in each phase.
func (p *profile) setIntervalRow(row []float64, s *intervalTerm) (scale float64) {
	scale = p.intervalScale(s)
	one := s.lo.one - s.hi.one
	if one != 0 { // else the scale may be out of range
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

func (p *profile) addStencilDerivative(st *stencil, scale, by float64) {
	for k, c := range st.c[:st.n] {
		p.censored.weight[st.at+k] += by * c * p.rescaled(st.at+k, scale)
	}
}

// rescaled returns the factor from the scale of node j to another.
func (p *profile) rescaled(j int, scale float64) float64 {
	if l := p.censored.logs[j]; l != scale {
		return math.Exp(l - scale)
	}
	return 1
}
