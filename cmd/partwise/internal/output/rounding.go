package output

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/validate/metric"
)

// resolution is the number below which there is nothing: what is printed for people is in units such that it is noise of
// the calculation, as the 1e-21 s that nobody waits.
const resolution = 1e-15

// Finite reports whether a measure exists.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Round returns v with so many significant digits, without an exponent where one reads better without; 0 for what is below
// the resolution.
func Round(v float64, digits int) string {
	if math.Abs(v) < resolution {
		return "0"
	}
	scientific := strconv.FormatFloat(v, 'e', digits-1, 64) // rounded: 0.0999999 has the magnitude of 0.1
	magnitude, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	if magnitude < -5 || magnitude > 9 {
		return scientific
	}
	return strconv.FormatFloat(v, 'f', max(0, digits-1-magnitude), 64)
}

// Rounded rounds a number to so many significant digits.
func Rounded(v float64, digits int) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // what was formatted can be parsed
	return x
}

// Fixed returns x with so many decimals, or fewer where a number of this size has no more. It returns a dash if x is not finite.
func Fixed(x float64, decimals int) string {
	const most = 1e15
	switch {
	case !Finite(x):
		return "–"
	case math.Abs(x) >= most:
		return Round(x, 6)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Shortest returns v with the fewest digits that read back as v, without an exponent where people write none: times of
// logs have eight digits.
func Shortest(v float64) string {
	if a := math.Abs(v); 1e-5 <= a && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// ShortestOrEmpty returns x as Shortest does, "" where it does not exist.
func ShortestOrEmpty(x float64) string {
	if !Finite(x) {
		return ""
	}
	return Shortest(x)
}

// WholeSeconds writes a time in seconds without decimals: 58, 16,754.
func WholeSeconds(v float64) string { return Grouped(Fixed(v, 0), ",") }

// Thousands returns x as people write it in sentences: four digits, or a whole number with commas between thousands.
func Thousands(x float64) string {
	if !(math.Abs(x) >= 1000) || !Finite(x) {
		return Round(x, 4)
	}
	return Grouped(Fixed(x, 0), ",")
}

// Grouped returns the digits of a whole number with a mark between thousands.
func Grouped(digits, mark string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + mark + digits[i:]
	}
	return digits
}

// Load rounds a load, which has been through a division, to what people write.
func Load(load float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.4f", load), "0"), ".")
}

// Percent writes a share with as many digits as make a difference.
func Percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0 %"
	case p < 0.01:
		return "< 0.01 %"
	case p < 9.95:
		return Round(p, 2) + " %"
	case p < 99.5:
		return fmt.Sprintf("%.0f %%", p)
	default:
		return Round(p, 3) + " %"
	}
}

// Tenths writes a share in per cent, to a tenth where it has one.
func Tenths(share float64) string { return Shortest(math.Round(1000*share)/10) + " %" }

// WithUnit returns v with its unit, rounded for people.
func WithUnit(v float64, unit string) string { return Round(v, 4) + " " + unit }

// Digits returns a Text that rounds numbers, and means of intervals, to so many significant digits.
func Digits(n int) func(any) string { return number(func(v float64) string { return Round(v, n) }) }

// decimals returns a Text that writes numbers, and means of intervals, with so many decimals.
func decimals(n int) func(any) string { return number(func(v float64) string { return Fixed(v, n) }) }

var (
	// shares writes shares, and means of intervals, in per cent with as many digits as make a difference.
	shares = number(Percent)
	// percents writes shares, and means of intervals, in per cent with one decimal.
	percents = number(func(share float64) string { return Fixed(100*share, 1) + " %" })
)

// number returns a Text by that of a number.
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
		if !ok || !Finite(e.HalfWidth) {
			return Digits(digits)(value)
		}
		if e.HalfWidth < 1e-6*math.Abs(e.Mean) {
			e.HalfWidth = 0
		}
		return Round(e.Mean, digits) + " ±" + Round(e.HalfWidth, widths)
	}
}
