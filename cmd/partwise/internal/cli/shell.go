package cli

import "strings"

// Repeat returns the given flags among those named, as words for a shell.
func (inv *Invocation) Repeat(names ...string) []string {
	var words []string
	for _, name := range names {
		if !inv.Given(name) {
			continue
		}
		if inv.flag(name).IsSwitch() {
			words = append(words, "--"+name)
			continue
		}
		for _, text := range inv.texts(name) {
			words = append(words, "--"+name, Quoted(text))
		}
	}
	return words
}

// Quoted quotes a word for a shell where it must be.
func Quoted(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !IsPlain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// IsPlain reports whether a letter has no special meaning in a shell.
func IsPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
}
