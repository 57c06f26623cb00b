package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
)

// Entry is a word, or a line to type, with what it means.
type Entry struct{ Word, Meaning string }

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
	}, Command{
		Name:      "help",
		Summary:   "explain the program, a command or a topic",
		Arguments: "[COMMAND|TOPIC]",
		Details: "Prints what a command does, its usual flags and examples; with --all, all its flags. Without a " +
			"command, it lists the commands and the flags of every command.",
		Examples: []string{"partwise help solve", "partwise help solve --all", "partwise help logs"},
		MaxArgs:  3,
		Formats:  []string{}, // plain text
	})
}

// helpOptions are the flags of help.
type helpOptions struct{ all bool }

// Flags binds the flags.
func (o *helpOptions) Flags() []Flag {
	return []Flag{Switch(&o.all, "all", "list also the flags that few users need, and the commands for packagers")}
}

// Page explains a command, a topic or the program. Help, manual pages and the documents are three views of a page.
type Page struct {
	Name, summary string
	parts         []part
}

// part is a part of a page: words that are wrapped, or lines that stay as they are.
type part struct {
	title string // "" for none
	words string
	lines func(width int) string
}

// Page returns the page of the command or topic that words name, of the program for none; all says that it lists
// everything.
func (p *Program) Page(words []string, all bool) (Page, error) {
	if len(words) == 0 {
		return p.ownPage(all), nil
	}
	if len(words) == 1 {
		for _, t := range p.Topics {
			if t.Name == words[0] {
				page := Page{Name: "partwise help " + t.Name, summary: t.Summary}
				page.say(t.Details)
				page.flags("Flags", t.Flags)
				return page, nil
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
	return l.command.page(l.called(), all, p.Topics), nil
}

// named returns the index of the command with a name, or -1 if no command has the name.
func named(commands []Command, word string) int {
	return slices.IndexFunc(commands, func(c Command) bool { return c.Name == word || slices.Contains(c.Was, word) })
}

// namesOf lists commands by name.
func namesOf(commands []Command) []string {
	return modelfile.Texts(commands, func(c Command) string { return c.Name })
}

func (p *Program) ownPage(all bool) Page {
	page := Page{Name: "partwise", summary: p.Summary}
	page.fixed("Usage", "partwise COMMAND [arguments and flags in any order]")
	for _, text := range p.Details {
		page.say(text)
	}
	page.list("Start here", p.Start)
	groups := p.Groups
	if all {
		groups = append(slices.Clone(groups), Group{"For packagers and scripts", p.Unlisted})
	}
	for _, g := range groups {
		page.commands(g.Title, "", g.Commands)
	}
	page.flags("Flags of every command", GlobalFlags())
	var topics []Entry
	for _, t := range p.Topics {
		topics = append(topics, Entry{"partwise help " + t.Name, t.Summary})
	}
	page.list("Further help", append(topics, Entry{"partwise help COMMAND --all", "all flags of a command"},
		Entry{"partwise help --all", "all commands"}))
	return page
}

func (c Command) page(name string, all bool, topics []Topic) Page {
	page := Page{Name: name, summary: c.Summary}
	page.fixed("Usage", strings.Join(strings.Fields(name+" "+c.Arguments+" [flags]"), " "))
	page.say(c.Details)
	if c.Parts != nil {
		page.commands("Commands", strings.TrimPrefix(name, "partwise ")+" ", c.Parts)
		return page
	}
	var own []Flag
	var rare []string
	of := map[string][]string{}
	for _, f := range c.Flags() {
		switch {
		case f.Hidden:
		case f.Topic != "":
			of[f.Topic] = append(of[f.Topic], "--"+f.Name)
		case f.Rare && !all:
			rare = append(rare, "--"+f.Name)
		default:
			own = append(own, f)
		}
	}
	page.flags("Flags", own)
	for _, t := range topics {
		if names := of[t.Name]; names != nil {
			page.say(fmt.Sprintf("Also %s: see partwise help %s.", strings.Join(names, ", "), t.Name))
		}
	}
	if rare != nil {
		page.say(fmt.Sprintf("Rarely needed: %s; see %s --all.", strings.Join(rare, ", "), strings.Replace(name, "partwise", "partwise help", 1)))
	}
	if c.Examples != nil {
		page.fixed("Examples", strings.Join(c.Examples, "\n"))
	}
	formats := ""
	if len(c.Formats) > 0 {
		formats = "--format: " + modelfile.Alternatives(c.Formats) + ". "
	}
	page.say(formats + allFlags)
	return page
}

// allFlags ends the page of a command on a terminal, and usualFormats is what most commands write. Documents leave both out:
// their index says them once.
const (
	allFlags     = "Flags of every command: partwise help."
	usualFormats = "--format: json, csv, markdown or table."
)

func (p *Page) say(text string) {
	if text == "" {
		return
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		p.parts = append(p.parts, part{words: paragraph})
	}
}

func (p *Page) fixed(title, lines string) {
	p.parts = append(p.parts, part{title: title, lines: func(int) string { return lines }})
}

func (p *Page) commands(title, prefix string, commands []Command) {
	var entries []Entry
	for _, c := range commands {
		entries = append(entries, Entry{prefix + c.Name, c.Summary})
	}
	p.list(title, entries)
}

// list adds words with their meanings beside them.
func (p *Page) list(title string, entries []Entry) {
	if len(entries) == 0 {
		return
	}
	wide := 0
	for _, e := range entries {
		wide = max(wide, len(e.Word))
	}
	p.parts = append(p.parts, part{title: title, lines: func(width int) string {
		var lines []string
		for _, e := range entries {
			meaning := output.Wrap(e.Meaning, width-wide-2)
			lines = append(lines, fmt.Sprintf("%-*s  %s", wide, e.Word, strings.Join(meaning, "\n"+strings.Repeat(" ", wide+2))))
		}
		return strings.Join(lines, "\n")
	}})
}

// flags adds flags with what they do, in the order of their names.
func (p *Page) flags(title string, flags []Flag) {
	if len(flags) == 0 {
		return
	}
	var entries []Entry
	for _, f := range slices.SortedFunc(slices.Values(flags), func(a, b Flag) int { return cmp.Compare(a.Name, b.Name) }) {
		if !f.Hidden {
			entries = append(entries, f.entry())
		}
	}
	p.list(title, entries)
}

// entry returns the flag with its letter and the placeholder of its value, and what it does without backquotes.
func (f *Flag) entry() Entry {
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
	return Entry{word, meaning}
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
	var b strings.Builder
	b.WriteString(p.Name + " - " + p.summary + "\n")
	for _, part := range p.parts {
		b.WriteString("\n")
		if part.lines != nil {
			b.WriteString(part.title + ":\n  " + strings.ReplaceAll(part.lines(width-2), "\n", "\n  ") + "\n")
			continue
		}
		for line := range strings.SplitSeq(part.words, "\n") {
			b.WriteString(strings.Join(output.Wrap(line, width), "\n") + "\n")
		}
	}
	return b.String()
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
	const width = 100
	var b strings.Builder
	b.WriteString(p.Sentence() + "\n")
	for _, part := range p.parts {
		if part.lines != nil {
			fmt.Fprintf(&b, "\n%s:\n\n```text\n%s\n```\n", part.title, part.lines(width))
			continue
		}
		words := strings.TrimSpace(strings.TrimSuffix(part.words, allFlags))
		if words == "" || words == usualFormats {
			continue
		}
		b.WriteString("\n")
		for line := range strings.SplitSeq(words, "\n") {
			b.WriteString(strings.Join(output.Wrap(marks.Replace(line), 120), "\n") + "\n")
		}
	}
	return b.String()
}
