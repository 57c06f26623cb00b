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
// The search replays steps until each crossing lies between steps that are at most near steps away from it. Steps whose
// values on the scale differ by at most a fifth of the length of the interval are near enough, too. The search begins with
// one step, or with more places whose values are known already. A search with three crossings takes four to nine steps, while
// [crossingOf] takes 15 to 30.
//
// The ratio goes up and down by about a per cent from step to step, and the width of its interval more. So a line between
// two steps would move a crossing by as much as such a change does. Local regression uses all steps within smoothing steps
// of the crossing. The logarithm of the ratio is a polynomial of degree 2 there, and the logarithm of the quotient of an
// end and the ratio is linear. Steps have the weight (1−(d/smoothing)³)³ by their distance d.
//
// All crossings may lie within an octave. Then the ratio falls by more than these changes from step to step, and regression
// would move an end by a part of so short an interval. Such crossings get neighbouring steps, and are those of the isotonic
// regression, as in [crossingOf]. So do crossings that local and isotonic regression place further apart than a tenth of the
// length of the interval.
//
// Logs were replayed at all costs, which gave 27 intervals. Of the searches, 25 found all three crossings within a tenth of the
// length of the interval.
//
// Reference: W. S. Cleveland, Robust locally weighted regression and smoothing scatterplots, JASA 74 (1979) 829–836.
type fewSteps struct {
	last  int                    // last step of the scale, which begins at 0
	near  int                    // largest distance of a crossing from a known place on either side
	at    func(step int) float64 // value of the scale at a step, such as a cost
	guess float64                // place at which a similar search found the last crossing; 0: none is known
	dense bool                   // crossings get neighbouring steps, and are those of the isotonic regression

	places []float64   // with known values, ascending; most of them are steps
	values [][]float64 // at these places
}

// smoothing is the distance in steps at which a step no longer counts for the regression.
const smoothing = 12

// add stores the values at a place: a step, or a place between two steps. It does nothing if they are known already. All
// places have equally many values.
func (f *fewSteps) add(place float64, values []float64) {
	i, known := slices.BinarySearch(f.places, place)
	if !known {
		f.places, f.values = slices.Insert(f.places, i, place), slices.Insert(f.values, i, values)
	}
}

// settle adds steps until all crossings are near steps on either side: f.near steps or, if local regression does not do, one
// step. replay returns the values of a step. There must be a first place. The error comes from replay.
func (f *fewSteps) settle(ctx context.Context, replay func(step int) ([]float64, error)) error {
	if err := f.addMissing(ctx, replay); err != nil || f.isSmooth() {
		return err
	}
	f.dense, f.near = true, 1
	return f.addMissing(ctx, replay)
}

// addMissing adds steps until no step is missing for any crossing. It begins with the ends of the interval: its length says
// how exactly the crossings must be known. replay returns the values of a step. The error comes from replay.
func (f *fewSteps) addMissing(ctx context.Context, replay func(step int) ([]float64, error)) error {
	last := len(f.values[0]) - 1
	for k := last; k >= 0; {
		step, missing := f.missing(k)
		if !missing {
			k--
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		values, err := replay(step)
		if err != nil {
			return err
		}
		f.add(float64(step), values)
		k = last // the step may have moved the other crossings
	}
	return nil
}

// missing returns the next step to replay for the crossing of value k, and whether there is one.
func (f *fewSteps) missing(k int) (step int, missing bool) {
	place := f.place(k)
	first, final := int(math.Ceil(f.places[0])), int(f.places[len(f.places)-1])
	switch {
	case math.IsInf(place, 1):
		return f.beyond(k), final < f.last
	case place < 0:
		const octaves = 3 // at once: replays at low costs take less time
		return max(first-octaves*stepsByOctave, 0), first > 0
	}
	above := f.above(place)
	switch {
	case above < 0: // at the last known place
		return min(final+f.near, f.last), final < f.last
	case place == f.places[0]:
		return max(first-f.near, 0), first > 0
	case f.isBracketed(above):
		return 0, false
	case place-f.places[above-1] > float64(f.near):
		step = int(math.Ceil(place)) - f.near
	case f.places[above]-place > float64(f.near):
		step = int(math.Floor(place)) + f.near
	default:
		return 0, false
	}
	return step, f.places[above-1] < float64(step) && float64(step) < f.places[above]
}

// above returns the number of the first known place above a place; −1 if there is none.
func (f *fewSteps) above(place float64) int {
	return slices.IndexFunc(f.places, func(p float64) bool { return p > place })
}

// isBracketed reports whether the known places number above−1 and above, between which a value falls to 1, differ by at most
// a fifth of the length of the interval. Then any place between them has an error of about a tenth of the length or less.
func (f *fewSteps) isBracketed(above int) bool {
	if above < 1 || len(f.values[0]) < 3 {
		return false
	}
	low, high := f.place(1), f.place(2)
	if low < 0 || math.IsInf(low, 1) || high < 0 || math.IsInf(high, 1) {
		return false
	}
	between := func(from, to float64) float64 { return interpolate(to, f.at) - interpolate(from, f.at) }
	return between(f.places[above-1], f.places[above]) <= between(low, high)/5
}

// place returns the place at which value k falls to 1: a step plus the part of the way to the next step. It is −1 if the
// value is at most 1 from the first known place on, and +Inf if it exceeds 1 up to the last. Otherwise the place is the root
// of the local regression. The regression about the crossing of the isotonic regression gives a root, the regression about
// this root the next one, and so on. If f.dense is set, the place is that of the isotonic regression.
func (f *fewSteps) place(k int) float64 {
	place := f.isotonic(k)
	if place < 0 || math.IsInf(place, 1) || f.dense {
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
		place = min(max(place+fallNearZero(smooth, float64(f.near)), f.places[0]), f.places[len(f.places)-1])
	}
	return place
}

// isotonic returns the place at which the isotonic regression of value k falls to 1, among the known places; see
// [fallsToOne]. It is −1 if the value is at most 1 from the first place on, and +Inf if it exceeds 1 up to the last.
func (f *fewSteps) isotonic(k int) float64 {
	values := make([]float64, len(f.places))
	for i, v := range f.values {
		values[i] = v[k]
	}
	place, _, _ := fallsToOne(values, func(i int) float64 { return f.places[i] })
	switch {
	case place == f.places[0] && values[0] <= 1:
		return -1
	case place == f.places[len(f.places)-1] && values[len(values)-1] > 1:
		return math.Inf(1)
	}
	return place
}

// beyond returns a step beyond all known places, by which value k, which exceeds 1 at all of them, should fall to 1. It is
// at most two octaves beyond the last place, because replays at high costs take long. The reciprocal of a ratio is the
// mean response time in units of EASY's, and grows about linearly with the cost. The quotient of an end and the ratio stays
// about the same. With a single place, the step is that of f.guess.
func (f *fewSteps) beyond(k int) int {
	n := len(f.places)
	end := f.places[n-1]
	least, most := int(end)+f.near, min(int(end)+2*stepsByOctave, f.last)
	if n == 1 {
		if guess := math.Ceil(f.guess); float64(least) <= guess && guess < float64(most) {
			return int(guess)
		}
		return most
	}
	time, before, at := 1/f.values[n-1][0], 1/f.values[n-2][0], interpolate(end, f.at)
	each := (time - before) / (at - interpolate(f.places[n-2], f.at))
	quotient := f.values[n-1][k] / f.values[n-1][0]
	for step := least; step < most; step++ {
		if time+each*(f.at(step)-at) > quotient {
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

// isSmooth reports whether local regression does: the crossings lie further apart than an octave, and each is at most a tenth
// of the length of the interval from that of the isotonic regression. It is true as well if a value falls to 1 nowhere on the
// scale.
func (f *fewSteps) isSmooth() bool {
	low, high, apart := math.Inf(1), math.Inf(-1), 0.0
	for k := range f.values[0] {
		place := f.place(k)
		if place < 0 || math.IsInf(place, 1) {
			return true
		}
		low, high = min(low, place), max(high, place)
		apart = max(apart, math.Abs(interpolate(place, f.at)-interpolate(f.isotonic(k), f.at)))
	}
	return high-low > stepsByOctave && apart <= (interpolate(high, f.at)-interpolate(low, f.at))/10
}

// polynomial returns the coefficients of a polynomial in the distance from a place, in steps: the local regression of
// values that of returns for the values of a step. The degree is at most degree, and there are three coefficients. It is
// lower with few places.
func (f *fewSteps) polynomial(place float64, degree int, of func(values []float64) float64) []float64 {
	var x, y, weight []float64
	for i, known := range f.places {
		d := known - place
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
