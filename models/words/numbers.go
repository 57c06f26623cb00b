package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file writes numbers as people read them: with few digits, commas between thousands, and units.

// resolution is the smallest size that is written for people. Smaller numbers are errors of the calculation, such as a
// wait of 1e-21 s.
const resolution = 1e-15

// Finite reports whether x is neither infinite nor NaN. Measures that do not exist are NaN.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Round returns v with so many significant digits and commas between thousands. Numbers below 1e-5 and from 1e10 on have an
// exponent. Below 1e-15 the result is 0.
func Round(v float64, digits int) string {
	if math.Abs(v) < resolution {
		return "0"
	}
	scientific := strconv.FormatFloat(v, 'e', digits-1, 64) // rounded: 0.0999999 has the magnitude of 0.1
	magnitude, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	if magnitude < -5 || magnitude > 9 {
		return scientific
	}
	return Grouped(strconv.FormatFloat(v, 'f', max(0, digits-1-magnitude), 64))
}

// Fixed returns x with so many decimals and commas between thousands. From 1e15 on it returns six significant digits, as
// [Round] does. It returns a dash if x is not finite.
func Fixed(x float64, decimals int) string {
	const most = 1e15
	switch {
	case !Finite(x):
		return "–"
	case math.Abs(x) >= most:
		return Round(x, 6)
	}
	return Grouped(strconv.FormatFloat(x, 'f', decimals, 64))
}

// Shortest returns v with the fewest digits that read back as v. Numbers below 1e-5 and from 1e15 on have an exponent.
func Shortest(v float64) string {
	if a := math.Abs(v); 1e-5 <= a && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// ShortestOrEmpty returns x as [Shortest] does, or "" if x is not finite.
func ShortestOrEmpty(x float64) string {
	if !Finite(x) {
		return ""
	}
	return Shortest(x)
}

// day is the time above which people read days and hours.
const day = 86400

// Seconds returns a time in seconds as people write it in sentences: 0.35 s, 58 s, 16,754 s and, from a day on, 4 days 15 h.
func Seconds(v float64) string {
	switch {
	case !Finite(v):
		return "–"
	case math.Abs(v) < 10:
		return strings.TrimSuffix(Round(v, 2), ".0") + " s"
	case math.Abs(v) < day:
		return Fixed(v, 0) + " s"
	}
	hours := math.Round(v / 3600)
	days, rest := math.Trunc(hours/24), math.Mod(hours, 24)
	if rest == 0 || math.Abs(days) >= 100 {
		return Count(int64(days), "day")
	}
	return fmt.Sprintf("%s %.0f h", Count(int64(days), "day"), math.Abs(rest))
}

// TimeWords writes a time as flags take it, such as 15min, with a space between its number and its unit. Other text stays as it is.
func TimeWords(text string) string {
	number := strings.TrimRight(text, "adehimns")
	if unit := text[len(number):]; unit != "" && number != "" && strings.Trim(number, "0123456789.") == "" {
		return number + " " + unit
	}
	return text
}

// Load writes a load with at most four decimals, or with more where it would look like 0 or 1. Loads come from divisions,
// so a load within 1e-12 of 1 is 1.
func Load(load float64) string {
	const divided = 1e-12 // relative error of a load that has been through divisions
	for decimals := 4; ; decimals++ {
		text := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(load, 'f', decimals, 64), "0"), ".")
		switch {
		case text == "0" && load > 0:
			return strconv.FormatFloat(load, 'g', 3, 64)
		case text != "1" || math.Abs(load-1) <= divided:
			return text
		}
	}
}

// SaturationLoad writes the load from which on a policy is unstable with so many significant digits. The load 1 has no decimals,
// and a load that would look like 1 has the digits of [Load].
func SaturationLoad(load float64, digits int) string {
	text := Round(load, digits)
	if strings.TrimSuffix(strings.TrimRight(text, "0"), ".") == "1" {
		return Load(load)
	}
	return text
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

// Tenths writes a share in per cent, rounded to a tenth.
func Tenths(share float64) string { return Shortest(math.Round(1000*share)/10) + " %" }

// WithUnit returns v with its unit, rounded for people.
func WithUnit(v float64, unit string) string { return Round(v, 4) + " " + unit }

// Days writes a number of days as people say it: in hours, days, months or years.
func Days(days float64) string {
	const year = 365.25
	switch {
	case days > 100*year:
		return "more than 100 years"
	case days >= 2*year:
		return Fixed(math.Round(days/year), 0) + " years"
	case days >= year/6:
		return Fixed(math.Round(12*days/year), 0) + " months"
	case days >= 2:
		return Fixed(math.Round(days), 0) + " days"
	}
	return Count(max(1, int(math.Round(24*days))), "hour")
}

// Trimmed writes v with at most four significant digits, without zeros at the end of its decimals.
func Trimmed(v float64) string {
	text := Round(v, 4)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// PercentApart writes a precision that was reached and one that was asked for. It writes so many digits that they differ if the
// reached precision is worse, but at most 17.
func PercentApart(reached, asked float64) (known, wanted string) {
	known, wanted = Percent(reached), Percent(asked)
	for digits := 3; known == wanted && reached > asked && digits <= 17; digits++ {
		known, wanted = Round(100*reached, digits)+" %", Round(100*asked, digits)+" %"
	}
	return known, wanted
}

// Millions writes a number of jobs with two digits. The line of progress then has room for the time left in a terminal of 80 columns.
func Millions(n int64) string {
	switch {
	case n >= 1_000_000:
		return Round(float64(n)/1e6, 2) + "M"
	case n >= 10_000:
		return Round(float64(n)/1e3, 2) + "k"
	}
	return fmt.Sprint(n)
}

// Span returns a time from the first to the last submission in the largest unit of which it has at least one.
func Span(seconds float64) string {
	switch {
	case seconds >= 86400:
		return Round(seconds/86400, 3) + " days"
	case seconds >= 3600:
		return Round(seconds/3600, 3) + " h"
	}
	return Round(seconds, 3) + " s"
}

// Certain rounds a number to its certain digits, one at least: those that are not are zeros, also before the decimal point.
func Certain(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', max(1, digits)-1, 64), 64)
	if err != nil { // rounded up, the largest numbers are too large
		return v
	}
	return rounded
}
