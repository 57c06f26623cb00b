package replay

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// fewSteps finds where values fall to 1 on a scale of steps, such as costs, if each step takes a replay of a long log.
// The values of a step are a ratio, and the lower and the upper end of its interval. They count from 0; see [meanAndEnds].
//
// A crossing is that of the isotonic regression of the values at all known places, as in [crossingOf]. The search begins
// with one step, or with more places whose values are known already. It first replays steps beyond the known places until
// each crossing lies among them.
//
// Then it replays the steps that could move a crossing by more than a tenth of the length of the interval. The width of
// the interval goes up and down from step to step, often by a third and at times threefold. So the steps beside an end
// decide where its regression falls to 1. All unknown steps near a crossing are given their least likely values, and then
// their largest; see [fewSteps.likely]. If the crossing moves too far, the nearest of these steps is replayed.
//
// Crossings between known places that are far apart are replayed, too, because the values between may be far from
// interpolated ones: at high costs the queue grows without end.
//
// Twenty made logs of 40,000 to 200,000 jobs were replayed at every cost, for 56 intervals. The margins of likely values were
// chosen with 17 of them. From several first costs, 224 searches took 10.2 replays on average, and no crossing was more than
// .08 of the length off. Searches that replay three steps on either side of each end took 11.4, with errors up to .10. Four
// intervals of two more made logs, of a million jobs in 50 and 210 weeks, are within .04. None of the logs is of a real
// machine.
type fewSteps struct {
	last  int                    // last step of the scale, which begins at 0
	near  int                    // number of steps on either side of a crossing that can move it
	at    func(step int) float64 // value of the scale at a step, such as a cost
	guess float64                // place at which a similar search found or expects the last crossing; 0: none is known

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

// settle adds steps until no step is missing for any crossing. replay returns the values of a step. There must be a first
// place. The error comes from replay.
func (f *fewSteps) settle(ctx context.Context, replay func(step int) ([]float64, error)) error {
	for {
		step, missing := f.missing()
		if !missing {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		values, err := replay(step)
		if err != nil {
			return err
		}
		f.add(float64(step), values)
	}
}

// missing returns the next step to replay, and whether there is one. Crossings beyond the known places come first,
// because the length of the interval is not known without them. Then the crossing that could move farthest comes first.
// Crossings between known places that are far apart come last.
func (f *fewSteps) missing() (step int, missing bool) {
	for k := range slices.Backward(f.values[0]) {
		if step, missing := f.missingBeyond(k); missing {
			return step, true
		}
	}
	most := f.length() / 10
	for k := range slices.Backward(f.values[0]) {
		if near, moved := f.missingNear(k); moved > most {
			step, most, missing = near, moved, true
		}
	}
	for k := 0; !missing && k < len(f.values[0]); k++ {
		step, missing = f.missingBetween(k)
	}
	return step, missing
}

// missingBeyond returns a step beyond the known places that is to be replayed for the crossing of value k. missing is
// false if the crossing lies between two known places, or if the scale ends.
func (f *fewSteps) missingBeyond(k int) (step int, missing bool) {
	place := f.place(k)
	first, final := int(math.Ceil(f.places[0])), int(f.places[len(f.places)-1])
	switch {
	case math.IsInf(place, 1):
		return f.beyond(k), final < f.last
	case place < 0:
		const octaves = 3 // at once: replays at low costs take less time
		return max(first-octaves*stepsByOctave, 0), first > 0
	case f.above(place) < 0: // at the last known place
		return final + 1, final < f.last
	case place == f.places[0]:
		return first - 1, first > 0
	}
	return 0, false
}

// missingNear returns the unknown step that is nearest to the crossing of value k, which is to be replayed first. moved is
// how far the unknown steps could move the crossing, in the unit of the scale. Only unknown steps near the crossing count:
// those within f.near steps of it, and those before the next known place on either side. moved is 0 if all steps near the
// crossing are known, or if the crossing lies beyond the known places.
func (f *fewSteps) missingNear(k int) (step int, moved float64) {
	place := f.place(k)
	above := f.above(place)
	if above < 1 {
		return 0, 0
	}
	below := int(place)
	unknown := f.unknownBetween(min(f.places[above-1], float64(below-f.near)), max(f.places[above], float64(below+f.near+1)))
	if len(unknown) == 0 {
		return 0, 0
	}
	here := f.crossing(k)
	low, high := f.withLikely(k, unknown)
	return nearest(unknown, place), max(here-low.crossing(k), high.crossing(k)-here)
}

// missingBetween returns the unknown step nearest to the crossing of value k, between the known places on either side.
// missing is false if these places differ by at most a fifth of the length of the interval. Then the crossing has an error
// of about a tenth of the length or less, however far the values between are from the interpolated ones.
func (f *fewSteps) missingBetween(k int) (step int, missing bool) {
	place := f.place(k)
	above := f.above(place)
	if above < 1 {
		return 0, false
	}
	before, after := f.places[above-1], f.places[above]
	unknown := f.unknownBetween(before, after)
	if len(unknown) == 0 || interpolate(after, f.at)-interpolate(before, f.at) <= f.length()/5 {
		return 0, false
	}
	return nearest(unknown, place), true
}

// nearest returns the step that is nearest to a place; the first of two.
func nearest(steps []int, place float64) int {
	far := func(step int) float64 { return math.Abs(float64(step) - place) }
	return slices.MinFunc(steps, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
}

// unknownBetween returns the steps of the scale between two places, without these places, whose values are not known.
func (f *fewSteps) unknownBetween(before, after float64) (steps []int) {
	for step := range f.last + 1 {
		if _, known := slices.BinarySearch(f.places, float64(step)); !known && before < float64(step) && float64(step) < after {
			steps = append(steps, step)
		}
	}
	return steps
}

// withLikely returns two copies of f in which value k of the given unknown steps has its least and its largest likely
// value. The other values of these steps have no meaning.
func (f *fewSteps) withLikely(k int, unknown []int) (low, high *fewSteps) {
	copied := func() *fewSteps {
		c := *f
		c.places, c.values = slices.Clone(f.places), slices.Clone(f.values)
		return &c
	}
	low, high = copied(), copied()
	for _, step := range unknown {
		least, largest := f.likely(k, step)
		low.add(float64(step), slices.Repeat([]float64{least}, k+1))
		high.add(float64(step), slices.Repeat([]float64{largest}, k+1))
	}
	return low, high
}

// likely returns the least and the largest likely value number k at an unknown step. The ratio is interpolated: its
// reciprocal, the mean response time in units of EASY's, is about linear in the cost. It goes up and down by two per cent.
//
// An end is the ratio times exp(±w). w is between the least and the largest w of the n places that are known within an
// octave, or next to the step. These bounds are moved apart by a factor 1.1 + 0.5/n each: few places show little of how w
// varies.
func (f *fewSteps) likely(k, step int) (least, largest float64) {
	i, _ := slices.BinarySearch(f.places, float64(step))
	before, after := max(i-1, 0), min(i, len(f.places)-1)
	time := 1 / f.values[before][0]
	if before < after {
		from, to := interpolate(f.places[before], f.at), interpolate(f.places[after], f.at)
		time += (f.at(step) - from) / (to - from) * (1/f.values[after][0] - time)
	}
	const noise = 1.02
	least, largest = 1/time/noise, noise/time
	if k == 0 {
		return least, largest
	}
	narrow, wide, n := math.Inf(1), 0.0, 0.0
	for j, v := range f.values {
		if j == before || j == after || math.Abs(f.places[j]-float64(step)) <= stepsByOctave {
			w := math.Abs(math.Log(v[k] / v[0]))
			narrow, wide, n = min(narrow, w), max(wide, w), n+1
		}
	}
	apart := 1.1 + 0.5/n
	narrow, wide = narrow/apart, wide*apart
	if k == 1 {
		return least * math.Exp(-wide), largest * math.Exp(-narrow)
	}
	return least * math.Exp(narrow), largest * math.Exp(wide)
}

// length returns the length of the interval of the crossing, in the unit of the scale. It is 0 if the values are a ratio
// alone, or if the upper end falls to 1 nowhere among the known places.
func (f *fewSteps) length() float64 {
	if len(f.values[0]) < 3 {
		return 0
	}
	low, high := f.crossing(1), f.crossing(2)
	if math.IsInf(high, 1) {
		return 0
	}
	return high - low
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
// about the same. With a single place, the step is that of f.guess, however far it is.
func (f *fewSteps) beyond(k int) int {
	n := len(f.places)
	end := f.places[n-1]
	least, most := int(end)+1, min(int(end)+2*stepsByOctave, f.last)
	if n == 1 {
		if guess := int(math.Ceil(f.guess)); guess >= least {
			return min(guess, f.last)
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
