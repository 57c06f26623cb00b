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

	method  optimize.LinesearchMethod
	at      optimize.Location
	pending optimize.Operation // what the method waits for
	over    bool               // nothing is left to do
	last    float64            // f at the last step
	still   int                // steps in a row that gained little
	search  int                // evaluations before the line search under way
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
	flat = 1e-6
	// flatter is the size at which it has arrived in any case.
	flatter = 1e-8
	// noise is how far, in relation, values that are the same may differ by rounding.
	noise = 1e-14
	// lost is the number of evaluations after which a line search is given up.
	lost = 25
)

// run takes evals more evaluations at most, until patience steps in a row gain less than tolerance each.
func (d *descent) run(of objective, evals int, tolerance float64, patience int) {
	end := d.evals + evals
	d.still = 0
	if d.evals == 0 {
		d.begin(of)
	}
	for !d.over && d.still < patience {
		switch d.pending {
		case optimize.FuncEvaluation:
			if d.evals >= end {
				return
			}
			d.at.F = of.value(d.at.X)
			d.evals++
			d.over = d.evals-d.search > lost || d.last <= d.at.F && d.at.F < d.last+noise*max(1, math.Abs(d.last))
		case optimize.GradEvaluation: // at the same point
			d.slope(of)
		case optimize.MajorIteration:
			d.judge(tolerance)
		}
		if !d.over {
			d.advance(d.method.Iterate)
		}
	}
	d.converged = d.converged || d.still >= patience
}

// advance asks the method what to do next; when its line search finds nothing better, the descent is over.
func (d *descent) advance(step func(*optimize.Location) (optimize.Operation, error)) {
	var err error
	if d.pending, err = step(&d.at); err != nil {
		d.over = true
	}
}

// begin takes the first evaluation.
func (d *descent) begin(of objective) {
	d.at.F = of.value(d.at.X)
	d.evals, d.search = 1, 1
	if math.IsInf(d.at.F, 1) {
		d.over = true
		return
	}
	d.slope(of)
	d.last = d.f
	if d.over = steepest(d.at.Gradient) < flatter; !d.over {
		d.advance(d.method.Init)
	}
}

// slope takes the gradient and keeps the best point of all, wherever the line search ends.
func (d *descent) slope(of objective) {
	copy(d.at.Gradient, of.gradient())
	if d.at.F < d.f {
		d.f = d.at.F
		copy(d.y, d.at.X)
		d.converged = steepest(d.at.Gradient) < flat
	}
}

// judge counts the steps in a row that gained little.
func (d *descent) judge(tolerance float64) {
	d.still++
	if d.last-d.at.F >= tolerance {
		d.still = 0
	}
	d.last, d.search = d.at.F, d.evals
	d.over = steepest(d.at.Gradient) < flatter
}

func steepest(g []float64) float64 {
	var s float64
	for _, v := range g {
		s = max(s, math.Abs(v))
	}
	return s
}
