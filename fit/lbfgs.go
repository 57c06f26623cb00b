package fit

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// objective returns a function to minimise and its gradient at y; +Inf where it is not defined. The gradient may be
// overwritten by the next call.
type objective func(y []float64) (f float64, gradient []float64)

// descent is where a minimisation arrived.
type descent struct {
	y         []float64
	f         float64
	evals     int
	converged bool
}

// flat is the size of a gradient (of the mean log-likelihood, by logarithms of parameters) at which a descent whose
// line search finds no better point has arrived: what remains to gain, of the order of its square, is below rounding.
const flat = 1e-6

// descend runs limited-memory BFGS from y, evals evaluations at most, until patience steps together gain less than
// tolerance.
//
// Reference: D. C. Liu, J. Nocedal, On the limited memory BFGS method for large scale optimization, Math. Program. 45
// (1989) 503–528.
func descend(of objective, y []float64, evals int, tolerance float64, patience int) descent {
	out := descent{f: math.Inf(1)}
	at, grad := make([]float64, len(y)), make([]float64, len(y))
	value := math.NaN()
	evaluate := func(y []float64) {
		if !math.IsNaN(value) && equal(y, at) {
			return
		}
		copy(at, y)
		f, g := of(y)
		value = f
		copy(grad, g)
		out.evals++
		if f < out.f { // the best point of all counts, wherever the line search ends
			out.f = f
			out.y = append(out.y[:0], y...)
			out.converged = steepest(g) < flat
		}
	}
	evaluate(y)
	if math.IsInf(out.f, 1) {
		out.y = append(out.y, y...)
		return out
	}
	p := optimize.Problem{
		Func: func(y []float64) float64 { evaluate(y); return value },
		Grad: func(g, y []float64) { evaluate(y); copy(g, grad) },
	}
	s := &optimize.Settings{
		FuncEvaluations:   evals,
		GradientThreshold: 1e-10,
		Converger:         &optimize.FunctionConverge{Absolute: tolerance, Iterations: patience},
	}
	r, err := optimize.Minimize(p, y, s, &optimize.LBFGS{})
	if err == nil && (r.Status == optimize.GradientThreshold || r.Status == optimize.FunctionConvergence) {
		out.converged = true
	}
	return out
}

func steepest(g []float64) float64 {
	var s float64
	for _, v := range g {
		s = max(s, math.Abs(v))
	}
	return s
}

func equal(a, b []float64) bool {
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}
