package output

import (
	"regexp"
	"strings"
)

// plain matches a word whose letters have no special meaning in a shell.
var plain = regexp.MustCompile(`^[\w./=:,+@%-]+$`)

// Quoted quotes a word for a shell where it must be.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
