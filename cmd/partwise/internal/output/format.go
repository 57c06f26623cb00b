package output

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// WithUnit returns v with its unit, rounded for people.
func WithUnit(v float64, unit string) string { return Round(v, 4) + " " + unit }

// MostRows is how many loads a table for people shows of a series.
const MostRows = 12

// Finite reports whether a measure exists.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// ShortestOrEmpty returns x as Shortest does, "" where it does not exist.
func ShortestOrEmpty(x float64) string {
	if !Finite(x) {
		return ""
	}
	return Shortest(x)
}

// Fixed returns x with so many decimals, as far as decimals of a number of that size exist; a dash where there is none.
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

// Version is that of the JSON that is written; it grows when a field changes its meaning.
const Version = 2
