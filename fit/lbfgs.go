package fit

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// objective is a function to minimise.
type objective interface {
	// value returns the function at y, +Inf where it is not defined.
	value(y []float64) float64
	// gradient returns the derivatives at the y whose value was asked for last; the next call may overwrite them.
	gradient() []float64
}

// descent is a minimisation by limited-memory BFGS that can be halted and taken up again.
//
// Reference: D. C. Liu, J. Nocedal, On the limited memory BFGS method for large scale optimization, Math. Program. 45
// (1989) 503–528.
type descent struct {
	y         []float64 // the best point
	f         float64
	evals     int
	converged bool

	method      optimize.LinesearchMethod
	at          optimize.Location
	pending     optimize.Operation // what the method waits for
	done        bool               // nothing is left to do
	last        float64            // f at the last step
	smallSteps  int                // steps in a row that gained little
	searchStart int                // evaluations before the line search under way
}

func newDescent(y []float64) *descent {
	return &descent{
		y: append([]float64(nil), y...), f: math.Inf(1),
		at:     optimize.Location{X: append([]float64(nil), y...), Gradient: make([]float64, len(y))},
		method: optimize.LinesearchMethod{NextDirectioner: &optimize.LBFGS{Store: 15}, Linesearcher: &optimize.Bisection{}},
	}
}

const (
	// flat is the size of a gradient (of the mean log-likelihood, by logarithms of parameters) at which a descent whose
	// line search finds no better point has arrived: what remains to gain, of the order of its square, is below rounding.
	gradientTolerance = 1e-6
	// flatter is the size at which it has arrived in any case.
	gradientZero = 1e-8
	// noise is how far, in relation, values that are the same may differ by rounding.
	roundingNoise = 1e-14
	// lost is the number of evaluations after which a line search is given up.
	maxLineSearch = 25
)

// run takes evals more evaluations at most, until patience steps in a row gain less than tolerance each.
func (d *descent) run(of objective, evals int, tolerance float64, patience int) {
	end := d.evals + evals
	d.smallSteps = 0
	if d.evals == 0 {
		d.begin(of)
	}
	for !d.done && d.smallSteps < patience {
		switch d.pending {
		case optimize.FuncEvaluation:
			if d.evals >= end {
				return
			}
			d.at.F = of.value(d.at.X)
			d.evals++
			d.done = d.evals-d.searchStart > maxLineSearch || d.last <= d.at.F && d.at.F < d.last+roundingNoise*max(1, math.Abs(d.last))
		case optimize.GradEvaluation: // at the same point
			d.takeGradient(of)
		case optimize.MajorIteration:
			d.countSmallSteps(tolerance)
		}
		if !d.done {
			d.advance(d.method.Iterate)
		}
	}
	d.converged = d.converged || d.smallSteps >= patience
}

// advance asks the method what to do next; when its line search finds nothing better, the descent is over.
func (d *descent) advance(step func(*optimize.Location) (optimize.Operation, error)) {
	var err error
	if d.pending, err = step(&d.at); err != nil {
		d.done = true
	}
}

// begin takes the first evaluation.
func (d *descent) begin(of objective) {
	d.at.F = of.value(d.at.X)
	d.evals, d.searchStart = 1, 1
	if math.IsInf(d.at.F, 1) {
		d.done = true
		return
	}
	d.takeGradient(of)
	d.last = d.f
	if d.done = maxAbs(d.at.Gradient) < gradientZero; !d.done {
		d.advance(d.method.Init)
	}
}

// slope takes the gradient and keeps the best point of all, wherever the line search ends.
func (d *descent) takeGradient(of objective) {
	copy(d.at.Gradient, of.gradient())
	if d.at.F < d.f {
		d.f = d.at.F
		copy(d.y, d.at.X)
		d.converged = maxAbs(d.at.Gradient) < gradientTolerance
	}
}

// judge counts the steps in a row that gained little.
func (d *descent) countSmallSteps(tolerance float64) {
	d.smallSteps++
	if d.last-d.at.F >= tolerance {
		d.smallSteps = 0
	}
	d.last, d.searchStart = d.at.F, d.evals
	d.done = maxAbs(d.at.Gradient) < gradientZero
}

func maxAbs(g []float64) float64 {
	var s float64
	for _, v := range g {
		s = max(s, math.Abs(v))
	}
	return s
}
