package fit

import "math"

// kernel evaluates the log-likelihood of a mesh under a phase-type distribution, and its derivatives by all entries of
// alpha, T and exit, which are the statistics of an E-step: with L the log-likelihood, the expected numbers of starts
// in phase i, of jumps from i to j, of exits from i and the expected time in i, summed over the data, are
//
//	B_i = alpha_i·∂L/∂alpha_i,  N_ij = T_ij·∂L/∂T_ij,  E_i = exit_i·∂L/∂exit_i,  Z_i = ∂L/∂T_ii.
//
// Everything is a sum of products of nonnegative numbers, forwards and backwards: exp(T·δ) for the smallest step is a
// positive series, its squares serve the larger steps, the forward vectors alpha·exp(T·t) and the backward vectors run
// along the mesh. Nothing cancels, so stiff T (rates over many decades) is as good as any. One evaluation takes O(m²)
// for each node and O(m³) for each level, and allocates nothing.
//
// For rounded data, and for general T, the chain has one phase more, in which it stays after absorption.
type kernel struct {
	mesh       *mesh
	m, n       int  // phases; phases with the absorbing one
	triangular bool // T is upper triangular
	bidiagonal bool // T has only a diagonal and one above it
	last       bool // the likelihood of a node is that of leaving the last phase

	alpha, t, exit    []float64 // the distribution: m, n×n, m
	dAlpha, dT, dExit []float64 // the derivatives; dT only where T may be nonzero
	uniform           []float64 // T + theta·I, nonnegative
	powers            [][]float64
	adjoint, spare    []float64

	base      int         // level of the smallest step that has a table
	lastBelow int         // the last node at which P(X ≤ t) is observed; −1: none
	slowest   float64     // the smallest rate of leaving, by which the diagonal is raised: one entry is then 1 in each table
	tables    [][]float64 // tables[k] = exp((T + slowest·I)·unit·2^(base+k)), n×n
	dTables   [][]float64
	forward   []float64 // nodes×n, each row scaled
	scale     []float64 // what row j−1 was multiplied by, besides the matrix, to give row j
	goal      []float64 // n: what is observed at a node, exit or the probability of an interval
	dGoal     []float64
	back      [2][]float64
	start     []float64 // alpha, n long

	// For intervals: the survival function at the nodes over exp(logs), and the derivatives by it.
	survival, logs, dSurvival []float64
}

func newKernel(m *mesh, phases int, triangular bool) *kernel {
	n := phases
	if m.interval || !triangular {
		n++
	}
	k := &kernel{mesh: m, m: phases, n: n, triangular: triangular}
	for _, v := range []*[]float64{&k.alpha, &k.exit, &k.dAlpha, &k.dExit} {
		*v = make([]float64, phases)
	}
	for _, v := range []*[]float64{&k.goal, &k.dGoal, &k.back[0], &k.back[1], &k.start} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&k.t, &k.dT, &k.uniform, &k.adjoint, &k.spare} {
		*v = make([]float64, n*n)
	}
	k.scale = make([]float64, len(m.level))
	k.lastBelow = -1
	for j, w := range m.below {
		if w != 0 {
			k.lastBelow = j
		}
	}
	if len(m.spans) > 0 {
		for _, v := range []*[]float64{&k.survival, &k.logs, &k.dSurvival} {
			*v = make([]float64, len(m.level))
		}
	}
	return k
}

// begin returns the first column that may be nonzero in row i.
func (k *kernel) begin(i int) int {
	if k.triangular {
		return i
	}
	return 0
}

// prepare makes the tables of the distribution in alpha, the m×m upper left of t (n×n) and exit.
func (k *kernel) prepare() {
	copy(k.start, k.alpha)
	if k.n > k.m { // else the exit rates are seen only in goal
		for i, e := range k.exit {
			k.t[i*k.n+k.m] = e
		}
	}
	theta, slowest := 0.0, math.Inf(1)
	for i := range k.n {
		theta = max(theta, -k.t[i*k.n+i])
		slowest = min(slowest, -k.t[i*k.n+i])
	}
	k.slowest = 0
	if k.n == k.m {
		k.slowest = slowest
	}
	theta -= k.slowest
	k.choose(theta)
	k.series(theta)
	for l := 1; l < len(k.tables); l++ {
		k.square(k.tables[l], k.tables[l-1])
		k.sharpen(l)
	}
	copy(k.goal, k.exit) // goal[m], if there is one, stays 0
	if k.mesh.interval {
		w := k.tables[k.mesh.width-k.base]
		for i := range k.m {
			k.goal[i] = w[i*k.n+k.m]
		}
		k.goal[k.m] = 0
	}
}

// shortest is the largest theta·δ for which the series of exp(T·δ) is summed; below it a dozen terms suffice.
const shortest = 0.25

// choose sets the base level and makes room for the tables.
func (k *kernel) choose(theta float64) {
	k.base = k.mesh.low
	if x := theta * math.Ldexp(k.mesh.unit, k.base); x > shortest {
		_, e := math.Frexp(x / shortest)
		k.base -= e
	}
	levels := k.mesh.high - k.base + 1
	for cap(k.tables) < levels {
		k.tables = append(k.tables[:cap(k.tables)], nil)
		k.dTables = append(k.dTables[:cap(k.dTables)], nil)
	}
	k.tables, k.dTables = k.tables[:levels], k.dTables[:levels]
	for l := range k.tables {
		if k.tables[l] == nil {
			k.tables[l] = make([]float64, k.n*k.n)
			k.dTables[l] = make([]float64, k.n*k.n)
		}
	}
}

// series sets the smallest table to exp(−theta·δ)·Σ_j (uniform·δ)^j/j!, keeping the terms for the derivative. An entry
// that needs d jumps begins with the term d, so that many terms come on top of those that accuracy asks for.
func (k *kernel) series(theta float64) {
	n := k.n
	delta := math.Ldexp(k.mesh.unit, k.base)
	terms := n - 1
	for bound := 1.0; bound > 1e-18; terms++ {
		bound *= theta * delta / float64(terms-n+2)
	}
	for len(k.powers) < terms+1 {
		k.powers = append(k.powers, make([]float64, n*n))
	}
	k.powers = k.powers[:terms+1]
	for i := range n {
		for j := range n {
			k.uniform[i*n+j] = k.t[i*n+j] * delta
		}
		k.uniform[i*n+i] += (theta + k.slowest) * delta
		k.uniform[i*n+i] = max(k.uniform[i*n+i], 0)
	}
	first, sum := k.powers[0], k.tables[0]
	clear(first)
	decay := math.Exp(-theta * delta)
	for i := range n {
		first[i*n+i] = decay
	}
	copy(sum, first)
	for j := 1; j <= terms; j++ {
		k.timesUniform(k.powers[j], k.powers[j-1])
		c := 1 / float64(j)
		for e := range k.powers[j] {
			k.powers[j][e] *= c
			sum[e] += k.powers[j][e]
		}
	}
	k.sharpen(0)
}

// sharpen corrects a table where squaring, left to itself, would double the error each time: it replaces the diagonal
// of a triangular one by exponentials, and scales the rows of another, which hold probabilities with the absorbing
// phase included, to the sum one. The error of the rest then grows only with the number of squarings.
func (k *kernel) sharpen(l int) {
	if !k.triangular {
		for i := range k.n {
			row := k.tables[l][i*k.n : (i+1)*k.n]
			c := 1 / total(row)
			for j := range row {
				row[j] *= c
			}
		}
		return
	}
	if l%4 != 0 { // three squarings in a row only lose three bits
		return
	}
	delta := math.Ldexp(k.mesh.unit, k.base+l)
	for i := range k.n {
		k.tables[l][i*k.n+i] = math.Exp((k.t[i*k.n+i] + k.slowest) * delta)
	}
}

// timesUniform sets c = a·uniform.
func (k *kernel) timesUniform(c, a []float64) {
	if !k.bidiagonal {
		k.multiply(c, a, k.uniform)
		return
	}
	n := k.n
	for i := range n {
		c[i*n+i] = a[i*n+i] * k.uniform[i*n+i]
		for j := i + 1; j < n; j++ {
			c[i*n+j] = a[i*n+j]*k.uniform[j*n+j] + a[i*n+j-1]*k.uniform[(j-1)*n+j]
		}
	}
}

// addUniformTransposed adds a·uniformᵀ to c.
func (k *kernel) addUniformTransposed(c, a []float64) {
	if !k.bidiagonal {
		k.addRightTransposed(c, a, k.uniform)
		return
	}
	n := k.n
	for i := range n {
		for j := i; j < n-1; j++ {
			c[i*n+j] += a[i*n+j]*k.uniform[j*n+j] + a[i*n+j+1]*k.uniform[j*n+j+1]
		}
		c[i*n+n-1] += a[i*n+n-1] * k.uniform[n*n-1]
	}
}

// addByT adds powerᵀ·adjoint, the derivative by T of one term, to dT where T may be nonzero.
func (k *kernel) addByT(power, adjoint []float64) {
	if !k.bidiagonal {
		k.addLeftTransposed(k.dT, power, adjoint)
		return
	}
	n := k.n
	for l := range n {
		for i := l; i < n; i++ {
			x := power[l*n+i]
			k.dT[i*n+i] += x * adjoint[l*n+i]
			if i+1 < n {
				k.dT[i*n+i+1] += x * adjoint[l*n+i+1]
			}
		}
	}
}

// tiny and its inverse rescale the forward vector where it would run out of the range of floating-point numbers.
const tiny = 0x1p-300

// logLikelihood sweeps forwards and returns the log-likelihood per unit of weight; −Inf if some observed value is
// impossible in floating-point numbers. With keep the vectors are kept for derivatives.
func (k *kernel) logLikelihood(keep bool) float64 {
	if keep && k.tooFast() {
		return math.Inf(-1)
	}
	for i := range k.m {
		if !(-k.t[i*k.n+i] < 1/smallest) { // beyond the range of floating-point numbers
			return math.Inf(-1)
		}
	}
	k.prepare()
	n, m := k.n, k.mesh
	if keep && k.forward == nil {
		k.forward = make([]float64, len(m.level)*n)
	}
	var sum, logScale float64
	prev := k.start
	for j, level := range m.level {
		cur := k.back[j&1]
		if keep {
			cur = k.forward[j*n : j*n+n]
		}
		largest := k.forwardStep(cur, prev, k.tables[level-k.base])
		logScale -= k.slowest * math.Ldexp(m.unit, level)
		k.scale[j] = 1
		if k.n > k.m && j > k.lastBelow { // nobody looks at the absorbing phase any more, and it must not be rescaled
			cur[k.m] = 0
		}
		if largest < tiny && j > k.lastBelow {
			if largest == 0 {
				return math.Inf(-1)
			}
			k.scale[j] = 1 / tiny
			logScale += math.Log(tiny)
			for i := range cur {
				cur[i] *= 1 / tiny
			}
		}
		prev = cur
		if w := m.seen[j]; w != 0 {
			sum += w * (math.Log(k.likelihood(cur)) + logScale)
		}
		if w := m.beyond[j]; w != 0 {
			sum += w * (math.Log(total(cur[:k.m])) + logScale)
		}
		if w := m.below[j]; w != 0 {
			sum += w * (math.Log(cur[k.m]) + logScale)
		}
		if k.survival != nil {
			k.survival[j], k.logs[j] = total(cur[:k.m]), logScale
		}
	}
	if k.survival != nil {
		sum += k.observeSpans()
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) { // a weight of a grid may be negative: +Inf is as impossible
		return math.Inf(-1)
	}
	return sum / m.total
}

// instant is the number of jumps in the smallest step beyond which a phase is as good as absent. An ascent has no
// business there, and a general T so stiff loses its digits.
const instant = 0x1p20

func (k *kernel) tooFast() bool {
	step := math.Ldexp(k.mesh.unit, k.mesh.low)
	for i := range k.m {
		if !(-k.t[i*k.n+i]*step < instant) {
			return true
		}
	}
	return false
}

// likelihood returns row·goal, of which a chain that leaves from its last phase has one term.
func (k *kernel) likelihood(row []float64) float64 {
	if k.last {
		return row[k.m-1] * k.goal[k.m-1]
	}
	return dot(row, k.goal)
}

// forwardStep sets next = prev·table and returns the largest entry of a phase before absorption.
func (k *kernel) forwardStep(next, prev, table []float64) float64 {
	n := k.n
	clear(next)
	if k.triangular {
		for i, x := range prev {
			to := next[i:n]
			row := table[i*n+i : i*n+n]
			row = row[:len(to)]
			for j := range to {
				to[j] += x * row[j]
			}
		}
	} else {
		for i, x := range prev {
			row := table[i*n : i*n+n]
			row = row[:len(next)]
			for j := range next {
				next[j] += x * row[j]
			}
		}
	}
	var largest float64
	for _, v := range next[:k.m] {
		if v > largest {
			largest = v
		}
	}
	return largest
}

// derivatives sweeps backwards after logLikelihood(true) and sets dAlpha, dT and dExit, for the total log-likelihood.
func (k *kernel) derivatives() {
	n, m := k.n, k.mesh
	for _, d := range k.dTables {
		clear(d)
	}
	clear(k.dGoal)
	cur, next := k.back[0], k.back[1]
	clear(next)
	for j := len(m.level) - 1; j >= 0; j-- {
		row := k.forward[j*n : j*n+n]
		k.observe(next, row, j)
		prev := k.start
		if j > 0 {
			prev = k.forward[(j-1)*n : j*n]
		}
		l := m.level[j] - k.base
		k.backStep(cur, next, prev, k.tables[l], k.dTables[l], k.scale[j])
		cur, next = next, cur
	}
	copy(k.dAlpha, next[:k.m])
	if m.interval {
		d := k.dTables[m.width-k.base]
		for i := range k.m {
			d[i*n+k.m] += k.dGoal[i]
		}
	}
	k.pullBack()
	switch {
	case m.interval:
		for i := range k.m {
			k.dExit[i] = k.dT[i*n+k.m]
		}
	default: // what happens after absorption is not observed
		copy(k.dExit, k.dGoal[:k.m])
	}
}

// backStep sets prevBack = scale·table·back and adds scale·forwardᵀ·back to the derivative by the table.
func (k *kernel) backStep(prevBack, back, forward, table, dTable []float64, scale float64) {
	n := k.n
	for i := range n {
		from := 0
		if k.triangular {
			from = i
		}
		b := back[from:n]
		row := table[i*n+from : i*n+n]
		d := dTable[i*n+from : i*n+n]
		row, d = row[:len(b)], d[:len(b)]
		f := forward[i] * scale
		var s float64
		for j, y := range b {
			s += row[j] * y
			d[j] += f * y
		}
		prevBack[i] = s * scale
	}
}

// pullBack carries the derivatives by the tables through the squarings and the series to T.
func (k *kernel) pullBack() {
	for l := len(k.tables) - 1; l > 0; l-- {
		k.addRightTransposed(k.dTables[l-1], k.dTables[l], k.tables[l-1])
		k.addLeftTransposed(k.dTables[l-1], k.tables[l-1], k.dTables[l])
	}
	last := len(k.powers) - 1
	clear(k.dT)
	copy(k.adjoint, k.dTables[0]) // by the last term of the series
	delta := math.Ldexp(k.mesh.unit, k.base)
	for j := last; j > 0; j-- {
		c := 1 / float64(j)
		for e := range k.adjoint {
			k.adjoint[e] *= c
		}
		k.addByT(k.powers[j-1], k.adjoint)
		copy(k.spare, k.dTables[0])
		k.addUniformTransposed(k.spare, k.adjoint)
		k.adjoint, k.spare = k.spare, k.adjoint
	}
	for e := range k.dT {
		k.dT[e] *= delta
	}
}
