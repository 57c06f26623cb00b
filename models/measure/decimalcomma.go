package measure

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// commaNumber matches a number with one comma, the digits on both sides of the comma, and what follows: a per cent sign or a unit.
var commaNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+-]?)(0|[1-9][0-9]*),([0-9]+)((?:[eE][+-]?[0-9]+)? *(?:%|/?[a-zµ]+)?)$`)
})

// WithPoint returns a number that is written with a decimal comma, such as 0,6 or 1,5min, with a decimal point: 0.6 or 1.5min.
// It returns "" for other texts. A comma before three digits separates thousands, as in 1,000, unless it follows a 0.
func WithPoint(text string) string {
	found := commaNumber().FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	sign, whole, fraction, unit := found[1], found[2], found[3], found[4]
	if len(fraction) == 3 && whole != "0" {
		return ""
	}
	return sign + whole + "." + fraction + unit
}

// MeantPoint asks whether a number with a decimal comma was meant, such as: did you mean 0.6? It returns "" for other texts.
func MeantPoint(text string) string {
	if meant := WithPoint(strings.TrimSpace(text)); meant != "" {
		return "did you mean " + meant + "?"
	}
	return ""
}

// commaShare matches a number below 1 with a decimal comma, in a list.
var commaShare = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[,: ])0,([0-9])`) })

// withPoints returns a list of numbers with a decimal point in place of each comma that follows a single 0: 0.2:0.8:0.1 for
// 0,2:0,8:0,1.
func withPoints(list string) string { return commaShare().ReplaceAllString(list, "${1}0.$2") }

// numberWithUnit matches a number with a unit or a per cent sign at the beginning of a text.
var numberWithUnit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + decimal + "( *(?:%|/?[a-zµ]+))") })

// unitOf returns the unit or the per cent sign of a number; "" if the number has none.
func unitOf(number string) string {
	found := numberWithUnit().FindStringSubmatch(number)
	if found == nil {
		return ""
	}
	name := strings.Trim(found[1], " /")
	if _, err := TimeUnitNamed(name); err != nil && name != "%" {
		return ""
	}
	return found[1]
}

// endsInZero reports whether the digits of a number end in 0, as those behind a decimal point do not: 30s, and not 5s.
func endsInZero(number string) bool {
	return strings.HasSuffix(strings.TrimRight(strings.TrimSpace(number), "%/abcdefghijklmnopqrstuvwxyzµ "), "0")
}

// CheckUnits returns an error if a number of a list has no unit or per cent sign, and the next number has one: the comma of 1,5min
// may be a decimal comma, and 10,20,30min may mean minutes only. A 0 needs no unit, except in a text such as 0,5min.
func CheckUnits(list string) error {
	parts := strings.Split(list, ",")
	mixed, decimalZero := false, len(parts) == 2 && !endsInZero(parts[1])
	for i := len(parts) - 1; i >= 0; i-- {
		parts[i] = strings.TrimSpace(parts[i])
		lacks := IsDecimal(parts[i]) && (parts[i] != "0" || decimalZero)
		if lacks && i+1 < len(parts) {
			if unit := unitOf(parts[i+1]); unit != "" {
				parts[i], mixed = parts[i]+unit, true
			}
		}
	}
	if !mixed {
		return nil
	}
	each := strings.Join(parts, ",")
	if pointed := WithPoint(list); pointed != "" {
		return fmt.Errorf("only the last number of %q has a unit; did you mean %s or %s?", list, pointed, each)
	}
	return fmt.Errorf("not every number of %q has a unit; write a unit to each, as in %s, and decimals with a point", list, each)
}
