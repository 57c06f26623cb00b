package cli

import (
	"regexp"
	"strings"
)

// Repeat returns the given flags among those named, as words for a shell.
func (inv *Invocation) Repeat(names ...string) []string {
	var words []string
	for _, name := range names {
		if !inv.Given(name) {
			continue
		}
		v, ok := inv.said.Generic(name).(*value)
		if !ok { // a switch
			words = append(words, "--"+name)
			continue
		}
		for _, text := range v.texts {
			words = append(words, "--"+name, Quoted(text))
		}
	}
	return words
}

// plain matches a word whose letters have no special meaning in a shell.
var plain = regexp.MustCompile(`^[\w./=:,+@%-]+$`)

// Quoted quotes a word for a shell where it must be.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
