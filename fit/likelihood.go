package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/fit/internal/elementary"
	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/phasetype"
)

// likelihood evaluates the log-likelihood L of a phase-type distribution by a quadrature. It also evaluates the
// derivatives with respect to all entries of alpha (m), T (m×m) and exit (m). The derivatives give the statistics of an
// E-step. The following expected values are sums over the data. B_i is the number of starts in phase i, and N_ij the
// number of jumps from i to j. E_i is the number of exits from i, and Z_i the time in i:
//
//	B_i = alpha_i·∂L/∂alpha_i,  N_ij = T_ij·∂L/∂T_ij,  E_i = exit_i·∂L/∂exit_i,  Z_i = ∂L/∂T_ii.
//
// The probabilities and densities of all observations are linear in alpha. Their coefficients are entries of the
// columns
//
//	exp(T·t)·exit,  exp(T·t)·1,  1 − exp(T·t)·1,
//
// the density, the survival function and the distribution function of the time from each initial phase. A [column] is a
// vector over the states for each node t of the quadrature. The columns and their derivatives are computed node by node
// from the tables of the exponentials. This takes O(m²) for each node and O(m³) for each level, and allocates nothing.
//
// The states are the phases. For rounded data, for general T, and if complete is set, the chain has one more state, in
// which it stays after absorption. Times are scaled.
type likelihood struct {
	exponentialTables
	complete bool // E-step for intervals and truncation, which counts jumps until absorption

	exit          []float64 // exit rates of the distribution, m; T is in exponentialTables
	dAlpha, dExit []float64 // derivatives of the log-likelihood with respect to alpha and exit, m each

	rows         []optimum.Observation // the probability of observation o is rows[o].Row·alpha, times its scale
	f            []float64             // rows·alpha, a number for each observation
	columns      []*column             // the columns among observed, censored and below that the data need
	observed     *column               // exp(T·t)·exit or, for rounded values, the probability of the interval that begins at t
	censored     *column               // exp(T·t)·1
	below        *column               // 1 − exp(T·t)·1
	truncated    []nodeObservation     // truncated observations, with rows of the column censored
	intervalRows []float64             // rows of the intervals, intervals×m
	back         [2][]float64          // scratch of propagateBack, n each
}

// column is a vector f(t) = exp(T·t)·f(0) over the n states, for each node t of a quadrature.
type column struct {
	start        []float64         // f(0), n
	at           []float64         // nodes×n, each row scaled
	factor       []float64         // factor between rows j−1 and j, besides the table
	logs         []float64         // logarithms of the scales: f at node j is row j of at times exp(logs[j])
	weight       []float64         // by node: derivative of the log-likelihood with respect to row·alpha
	dStart       []float64         // derivatives with respect to start, n
	observations []nodeObservation // the observations whose probabilities are row·alpha
}

// nodeObservation is an observation at a node of a quadrature: the index of the node, and of its row in
// likelihood.rows.
type nodeObservation struct{ node, row int }

// newLikelihood returns an evaluator of the log-likelihood of distributions of so many phases on a quadrature, with all
// its storage. The caller sets t and exit, by [likelihood.load] or one by one, before each evaluation. triangular says
// that all jumps of all these distributions lead to later phases, which halves the cost of products. complete is for EM
// with intervals or truncated observations: the derivatives then count jumps until absorption, not only up to the
// observation. It is for one goroutine. The quadrature stays unchanged.
func newLikelihood(q *quadrature, phases int, triangular, complete bool) *likelihood {
	l := &likelihood{exponentialTables: newExponentialTables(q, phases, q.rounded || !triangular || complete), complete: complete}
	l.triangular = triangular
	for _, v := range []*[]float64{&l.exit, &l.dAlpha, &l.dExit} {
		*v = make([]float64, phases)
	}
	l.back = [2][]float64{make([]float64, l.n), make([]float64, l.n)}
	lastBound := max(lastNonzero(q.truncated), q.lastInterval())
	l.observed = l.newColumn(lastNonzero(q.observed))
	lastBelow := lastNonzero(q.below)
	if complete {
		lastBelow = max(lastBelow, lastBound)
	}
	if l.below = l.newColumn(lastBelow); l.below != nil {
		l.below.start[phases] = 1
	}
	if l.censored = l.newColumn(max(lastNonzero(q.censored), lastBound)); l.censored != nil {
		for i := range phases {
			l.censored.start[i] = 1
		}
	}
	if l.below == nil && !q.rounded { // columns are zero in the absorbing state, and so are the derivatives
		l.used = phases
	}
	for _, v := range []struct {
		c  *column
		of []float64
	}{{l.observed, q.observed}, {l.below, q.below}, {l.censored, q.censored}} {
		if v.c != nil {
			v.c.observations = l.rowsOf(v.c, v.of, 1)
		}
	}
	l.truncated = l.rowsOf(l.censored, q.truncated, -1)
	l.intervalRows = make([]float64, len(q.intervals)*phases)
	for i, s := range q.intervals {
		l.rows = append(l.rows, optimum.Observation{Weight: s.w, Row: l.intervalRows[i*phases : (i+1)*phases]})
	}
	l.f = make([]float64, len(l.rows))
	return l
}

// newColumn returns a column and adds it to l.columns: a vector over l.n states for each node of the quadrature up to
// node last. The states are the phases and, for rounded data, for general T or if l.complete is set, the state after
// absorption. Its start is zero. It returns nil if last is negative: no node is needed.
func (l *likelihood) newColumn(last int) *column {
	if last < 0 {
		return nil
	}
	c := &column{start: make([]float64, l.n), at: make([]float64, (last+1)*l.n), dStart: make([]float64, l.n)}
	for _, v := range []*[]float64{&c.factor, &c.logs, &c.weight} {
		*v = make([]float64, last+1)
	}
	l.columns = append(l.columns, c)
	return c
}

// rowsOf appends a row to l.rows for each node whose entry in weights, a list by node, is not zero. A row times alpha
// is the probability, or density, of the observation at its node; it shares the storage of the column c. A column holds
// l.n numbers for each node. The row is the first l.m of these numbers, one for each phase. The weight of the row is
// sign times the entry; sign is −1 for truncation, which divides the likelihood. rowsOf returns the nodes and the
// indices of the rows.
func (l *likelihood) rowsOf(c *column, weights []float64, sign float64) (at []nodeObservation) {
	n := nonzeros(weights)
	at, l.rows = make([]nodeObservation, 0, n), slices.Grow(l.rows, n)
	for j, w := range weights {
		if w != 0 {
			at = append(at, nodeObservation{j, len(l.rows)})
			l.rows = append(l.rows, optimum.Observation{Weight: sign * w, Row: c.at[j*l.n : j*l.n+l.m]})
		}
	}
	return at
}

// load sets the distribution of the likelihood, t and exit, to d with times divided by scale. d must have l.m phases. A
// phase that is never visited gets the largest rate of all phases, all of it to absorption. So its matrix exponentials
// need no further steps.
func (l *likelihood) load(d phasetype.Dist, scale float64) {
	m := l.m
	exit, visited := d.Exit(), make([]bool, m)
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for j := range m {
			if d.Rate(i, j) > 0 {
				visit(j)
			}
		}
	}
	var largest float64
	for i, a := range d.Alpha() {
		largest = max(largest, -d.Rate(i, i))
		if a > 0 {
			visit(i)
		}
	}
	for i := range m {
		row := l.t[i*l.n : i*l.n+m]
		if !visited[i] {
			clear(row)
			row[i], l.exit[i] = -largest*scale, largest*scale
			continue
		}
		l.exit[i] = exit[i] * scale
		for j := range row {
			row[j] = d.Rate(i, j) * scale
		}
	}
}

// evaluate computes l.rows, which give the probability of each observation as a product with alpha, from the
// distribution in t and exit. The probability is the product times exp of the scale of the row. T is the upper left m×m
// part of t. On the way evaluate computes the matrix exponentials and the columns. It returns logs, the sum of the
// scales of the rows, which are logarithms, times the weights of the rows. ok is false if numbers leave their range or
// ctx ends.
func (l *likelihood) evaluate(ctx context.Context) (logs float64, ok bool) {
	if l.n > l.m { // otherwise the exit rates only occur in the column of values
		for i, e := range l.exit {
			l.t[i*l.n+l.m] = e
		}
	}
	l.exponentiate()
	if l.observed != nil {
		l.setObservedStart(l.observed.start)
	}
	for _, c := range l.columns {
		if !l.propagate(ctx, c) {
			return 0, false
		}
		for _, o := range c.observations {
			logs += l.rows[o.row].Weight * c.logs[o.node]
		}
	}
	for _, o := range l.truncated {
		logs += l.rows[o.row].Weight * l.censored.logs[o.node]
	}
	for i := range l.quad.intervals {
		if stopped(ctx, i) {
			return 0, false
		}
		s := &l.quad.intervals[i]
		logs += s.w * l.setIntervalRow(l.intervalRows[i*l.m:(i+1)*l.m], s)
	}
	return logs, true
}

// mean returns the log-likelihood of the distribution with initial probabilities alpha, divided by the weight of the
// data. T and exit must be set. It sets l.f, the probability of each observation, for the derivatives. It is −Inf if an
// observation has probability 0 in floating-point numbers, or if ctx ends.
func (l *likelihood) mean(ctx context.Context, alpha []float64) float64 {
	sum, ok := l.evaluate(ctx)
	if !ok {
		return math.Inf(-1)
	}
	for o, r := range l.rows {
		l.f[o] = optimum.Dot(r.Row, alpha)
		sum += r.Weight * elementary.Log(l.f[o])
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) { // +Inf is as impossible as −Inf: the weight may have been negative
		return math.Inf(-1)
	}
	return sum / l.quad.total
}

// setObservedStart overwrites start, a number for each phase, with the density at time 0 from the phase: the exit
// rates. For rounded values it is the probability of absorption within one resolution of the clock, for which the
// matrix exponentials must be computed. The column of observed values starts from it.
func (l *likelihood) setObservedStart(start []float64) {
	copy(start, l.exit)
	if l.quad.rounded {
		table, _ := l.table(l.quad.resolutionLevel)
		for i := range l.m {
			start[i] = table[i*l.n+l.m]
		}
	}
}

// tiny is the size below which a column is rescaled by powers of 1/tiny, before it underflows.
const tiny = 0x1p-300

// liftingFactor returns a power of 1/tiny that brings a vector with this largest entry to tiny or above, so that it
// does not underflow. largest must be positive; the factor is 1 if largest is at least tiny. log is the logarithm of
// 1/factor, by which the logarithm of the scale changes. One factor 1/tiny may not be enough, because the probability
// of surviving one long step may be less than tiny.
func liftingFactor(largest float64) (factor, log float64) {
	for factor = 1; largest < tiny; largest /= tiny {
		factor /= tiny
		log += math.Log(tiny)
	}
	return factor, log
}

// propagate computes the column c: the vector exp(T·t)·start over the states for each node t of the quadrature. The
// start and the matrix exponentials must be set. A row follows from the row before by the matrix exponential of the
// step between the nodes. Rows have scales: it sets at, factor and logs of c. It reports whether the column stays in
// range, and is false if ctx ends.
func (l *likelihood) propagate(ctx context.Context, c *column) bool {
	n, shape := l.n, l.inUse()
	prev := c.start
	var log float64
	for j := range c.logs {
		if stoppedAtNode(ctx, j) {
			return false
		}
		cur := c.at[j*n : j*n+n]
		table, _ := l.table(l.quad.level[j])
		shape.TimesVector(cur, table, l.transposedTable(l.quad.level[j]), prev)
		var largest float64
		for _, v := range cur[:l.used] {
			if v > largest { // faster than max, which looks for NaN
				largest = v
			}
		}
		log -= l.slowest * l.quad.length[j]
		c.factor[j] = 1
		if largest < tiny {
			if largest == 0 {
				return false
			}
			factor, lift := liftingFactor(largest)
			c.factor[j] = factor
			log += lift
			floats.Scale(factor, cur)
		}
		c.logs[j] = log
		prev = cur
	}
	return true
}

// derivatives sets dAlpha, dT and dExit, the derivatives of the total log-likelihood, not of its mean, with respect to
// alpha, T and exit. They follow by reverse differentiation, after evaluate at the same point. f holds the rows times
// alpha, one number for each observation. The tables of derivatives are overwritten. The result is incomplete if ctx
// ends.
func (l *likelihood) derivatives(ctx context.Context, alpha, f []float64) {
	for _, d := range l.dTables {
		clear(d)
	}
	l.setNodeDerivatives(f)
	clear(l.dAlpha)
	clear(l.dExit)
	for _, c := range l.columns {
		l.propagateBack(ctx, c, alpha)
	}
	if l.observed != nil {
		to, stride := l.dExit, 1
		if l.quad.rounded {
			_, d := l.table(l.quad.resolutionLevel)
			to, stride = d[l.m:], l.n
		}
		for i := range l.m {
			to[i*stride] += l.observed.dStart[i]
		}
	}
	l.backpropagate()
	if l.n > l.m {
		for i := range l.m {
			l.dExit[i] += l.dT[i*l.n+l.m]
		}
	}
}

// setNodeDerivatives sets weight of each column: the derivative, for each node, of the log-likelihood with respect to
// the row of the node times alpha. The derivative is Σ weight/f over the observations of the node, where f holds the
// rows of l.rows times alpha. The reverse differentiation of [likelihood.derivatives] starts with it.
func (l *likelihood) setNodeDerivatives(f []float64) {
	by := func(row int) float64 { return l.rows[row].Weight / f[row] }
	for _, c := range l.columns {
		clear(c.weight)
	}
	for _, c := range l.columns {
		for _, o := range c.observations {
			c.weight[o.node] += by(o.row)
		}
	}
	for _, o := range l.truncated {
		l.addSurvivalDerivative(o.node, by(o.row))
	}
	first := len(l.rows) - len(l.quad.intervals)
	for i := range l.quad.intervals {
		s := &l.quad.intervals[i]
		d, scale := by(first+i), l.intervalScale(s)
		l.addStencilDerivative(&s.lo, scale, d)
		l.addStencilDerivative(&s.hi, scale, -d)
	}
}

// addSurvivalDerivative adds d, a derivative of the log-likelihood with respect to P(X > t), to the derivatives at the
// node of time t. Normally this is the node of the column of survival functions. An E-step for intervals and truncation
// counts jumps until absorption. It therefore takes P(X > t) as 1 − P(X ≤ t), and subtracts d at the node of the column
// of distribution functions.
func (l *likelihood) addSurvivalDerivative(node int, d float64) {
	if l.complete {
		l.below.weight[node] -= d * math.Exp(l.below.logs[node]-l.censored.logs[node])
		return
	}
	l.censored.weight[node] += d
}

// propagateBack carries the derivatives of the log-likelihood through a column back from its last node to its first:
// the reverse of [likelihood.propagate], after it. Row x_j of the column is a vector over the n states. It follows from
// the row before by x_j = f_j·M_j·x_{j−1}, with the matrix exponential M_j of a step and a factor f_j. With g_j the
// derivatives with respect to x_j, and weight_j the number that [likelihood.setNodeDerivatives] has set,
//
//	dM_j += f_j·g_j·x_{j−1}ᵀ,   g_{j−1} = f_j·M_jᵀ·g_j + weight_{j−1}·alpha.
//
// The function adds the derivatives with respect to alpha to l.dAlpha, and the derivatives with respect to the
// exponentials to l.dTables. It sets c.dStart, the derivatives with respect to the start of the column. It returns
// early if ctx ends.
func (l *likelihood) propagateBack(ctx context.Context, c *column, alpha []float64) {
	n, shape := l.n, l.inUse()
	cur, next := l.back[0], l.back[1]
	clear(next)
	for j := len(c.weight) - 1; j >= 0; j-- {
		if stoppedAtNode(ctx, j) {
			return
		}
		if w := c.weight[j]; w != 0 {
			for i, a := range alpha {
				next[i] += w * a
				l.dAlpha[i] += w * c.at[j*n+i]
			}
		}
		prev := c.start
		if j > 0 {
			prev = c.at[(j-1)*n : j*n]
		}
		table, dTable := l.table(l.quad.level[j])
		if factor := c.factor[j]; factor != 1 {
			floats.Scale(factor, next)
		}
		shape.TimesVectorBack(cur, dTable, next, table, prev)
		cur, next = next, cur
	}
	copy(c.dStart, next)
}

// intervalScale returns the logarithm of the scale in which the probabilities of an interval are stored: the true
// number is the stored number times exp(scale). It is the scale of the survival function at the first node of the lower
// end. If the lower end is time 0, the result is 0.
func (l *likelihood) intervalScale(s *intervalTerm) float64 {
	if s.lo.N == 0 {
		return 0
	}
	return l.censored.logs[s.lo.At]
}

// setIntervalRow overwrites row, m numbers, with the probability of an interval from each of the m initial phases. The
// numbers are to be multiplied by exp(scale); see [likelihood.intervalScale]. The probability is P(X > t) at the lower
// end minus P(X > t) at the upper end. Each end is interpolated by its stencil, s.lo or s.hi, from the values at nodes
// of the quadrature. The column l.censored holds these values, P(X > t) from each phase at each node t; it must be
// computed before.
func (l *likelihood) setIntervalRow(row []float64, s *intervalTerm) (scale float64) {
	scale = l.intervalScale(s)
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
		for k, c := range part.st.C[:part.st.N] {
			j := part.st.At + k
			c *= part.sign * l.rescaled(j, scale)
			for i, v := range l.censored.at[j*l.n : j*l.n+l.m] {
				row[i] += c * v
			}
		}
	}
	return scale
}

// addStencilDerivative adds by, a derivative of the log-likelihood with respect to P(X > x), to the derivatives with
// respect to values at nodes. st holds the coefficients with which the values at these nodes of the quadrature give P(X
// > x). x is an end of an interval, and scale the logarithm of the scale of the interval.
func (l *likelihood) addStencilDerivative(st *stencil, scale, by float64) {
	for k, c := range st.C[:st.N] {
		l.addSurvivalDerivative(st.At+k, by*c*l.rescaled(st.At+k, scale))
	}
}

// rescaled returns the factor that takes a stored survival probability at node j from its own scale to the given one.
// Scales are stored as logarithms. Ends of an interval need a common scale.
func (l *likelihood) rescaled(j int, scale float64) float64 {
	if l := l.censored.logs[j]; l != scale {
		return math.Exp(l - scale)
	}
	return 1
}
