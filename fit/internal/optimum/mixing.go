package optimum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/fit/internal/elementary"
)

// Mixing finds the probabilities alpha that maximise
//
//	Σ_o w_o·log(row_o·alpha),
//
// by Newton's method, each step of which maximises the quadratic model over nonnegative alpha. If all weights are
// positive the sum is concave, with a single maximum. Negative weights of a grid change little. Negative weights of
// truncated observations may make the maximum local.
//
// Reference: Y. Wang, On fast computation of the non-parametric maximum likelihood estimate of a mixing distribution,
// J. R. Statist. Soc. B 69 (2007) 185–198.
type Mixing struct {
	Rows  []Observation
	Alpha []float64
	F     []float64 // row·alpha
	total float64   // by which the sum is divided
	share float64   // Σ w_o / total: the derivative of the mean for c·alpha with respect to log c

	byPhase      [][]float64 // the rows, transposed
	weights      []float64
	slope        []float64 // derivatives of the mean with respect to F
	scaled       []float64
	grad, hess   []float64 // of the mean, hess with its sign changed
	before, step []float64
	model        quadratic
}

// Observation is an observation of weight Weight whose probability, or density, is Row·alpha.
type Observation struct {
	Weight float64
	Row    []float64
}

// NewMixing returns a search for m probabilities, the weights of a mixture of m densities, from equal probabilities.
// The log-likelihood is divided by total, the weight of the sample. The caller fills Rows, the m densities of each
// observation, and then calls IndexRows.
func NewMixing(m int, total float64) Mixing {
	x := Mixing{total: total, model: newQuadratic(m), hess: make([]float64, m*m)}
	for _, v := range []*[]float64{&x.Alpha, &x.grad, &x.before, &x.step} {
		*v = make([]float64, m)
	}
	x.setUniform()
	return x
}

// IndexRows allocates the storage of the search and copies the weights of the observations. The caller calls it once,
// when all rows are in x.Rows. The numbers of a row may still change before each call of Maximise.
func (x *Mixing) IndexRows() {
	n := len(x.Rows)
	for _, v := range []*[]float64{&x.weights, &x.F, &x.slope, &x.scaled} {
		*v = make([]float64, n)
	}
	for range x.Alpha {
		x.byPhase = append(x.byPhase, make([]float64, n))
	}
	for o, r := range x.Rows {
		x.weights[o] = r.Weight
		x.share += r.Weight / x.total
	}
}

// SetAlpha sets the alpha at which the search starts to a copy of alpha, scaled to sum to one unless the sum is 0.
func (x *Mixing) SetAlpha(alpha []float64) {
	copy(x.Alpha, alpha)
	if s := Sum(alpha); s > 0 {
		floats.Scale(1/s, x.Alpha)
	}
}

// setUniform sets all entries of x.Alpha to the same probability, 1/m: a start under which no possible observation has
// probability zero.
func (x *Mixing) setUniform() {
	for i := range x.Alpha {
		x.Alpha[i] = 1 / float64(len(x.Alpha))
	}
}

const (
	newtonSteps = 100
	// newtonGain is the predicted gain at which a step is the last one: the next would gain about its square.
	newtonGain = 1e-9
	// halvings is how often a step may be halved.
	halvings = 40
)

// Maximise moves x.Alpha to the maximum by at most 100 steps of Newton's method, and returns the weighted mean
// log-likelihood there. It starts from the present value, or from equal probabilities if the present value makes an
// observation impossible. If both make an observation impossible, it returns −Inf, and Alpha holds equal probabilities.
// x.F becomes the density of each observation at the end. If ctx ends, Alpha is the last point of the search; the
// caller has to look at ctx.
func (x *Mixing) Maximise(ctx context.Context) float64 {
	for o := range x.Rows { // a few long vectors are faster than many short ones
		for i, v := range x.Rows[o].Row {
			x.byPhase[i][o] = v
		}
	}
	if !x.setDerivatives() {
		x.setUniform()
		if !x.setDerivatives() {
			return math.Inf(-1)
		}
	}
	for k := 0; k < newtonSteps && ctx.Err() == nil; k++ {
		x.model.maximise(x.hess, x.grad, x.Alpha, x.step)
		gain := Dot(x.grad, x.step)
		if gain < newtonGain {
			x.move(1)
			break
		}
		if !x.lineSearch(gain) {
			break
		}
	}
	return x.mean()
}

// lineSearch moves x.Alpha by the step, halved up to 40 times until the step gains, and reports whether a part of the
// step gained. The gain is computed by the trapezoidal rule, from the derivatives along the step at both ends; gain is
// the derivative at the start. Without a gain, alpha stays as it was.
func (x *Mixing) lineSearch(gain float64) bool {
	for t, k := 1.0, 0; k < halvings; t, k = t/2, k+1 {
		x.move(t)
		if x.setDerivatives() && gain+Dot(x.grad, x.step) > 0 {
			return true
		}
		copy(x.Alpha, x.before)
	}
	return false
}

// move first copies x.Alpha to x.before. It then adds factor times x.step to x.Alpha, cuts negative entries to zero, and
// scales the sum to one. If no entry is left, or the sum is not finite, x.Alpha stays as it was.
func (x *Mixing) move(factor float64) {
	copy(x.before, x.Alpha)
	for i, d := range x.step {
		x.Alpha[i] = max(0, x.Alpha[i]+factor*d)
	}
	s := Sum(x.Alpha)
	if !(s > 0) || math.IsInf(s, 1) {
		copy(x.Alpha, x.before)
		return
	}
	floats.Scale(1/s, x.Alpha)
}

// mean returns the weighted mean log-likelihood at x.Alpha, the value that is maximised. It is Σ_o
// w_o·log(row_o·alpha)/total, a sum over the observations o with weights w_o. total is the weight of the sample, as
// given to [NewMixing], which leaves out negative weights of truncated observations. It overwrites x.F with the
// densities row_o·alpha.
func (x *Mixing) mean() float64 {
	x.mix()
	var sum float64
	for o, f := range x.F {
		sum += x.weights[o] * elementary.Log(f)
	}
	return sum / x.total
}

// mix sets x.F to the density of the mixture at each observation: its row times Alpha.
func (x *Mixing) mix() {
	clear(x.F)
	for i, a := range x.Alpha {
		if a != 0 {
			floats.AddScaled(x.F, a, x.byPhase[i])
		}
	}
}

// setDerivatives sets x.grad, m numbers, and x.hess, m×m by rows, at x.Alpha, whose sum is one. They are the gradient
// of a function of alpha and the negative of its Hessian: Newton's method needs both. The function is
//
//	mean − share·log(Σ alpha) + log(Σ alpha) − Σ alpha.
//
// mean is the weighted mean log-likelihood Σ_o w_o·log(row_o·alpha)/total, a sum over the observations o, and share is
// Σ_o w_o/total. The first two terms do not depend on the sum of alpha. The other two have their maximum where the sum
// is one.
//
// In either case x.F is overwritten with row_o·alpha for each observation, and x.slope and x.scaled are scratch. The
// result is false if an observation has density 0 at x.Alpha. Then x.grad and x.hess are left as they were.
func (x *Mixing) setDerivatives() bool {
	m := len(x.Alpha)
	x.mix()
	for o, f := range x.F {
		if !(f > 0) {
			return false
		}
		x.slope[o] = x.weights[o] / (f * x.total)
	}
	for i, column := range x.byPhase {
		for o, v := range column {
			x.scaled[o] = v * x.slope[o] / x.F[o]
		}
		x.grad[i] = floats.Dot(x.slope, column) - x.share
		for k := i; k < m; k++ {
			h := floats.Dot(x.scaled, x.byPhase[k]) + 1 - x.share
			x.hess[i*m+k], x.hess[k*m+i] = h, h
		}
	}
	return true
}

// Dot returns the scalar product Σ a_i·b_i over the entries of a, added from the first to the last, as [Sum] adds. b
// must be at least as long as a.
func Dot(a, b []float64) float64 {
	var s float64
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// Sum returns the sum of the elements of a, added from the first to the last; 0 for an empty list.
func Sum(a []float64) float64 {
	var s float64
	for _, x := range a {
		s += x
	}
	return s
}
