package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// twoStateAscent is the likelihood of a sequence under a [twoState], as a function of the logarithms of its rates. The
// matrix of a time is exp(D0·x)·D1, or its integral over the interval of a rounded value.
type twoStateAscent struct {
	seq    *sequence
	p      twoState
	tables [][4]float64 // of the distinct values, over exp(scale)
	scales []float64
	slopes [twoStateParameters]float64
}

func newTwoStateAscent(seq *sequence) *twoStateAscent {
	n := len(seq.values)
	return &twoStateAscent{seq: seq, tables: make([][4]float64, n), scales: make([]float64, n)}
}

// Value returns the negative log-likelihood per time, beginning in the stationary state after an arrival.
func (a *twoStateAscent) Value(ctx context.Context, y []float64) float64 {
	for _, v := range y {
		if math.Abs(v) > 300 {
			return math.Inf(1)
		}
	}
	a.p = twoStateOf(y)
	a.tabulate(ctx)
	start := a.p.afterArrival()
	u, w := start[0], start[1]
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
		a.scales[i] = scale
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

// Gradient returns the derivatives, by central differences. Their errors of about 1e-10, from the third derivative and from
// rounding, are below the tolerance of an ascent.
func (a *twoStateAscent) Gradient(ctx context.Context) []float64 {
	const h = 1e-5
	y := a.p.logs()
	for i, at := range y {
		y[i] = at + h
		up := a.Value(ctx, y)
		y[i] = at - h
		a.slopes[i] = (up - a.Value(ctx, y)) / (2 * h)
		y[i] = at
	}
	return a.slopes[:]
}

// product2 returns the product of two matrices.
func product2(a, b [4]float64) [4]float64 {
	return [4]float64{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
}

// ascend runs L-BFGS on the logarithms of the rates.
func (a *twoStateAscent) ascend(ctx context.Context, from reached[twoState], e effort) reached[twoState] {
	d := optimum.NewDescent(from.at.logs())
	d.Run(ctx, a, e.steps, e.tolerance, maxSmallSteps)
	return reached[twoState]{twoStateOf(d.Y), -d.F, d.Evals, d.Converged}
}
