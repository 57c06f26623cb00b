package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// RangeError says which part of a range is wrong.
type RangeError struct {
	Part    string // to or step, as files call it, range for the whole
	Problem string
	Remedy  string // what would be right; may be empty
}

// Error returns the problem and the remedy.
func (e *RangeError) Error() string {
	if e.Remedy == "" {
		return e.Problem
	}
	return e.Problem + "; " + e.Remedy
}

// Expand returns the numbers of one term, at most so many: the number itself, or the numbers of the range From, To or
// From, To, Step. A range without a step goes up by 1. The error is a [*RangeError] if steps of 1 do not reach the end, as in
// 0.1:0.9, or if there are more than most numbers, or the range goes down.
func Expand(term []float64, most int) ([]float64, error) {
	switch len(term) {
	case 0, 1:
		return term, nil
	case 2:
		if span := term[1] - term[0]; span > 0 && span != math.Floor(span) {
			return nil, &RangeError{"step", "has no step, and steps of 1 miss its end",
				fmt.Sprintf("give it one, as in %v:%v:%v", term[0], term[1], round12(span/8))}
		}
		return steps(term[0], term[1], 1, most)
	}
	return steps(term[0], term[1], term[2], most)
}

// steps returns the numbers from, from + step, … up to and including to, each rounded to 12 significant digits so that it is
// what one would write: 0.3, not 0.30000000000000004. The step is positive.
func steps(from, to, step float64, most int) ([]float64, error) {
	// Steps such as 0.1 are not exact: a quotient that rounding leaves just below a whole number is that number.
	count := math.Floor((to-from)/step*(1+1e-12) + 1e-9)
	switch {
	case to < from:
		return nil, &RangeError{"to", fmt.Sprintf("the end %v is less than the beginning %v", to, from), "write the smaller one first"}
	case !(count < float64(most)):
		return nil, &RangeError{"step", fmt.Sprintf("makes more than %d values", most), "take larger steps"}
	}
	values := make([]float64, int(count)+1)
	for i := range values {
		values[i] = round12(from + float64(i)*step)
	}
	return values, nil
}

// round12 rounds to 12 significant digits.
func round12(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64) // 12 digits of the largest number do not overflow
	return r
}

// Terms splits a text at its commas, and each part at its colons into numbers: one for a number, two or three for a range.
// The error quotes a part that is neither a number nor a range.
func Terms(text string) ([][]string, error) {
	var terms [][]string
	for item := range strings.SplitSeq(text, ",") {
		parts := strings.Split(strings.TrimSpace(item), ":")
		for _, p := range parts {
			if p == "" {
				return nil, fmt.Errorf("a value is missing in %q", text)
			}
			if !IsDecimal(p) && !IsPercent(p) {
				return nil, fmt.Errorf("%q is not a number", p)
			}
		}
		if len(parts) > 3 {
			return nil, fmt.Errorf("%q is not a range A:B or A:B:STEP", strings.TrimSpace(item))
		}
		terms = append(terms, parts)
	}
	return terms, nil
}

// Limits are what a list may hold.
type Limits struct {
	Positive bool // no zero and nothing below
	Loads    bool // nothing that no machine keeps up with, see [TooLoaded]
	Most     int  // numbers
}

// ParseNumbers reads a list of numbers and ranges, such as 0.1:0.5:0.1,0.7, see [Expand]. The error quotes the part of the text that
// is wrong.
func ParseNumbers(text string, l Limits) ([]float64, error) {
	if err := CheckUnits(text); err != nil {
		return nil, err
	}
	values, err := l.list(text)
	if meant := withPoints(text); err != nil && meant != text {
		if _, wrong := l.list(meant); wrong == nil {
			return nil, fmt.Errorf("%w; did you mean %s?", err, meant)
		}
	}
	return values, err
}

// list reads a list of numbers and ranges.
func (l Limits) list(text string) ([]float64, error) {
	terms, err := Terms(text)
	if err != nil {
		return nil, err
	}
	var values []float64
	for _, parts := range terms {
		some, err := l.values(parts)
		if err != nil {
			return nil, err
		}
		if values = append(values, some...); len(values) > l.Most {
			return nil, fmt.Errorf("%q makes more than %d values", text, l.Most)
		}
	}
	return values, nil
}

// values returns the numbers of one term.
func (l Limits) values(parts []string) ([]float64, error) {
	x := make([]float64, len(parts))
	for i, p := range parts {
		v, ok := ParseNumber(p)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s is too large", p)
		case v <= 0 && i == 2:
			return nil, fmt.Errorf("the step %s is not positive", p)
		case v <= 0 && l.Positive:
			return nil, fmt.Errorf("%s is not positive", p)
		case l.Loads && i < 2 && TooLoaded(v):
			return nil, &RangeError{"range", p + " is a load that no machine keeps up with", MeantLoad(p)}
		}
		x[i] = v
	}
	values, err := Expand(x, l.Most)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", strings.Join(parts, ":"), err)
	}
	return values, nil
}

// ParseShares reads a list of shares and ranges of shares, such as 20%,0.5 or 0%:100%:20%. It returns them as fractions between 0
// and 1. The error says that the text is no such list, or names the first share outside of 0 to 1. For a number above 1 without a
// per cent sign, the error asks whether it is meant in per cent.
func ParseShares(text string) ([]float64, error) {
	if err := CheckUnits(text); err != nil {
		return nil, err
	}
	shares, err := sharesOf(text)
	if meant := withPoints(text); err != nil && meant != text {
		if _, wrong := sharesOf(meant); wrong == nil {
			return nil, fmt.Errorf("%q is not a list of shares between 0 and 1; did you mean %s?", text, meant)
		}
	}
	return shares, err
}

// sharesOf reads a list of shares and ranges of shares.
func sharesOf(text string) ([]float64, error) {
	shares, err := ParseNumbers(text, Limits{Most: 1000})
	if err != nil {
		return nil, fmt.Errorf("%q is not a list of shares such as 20%% or 0%%:100%%:20%%", text)
	}
	for _, v := range shares {
		switch meant := Percentage(v); {
		case v >= 0 && v <= 1:
		case meant != "" && !strings.Contains(text, "%"):
			return nil, fmt.Errorf("%q: %g is not a share between 0 and 1; %s", text, v, meant)
		default:
			return nil, fmt.Errorf("%q: %g %% is not between 0 and 100 %%", text, 100*v)
		}
	}
	return shares, nil
}
