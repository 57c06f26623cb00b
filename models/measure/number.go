package measure

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// decimal is the pattern of a decimal number without leading zeros.
const decimal = `[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`

var decimals = regexp.MustCompile("^" + decimal + "$")

// IsDecimal reports whether s is a decimal number without leading zeros, as YAML 1.2 and JSON know it.
func IsDecimal(s string) bool { return decimals.MatchString(s) }

// ParseDecimal returns the value of a decimal number, see [IsDecimal]; ok is false if s is none or too large.
func ParseDecimal(s string) (v float64, ok bool) {
	if !IsDecimal(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// IsPercent reports whether s is a percentage, such as 70% or 70 %.
func IsPercent(s string) bool {
	number, percent := strings.CutSuffix(s, "%")
	return percent && IsDecimal(strings.TrimRight(number, " "))
}

// ParseNumber returns the value of a decimal number or a percentage: 0.7 of 70%. ok is false if s is neither, or too large.
func ParseNumber(s string) (v float64, ok bool) {
	if !IsPercent(s) {
		return ParseDecimal(s)
	}
	s = strings.TrimRight(strings.TrimSuffix(s, "%"), " ")
	if strings.ContainsAny(s, "eE") {
		v, ok = ParseDecimal(s)
		return v / 100, ok
	}
	return ParseDecimal(s + "e-2") // has no rounding of its own
}

// Percentage asks whether a share above 1 was meant as a percentage; "" if it was hardly.
func Percentage(v float64) string {
	if v > 1 && v <= 100 {
		return fmt.Sprintf("did you mean %s%%?", short(v))
	}
	return ""
}

// TooLoaded reports whether a relative load was probably meant as a percentage: no policy keeps up with five times the
// arrivals that partitions of one size do.
func TooLoaded(load float64) bool { return load > 5 && load <= 100 }

// short writes a number with the digits it has.
func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
