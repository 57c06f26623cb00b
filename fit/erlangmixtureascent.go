package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// mixtureObjective is the negative mean log-likelihood of mixtures with given shapes, as a function of
//
//	y = (log v_1, …, log v_B, log r_1, …, log r_B),  weights[b] = v_b/Σv,  rates[b] = r_b.
//
// By Fisher's identity the derivatives of the log-likelihood are sums of the E-step:
//
//	∂/∂log v_b = Q_b − weights[b]·W,  ∂/∂log r_b = shapes[b]·Q_b − r_b·X_b.
//
// Q_b is the sum of the responsibilities of branch b, and X_b the sum of responsibilities times conditional means. W is
// the weight of the observations. Truncation times count negatively, as observations of longer times.
type mixtureObjective struct {
	*erlangMixtures
	at   mixture
	grad []float64
}

// newMixtureObjective returns the function that L-BFGS minimises to fit mixtures: the negative mean log-likelihood of
// mixtures of Erlang branches with the given shapes, on the bins of e. The variables are the logarithms of the weights,
// then of the rates. The function uses the scratch storage of e.
func newMixtureObjective(e *erlangMixtures, shapes []int) *mixtureObjective {
	n := len(shapes)
	return &mixtureObjective{e, mixture{shapes, make([]float64, n), make([]float64, n)}, make([]float64, 2*n)}
}

// set sets o.at to the mixture whose parameters have the logarithms y: the weights, up to a factor, then the rates. The
// weights are divided by their sum; all are at least about 1e-300. It reports false, with o.at set in part, if a rate
// is 0 or infinite, or if a number is NaN.
func (o *mixtureObjective) set(y []float64) bool {
	n := len(o.at.shapes)
	top := slices.Max(y[:n])
	var sum float64
	for b, v := range y[:n] {
		o.at.weights[b] = max(math.Exp(v-top), minPositive)
		sum += o.at.weights[b]
	}
	for b, v := range y[n:] {
		o.at.weights[b] /= sum
		o.at.rates[b] = math.Exp(v)
		if !(o.at.rates[b] > 0) || math.IsInf(o.at.rates[b], 1) {
			return false
		}
	}
	return sum > 0 && !math.IsNaN(sum)
}

// Value returns the negative mean log-likelihood of the mixture whose parameters have the logarithms y: the weights, up
// to a factor, then the rates. It is +Inf if a rate is 0 or infinite, a number is NaN, or ctx ends. Value sets o.at to
// the mixture and makes an E-step. Gradient reads the results of this E-step.
func (o *mixtureObjective) Value(ctx context.Context, y []float64) float64 {
	if !o.set(y) {
		return math.Inf(1)
	}
	mean := o.expect(ctx, o.at)
	if math.IsNaN(mean) {
		return math.Inf(1)
	}
	return -mean
}

// Gradient returns the derivatives of the negative mean log-likelihood with respect to the logarithms y, weights and
// then rates. They are derivatives at the point of the last call of Value. The next call overwrites the result.
func (o *mixtureObjective) Gradient(context.Context) []float64 {
	n := len(o.at.shapes)
	weight := o.total - floats.Sum(o.overQ)
	for b, k := range o.at.shapes {
		q, qx := o.q[b]-o.overQ[b], o.qx[b]-o.overX[b]
		o.grad[b] = (o.at.weights[b]*weight - q) / o.total
		o.grad[n+b] = (o.at.rates[b]*qx - float64(k)*q) / o.total
	}
	return o.grad
}

// ascend returns where L-BFGS leads from a mixture within the effort by: a bound on the evaluations of the likelihood,
// and a tolerance of the gain of a step. The shapes stay. If the result is out of range, it returns the start with the
// log-likelihood −Inf. Where branches overlap, it takes some dozens of steps, and EM thousands. If ctx ends, the result
// is the best point so far.
//
// Mixtures of two exponentials and more ascend in variables scaled by [mixture.scales], which takes fewer steps. The
// first step is shorter and leads to the nearest maximum, while nearly all starts have the same maximum. Mixtures of
// other shapes have more maxima, and their longer first steps find better ones.
func (e *erlangMixtures) ascend(ctx context.Context, from mixture, by effort) reached[mixture] {
	o := newMixtureObjective(e, from.shapes)
	y := logsOf(from.weights, from.rates)
	d := optimum.NewDescent(y)
	if len(from.shapes) > 1 && slices.Max(from.shapes) == 1 {
		d = optimum.NewScaledDescent(y, from.scales(e.total))
	}
	d.Run(ctx, o, by.steps, by.tolerance, maxSmallSteps)
	if !o.set(d.Y) {
		return reached[mixture]{from, math.Inf(-1), d.Evals, false}
	}
	return reached[mixture]{o.at, -d.F, d.Evals, d.Converged}
}

// scales returns the scales of the logarithms of the weights, then of the rates, for an ascent that starts at m; see
// [optimum.NewScaledDescent]. A scale is the inverse square root of the second derivative of the mean log-likelihood
// that would hold if the branch of each time were known: w_b·(1−w_b) for the weight w_b, and shape_b·w_b for the rate.
// These are at least the inverse of total, the weight of the sample.
func (m mixture) scales(total float64) []float64 {
	var out []float64
	add := func(information float64) { out = append(out, 1/math.Sqrt(max(information, 1/total))) }
	for _, w := range m.weights {
		add(w * (1 - w))
	}
	for b, w := range m.weights {
		add(float64(m.shapes[b]) * w)
	}
	return out
}
