package output

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
)

// Digits returns a Text that rounds numbers, and means of intervals, to so many significant digits.
func Digits(n int) func(any) string {
	return number(func(v float64) string { return words.Round(v, n) })
}

// decimals returns a Text that writes numbers, and means of intervals, with so many decimals.
func decimals(n int) func(any) string {
	return number(func(v float64) string { return words.Fixed(v, n) })
}

var (
	// shares writes shares, and means of intervals, in per cent with as many digits as make a difference.
	shares = number(words.Percent)
	// percents writes shares, and means of intervals, in per cent with one decimal.
	percents = number(func(share float64) string { return words.Fixed(100*share, 1) + " %" })
)

// number returns a [Column.Text] that writes numbers, and the means of intervals, by a function of a number. Other values
// are written as they are.
func number(text func(float64) string) func(any) string {
	return func(value any) string {
		switch v := value.(type) {
		case float64:
			return text(v)
		case int:
			return text(float64(v))
		case metric.Interval:
			return text(v.Mean)
		}
		return fmt.Sprint(value)
	}
}

// WithHalfWidth returns a Text that writes an interval as its mean and half of its width: 12.5 ±0.3. A width that is only
// rounding is 0.
func WithHalfWidth(digits, widths int) func(any) string {
	return func(value any) string {
		e, ok := value.(metric.Interval)
		if !ok || !e.IsKnown() {
			return Digits(digits)(value)
		}
		if e.HalfWidth < 1e-6*math.Abs(e.Mean) {
			e.HalfWidth = 0
		}
		return words.Round(e.Mean, digits) + " ±" + words.Round(e.HalfWidth, widths)
	}
}
