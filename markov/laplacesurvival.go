package markov

import (
	"context"
	"slices"
)

// SurvivalTransform is P(T > t) of a positive time T, by windows of t that follow each other.
type SurvivalTransform struct {
	windows []*windowTransform
	extra   float64 // added to all error bounds
}

// Windows reach from a time at which more than half of the probability is left to one at which hardly any is left. The
// ratio of the ends of a window is windowRatio.
const (
	windowRatio = 8
	leastAlive  = 5e-3
	mostAlive   = 0.52
)

// NewSurvivalTransform returns the distribution of a time with the given mean, given the Laplace transform of P(T > t).
// extra is added to all error bounds. Windows are added until P(T > t) is at most leastAlive at the end of the last.
// They are also added until it is at least mostAlive at the start of the first, unless that takes more than 12 windows.
func NewSurvivalTransform(ctx context.Context, mean, extra float64,
	transform func(ctx context.Context, s complex128) (complex128, error)) (*SurvivalTransform, error) {
	return NewSurvivalTransformFrom(ctx, mean, extra, mostAlive, transform)
}

// NewSurvivalTransformFrom is [NewSurvivalTransform] whose windows begin where P(T > t) is at least alive, for small quantiles of a
// time that is positive.
func NewSurvivalTransformFrom(ctx context.Context, mean, extra, alive float64,
	transform func(ctx context.Context, s complex128) (complex128, error)) (*SurvivalTransform, error) {
	t := &SurvivalTransform{extra: extra}
	window := func(length float64) (*windowTransform, error) { return newWindowTransform(ctx, length, transform) }
	w, err := window(2 * mean)
	if err != nil {
		return nil, err
	}
	t.windows = []*windowTransform{w}
	// Add longer windows until P(T > t) has fallen to leastAlive.
	for {
		w := t.windows[len(t.windows)-1]
		if v, _ := w.At(w.length); v <= leastAlive {
			break
		}
		if w, err = window(w.length * windowRatio); err != nil {
			return nil, err
		}
		t.windows = append(t.windows, w)
	}
	// Add shorter windows until P(T > t) is still alive at the start of the first one.
	for {
		w := t.windows[0]
		if v, _ := w.At(w.length / windowRatio); v >= alive || len(t.windows) > 12 {
			return t, nil
		}
		if w, err = window(w.length / windowRatio); err != nil {
			return nil, err
		}
		t.windows = slices.Insert(t.windows, 0, w)
	}
}

// At returns lower and upper bounds on P(T > x). Before the first window the lower bound is that of its start; beyond the
// last window the upper bound is that of its end.
func (t *SurvivalTransform) At(x float64) (low, high float64) {
	first, last := t.windows[0], t.windows[len(t.windows)-1]
	around := func(v, off float64) (low, high float64) {
		off += t.extra
		return max(0, v-off), min(1, v+off)
	}
	switch {
	case x < 0:
		return 1, 1
	case x < first.length/windowRatio:
		low, _ = around(first.At(first.length / windowRatio))
		return low, 1
	case x > last.length:
		_, high = around(last.At(last.length))
		return 0, high
	}
	for _, w := range t.windows {
		if x <= w.length {
			return around(w.At(x))
		}
	}
	return 0, 1
}

// Off returns the largest error bound at the ends and middles of the windows.
func (t *SurvivalTransform) Off() float64 {
	off := 0.0
	for _, w := range t.windows {
		for _, x := range []float64{w.length / windowRatio, w.length / 2, w.length} {
			_, e := w.At(x)
			off = max(off, e)
		}
	}
	return off + t.extra
}

// Quantile returns, by bisection, the time at which the lower bound on P(T > t), or the upper bound if upper, has fallen
// to rest.
func (t *SurvivalTransform) Quantile(rest float64, upper bool) float64 {
	lo, hi := 0.0, t.windows[len(t.windows)-1].length
	for range 80 {
		mid := (lo + hi) / 2
		low, high := t.At(mid)
		if upper {
			low = high
		}
		if low > rest {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
