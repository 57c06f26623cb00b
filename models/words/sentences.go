package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence returns the sentence that clauses make: joined as they are, with a capital letter at the beginning and a full stop at the
// end. A clause begins with a small letter, unless its first word is a name, and has no full stop, so that a lead may stand before
// it: Sentence("if only the resized jobs stop, ", clause).
func Sentence(clauses ...string) string { return Capitalized(strings.Join(clauses, "")) + "." }

// Capitalized returns a text with a capital letter at its beginning, for a heading or a sentence.
func Capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// NonEmpty returns the texts that are not empty, in their order. Sentences that have nothing to say are empty.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}
