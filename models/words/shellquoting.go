package words

import (
	"regexp"
	"strings"
)

// plain matches a word whose letters have no special meaning in a shell.
var plain = regexp.MustCompile(`^[\w./=:,+@%-]+$`)

// Quoted returns text that a POSIX shell reads as the single word given. The text is in single quotes if a character of the word
// may have a special meaning in a shell, and the word itself otherwise.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
