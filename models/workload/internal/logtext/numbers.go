package logtext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns a number as strconv reads it, without separators of thousands and with a decimal point, or why it could
// mean two numbers. mark is the decimal mark; 0: a point, and the other one is not taken for granted.
func Plain(text string, mark byte) (plain, problem string) {
	if !strings.ContainsAny(text, ",'\u00a0\u202f") && mark != ',' {
		return text, ""
	}
	decimal, thousands := ".", ","
	if mark == ',' {
		decimal, thousands = ",", "."
	}
	whole, fraction, hasFraction := strings.Cut(text, decimal)
	for _, separator := range []string{thousands, "'", "\u00a0", "\u202f"} {
		groups := strings.Split(whole, separator)
		if len(groups) == 1 {
			continue
		}
		if mark == 0 && separator == "," && !hasFraction && len(groups) == 2 && isGrouped(groups) {
			return "", fmt.Sprintf("ambiguous: %q; --decimal , reads it as %s, --decimal . as %s", text,
				strings.Join(groups, "."), strings.Join(groups, ""))
		}
		if isGrouped(groups) {
			whole = strings.Join(groups, "")
			break
		}
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole, ""
}

// isGrouped reports whether groups of digits are those between separators of thousands.
func isGrouped(groups []string) bool {
	for i, g := range groups {
		if i > 0 && len(g) != 3 || len(g) == 0 || len(g) > 3 || strings.Trim(g, "0123456789") != "" {
			return false
		}
	}
	return true
}

// Remedy says what may help where a field is not a number.
func Remedy(text string) string {
	if _, _, ok := ParseStamp(text); ok {
		return "; --timestamps takes the gaps between times"
	}
	digits := strings.Trim(text, "0123456789") // what is not at the ends
	switch {
	case IsMissing(text):
		return "; --skip-invalid leaves it out"
	case strings.ContainsAny(text[:1], "<>") || strings.ContainsAny(text, "≤≥"):
		return "; leave the sign out, and mark the value as censored"
	case strings.Contains(text, "\r"):
		return `; end lines by line feeds, as tr '\r' '\n' does`
	case digits != "" && isGrouped(strings.Split(text, " ")):
		return "; write " + strings.ReplaceAll(text, " ", "")
	case digits != "" && strings.Trim(digits, "0123456789. ") == "":
		return "; separate columns by commas, semicolons or tabs"
	case digits == ",":
		return "; --decimal , reads decimal commas"
	case digits == ":":
		return "; write HH:MM:SS, or 90m"
	case strings.Count(text, ",") == 1 && strings.Contains(text, "."):
		return "; --decimal , reads decimal commas"
	}
	return ""
}

// IsMeasured reports whether a text is a number, a duration or a time, as the first line of values is, but not a header.
func IsMeasured(text string, mark byte) bool {
	if plain, problem := Plain(text, mark); problem != "" {
		return true
	} else if _, err := strconv.ParseFloat(plain, 64); err == nil {
		return true
	}
	if _, ok := Duration(text); ok {
		return true
	}
	_, _, ok := ParseStamp(text)
	return ok
}

// comparison is the signs that stand before a number that is only a bound, or about right.
const comparison = "<>=≤≥~≈±+ "

// IsValue reports whether a text is meant as a value: it is measured, or it is written as a number is, but cannot be read, such
// as 01:30, >3600 and 1 234.
func IsValue(text string, mark byte) bool {
	if IsMeasured(text, mark) {
		return true
	}
	number := strings.TrimLeft(text, comparison)
	if number == "" || number[0] < '0' || number[0] > '9' {
		return false
	}
	return len(number) < len(text) || strings.Trim(number, "0123456789.,:;'%/_ \u00a0\u202f") == ""
}

// IsMissing reports whether a text says that there is no value.
func IsMissing(text string) bool {
	switch strings.ToLower(text) {
	case "", "n/a", "na", "#n/a", "nan", "null", "nil", "none", "-", "--", "?", ".", "unknown", "missing", "unlimited":
		return true
	}
	return false
}

// duration matches the beginning of a duration in ISO 8601, such as PT1H30M.
var duration = NewPattern(`^PT?\d`)

// IsName reports whether a text may be the name of a column: its first letter or digit is a letter. Texts such as 60+, 3 days, €5
// and 0x10 are meant as values.
func IsName(text string) bool {
	first := strings.IndexFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
	if first < 0 || IsMissing(text) || duration().Match([]byte(text)) {
		return false
	}
	c, _ := utf8.DecodeRuneInString(text[first:])
	return unicode.IsLetter(c)
}

// Shortened returns a text for an error: its beginning, if it is long.
func Shortened[T string | []byte](text T) string {
	if len(text) > 40 {
		return string(text[:40]) + "…"
	}
	return string(text)
}

// LeadingNumber returns the whole number that a text begins with, and the text behind the number. ok is false if the text begins
// with no digit, or if the number is 2³² − 1 or larger.
func LeadingNumber(text []byte) (n uint32, rest []byte, ok bool) {
	i, x := 0, uint64(0)
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && i < 10; i++ {
		x = 10*x + uint64(text[i]-'0')
	}
	longer := i < len(text) && text[i] >= '0' && text[i] <= '9'
	return uint32(x), text[i:], i > 0 && !longer && x < math.MaxUint32
}
