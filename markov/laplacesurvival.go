package markov

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov/internal/inversion"
)

// SurvivalTransform is P(T > t) of a positive time T, by windows of t that follow each other. Quantile adds windows, so
// only one goroutine at a time may use a SurvivalTransform.
type SurvivalTransform struct {
	windows []*inversion.Window
	extra   float64 // added to all error bounds
	at      transform
}

// transform is a Laplace transform: a function of a number with a positive real part.
type transform func(ctx context.Context, s complex128) (complex128, error)

// The windows of a new SurvivalTransform begin where more than half of the probability is left, and end where hardly
// any is left. The ratio of the ends of a window is windowRatio. There are at most mostWindows windows, which cover 57
// decades of time.
const (
	windowRatio = 8
	leastAlive  = 5e-3
	mostAlive   = 0.52
	mostWindows = 64
)

// NewSurvivalTransform returns the distribution of a time with about the given mean, given the Laplace transform of P(T
// > t). extra is added to all error bounds. Windows are added until P(T > t) is at least mostAlive at the start of the
// first window, and at most leastAlive at the end of the last.
//
// The error wraps [ErrInaccurate] if mostWindows windows do not suffice. It may also come from the transform or from ctx.
func NewSurvivalTransform(ctx context.Context, mean, extra float64,
	transform func(ctx context.Context, s complex128) (complex128, error)) (*SurvivalTransform, error) {
	t := &SurvivalTransform{extra: extra, at: transform}
	w, err := inversion.NewWindow(ctx, 2*mean, transform)
	if err != nil {
		return nil, err
	}
	t.windows = []*inversion.Window{w}
	for {
		if v, _ := t.atEnd(); v <= leastAlive {
			break
		}
		if err := t.lengthen(ctx); err != nil {
			return nil, err
		}
	}
	for {
		if v, _ := t.atStart(); v >= mostAlive {
			return t, nil
		}
		if err := t.shorten(ctx); err != nil {
			return nil, err
		}
	}
}

// start returns the time at which the first window begins.
func (t *SurvivalTransform) start() float64 { return t.windows[0].Length() / windowRatio }

// end returns the time at which the last window ends.
func (t *SurvivalTransform) end() float64 { return t.windows[len(t.windows)-1].Length() }

// atStart returns P(T > t) at the start of the first window, and its error bound.
func (t *SurvivalTransform) atStart() (value, off float64) {
	value, off = t.windows[0].At(t.start())
	return value, off + t.extra
}

// atEnd returns P(T > t) at the end of the last window, and its error bound.
func (t *SurvivalTransform) atEnd() (value, off float64) {
	value, off = t.windows[len(t.windows)-1].At(t.end())
	return value, off + t.extra
}

// lengthen adds a window after the last one.
func (t *SurvivalTransform) lengthen(ctx context.Context) error {
	w, err := t.window(ctx, t.end()*windowRatio)
	if err == nil {
		t.windows = append(t.windows, w)
	}
	return err
}

// shorten adds a window before the first one.
func (t *SurvivalTransform) shorten(ctx context.Context) error {
	w, err := t.window(ctx, t.start())
	if err == nil {
		t.windows = slices.Insert(t.windows, 0, w)
	}
	return err
}

// window returns a window of the given length. The error wraps [ErrInaccurate] if there are mostWindows windows already.
func (t *SurvivalTransform) window(ctx context.Context, length float64) (*inversion.Window, error) {
	if len(t.windows) == mostWindows {
		return nil, fmt.Errorf("markov: P(T > t) still changes below t = %.1g or above t = %.1g: %w", t.start(), t.end(), ErrInaccurate)
	}
	return inversion.NewWindow(ctx, length, t.at)
}

// At returns lower and upper bounds on P(T > x). Before the first window it returns the lower bound of the start of
// this window, and 1. Beyond the last window it returns 0, and the upper bound of the end of this window.
func (t *SurvivalTransform) At(x float64) (low, high float64) {
	around := func(v, off float64) (low, high float64) { return max(0, v-off), min(1, v+off) }
	switch {
	case x < 0:
		return 1, 1
	case x < t.start():
		low, _ = around(t.atStart())
		return low, 1
	case x > t.end():
		_, high = around(t.atEnd())
		return 0, high
	}
	for _, w := range t.windows {
		if x <= w.Length() {
			v, off := w.At(x)
			return around(v, off+t.extra)
		}
	}
	return 0, 1
}

// Off returns the largest error bound at the ends and middles of the windows.
func (t *SurvivalTransform) Off() float64 {
	off := 0.0
	for _, w := range t.windows {
		for _, x := range []float64{w.Length() / windowRatio, w.Length() / 2, w.Length()} {
			_, e := w.At(x)
			off = max(off, e)
		}
	}
	return off + t.extra
}

// Quantile returns the time at which the lower bound on P(T > t), or the upper bound if upper, has fallen to rest. It
// adds the windows that this time needs. The quantile is found by bisection.
//
// The error wraps [ErrInaccurate] if P(T > t) is not known well enough. It may also come from the transform or from
// ctx.
func (t *SurvivalTransform) Quantile(ctx context.Context, rest float64, upper bool) (float64, error) {
	if t == nil || len(t.windows) == 0 {
		return 0, errors.New("markov: the transform was not made by NewSurvivalTransform")
	}
	if rest >= 1 {
		return 0, ctx.Err()
	}
	if err := t.reach(ctx, rest); err != nil {
		return 0, err
	}
	bound := func(x float64) float64 {
		low, high := t.At(x)
		if upper {
			return high
		}
		return low
	}
	last := slices.IndexFunc(t.windows, func(w *inversion.Window) bool { return bound(w.Length()) <= rest })
	hi := t.windows[last].Length()
	lo := hi / windowRatio
	for range 60 {
		mid := (lo + hi) / 2
		if bound(mid) > rest {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2, ctx.Err()
}

// reach adds windows until P(T > t) is above rest at the start of the first window, and at most rest at the end of the
// last. The errors are the same as for [SurvivalTransform.Quantile].
func (t *SurvivalTransform) reach(ctx context.Context, rest float64) error {
	for {
		v, off := t.atEnd()
		if v+off <= rest {
			break
		}
		if v <= off {
			return fmt.Errorf("markov: the error of P(T > t) is %.1g, too much for the quantile at which it is %.1g: %w", off, rest,
				ErrInaccurate)
		}
		if err := t.lengthen(ctx); err != nil {
			return err
		}
	}
	for {
		if v, off := t.atStart(); v-off > rest {
			return nil
		}
		if err := t.shorten(ctx); err != nil {
			return err
		}
	}
}
