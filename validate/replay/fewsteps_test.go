package replay

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFewSteps: few steps of a scale of costs tell where three values fall to 1, within a twentieth of the length of the
// interval, wherever the search begins. The mean response time grows linearly with the cost.
func TestFewSteps(t *testing.T) {
	for _, at := range []float64{8, 70, 400, 5000} { // cost at which the ratio is 1, in seconds
		values := func(step int) []float64 {
			ratio := 1 / (0.7 + 0.3*costOfStep(step)/at)
			return []float64{ratio, 0.9 * ratio, 1.12 * ratio}
		}
		want := []float64{at, at * (0.9 - 0.7) / 0.3, at * (1.12 - 0.7) / 0.3}
		for _, first := range []int{0, 18, 48, lastStep} {
			f, replays := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}, 0
			f.add(float64(first), values(first))
			if err := f.settle(t.Context(), func(step int) ([]float64, error) { replays++; return values(step), nil }); err != nil {
				t.Fatal(err)
			}
			for k, w := range want {
				if got := f.crossing(k); math.Abs(got-w) > 0.05*(want[2]-want[1]) {
					t.Errorf("from step %d: value %d falls to 1 at %g s, expected %g s", first, k, got, w)
				}
			}
			if most := 22; replays > most {
				t.Errorf("from step %d: %d replays for a crossing at %g s, expected at most %d", first, replays, at, most)
			}
		}
	}
}

// TestFewStepsWithNoise: with changes of one per cent from step to step, the mean error of crossings is small. Two steps
// near a crossing alone would move it by two steps.
func TestFewStepsWithNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const at, draws = 400.0, 40
	sum := [3]float64{}
	for range draws {
		f := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}
		values := func(step int) ([]float64, error) {
			ratio := math.Exp(0.01*random.NormFloat64()) / (0.7 + 0.3*costOfStep(step)/at)
			return []float64{ratio, ratio * 0.9, ratio * 1.12}, nil
		}
		first, _ := values(18)
		f.add(18, first)
		if err := f.settle(t.Context(), values); err != nil {
			t.Fatal(err)
		}
		for k, w := range []float64{at, at * (0.9 - 0.7) / 0.3, at * (1.12 - 0.7) / 0.3} {
			d := f.crossing(k) - w
			sum[k] += d * d
		}
	}
	length := at * (1.12 - 0.9) / 0.3
	for k, s := range sum {
		if e := math.Sqrt(s/draws) / length; e > 0.1 {
			t.Errorf("value %d: mean error %.2f of the length of the interval", k, e)
		}
	}
}

// TestFewStepsOfJumpingWidths: the width of the interval is doubled or halved from step to step, as parts of a log are merged or
// not. The search finds the crossings of the isotonic regression of all steps within a tenth of the length of the interval.
func TestFewStepsOfJumpingWidths(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const draws = 100
	far, replays := 0, 0
	for range draws {
		const at = 400.0
		every := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}
		for step := range lastStep + 1 {
			ratio := math.Exp(0.01*random.NormFloat64()) / (0.7 + 0.3*costOfStep(step)/at)
			width := 0.06 * math.Exp2(2*random.Float64()-1)
			every.add(float64(step), []float64{ratio, ratio * math.Exp(-width), ratio * math.Exp(width)})
		}
		f := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}
		f.add(18, every.values[18])
		if err := f.settle(t.Context(), func(step int) ([]float64, error) { replays++; return every.values[step], nil }); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			if d := f.crossing(k) - every.crossing(k); math.Abs(d) > 0.1*every.length() {
				far++
				break
			}
		}
	}
	t.Logf("%d of %d searches are off by more than a tenth of the interval; %.1f replays each", far, draws, float64(replays)/draws)
	if far > draws/20 {
		t.Errorf("%d of %d searches are off by more than a tenth of the interval", far, draws)
	}
}

// TestFewStepsOfWideInterval: the lower end of an interval of an hour lies between 60 s and 240 s, which is near enough.
func TestFewStepsOfWideInterval(t *testing.T) {
	const at = 400.0
	values := func(step int) []float64 {
		ratio := 1 / (0.7 + 0.3*costOfStep(step)/at)
		return []float64{ratio, 0.8 * ratio, 3 * ratio}
	}
	f := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}
	f.add(18, values(18))
	if err := f.settle(t.Context(), func(step int) ([]float64, error) { return values(step), nil }); err != nil {
		t.Fatal(err)
	}
	want := []float64{at, at * (0.8 - 0.7) / 0.3, at * (3 - 0.7) / 0.3}
	for k, w := range want {
		if got := f.crossing(k); math.Abs(got-w) > 0.1*(want[2]-want[1]) {
			t.Errorf("value %d falls to 1 at %g s, expected %g s", k, got, w)
		}
	}
	if f.places[0] != 18 || f.places[1] != 30 {
		t.Errorf("values at %v, expected none but 18 up to 30", f.places)
	}
}

// TestFewStepsOfGrowingQueue: the mean response time hardly depends on low costs, and grows ever faster with high ones, as
// does the width of the interval up to a limit. The ratio falls to 1 far from where interpolated values do.
func TestFewStepsOfGrowingQueue(t *testing.T) {
	const at = 3000.0
	values := func(cost, power, width float64) []float64 {
		ratio, width := 1/(0.55+0.45*math.Pow(cost/at, power)), min(0.55+width*cost/at, 1.5)
		return []float64{ratio, ratio * math.Exp(-width), ratio * math.Exp(width)}
	}
	for _, c := range []struct{ power, width float64 }{{2, 0.2}, {3, 0.4}, {4, 0.1}, {4, 0.6}, {6, 0.3}, {8, 0.8}} {
		every, f := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}, &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}
		of := func(step int) []float64 { return values(costOfStep(step), c.power, c.width) }
		for step := range lastStep + 1 {
			every.add(float64(step), of(step))
		}
		f.add(18, of(18))
		if err := f.settle(t.Context(), func(step int) ([]float64, error) { return of(step), nil }); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			if got, want := f.crossing(k), every.crossing(k); math.Abs(got-want) > 0.1*every.length() {
				t.Errorf("%+v: value %d falls to 1 at %g s, expected %g s", c, k, got, want)
			}
		}
	}
}

// TestFewStepsWithoutCrossing: a value that is at most 1 at step 0 falls to 1 there, and a value above 1 at the last step
// falls to 1 nowhere.
func TestFewStepsWithoutCrossing(t *testing.T) {
	for _, c := range []struct{ value, want float64 }{{0.9, 0}, {1.1, math.Inf(1)}} {
		f := &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}
		f.add(18, []float64{c.value})
		if err := f.settle(t.Context(), func(int) ([]float64, error) { return []float64{c.value}, nil }); err != nil {
			t.Fatal(err)
		}
		if got := f.crossing(0); got != c.want {
			t.Errorf("%g everywhere: %g s, expected %g s", c.value, got, c.want)
		}
	}
}
