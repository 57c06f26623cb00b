package tree

import (
	"fmt"
	"strconv"
	"strings"
)

// Suggest returns a remedy for a word that is none of the known ones: the nearest of them if it is near, otherwise
// all of them.
func Suggest(word string, known []string) string {
	if best, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use " + Alternatives(known)
}

// Nearest returns the known word that a word was probably meant to be: at most a third of its letters differ,
// rounded to a whole number, so that "policies" is near "policy".
func Nearest(word string, known []string) (string, bool) {
	best, distance := "", len(word)
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best, best != "" && distance <= max(1, (len(word)+1)/3)
}

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

// Texts returns a text of each of some things, such as its name.
func Texts[T any](all []T, text func(T) string) []string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = text(one)
	}
	return texts
}

// Short writes a number with the digits it has.
func Short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Count writes a number of things.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// editDistance returns the least number of insertions, deletions, replacements and swaps of neighbours that turn a
// into b. Words longer than 64 characters are far from everything.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return max(len(s), len(t))
	}
	d := make([][]int, len(s)+1)
	for i := range d {
		d[i] = make([]int, len(t)+1)
		d[i][0] = i
	}
	for j := range t {
		d[0][j+1] = j + 1
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(s)][len(t)]
}
