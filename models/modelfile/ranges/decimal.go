package ranges

import (
	"math"
	"strconv"
	"strings"
)

// IsDecimal reports whether s is a decimal number without leading zeros, as YAML 1.2 and JSON know it.
func IsDecimal(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	whole, rest := digits(s)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction, rest = digits(rest[1:])
	}
	if whole == "" && fraction == "" || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	exponent, rest := digits(rest)
	return exponent != "" && rest == ""
}

// digits splits s behind its leading digits.
func digits(s string) (lead, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// Decimal returns the value of a decimal number, see [IsDecimal]; ok is false if s is none or too large.
func Decimal(s string) (v float64, ok bool) {
	if !IsDecimal(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}
