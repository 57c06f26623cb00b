package fit

import "math"

// kernel evaluates the log-likelihood of a mesh under a phase-type distribution, and its derivatives by all entries of
// alpha, T and exit, which are the statistics of an E-step: with L the log-likelihood, the expected numbers of starts
// in phase i, of jumps from i to j, of exits from i and the expected time in i, summed over the data, are
//
//	B_i = alpha_i·∂L/∂alpha_i,  N_ij = T_ij·∂L/∂T_ij,  E_i = exit_i·∂L/∂exit_i,  Z_i = ∂L/∂T_ii.
//
// The forward vectors alpha·exp(T·t) and the backward vectors run along the mesh, by the tables of the exponentials.
// One evaluation takes O(m²) for each node and O(m³) for each level, and allocates nothing.
//
// For rounded data, and for general T, the chain has one state more, in which it stays after absorption.
type kernel struct {
	exponentials
	lastPhaseOnly bool // the likelihood of a node is that of leaving the last phase
	complete      bool // derivatives of intervals and late beginnings are those of all that happened until absorption

	alpha, exit             []float64 // the distribution, with T: m
	dAlpha, dExit           []float64 // the derivatives
	start                   []float64 // alpha, n long
	observable, dObservable []float64 // n: what is observed at a node, exit or the probability of an interval
	forward                 []float64 // nodes×n, each row scaled
	scale                   []float64 // what row j−1 was multiplied by, besides the matrix, to give row j
	back                    [2][]float64
	lastBelow               int       // the last node at which absorption is looked at; −1: none
	survival, logs          []float64 // for intervals: the survival function at the nodes over exp(logs)
	dSurvival               []float64 // and the derivatives by it
}

func newKernel(m *quadrature, phases int, triangular, complete bool) *kernel {
	k := &kernel{exponentials: newExponentials(m, phases, m.rounded || !triangular || complete), complete: complete}
	k.lastBelow = lastNonzero(m.below)
	if complete {
		k.lastBelow = max(k.lastBelow, lastNonzero(m.truncated), m.lastInterval())
	}
	k.triangular = triangular
	for _, v := range []*[]float64{&k.alpha, &k.exit, &k.dAlpha, &k.dExit} {
		*v = make([]float64, phases)
	}
	for _, v := range []*[]float64{&k.observable, &k.dObservable, &k.back[0], &k.back[1], &k.start} {
		*v = make([]float64, k.n)
	}
	k.scale = make([]float64, len(m.level))
	if len(m.intervals) > 0 {
		for _, v := range []*[]float64{&k.survival, &k.logs, &k.dSurvival} {
			*v = make([]float64, len(m.level))
		}
	}
	return k
}

// prepare makes the tables of the distribution in alpha, the m×m upper left of t (n×n) and exit.
func (k *kernel) prepare() {
	copy(k.start, k.alpha)
	if k.n > k.m { // else the exit rates are seen only in goal
		for i, e := range k.exit {
			k.t[i*k.n+k.m] = e
		}
	}
	k.exponentiate()
	copy(k.observable, k.exit) // goal[m], if there is one, stays 0
	if k.quad.rounded {
		w, _ := k.table(k.quad.resolutionLevel)
		for i := range k.m {
			k.observable[i] = w[i*k.n+k.m]
		}
		k.observable[k.m] = 0
	}
}

// tiny and its inverse rescale the forward vector where it would run out of the range of floating-point numbers.
const tiny = 0x1p-300

// lifted returns a power of 1/tiny that lifts a vector with this largest entry above tiny, and what is to be added to the
// logarithm of its scale. To last one long step may be less likely than tiny: without all of its powers each such step
// would leave less, and after some of them nothing.
func liftingFactor(largest float64) (factor, log float64) {
	for factor = 1; largest < tiny; largest /= tiny {
		factor /= tiny
		log += math.Log(tiny)
	}
	return factor, log
}

// logLikelihood sweeps forwards and returns the log-likelihood per unit of weight; −Inf if some observed value is
// impossible in floating-point numbers. With keep the vectors are kept for derivatives.
func (k *kernel) logLikelihood(keep bool) float64 {
	if keep && k.tooFast() {
		return math.Inf(-1)
	}
	for i := range k.m {
		if !(-k.t[i*k.n+i] < 1/minPositive) { // beyond the range of floating-point numbers
			return math.Inf(-1)
		}
	}
	k.prepare()
	n, m := k.n, k.quad
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
		table, _ := k.table(level)
		largest := k.forwardStep(cur, prev, table)
		logScale -= k.slowest * m.length[j]
		k.scale[j] = 1
		if k.n > k.m && j > k.lastBelow { // nobody looks at the absorbing phase any more, and it must not be rescaled
			cur[k.m] = 0
		}
		if largest < tiny && j > k.lastBelow {
			if largest == 0 {
				return math.Inf(-1)
			}
			factor, log := liftingFactor(largest)
			k.scale[j] = factor
			logScale += log
			for i := range cur {
				cur[i] *= factor
			}
		}
		prev = cur
		if w := m.observed[j]; w != 0 {
			sum += w * (math.Log(k.likelihood(cur)) + logScale)
		}
		if w := m.censored[j]; w != 0 {
			sum += w * (math.Log(total(cur[:k.m])) + logScale)
		}
		if w := m.truncated[j]; w != 0 {
			sum -= w * (math.Log(total(cur[:k.m])) + logScale)
		}
		if w := m.below[j]; w != 0 {
			sum += w * (math.Log(cur[k.m]) + logScale)
		}
		if k.survival != nil {
			k.survival[j], k.logs[j] = total(cur[:k.m]), logScale
		}
	}
	if k.survival != nil {
		sum += k.addIntervals()
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) { // a weight of a grid may be negative: +Inf is as impossible
		return math.Inf(-1)
	}
	return sum / m.total
}

// likelihood returns row·goal, of which a chain that leaves from its last phase has one term.
func (k *kernel) likelihood(row []float64) float64 {
	if k.lastPhaseOnly {
		return row[k.m-1] * k.observable[k.m-1]
	}
	return dot(row, k.observable)
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
	n, m := k.n, k.quad
	k.clearDerivatives()
	clear(k.dObservable)
	cur, next := k.back[0], k.back[1]
	clear(next)
	for j := len(m.level) - 1; j >= 0; j-- {
		row := k.forward[j*n : j*n+n]
		k.addObservations(next, row, j)
		prev := k.start
		if j > 0 {
			prev = k.forward[(j-1)*n : j*n]
		}
		table, dTable := k.table(m.level[j])
		k.backStep(cur, next, prev, table, dTable, k.scale[j])
		cur, next = next, cur
	}
	copy(k.dAlpha, next[:k.m])
	if m.rounded {
		_, d := k.table(m.resolutionLevel)
		for i := range k.m {
			d[i*n+k.m] += k.dObservable[i]
		}
	}
	k.backpropagate()
	if m.rounded { // what is seen is seen in tables
		clear(k.dExit)
	} else {
		copy(k.dExit, k.dObservable[:k.m])
	}
	if n > k.m {
		for i := range k.m {
			k.dExit[i] += k.dT[i*n+k.m]
		}
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
