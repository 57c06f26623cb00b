package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// twoStateAscent is the likelihood of a sequence under a [twoState], as a function of the logarithms of its rates. Let
// T_t be the matrix of time t, exp(D0·x)·D1 or its integral over the interval of a rounded value, and v_t the state
// vector after it. The derivative with respect to T_t is v_{t−1}·β_tᵀ over the norm, with β computed from the end of
// the sequence backward. The derivatives are summed for each distinct value before they are carried on to the rates.
type twoStateAscent struct {
	seq    *sequence
	p      twoState
	exps   [][4]float64 // of the distinct values: exp(D0·x), at the beginning of the interval if rounded, over exp(scale)
	tables [][4]float64
	scales []float64
	states [][2]float64 // before the first time and after each time
	norms  []float64

	dTables [][4]float64
	slopes  [twoStateParameters]float64
}

func newTwoStateAscent(seq *sequence) *twoStateAscent {
	n := len(seq.values)
	return &twoStateAscent{
		seq: seq, exps: make([][4]float64, n), tables: make([][4]float64, n), scales: make([]float64, n),
		states: make([][2]float64, len(seq.at)+1), norms: make([]float64, len(seq.at)), dTables: make([][4]float64, n),
	}
}

// value returns the negative log-likelihood per time, beginning in the stationary state after an arrival.
func (a *twoStateAscent) value(ctx context.Context, y []float64) float64 {
	for _, v := range y {
		if math.Abs(v) > 300 {
			return math.Inf(1)
		}
	}
	a.p = twoStateOf(y)
	a.tabulate(ctx)
	a.states[0] = a.p.afterArrival()
	u, w := a.states[0][0], a.states[0][1]
	var sum float64
	product := 1.0 // of norms; logarithms are taken when it is about to leave the range
	for t, v := range a.seq.at {
		if stopped(ctx, t) {
			return math.Inf(1)
		}
		m := &a.tables[v]
		u, w = u*m[0]+w*m[2], u*m[1]+w*m[3]
		s := u + w
		u /= s
		w /= s
		a.norms[t], a.states[t+1] = s, [2]float64{u, w}
		product *= s
		if product < 1e-100 || product > 1e100 {
			sum += math.Log(product)
			product = 1
		}
		sum += a.scales[v]
	}
	sum += math.Log(product)
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return math.Inf(1)
	}
	return -sum / float64(len(a.seq.at))
}

// tabulate computes the matrices of the distinct values.
func (a *twoStateAscent) tabulate(ctx context.Context) {
	regular := a.p.integral(a.seq.resolution)
	for i := range a.seq.values {
		if stopped(ctx, i) {
			return
		}
		x := &a.seq.values[i]
		m, scale := a.p.expD0(x.lo)
		a.exps[i], a.scales[i] = m, scale
		switch {
		case a.seq.resolution == 0:
			a.tables[i] = [4]float64{
				m[0] * a.p.rates[0], m[1] * a.p.rates[1], m[2] * a.p.rates[0], m[3] * a.p.rates[1],
			}
		case x.lo == 0:
			a.tables[i] = a.p.integral(x.hi)
		default:
			a.tables[i] = product2(m, regular)
		}
	}
}

// gradient returns the derivatives with respect to the logarithms of the rates.
func (a *twoStateAscent) gradient(ctx context.Context) []float64 {
	clear(a.dTables)
	b := [2]float64{1, 1}
	for t := len(a.seq.at) - 1; t >= 0; t-- {
		if stopped(ctx, t) {
			break
		}
		v, before := a.seq.at[t], &a.states[t]
		b[0] /= a.norms[t]
		b[1] /= a.norms[t]
		m, d := &a.tables[v], &a.dTables[v]
		d[0] += before[0] * b[0]
		d[1] += before[0] * b[1]
		d[2] += before[1] * b[0]
		d[3] += before[1] * b[1]
		b = [2]float64{m[0]*b[0] + m[1]*b[1], m[2]*b[0] + m[3]*b[1]}
	}
	var d twoState // derivatives with respect to out and rates
	a.throughStart(&d, b)
	if a.seq.resolution == 0 {
		a.throughArrivals(ctx, &d)
	} else {
		a.throughIntervals(ctx, &d)
	}
	for i, v := range []float64{
		d.out[0] * a.p.out[0], d.out[1] * a.p.out[1], d.rates[0] * a.p.rates[0], d.rates[1] * a.p.rates[1],
	} {
		a.slopes[i] = -v / float64(len(a.seq.at))
	}
	return a.slopes[:]
}

// throughStart adds the derivatives through the first state; b is the derivative with respect to that.
func (a *twoStateAscent) throughStart(d *twoState, b [2]float64) {
	p := a.p
	sum := p.out[1]*p.rates[0] + p.out[0]*p.rates[1]
	mean := a.states[0][0]*b[0] + a.states[0][1]*b[1]
	u, w := (b[0]-mean)/sum, (b[1]-mean)/sum
	d.out[1] += u * p.rates[0]
	d.rates[0] += u * p.out[1]
	d.out[0] += w * p.rates[1]
	d.rates[1] += w * p.out[0]
}

// throughArrivals adds the derivatives through exp(D0·x)·D1.
func (a *twoStateAscent) throughArrivals(ctx context.Context, d *twoState) {
	for i := range a.seq.values {
		if stopped(ctx, i) {
			return
		}
		g, m := &a.dTables[i], &a.exps[i]
		d.rates[0] += g[0]*m[0] + g[2]*m[2]
		d.rates[1] += g[1]*m[1] + g[3]*m[3]
		by := [4]float64{g[0] * a.p.rates[0], g[1] * a.p.rates[1], g[2] * a.p.rates[0], g[3] * a.p.rates[1]}
		a.p.throughExp(d, a.seq.values[i].x, m, by)
	}
}

// throughIntervals adds the derivatives through the integrals over intervals, nearly all of which have the same width.
func (a *twoStateAscent) throughIntervals(ctx context.Context, d *twoState) {
	regular := a.p.integral(a.seq.resolution)
	var common [4]float64
	for i := range a.seq.values {
		if stopped(ctx, i) {
			return
		}
		x, g, m := &a.seq.values[i], a.dTables[i], a.exps[i]
		if x.lo == 0 {
			a.p.throughIntegral(d, x.hi, g)
			continue
		}
		for k, v := range product2([4]float64{m[0], m[2], m[1], m[3]}, g) {
			common[k] += v
		}
		a.p.throughExp(d, x.lo, &m, product2(g, [4]float64{regular[0], regular[2], regular[1], regular[3]}))
	}
	a.p.throughIntegral(d, a.seq.resolution, common)
}

// throughExp adds the derivatives through exp(D0·x) = m·exp(scale); g·exp(−scale) is the derivative of the likelihood
// with respect to it. With c = (a+b)/2, B = (h, q; r, −h) and φ = sinh(d·x)/d,
//
//	exp(D0·x) = e^(−c·x)·(cosh(d·x)·I + φ·B).
func (p twoState) throughExp(to *twoState, x float64, m *[4]float64, g [4]float64) {
	q, r := p.out[0], p.out[1]
	h, d := p.eigenvalues()
	e := math.Exp(-2 * d * x)
	cosh, sinh := (1+e)/2, -math.Expm1(-2*d*x)/2 // over exp(d·x)
	phi := sinh / d
	bend := (x*cosh - phi) / d // derivative of φ with respect to d
	if s := d * x; s < 1e-3 {  // where the difference cancels
		bend = math.Exp(-s) * x * x * s / 3 * (1 + s*s/10)
	}
	byC := -x * (g[0]*m[0] + g[1]*m[1] + g[2]*m[2] + g[3]*m[3])
	byD := x*sinh*(g[0]+g[3]) + bend*(h*(g[0]-g[3])+q*g[1]+r*g[2])
	byH := phi*(g[0]-g[3]) + byD*h/d
	byA, byB := (byC-byH)/2, (byC+byH)/2
	to.out[0] += phi*g[1] + byD*r/(2*d) + byA
	to.out[1] += phi*g[2] + byD*q/(2*d) + byB
	to.rates[0] += byA
	to.rates[1] += byB
}

// throughIntegral adds the derivatives through the integral over an interval of width w, by central differences. Their
// error of about 1e-10 is below the tolerance of an ascent.
func (p twoState) throughIntegral(to *twoState, w float64, g [4]float64) {
	const h = 1e-5
	for _, parameter := range []struct{ of, d *float64 }{
		{&p.out[0], &to.out[0]}, {&p.out[1], &to.out[1]}, {&p.rates[0], &to.rates[0]}, {&p.rates[1], &to.rates[1]},
	} {
		at := *parameter.of
		*parameter.of = at * (1 + h)
		up := p.integral(w)
		*parameter.of = at * (1 - h)
		down := p.integral(w)
		*parameter.of = at
		for k, v := range g {
			*parameter.d += v * (up[k] - down[k]) / (2 * h * at)
		}
	}
}

// product2 returns the product of two matrices.
func product2(a, b [4]float64) [4]float64 {
	return [4]float64{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
}

// ascend runs L-BFGS on the logarithms of the rates.
func (a *twoStateAscent) ascend(ctx context.Context, from twoState, evals int, tolerance float64) (twoState, *optimum.Descent) {
	d := optimum.NewDescent(from.logs())
	d.Run(ctx, optimum.Objective{Value: a.value, Gradient: a.gradient}, evals, tolerance, maxSmallSteps)
	return twoStateOf(d.Y), d
}
