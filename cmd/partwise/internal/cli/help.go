package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

var (
	//go:embed pages.tmpl
	pageText string
	//go:embed help.txt
	helpText string
)

// Topic is a page of help that is not about a command but about flags that several commands share: it explains them once.
type Topic struct {
	Name, Summary string
	Details       string // paragraphs
	Flags         []Flag
}

// Referred returns the flags as flags of the topic: the help of a command names them in one line and refers to the topic.
func (t Topic) Referred() []Flag {
	for i := range t.Flags {
		t.Flags[i].Topic = t.Name
	}
	return t.Flags
}

// HelpCommand prints the pages of a program.
func HelpCommand(all *Program) Command {
	return WithOptions(func() *helpOptions { return new(helpOptions) }, func(inv *Invocation, o *helpOptions) error {
		page, err := all.Page(inv.Args, o.all)
		if err != nil {
			return err
		}
		return inv.Print(page.Text(widthOf(inv.Stdout)))
	}, Described(helpText, Command{MaxArgs: 3, Formats: []string{}}))
}

// helpOptions are the flags of help.
type helpOptions struct{ all bool }

// Flags binds the flags.
func (o *helpOptions) Flags() []Flag {
	return []Flag{Switch(&o.all, "all", "list also the flags that few users need, and the commands for packagers")}
}

// Page explains a command, a topic or the program. Help, manual pages and the documents are three views of a page. A part whose
// first line begins with # is a title with lines; a tab divides a word from its meaning. Other parts are words to be wrapped.
type Page struct {
	Name, summary string
	parts         []string
}

// pages are the templates of pages: program, command and topic.
var pages = template.Must(template.New("pages").Funcs(template.FuncMap{
	"flags": flagLines, "alternatives": words.Or,
	"names": func(flags []Flag) string {
		return strings.Join(words.Texts(flags, func(f Flag) string { return "--" + f.Name }), ", ")
	},
}).Parse(pageText))

// blank divides the parts of a page.
var blank = regexp.MustCompile(`\n\n+`)

// newPage fills a template.
func newPage(template, name, summary string, data any) Page {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, template, data); err != nil {
		panic(err) // templates are part of the program
	}
	return Page{name, summary, blank.Split(strings.TrimSpace(b.String()), -1)}
}

// Page returns the page of the command or topic that words name, of the program for none; all says that it lists
// everything.
func (p *Program) Page(words []string, all bool) (Page, error) {
	if len(words) == 0 {
		return newPage("program", "partwise", p.Summary, struct {
			*Program
			Shared []Flag
			All    bool
		}{p, GlobalFlags(), all}), nil
	}
	if len(words) == 1 {
		for _, t := range p.Topics {
			if t.Name == words[0] {
				return newPage("topic", "partwise help "+t.Name, t.Summary, t), nil
			}
		}
	}
	l := p.newLine(Streams{})
	for i, word := range words {
		if err := l.word(word); err != nil {
			return Page{}, err
		}
		if l.words != nil { // an argument
			return Page{}, Usagef(l.called()+" --help", "unknown command %q", strings.Join(words[:i+1], " "))
		}
	}
	return p.pageOf(l.command.path, l.command, all), nil
}

// named returns the index of the command with a name, or -1 if no command has the name.
func named(commands []Command, word string) int {
	return slices.IndexFunc(commands, func(c Command) bool { return c.Name == word || slices.Contains(c.Was, word) })
}

// namesOf lists commands by name.
func namesOf(commands []Command) []string {
	return words.Texts(commands, func(c Command) string { return c.Name })
}

// described is a command as its page has it.
type described struct {
	Command
	*Program
	Called string // without the name of the program
	All    bool   // also what is rarely needed
}

// Details are those of the command.
func (d described) Details() string { return d.Command.Details }

func (p *Program) pageOf(path string, c Command, all bool) Page {
	return newPage("command", "partwise "+path, c.Summary, described{c, p, path, all})
}

// Listed returns the flags of a topic or, for no topic, those that are usually needed, or the rare ones.
func (d described) Listed(topic string, rare bool) []Flag {
	return slices.DeleteFunc(d.Flags(), func(f Flag) bool {
		return f.Hidden || f.Topic != topic || rare != (f.Rare && !d.All)
	})
}

// allFlags ends the page of a command on a terminal, and usualFormats is what most commands write. Documents leave both out:
// their index says them once.
const (
	allFlags     = "Flags of every command: partwise help."
	usualFormats = "--format: json, csv, markdown or table."
)

// flagLines returns what flags do, a line each, in the order of their names.
func flagLines(flags []Flag) string {
	var lines []string
	for _, f := range slices.SortedFunc(slices.Values(flags), func(a, b Flag) int { return cmp.Compare(a.Name, b.Name) }) {
		if !f.Hidden {
			lines = append(lines, f.line())
		}
	}
	return strings.Join(lines, "\n")
}

// line returns the flag with its letter and the placeholder of its value, a tab, and what it does without backquotes.
func (f *Flag) line() string {
	word, meaning := "--"+f.Name, f.Usage
	if f.Letter != "" {
		word = "-" + f.Letter + ", " + word
	}
	if parts := strings.SplitN(f.Usage, "`", 3); len(parts) == 3 {
		word, meaning = word+" "+parts[1], parts[0]+parts[1]+parts[2]
	} else if !f.IsSwitch() {
		word += " VALUE"
	}
	if f.Default != "" {
		meaning += " (default: " + f.Default + ")"
	}
	return word + "\t" + meaning
}

// The widths of help text: the width of the terminal, within bounds.
const (
	narrowest = 60
	widest    = 100
	usual     = 80
)

func widthOf(w any) int { return min(max(columnsOf(w), narrowest), widest) }

// columnsOf returns the width of a terminal, or the usual one.
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

// Text returns the page for a terminal of a width.
func (p Page) Text(width int) string {
	text := p.Name + " - " + p.summary + "\n"
	for _, part := range p.parts {
		if title, lines, ok := titled(part, width-2); ok {
			part = title + ":\n  " + strings.ReplaceAll(lines, "\n", "\n  ")
		} else {
			part = wrapped(part, width)
		}
		text += "\n" + part + "\n"
	}
	return text
}

// titled returns the title and the lines of a part that has them, meanings wrapped and one below the other.
func titled(part string, width int) (title, text string, ok bool) {
	title, text, _ = strings.Cut(part, "\n")
	if title, ok = strings.CutPrefix(title, "# "); !ok {
		return "", "", false
	}
	lines, wide := strings.Split(text, "\n"), 0
	for _, l := range lines {
		if word, _, listed := strings.Cut(l, "\t"); listed {
			wide = max(wide, len(word))
		}
	}
	for i, l := range lines {
		if word, meaning, listed := strings.Cut(l, "\t"); listed {
			meaning := strings.Join(output.Wrap(meaning, width-wide-2), "\n"+strings.Repeat(" ", wide+2))
			lines[i] = fmt.Sprintf("%-*s  %s", wide, word, meaning)
		}
	}
	return title, strings.Join(lines, "\n"), true
}

// wrapped returns words in lines of a width; lines that are there stay.
func wrapped(words string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(words, "\n") {
		lines = append(lines, output.Wrap(line, width)...)
	}
	return strings.Join(lines, "\n")
}

// marks are the letters of our text that are no Markdown. Backquotes are Markdown.
var marks = strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "_", `\_`)

// Sentence is the summary as a sentence.
func (p Page) Sentence() string {
	end := "."
	if strings.HasSuffix(p.summary, "?") {
		end = ""
	}
	return strings.ToUpper(p.summary[:1]) + p.summary[1:] + end
}

// Markdown returns the page in Markdown, for the documents and for manual pages.
func (p Page) Markdown() string {
	text := p.Sentence() + "\n"
	for _, part := range p.parts {
		if title, lines, ok := titled(part, 100); ok {
			text += fmt.Sprintf("\n%s:\n\n```text\n%s\n```\n", title, lines)
		} else if words := strings.TrimSpace(strings.TrimSuffix(part, allFlags)); words != "" && words != usualFormats {
			text += "\n" + wrapped(marks.Replace(words), 120) + "\n"
		}
	}
	return text
}
