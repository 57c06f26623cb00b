package output

import (
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/partwise/partwise/models/words"
)

// functions write numbers in sentences as all results do.
var functions = template.FuncMap{"round": Round, "shortest": Shortest, "percent": Percent,
	"withUnit": WithUnit, "count": words.Count[int], "join": strings.Join}

// Prose is a template of sentences: it holds the words, and says on which condition each is said.
type Prose struct{ *template.Template }

// ParseProse reads a template, which is a part of the program.
func ParseProse(text string) Prose {
	return Prose{template.Must(template.New("").Option("missingkey=error").Funcs(functions).Parse(text))}
}

// Sentences returns the lines of a part of the template that are not blank. It panics on a mistake in the template.
func (p Prose) Sentences(part string, about any) (all []string) {
	var b strings.Builder
	if err := p.ExecuteTemplate(&b, part, about); err != nil {
		panic(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

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
