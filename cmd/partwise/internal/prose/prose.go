// Package prose writes the sentences of results. Templates hold the words, and say on which condition each is said.
package prose

import (
	"strings"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
)

// functions write numbers as all results do, see package output.
var functions = template.FuncMap{"round": output.Round, "shortest": output.Shortest, "percent": output.Percent,
	"withUnit": output.WithUnit, "count": output.Count[int], "plural": modelfile.Count, "join": strings.Join}

// Text is a template of sentences.
type Text struct{ *template.Template }

// Parse reads a template, which is a part of the program.
func Parse(text string) Text {
	return Text{template.Must(template.New("").Option("missingkey=error").Funcs(functions).Parse(text))}
}

// Sentences returns the lines of a part of the template that are not blank. It panics on a mistake in the template.
func (t Text) Sentences(part string, about any) (all []string) {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, part, about); err != nil {
		panic(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
