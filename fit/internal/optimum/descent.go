// Package optimum finds the maxima that fits need: of a smooth function, by a descent of its negative that can be
// interrupted, and of the likelihood of a mixture over its weights.
package optimum

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Objective is a function to minimise.
type Objective interface {
	// Value returns the function at y, +Inf where it is not defined.
	Value(ctx context.Context, y []float64) float64
	// Gradient returns the derivatives at the y of the last call of Value. The next call may overwrite them.
	Gradient(ctx context.Context) []float64
}

// Descent is a minimisation by limited-memory BFGS that can be interrupted and continued.
//
// Reference: D. C. Liu, J. Nocedal, On the limited memory BFGS method for large scale optimization, Math. Program. 45
// (1989) 503–528.
type Descent struct {
	Y         []float64 // the best point
	F         float64   // the function there
	Evals     int       // calls of Value
	Converged bool

	scale       []float64 // units of the variables of the method, in which at counts; nil for 1
	x           []float64 // the present point in the variables of the objective; not used without scale
	method      optimize.LinesearchMethod
	at          optimize.Location
	pending     optimize.Operation // the method's request
	done        bool               // nothing is left to do
	last        float64            // f at the last step
	smallSteps  int                // steps in a row that gained little
	searchStart int                // evaluations before the line search under way
}

// NewDescent returns an L-BFGS descent that starts at a copy of y, without any steps yet. [Descent.Run] makes them.
func NewDescent(y []float64) *Descent {
	return &Descent{
		Y: slices.Clone(y), F: math.Inf(1),
		at:     optimize.Location{X: slices.Clone(y), Gradient: make([]float64, len(y))},
		method: optimize.LinesearchMethod{NextDirectioner: &optimize.LBFGS{Store: memory}, Linesearcher: &optimize.Bisection{}},
	}
}

// NewScaledDescent returns a descent from a copy of y in the variables y_i/scale_i. With scale_i the inverse square root
// of an estimated second derivative, the first step is nearly a step of Newton's method. So this descent pays near a
// minimum, and if second derivatives differ by orders of magnitude. The first step is at most the gradient in these
// variables, and at most of length 1. All scales must be positive.
func NewScaledDescent(y, scale []float64) *Descent {
	d := NewDescent(y)
	d.scale, d.x = slices.Clone(scale), make([]float64, len(y))
	for i, s := range d.scale {
		d.at.X[i] /= s
	}
	d.method.NextDirectioner = shortFirstStep{&optimize.LBFGS{Store: memory}}
	return d
}

// shortFirstStep is L-BFGS whose first step is at most the gradient, and at most of length 1.
type shortFirstStep struct{ *optimize.LBFGS }

// InitDirection sets dir to the direction of the first step, minus the gradient, and returns the first size to try.
func (s shortFirstStep) InitDirection(at *optimize.Location, dir []float64) float64 {
	return min(1, s.LBFGS.InitDirection(at, dir))
}

// point returns the present point in the variables of the objective. The next call may overwrite it.
func (d *Descent) point() []float64 {
	if d.scale == nil {
		return d.at.X
	}
	for i, s := range d.scale {
		d.x[i] = d.at.X[i] * s
	}
	return d.x
}

const (
	// memory is the number of steps from which L-BFGS estimates second derivatives.
	memory = 15
	// gradientTolerance is the size of the gradient at which a descent has converged if its line search finds no better
	// point. The gradient of the mean log-likelihood is taken with respect to logarithms of parameters. The possible
	// gain, of the order of its square, is below rounding.
	gradientTolerance = 1e-6
	// gradientZero is the size at which a descent has converged in any case.
	gradientZero = 1e-8
	// roundingNoise is the relative difference that rounding makes between equal values.
	roundingNoise = 1e-14
	// maxLineSearch is the number of evaluations after which a line search is given up.
	maxLineSearch = 25
)

// Run continues the descent of the objective with at most evals evaluations of its value, at least one at the first
// call. All calls must have the same function as objective. Evals counts the evaluations over all calls. Y and F hold
// the best point so far and the function there. If the value at the start is +Inf, the descent is over: F stays +Inf,
// and later calls do nothing. Otherwise it ends in one of three ways:
//
//   - maxSmall steps in a row gain less than tolerance each. Then Converged is true.
//   - All entries of the gradient are below gradientZero, or the line search finds no better point. Then Converged
//     reports whether the gradient at Y is small, and later calls do nothing.
//   - The evaluations are used up or ctx ends. A later call continues.
func (d *Descent) Run(ctx context.Context, of Objective, evals int, tolerance float64, maxSmall int) {
	end := d.Evals + evals
	d.smallSteps = 0
	if d.Evals == 0 {
		d.begin(ctx, of)
	}
	for !d.done && d.smallSteps < maxSmall && ctx.Err() == nil {
		switch d.pending {
		case optimize.FuncEvaluation:
			if d.Evals >= end {
				return
			}
			d.at.F = of.Value(ctx, d.point())
			d.Evals++
			d.done = d.Evals-d.searchStart > maxLineSearch ||
				d.last <= d.at.F && d.at.F < d.last+roundingNoise*max(1, math.Abs(d.last))
		case optimize.GradEvaluation: // at the same point
			d.takeGradient(ctx, of)
		case optimize.MajorIteration:
			d.countSmallSteps(tolerance)
		}
		if !d.done {
			d.advance(d.method.Iterate)
		}
	}
	d.Converged = d.Converged || d.smallSteps >= maxSmall
}

// advance asks the L-BFGS method for its next request and stores it in d.pending: to evaluate the function or the
// gradient, or the end of an iteration. step is the function of the method that makes the request, Init or Iterate. If
// the line search of the method found no better point, the descent is done.
func (d *Descent) advance(step func(*optimize.Location) (optimize.Operation, error)) {
	var err error
	if d.pending, err = step(&d.at); err != nil {
		d.done = true
	}
}

// begin evaluates the objective and its gradient at the start, stores them in d.at, and makes the first request of the
// method. The descent is done at once if the value is +Inf, without a gradient, or if all entries of the gradient are
// below gradientZero, 1e-8.
func (d *Descent) begin(ctx context.Context, of Objective) {
	d.at.F = of.Value(ctx, d.point())
	d.Evals, d.searchStart = 1, 1
	if math.IsInf(d.at.F, 1) {
		d.done = true
		return
	}
	d.takeGradient(ctx, of)
	d.last = d.F
	if d.done = maxAbs(d.at.Gradient) < gradientZero; !d.done {
		d.advance(d.method.Init)
	}
}

// takeGradient evaluates the gradient at the present point, into d.at. If the point is the best so far, it becomes Y
// and F. Then Converged reports whether all entries of its gradient are below gradientTolerance, 1e-6. The line search
// may end at another point.
func (d *Descent) takeGradient(ctx context.Context, of Objective) {
	copy(d.at.Gradient, of.Gradient(ctx))
	for i, s := range d.scale {
		d.at.Gradient[i] *= s
	}
	if d.at.F < d.F {
		d.F = d.at.F
		copy(d.Y, d.point())
		d.Converged = maxAbs(d.at.Gradient) < gradientTolerance
	}
}

// countSmallSteps notes the end of a step, a line search, for the test of convergence. It updates d.smallSteps, the
// number of steps in a row that gained less than tolerance. d.last becomes the value at the present point, and
// d.searchStart the number of evaluations so far. The descent is done if all entries of the gradient are below
// gradientZero.
func (d *Descent) countSmallSteps(tolerance float64) {
	d.smallSteps++
	if d.last-d.at.F >= tolerance {
		d.smallSteps = 0
	}
	d.last, d.searchStart = d.at.F, d.Evals
	d.done = maxAbs(d.at.Gradient) < gradientZero
}

// maxAbs returns the largest absolute value of the entries of a gradient, with which convergence is tested; 0 for an
// empty gradient.
func maxAbs(g []float64) float64 {
	var s float64
	for _, v := range g {
		s = max(s, math.Abs(v))
	}
	return s
}
