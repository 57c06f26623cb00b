package output

import (
	"strings"
	"sync"
	"text/template"

	"github.com/partwise/partwise/models/words"
)

// functions write numbers in sentences as all results do.
var functions = template.FuncMap{"round": words.Round,
	"shortest": func(v float64) string { return words.Grouped(words.Shortest(v)) }, "percent": words.Percent,
	"withUnit": words.WithUnit, "count": words.Count[int], "join": strings.Join}

// Prose is a template of sentences: it holds the words, and says on which condition each is said.
type Prose struct{ parsed func() *template.Template }

// ParseProse returns the sentences of a template, a file of the program. The template is parsed when a sentence is asked for: most
// runs of a program say none of it.
func ParseProse(text string) Prose {
	return Prose{sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Option("missingkey=error").Funcs(functions).Parse(text))
	})}
}

// Sentences returns the lines of a part of the template that are not blank. It panics on a template with a mistake, which is a
// mistake of the program.
func (p Prose) Sentences(part string, about any) (all []string) {
	var b strings.Builder
	if err := p.parsed().ExecuteTemplate(&b, part, about); err != nil {
		panic(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
