package chart

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/partwise/partwise/models/words"
	"gonum.org/v1/plot"
)

// niceStep returns the step 1, 2 or 5 times a power of ten that divides a span into at most n parts.
func niceStep(span float64, n int) float64 {
	raw := span / float64(n)
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*base >= raw*(1-1e-9) {
			return m * base
		}
	}
	return 10 * base
}

// leastSpan is the smallest span that an axis shows: the steps of a smaller one may underflow to 0.
const leastSpan = 1e-300

// niceRange widens a range to multiples of its step, of which it has at most n. A range of values that differ by little more
// than rounding gets some room first.
func niceRange(lo, hi float64, n int) (float64, float64) {
	if lo == 0 && hi == 0 {
		return 0, 1 // no numbers below zero if all values are zero
	}
	if size := max(math.Abs(lo), math.Abs(hi)); !(hi-lo > max(1e-9*size, leastSpan)) {
		room := max(math.Abs(hi)/10, 1e-3)
		lo, hi = lo-room, hi+room
	}
	step := niceStep(hi-lo, n)
	return math.Floor(lo/step+1e-9) * step, math.Ceil(hi/step-1e-9) * step
}

// linearTicks marks the multiples of a nice step, with as many decimals as the step needs.
type linearTicks struct{ parts int }

// Ticks makes linearTicks a plot.Ticker.
func (t linearTicks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep(hi-lo, t.parts)
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	first := math.Ceil(lo/step - 1e-9)
	count := int(math.Floor(hi/step+1e-9) - first)
	var ticks []plot.Tick
	for k := range count + 1 {
		v := (first + float64(k)) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: label(v, step, decimals)})
	}
	return ticks
}

// label returns the number at a tick with so many decimals. Numbers near 0 beside the step are 0; very large and very small
// numbers have three digits and a power of ten.
func label(v, step float64, decimals int) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	if decimals > 6 || math.Abs(v) >= 1e7 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.FormatFloat(v, 'f', decimals, 64)
	return words.Grouped(digits)
}

// logSteps are the labelled values within a decade: fewer, the more decades there are.
func logSteps(lo, hi float64) []float64 {
	switch decades := math.Log10(hi) - math.Log10(lo); {
	case decades <= 1+1e-9:
		return []float64{1, 2, 3, 5, 7}
	case decades <= 3+1e-9:
		return []float64{1, 2, 5}
	}
	return []float64{1}
}

// fewTimes is the quotient of the ends of a range up to which a logarithmic axis has the labels of a linear one.
const fewTimes = 4

// logHeight widens the positive range of a logarithmic vertical axis to labelled values, and returns the ticks of the axis.
func logHeight(y span) (span, plot.Ticker) {
	if y.hi <= fewTimes*y.lo {
		if lo, hi := niceRange(y.lo, y.hi, yParts); lo > 0 {
			return span{lo, hi}, linearTicks{yParts}
		}
	}
	lo, hi := logRange(y.lo, y.hi)
	return span{lo, hi}, logTicks{}
}

// logRange widens a positive range to labelled values.
func logRange(lo, hi float64) (float64, float64) {
	steps := logSteps(lo, hi)
	var labelled []float64
	for e := math.Floor(math.Log10(lo)) - 1; e <= math.Ceil(math.Log10(hi))+1; e++ {
		for _, m := range steps {
			labelled = append(labelled, m*math.Pow(10, e))
		}
	}
	above := sort.SearchFloat64s(labelled, lo*(1+1e-9))
	return labelled[above-1], labelled[sort.SearchFloat64s(labelled, hi*(1-1e-9))]
}

// logTicks marks every digit of every decade and labels some. If every is not 0, labels stand side by side: one decade in every
// has a label, and an end that is far from the next decade.
type logTicks struct{ every int }

// sparse returns ticks for an axis on which labels stand side by side.
func sparse(lo, hi float64) logTicks {
	const labels = 4
	return logTicks{int(math.Ceil((math.Log10(hi)-math.Log10(lo))/labels - 1e-9))}
}

// Ticks makes logTicks a plot.Ticker.
func (t logTicks) Ticks(lo, hi float64) []plot.Tick {
	labelled := logSteps(lo, hi)
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: v}
			shown := slices.Contains(labelled, m)
			if t.every > 0 {
				shown = m == 1 && int(e)%t.every == 0 || m == 2 && v < lo*(1+1e-9) || m == 5 && v > hi*(1-1e-9)
			}
			if shown {
				tick.Label = label(v, v, max(0, -int(e)))
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
