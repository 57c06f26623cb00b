package pages

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/words"
)

// templates are the templates of pages: of the program, of a command and of a topic.
//
//go:embed templates
var templates embed.FS

// Page explains a command, a topic or the program. The help printer of urfave/cli executes a template of the page with the
// functions of a view: help on a terminal, or the Markdown of documents and manuals.
type Page struct {
	Name, summary string
	template      string
	about         any
}

// newPage returns the page that a template makes of what it is about.
func newPage(template, name, summary string, about any) Page {
	text, err := templates.ReadFile("templates/" + template + ".tmpl")
	if err != nil {
		panic(err) // templates are part of the program
	}
	return Page{name, summary, string(text), about}
}

// view is how the parts of a page are written. A section has a title and lines; a tab divides the word of a line from its
// meaning.
type view interface {
	title(name, summary string) string
	section(title string, rows ...string) string
	prose(words string) string
	closing(formats []string) string
}

// severalBlank matches more than one blank line.
var severalBlank = regexp.MustCompile(`\n{3,}`)

// in returns the page in a view.
func (p Page) in(v view) string {
	var b bytes.Buffer
	urfave.HelpPrinterCustom(&b, p.template, p.about, map[string]any{
		"title": v.title, "section": v.section, "prose": v.prose, "closing": v.closing,
		"row": row, "flags": flagRows, "commands": commandRows, "topics": topicRows, "names": dashedNames,
		"paragraphs": func(text string) []string { return strings.Split(text, "\n\n") },
	})
	return strings.TrimSpace(severalBlank.ReplaceAllString(b.String(), "\n\n")) + "\n"
}

// Text returns the page for a terminal of a width.
func (p Page) Text(width int) string { return p.in(terminal(width)) }

// Markdown returns the page in Markdown, for the documents and for manual pages.
func (p Page) Markdown() string { return p.in(markdown{}) }

// terminal is the view of a terminal of a width.
type terminal int

func (t terminal) title(name, summary string) string { return name + " - " + summary }

func (t terminal) section(title string, rows ...string) string {
	return title + ":\n  " + strings.ReplaceAll(columns(strings.Join(rows, "\n"), int(t)-2), "\n", "\n  ")
}

func (t terminal) prose(words string) string { return wrapped(words, int(t)) }

func (t terminal) closing(formats []string) string {
	return t.prose(strings.TrimSpace(formatsLine(formats) + " Flags of every command: partwise help."))
}

// markdown is the view of documents.
type markdown struct{}

// The widths of Markdown in columns.
const (
	markdownWidth = 120
	fencedWidth   = 100
)

// marks are the letters of our text that Markdown would take for its own. Backquotes are meant as Markdown.
var marks = strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "_", `\_`)

func (markdown) title(_, summary string) string { return sentence(summary) }

func (markdown) section(title string, rows ...string) string {
	return fmt.Sprintf("%s:\n\n```text\n%s\n```", title, columns(strings.Join(rows, "\n"), fencedWidth))
}

func (markdown) prose(words string) string { return wrapped(marks.Replace(words), markdownWidth) }

// closing returns unusual formats. The index of the documents says what is true of most commands.
func (m markdown) closing(formats []string) string {
	line := formatsLine(formats)
	if line == "--format: json, csv, markdown or table." {
		return ""
	}
	return m.prose(line)
}

// formatsLine says in which formats a command writes; "" if it writes text.
func formatsLine(formats []string) string {
	if len(formats) == 0 {
		return ""
	}
	return "--format: " + words.Or(formats) + "."
}

// sentence returns a summary as a sentence.
func sentence(summary string) string {
	text := words.Capitalized(summary)
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
