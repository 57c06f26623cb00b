package words

import (
	"strconv"
	"strings"
)

// Or returns words as a choice, such as "a, b or c"; "nothing" without words.
func Or(words []string) string { return series(words, "or") }

// And returns words as a list, such as "a, b and c"; "nothing" without words.
func And(words []string) string { return series(words, "and") }

// series joins words by commas, and the last two by a conjunction.
func series(words []string, conjunction string) string {
	switch n := len(words); n {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + conjunction + " " + words[n-1]
	}
}

// Texts returns the text of each value in all, such as the name of each policy of a list.
func Texts[T any](all []T, text func(T) string) []string {
	texts := make([]string, len(all))
	for i, value := range all {
		texts[i] = text(value)
	}
	return texts
}

// Strings returns the values of a type of strings, such as the formats of job logs, as plain strings.
func Strings[T ~string](all []T) []string {
	return Texts(all, func(value T) string { return string(value) })
}

// Grouped returns a decimal number with commas between the thousands of its whole part: 4,469.5. Text that is no decimal number,
// such as 1e-9, stays as it is.
func Grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	if strings.Trim(whole, "-0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return number
	}
	grouped := whole
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		grouped = grouped[:i] + "," + grouped[i:]
	}
	return grouped + number[len(whole):]
}

// Whole returns a whole number with commas between thousands: 4,469.
func Whole[N int | int64](n N) string { return Grouped(strconv.FormatInt(int64(n), 10)) }

// Count returns a number with its noun, whose plural is regular: 1 phase, 2 phases, 0 entries, 3 classes, 4,469 jobs.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Whole(n) + " " + plural(noun)
}

// plural returns the regular plural of an English noun.
func plural(noun string) string {
	stem, endsInY := strings.CutSuffix(noun, "y")
	switch {
	case endsInY && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}
