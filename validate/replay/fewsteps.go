package replay

import (
	"context"
	"math"
	"slices"
)

// fewSteps finds where values fall to 1 on a scale of steps, such as costs, if each step takes a replay of a long log.
// The values of a step are a ratio, and the lower and the upper end of its interval. They count from 0; see [meanAndEnds].
//
// A crossing is that of the isotonic regression of the values at all known places, as in [crossingOf]. The search replays
// steps until each crossing lies between neighbouring steps. It begins with one step, or with more places whose values are
// known already.
//
// The width of the interval goes up and down from step to step, often by a third and at times threefold. The steps beside
// an end therefore decide where its regression falls to 1, and near steps on either side are replayed.
//
// The length of the interval says how exactly a crossing must be known. Neighbours are left out where a step is shorter than
// a twelfth of it. A crossing between places that differ by at most a fifth of the length needs no further step.
//
// Ten made logs of 40,000 to 200,000 jobs were replayed at every cost, for 29 intervals; near was chosen with these logs. From
// several first costs, searches with near = 1, 2 and 3 took 7.7, 9.6 and 11.4 replays. Of these searches, 10, 5 and 0 % had
// a crossing more than a tenth of the length off. Two more made logs, of a million jobs in 50 and 210 weeks, were replayed
// afterwards near the crossings of four intervals: all are within .07. None of the logs is of a real machine.
type fewSteps struct {
	last  int                    // last step of the scale, which begins at 0
	near  int                    // number of steps that are replayed on either side of an end of the interval
	at    func(step int) float64 // value of the scale at a step, such as a cost
	guess float64                // place at which a similar search found the last crossing; 0: none is known

	places []float64   // with known values, ascending; most of them are steps
	values [][]float64 // at these places
}

// add stores the values at a place: a step, or a place between two steps. It does nothing if they are known already. All
// places have equally many values.
func (f *fewSteps) add(place float64, values []float64) {
	i, known := slices.BinarySearch(f.places, place)
	if !known {
		f.places, f.values = slices.Insert(f.places, i, place), slices.Insert(f.values, i, values)
	}
}

// settle adds steps until no step is missing for any crossing. It begins with the ends of the interval: its length says
// how exactly the crossings must be known. replay returns the values of a step. There must be a first place. The error comes
// from replay.
func (f *fewSteps) settle(ctx context.Context, replay func(step int) ([]float64, error)) error {
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
		return final + 1, final < f.last
	case place == f.places[0]:
		return first - 1, first > 0
	case f.places[above]-f.places[above-1] > 1:
		return f.missingBetween(above, place)
	case k > 0 && f.part(place) >= 1.0/12:
		return f.missingBeside(int(place))
	}
	return 0, false
}

// missingBetween returns the step next to a place that is to be replayed, between the known places number above−1 and above.
// missing is false if the known places differ by at most a fifth of the length of the interval. Then the place has an error
// of about a tenth of the length or less. missing is also false if no step lies between the known places.
func (f *fewSteps) missingBetween(above int, place float64) (step int, missing bool) {
	low, high := f.places[above-1], f.places[above]
	if interpolate(high, f.at)-interpolate(low, f.at) <= f.length()/5 {
		return 0, false
	}
	if step = int(place); float64(step) <= low {
		step++
	}
	return step, float64(step) < high
}

// missingBeside returns the nearest unknown step among the f.near steps on either side of a place between step below and
// the next one. missing is false if all these steps are known.
func (f *fewSteps) missingBeside(below int) (step int, missing bool) {
	for d := 1; d < f.near; d++ {
		for _, step := range []int{below - d, below + 1 + d} {
			if _, known := slices.BinarySearch(f.places, float64(step)); !known && 0 <= step && step <= f.last {
				return step, true
			}
		}
	}
	return 0, false
}

// part returns the length of the step at a place as a part of the length of the interval. It is +Inf if the length is 0.
func (f *fewSteps) part(place float64) float64 {
	step := int(place)
	return (f.at(step+1) - f.at(step)) / f.length()
}

// length returns the length of the interval of the crossing, in the unit of the scale. It is 0 if the values are a ratio
// alone, or if an end falls to 1 nowhere among the known places.
func (f *fewSteps) length() float64 {
	if len(f.values[0]) < 3 {
		return 0
	}
	low, high := f.place(1), f.place(2)
	if low < 0 || math.IsInf(low, 1) || high < 0 || math.IsInf(high, 1) {
		return 0
	}
	return interpolate(high, f.at) - interpolate(low, f.at)
}

// above returns the index in f.places of the first known place that is larger than place, or −1 if no known place is.
func (f *fewSteps) above(place float64) int {
	return slices.IndexFunc(f.places, func(p float64) bool { return p > place })
}

// place returns the place at which the isotonic regression of value k falls to 1, among the known places; see
// [fallsToOne]. It is −1 if the value is at most 1 from the first place on, and +Inf if it exceeds 1 up to the last.
func (f *fewSteps) place(k int) float64 {
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
	least, most := int(end)+1, min(int(end)+2*stepsByOctave, f.last)
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
