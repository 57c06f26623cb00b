package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Suggest returns a remedy for a word that is none of the known ones: the nearest of them if it is near, otherwise
// all of them.
func Suggest(word string, known []string) string {
	if best, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use " + Alternatives(known)
}

// Nearest returns the known word that a word was probably meant to be: at most a third of its letters differ, rounded to a whole
// number, so that "policies" is near "policy", or they are in another order.
func Nearest(word string, known []string) (string, bool) {
	best, distance := "", len(word)
	if distance > 64 { // far from everything
		return "", false
	}
	word = strings.ToLower(word)
	for _, k := range known {
		d := smetrics.WagnerFischer(word, strings.ToLower(k), 1, 1, 1)
		if d == 2 && letters(word) == letters(strings.ToLower(k)) {
			d = 1
		}
		if d < distance {
			best, distance = k, d
		}
	}
	return best, best != "" && distance <= max(1, (len(word)+1)/3)
}

// letters returns the letters of a word in their order.
func letters(word string) string { return string(slices.Sorted(slices.Values([]byte(word)))) }

// Alternatives joins words as "a, b or c".
func Alternatives(words []string) string {
	switch n := len(words); n {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

// Texts returns what a function makes of each of some things, such as its name.
func Texts[T, S any](all []T, text func(T) S) []S {
	texts := make([]S, len(all))
	for i, one := range all {
		texts[i] = text(one)
	}
	return texts
}

// Count writes a number of things.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
