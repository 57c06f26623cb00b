package words

import (
	"regexp"
	"strings"
)

// plain matches a word whose letters have no special meaning in a shell.
var plain = regexp.MustCompile(`^[\w./=:,+@%-]+$`)

// Quoted returns a word as a shell reads it: in quotes if one of its characters has a meaning there.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
