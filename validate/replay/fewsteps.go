package replay

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// fewSteps finds where values fall to 1 on a scale of steps, such as costs, if each step takes a replay of a long log.
// The values of a step are a ratio, and the lower and the upper end of its interval. They count from 0; see [meanAndEnds].
//
// The search replays steps until each crossing lies between steps that are at most near steps away from it. A search with
// three crossings takes about eight steps, while [crossingOf] takes 25 to 30.
//
// The ratio goes up and down by about a per cent from step to step, and the width of its interval more. So a line between
// two steps would move a crossing by as much as such a change does. Local regression uses all steps within smoothing steps
// of the crossing. The logarithm of the ratio is a polynomial of degree 2 there, and the logarithm of the quotient of an
// end and the ratio is linear. Steps have the weight (1−(d/smoothing)³)³ by their distance d.
//
// Reference: W. S. Cleveland, Robust locally weighted regression and smoothing scatterplots, JASA 74 (1979) 829–836.
type fewSteps struct {
	last int                    // last step of the scale, which begins at 0
	near int                    // largest distance of a crossing from a step on either side
	at   func(step int) float64 // value of the scale at a step, such as a cost

	steps  []int       // that were replayed, ascending
	values [][]float64 // of these steps
}

// smoothing is the distance in steps at which a step no longer counts for the regression.
const smoothing = 12

// add stores the values of a step, which must not be known yet. All steps have equally many values.
func (f *fewSteps) add(step int, values []float64) {
	i, _ := slices.BinarySearch(f.steps, step)
	f.steps, f.values = slices.Insert(f.steps, i, step), slices.Insert(f.values, i, values)
}

// settle adds steps until all crossings are near steps on either side. replay returns the values of a step. There must be
// a first step. The error comes from replay.
func (f *fewSteps) settle(ctx context.Context, replay func(step int) ([]float64, error)) error {
	for k := 0; k < len(f.values[0]); {
		step, missing := f.missing(k)
		if !missing {
			k++
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		values, err := replay(step)
		if err != nil {
			return err
		}
		f.add(step, values)
		k = 0 // the step may have moved the crossings before
	}
	return nil
}

// missing returns the next step to replay for the crossing of value k, and whether there is one.
func (f *fewSteps) missing(k int) (step int, missing bool) {
	place := f.place(k)
	first, final := f.steps[0], f.steps[len(f.steps)-1]
	switch {
	case math.IsInf(place, 1):
		return f.beyond(k), final < f.last
	case place < 0:
		const octaves = 3 // at once: replays at low costs take less time
		return max(first-octaves*stepsByOctave, 0), first > 0
	}
	above := slices.IndexFunc(f.steps, func(s int) bool { return float64(s) > place })
	switch {
	case above < 0: // at the last known step
		return min(final+f.near, f.last), final < f.last
	case place == float64(first):
		return max(first-f.near, 0), first > 0
	case place-float64(f.steps[above-1]) > float64(f.near):
		step = int(math.Ceil(place)) - f.near
	case float64(f.steps[above])-place > float64(f.near):
		step = int(math.Floor(place)) + f.near
	default:
		return 0, false
	}
	return step, f.steps[above-1] < step && step < f.steps[above]
}

// place returns the place at which value k falls to 1: a step plus the part of the way to the next step. It is −1 if the
// value is at most 1 from the first known step on, and +Inf if it exceeds 1 up to the last. Otherwise the place is the root
// of the local regression. The regression about the crossing of the isotonic regression gives a root, the regression about
// this root the next one, and so on.
func (f *fewSteps) place(k int) float64 {
	place := f.isotonic(k)
	if place < 0 || math.IsInf(place, 1) {
		return place
	}
	const most = 5 // roots, which hardly move then
	for range most {
		smooth := f.polynomial(place, 2, func(v []float64) float64 { return math.Log(v[0]) })
		if k > 0 {
			for i, c := range f.polynomial(place, 1, func(v []float64) float64 { return math.Log(v[k] / v[0]) }) {
				smooth[i] += c
			}
		}
		place = min(max(place+fallNearZero(smooth, float64(f.near)), float64(f.steps[0])), float64(f.steps[len(f.steps)-1]))
	}
	return place
}

// isotonic returns the place at which the isotonic regression of value k falls to 1, among the known steps; see
// [fallsToOne]. It is −1 if the value is at most 1 from the first step on, and +Inf if it exceeds 1 up to the last.
func (f *fewSteps) isotonic(k int) float64 {
	values := make([]float64, len(f.steps))
	for i, v := range f.values {
		values[i] = v[k]
	}
	place, _, _ := fallsToOne(values, func(i int) float64 { return float64(f.steps[i]) })
	switch {
	case place == float64(f.steps[0]) && values[0] <= 1:
		return -1
	case place == float64(f.steps[len(f.steps)-1]) && values[len(values)-1] > 1:
		return math.Inf(1)
	}
	return place
}

// beyond returns a step beyond all known steps, by which value k, which exceeds 1 at all of them, should fall to 1. It is
// at most two octaves beyond the last step, because replays at high costs take long. The reciprocal of a ratio is the
// mean response time in units of EASY's, and grows about linearly with the cost.
func (f *fewSteps) beyond(k int) int {
	n := len(f.steps)
	end := f.steps[n-1]
	most := min(end+2*stepsByOctave, f.last)
	if n == 1 {
		return most
	}
	time, before := 1/f.values[n-1][k], 1/f.values[n-2][k]
	each := (time - before) / (f.at(end) - f.at(f.steps[n-2]))
	for step := end + f.near; step < most; step++ {
		if time+each*(f.at(step)-f.at(end)) > 1 {
			return step
		}
	}
	return most
}

// crossing returns the value of the scale at which value k falls to 1. It is the value at step 0 if value k is at most 1
// there, and +Inf if value k exceeds 1 at the last step. [fewSteps.settle] must have been called.
func (f *fewSteps) crossing(k int) float64 {
	place := f.place(k)
	switch {
	case place < 0:
		return f.at(0)
	case math.IsInf(place, 1):
		return place
	}
	return interpolate(place, f.at)
}

// isNarrow reports whether all values fall to 1 within so many steps of each other.
func (f *fewSteps) isNarrow(steps int) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for k := range f.values[0] {
		place := f.place(k)
		if place < 0 {
			return false
		}
		low, high = min(low, place), max(high, place)
	}
	return high-low <= float64(steps)
}

// polynomial returns the coefficients of a polynomial in the distance from a place, in steps: the local regression of
// values that of returns for the values of a step. The degree is at most degree, and there are three coefficients. It is
// lower with few steps.
func (f *fewSteps) polynomial(place float64, degree int, of func(values []float64) float64) []float64 {
	var x, y, weight []float64
	for i, step := range f.steps {
		d := float64(step) - place
		if u := math.Abs(d) / smoothing; u < 1 {
			x, y, weight = append(x, d), append(y, of(f.values[i])), append(weight, math.Pow(1-u*u*u, 1.5))
		}
	}
	n := min(degree+1, len(x))
	coefficients := make([]float64, 3)
	if n == 0 {
		return coefficients
	}
	a, b := mat.NewDense(len(x), n, nil), mat.NewVecDense(len(x), nil)
	for i := range x {
		for j := range n {
			a.Set(i, j, weight[i]*math.Pow(x[i], float64(j)))
		}
		b.SetVec(i, weight[i]*y[i])
	}
	c := new(mat.VecDense)
	if err := c.SolveVec(a, b); err == nil {
		copy(coefficients, c.RawVector().Data)
	}
	return coefficients
}

// fallNearZero returns where a polynomial of degree 2 falls through 0, at the place nearest to 0 and at most far away
// from it. It returns 0 if there is no such place. The coefficients are in ascending order.
func fallNearZero(c []float64, far float64) float64 {
	value := func(x float64) float64 { return c[0] + x*(c[1]+x*c[2]) }
	const parts = 64 // of a step
	for i := range int(far * parts) {
		for _, x := range []float64{float64(i) / parts, -float64(i+1) / parts} {
			if a, b := value(x), value(x+1.0/parts); a > 0 && b <= 0 {
				return x + a/(a-b)/parts
			}
		}
	}
	return 0
}
