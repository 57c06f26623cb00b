package reportcmd

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// The documents as the body of a page and as Markdown: the words of both are escaped by the functions of the templates.
var (
	//go:embed document.html.tmpl
	htmlTemplate string
	//go:embed document.md.tmpl
	markdownTemplate string
)

// document is text with tables and pictures, of which a page for browsers and Markdown are views.
type document struct {
	Title string
	Parts []Part
}

// Part is a part of a document under a heading. It shows its fields in their order, and nothing for an empty one.
type Part struct {
	Title    string
	Listing  string   // a text as it is
	Warnings []string // paragraphs above the answer, in its box: what the answer is worth
	Verdict  string   // the answer, in large type
	Beside   []string // paragraphs below the answer, in its box
	Tiles    []Tile   // the numbers of the answer
	Terms    []string // paragraphs that explain words and assumptions
	Lead     []string // sentences that matter
	Bullets  []string
	Steps    []Step // what to do, in this order
	Figures  []*chart.Figure
	Tables   []*output.List
	Assumed  []output.Assumption
	Notes    []string // paragraphs
	Folds    []Fold
}

// Tile is a number with its name.
type Tile struct{ Name, Value string }

// Step is something to do: a sentence, and the command that does it; "" for none.
type Step struct{ Text, Command string }

// Fold is what not everybody wants to see: a part behind a summary in place of a heading.
type Fold struct {
	Summary  string
	OnScreen bool // it is not printed
	Part
}

// Fold adds a part behind a summary, which is shown on the screen and not printed.
func (p *Part) Fold(summary string, of Part) {
	p.Folds = append(p.Folds, Fold{Summary: summary, OnScreen: true, Part: of})
}

// Folded returns the summaries of the folds that a page has and a print has not, in their order.
func (d document) Folded() (all []string) {
	for _, p := range d.Parts {
		for _, f := range p.Folds {
			if f.OnScreen {
				all = append(all, f.Summary)
			}
		}
	}
	return all
}

// isEmpty reports whether the part has nothing below its heading.
func (p *Part) isEmpty() bool {
	for name, value := range reflect.ValueOf(*p).Fields() {
		if name.Name != "Title" && value.Len() > 0 {
			return false
		}
	}
	return true
}

// OnScreen reports whether all that the part has is folded, and not printed.
func (p Part) OnScreen() bool {
	rest := p
	rest.Folds = nil
	return rest.isEmpty() && !slices.ContainsFunc(p.Folds, func(f Fold) bool { return !f.OnScreen })
}

// Show returns the part with the notes of a result, if there is one, and its tables: behind a summary or, without a summary,
// only the long tables behind their titles.
func (p Part) Show(r *output.Result, summary string) Part {
	if r == nil {
		return p
	}
	p.Notes = append(p.Notes, r.Sentences()...)
	all := Fold{Summary: summary, OnScreen: true}
	for _, l := range r.Lists() {
		table := *l
		if l.Title == p.Title {
			table.Title = "" // it stands above
		}
		switch {
		case summary != "":
			all.Tables = append(all.Tables, &table)
		case l.Len > output.MostRows:
			table.Title = ""
			p.Folds = append(p.Folds, Fold{Summary: fmt.Sprintf("%s: %d rows", l.Title, l.Len), Part: Part{Tables: []*output.List{&table}}})
		default:
			p.Tables = append(p.Tables, &table)
		}
	}
	if all.Tables != nil {
		p.Folds = append(p.Folds, all)
	}
	return p
}

// unitAfter matches the blank between a number and its unit.
var unitAfter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d) (%|(?:s|min|h|d|days?)\b)`) })

// spread matches the spread that follows a number.
var spread = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d) ± (\d)`) })

// together returns a text in which no line ends between a number and its unit or its spread.
func together(text string) string {
	return spread().ReplaceAllString(unitAfter().ReplaceAllString(text, "$1\u00a0$2"), "$1\u00a0±\u00a0$2")
}

// flag matches a word with the name of a flag of the command line, with the punctuation around the name.
var flag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\S*--[a-z]\S*`) })

// textHTML returns a text of the page in which no line ends within a flag.
func textHTML(text string) string {
	return flag().ReplaceAllString(attributeHTML(text), `<span class="flag">$0</span>`)
}

// attributeHTML returns a text without elements, which may stand in an attribute.
func attributeHTML(text string) string {
	return template.HTMLEscapeString(output.Visible(together(text)))
}

// writeHTML writes the document as a page that needs nothing but itself.
func (d *document) writeHTML(w io.Writer) error {
	var body strings.Builder
	err := d.write(&body, htmlTemplate, template.FuncMap{
		"words":     textHTML,
		"attribute": attributeHTML,
		"command":   commandHTML,
		"figure":    chart.Fragment,
	})
	if err != nil {
		return err
	}
	return chart.WritePage(w, d.Title, chart.HTML(body.String()))
}

// commandHTML returns a command with each of its words in an element, so that lines break between words.
func commandHTML(command string) string {
	all := strings.Split(command, " ")
	for i, word := range all {
		all[i] = "<span>" + template.HTMLEscapeString(output.Visible(word)) + "</span>"
	}
	return strings.Join(all, " ")
}

// writeMarkdown writes the document; picture draws a figure and returns the name of its file, "" for none.
func (d *document) writeMarkdown(w io.Writer, picture func(*chart.Figure) (string, error)) error {
	return d.write(w, markdownTemplate, template.FuncMap{
		"words":   output.Markdown,
		"summary": func(text string) string { return template.HTMLEscapeString(output.Line(text)) },
		"listing": func(text string) string {
			fence := "```"
			for strings.Contains(text, fence) {
				fence += "`"
			}
			return fence + "\n" + output.Visible(strings.TrimRight(text, "\n")) + "\n" + fence
		},
		"table": func(t output.Table) (string, error) {
			var b strings.Builder
			err := t.WriteMarkdown(&b)
			return b.String(), err
		},
		"figure": picture,
	})
}

// write writes the document by a template, all of it or nothing.
func (d *document) write(w io.Writer, text string, functions template.FuncMap) error {
	var parts []Part
	for i := range d.Parts {
		if p := d.Parts[i].shown(); !p.isEmpty() {
			parts = append(parts, p)
		}
	}
	functions["assumed"] = output.AssumedWords
	functions["legend"] = legends()
	t, err := template.New("document").Funcs(functions).Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, document{d.Title, parts}); err != nil {
		return err
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// legends returns a function that explains the columns of lists, each column once in a document.
func legends() func([]*output.List) string {
	explained := map[string]bool{}
	return func(lists []*output.List) string {
		var parts []string
		for _, l := range lists {
			for _, part := range output.Meanings([]output.Table{l.Table()}, math.MaxInt32) {
				if !explained[part] {
					parts, explained[part] = append(parts, part), true
				}
			}
		}
		return strings.Join(parts, "; ")
	}
}

// shown returns the part with the tables that have rows, the figures that are there, and the folds that are not empty.
func (p *Part) shown() Part {
	out := *p
	out.Tables, out.Folds = withRows(p.Tables), nil
	out.Figures = slices.DeleteFunc(slices.Clone(p.Figures), func(f *chart.Figure) bool { return f == nil })
	for _, fold := range p.Folds {
		if fold.Part = fold.shown(); !fold.isEmpty() {
			out.Folds = append(out.Folds, fold)
		}
	}
	return out
}

// withRows returns the lists that are there and have rows.
func withRows(all []*output.List) []*output.List {
	return slices.DeleteFunc(slices.Clone(all), func(l *output.List) bool { return l == nil || l.Len == 0 })
}

// WritePage writes a page of parts, of the files that they were made from, and of the command that made them.
func WritePage(file, title string, parts []Part, sources []string, command string) error {
	files, err := filesOf(filepath.Dir(file), sources)
	if err != nil {
		return err
	}
	d := &document{title, append(parts, files, madeBy(command))}
	if strings.EqualFold(filepath.Ext(file), ".md") {
		return output.WriteFile(file, func(w io.Writer) error { return d.writeMarkdown(w, beside(file)) })
	}
	return output.WriteFile(file, d.writeHTML)
}

// beside returns what draws the figures of a document to files beside it, the second and later ones numbered.
func beside(file string) func(*chart.Figure) (string, error) {
	n := 0
	return func(f *chart.Figure) (string, error) {
		if file == "" {
			return "", nil
		}
		n++
		name := strings.TrimSuffix(file, filepath.Ext(file))
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		name += ".svg"
		err := output.WriteFile(name, func(w io.Writer) error { return chart.Write(w, f, "svg") })
		return filepath.Base(name), err
	}
}
