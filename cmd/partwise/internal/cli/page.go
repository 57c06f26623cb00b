package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"

	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
)

// Page explains a command, a topic or the program. Its text is made by a template, which the help printer of urfave/cli
// executes with the functions of a view: help on a terminal, and the Markdown of documents and manuals.
type Page struct {
	Name, summary string
	template      string
	data          any
}

// newPage returns the page that a template makes of data.
func newPage(template, name, summary string, data any) Page {
	text, err := templates.ReadFile("help/" + template + ".tmpl")
	if err != nil {
		panic(err) // templates are part of the program
	}
	return Page{name, summary, string(text), data}
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
	urfave.HelpPrinterCustom(&b, p.template, p.data, map[string]any{
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
	text := output.Capitalized(summary)
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// columns returns rows whose words and whose meanings stand one below the other. Meanings are wrapped to a width, of which words
// take at most a third: the meaning of a longer word begins on the next line.
func columns(text string, width int) string {
	rows, wide := strings.Split(text, "\n"), 0
	for _, row := range rows {
		word, _, listed := strings.Cut(row, "\t")
		if listed && len(word) <= width/3 {
			wide = max(wide, len(word))
		}
	}
	indent := strings.Repeat(" ", wide+2)
	for i, row := range rows {
		word, meaning, listed := strings.Cut(row, "\t")
		if !listed {
			continue
		}
		begin := fmt.Sprintf("%-*s  ", wide, word)
		if len(word) > wide {
			begin = word + "\n" + indent
		}
		rows[i] = begin + strings.Join(output.Wrap(meaning, width-wide-2), "\n"+indent)
	}
	return strings.Join(rows, "\n")
}

// wrapped returns words in lines of a width. Lines that are there stay.
func wrapped(words string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(words, "\n") {
		lines = append(lines, output.Wrap(line, width)...)
	}
	return strings.Join(lines, "\n")
}

// The widths of help text in columns: the width of the terminal, within bounds.
const (
	narrowest = 60
	widest    = 100
	usual     = 80
)

// widthOf returns how wide help is on a terminal, or where a standard stream leads.
func widthOf(w any) int { return min(max(columnsOf(w), narrowest), widest) }

// columnsOf returns the width of a terminal, or the usual one for anything else.
func columnsOf(w any) int {
	f, ok := w.(*os.File)
	if !ok {
		return usual
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return usual
	}
	return cmp.Or(width, usual)
}
