package measure

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// decimal is the pattern of a decimal number without leading zeros.
const decimal = `[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`

// numbers matches a decimal number, and what makes it a percentage.
var numbers = regexp.MustCompile("^(" + decimal + ")( *%)?$")

// parts returns the number and the percent sign of a text; both are empty if it is neither a decimal number nor a percentage.
func parts(s string) (number, percent string) {
	if found := numbers.FindStringSubmatch(s); found != nil {
		return found[1], found[2]
	}
	return "", ""
}

// IsDecimal reports whether s is a decimal number without leading zeros, as YAML 1.2 and JSON know it.
func IsDecimal(s string) bool {
	number, percent := parts(s)
	return number != "" && percent == ""
}

// ParseDecimal returns the value of a decimal number, see [IsDecimal]; ok is false if s is none or too large.
func ParseDecimal(s string) (v float64, ok bool) {
	if !IsDecimal(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// ParseWhole returns the whole number that a decimal number is, also one with an exponent: 1000 of 1e3. ok is false if s is no decimal
// number, or is not whole to its last digit. Its exponent may be 1,000,000 at most.
func ParseWhole(s string) (n *big.Int, ok bool) {
	if !IsDecimal(s) {
		return nil, false
	}
	v, ok := new(big.Rat).SetString(s)
	if !ok || !v.IsInt() {
		return nil, false
	}
	return v.Num(), true
}

// ParseCount returns the whole number from least that a decimal number is, also one with an exponent: 10 of 1e1. ok is false if s is
// no such number, or does not fit into an int.
func ParseCount(s string, least int) (n int, ok bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, n >= least
	}
	whole, ok := ParseWhole(s)
	if !ok || !whole.IsInt64() || whole.Int64() != int64(int(whole.Int64())) {
		return 0, false
	}
	n = int(whole.Int64())
	return n, n >= least
}

// IsPercent reports whether s is a percentage, such as 70% or 70 %.
func IsPercent(s string) bool {
	_, percent := parts(s)
	return percent != ""
}

// ParseNumber returns the value of a decimal number or a percentage: 0.7 of 70%. ok is false if s is neither, or too large.
func ParseNumber(s string) (v float64, ok bool) {
	number, percent := parts(s)
	switch {
	case percent == "":
		return ParseDecimal(number)
	case strings.ContainsAny(number, "eE"):
		v, ok = ParseDecimal(number)
		return v / 100, ok
	}
	return ParseDecimal(number + "e-2") // has no rounding of its own
}

// Percentage asks whether a share above 1 was meant as a percentage; "" if it was hardly.
func Percentage(v float64) string {
	if v > 1 && v <= 100 {
		return fmt.Sprintf("did you mean %v%%?", v)
	}
	return ""
}

// TooLoaded reports whether a relative load is above 5: no policy keeps up with five times the arrivals that partitions of one size
// do.
func TooLoaded(load float64) bool { return load > 5 }

// MeantLoad asks whether a load that is too high was meant as a percentage; "" if it is one, or the percentage is too high as well.
func MeantLoad(text string) string {
	v, ok := ParseNumber(text)
	if ok && !IsPercent(text) && !TooLoaded(v/100) {
		return fmt.Sprintf("did you mean %v%%?", v)
	}
	return ""
}
