package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/partwise/partwise/models/modelfile/tree"
)

// Page is what is to be known of a command, in the order in which it is read. Help, manual pages and the documents are
// three views of it.
type Page struct {
	Name, summary string
	usage         string
	details       []string // paragraphs
	start         []Entry  // first steps, of the program
	Groups        []Group  // of commands, of the program and of families of commands
	flags, common []option
	examples      []string
}

// Entry is a word, or a line to type, with what it means.
type Entry struct{ Word, Meaning string }

// Group is a part of the list of commands.
type Group struct {
	Title    string
	Commands []Entry
}

// option is a flag.
type option struct {
	names    []string // with their dashes
	value    string   // what stands for its value; "" for a switch
	text     string
	standard string // what holds without it; "" if nothing does
}

// The groups of commands, in the order in which a question is worked on.
const (
	Describing = "Describe a machine"
	Measuring  = "From measurements"
	Answering  = "Answer"
	Checking   = "Check by simulation"
	Aiding     = "The program"
)

var groupOrder = []string{Describing, Measuring, Answering, Checking, Aiding}

// Page returns the page of the command at a path, of the program for none.
func (all *Program) Page(path []string) Page {
	table, parent := all.Commands, "partwise"
	p := all.ownPage()
	for _, word := range path {
		i := slices.IndexFunc(table, func(c Command) bool { return c.Name == word })
		if i < 0 {
			break // the path was checked when the command line was read
		}
		p = table[i].page(parent)
		table, parent = table[i].Parts, parent+" "+word
	}
	return p
}

func (all *Program) ownPage() Page {
	p := Page{
		Name:    "partwise",
		summary: all.Summary,
		usage:   "partwise COMMAND [arguments and flags in any order]",
		details: all.Details,
		start:   all.Start,
		common:  options(GlobalFlags()),
	}
	titles := slices.Clone(groupOrder)
	for _, c := range all.Commands {
		if !slices.Contains(titles, c.Group) {
			titles = append(titles, c.Group)
		}
	}
	for _, title := range titles {
		g := Group{Title: title}
		for _, c := range all.Commands {
			if c.Group == title {
				g.Commands = append(g.Commands, Entry{c.Name, c.Summary})
			}
		}
		if len(g.Commands) > 0 {
			p.Groups = append(p.Groups, g)
		}
	}
	return p
}

func (c Command) page(parent string) Page {
	name := parent + " " + c.Name
	p := Page{
		Name:     name,
		summary:  c.Summary,
		usage:    strings.Join(strings.Fields(name+" "+c.Arguments+" [flags]"), " "),
		details:  strings.Split(c.Details, "\n\n"),
		flags:    options(c.Flags),
		examples: c.Examples,
	}
	if len(c.Parts) > 0 {
		g := Group{Title: "Commands"}
		for _, part := range c.Parts {
			g.Commands = append(g.Commands, Entry{c.Name + " " + part.Name, part.Summary})
		}
		p.Groups = []Group{g}
		return p
	}
	p.common = options(GlobalFlags())
	if c.Formats == nil {
		ofTables := []string{"--columns", "--format", "--wide"}
		p.common = slices.DeleteFunc(p.common, func(o option) bool { return slices.Contains(ofTables, o.names[0]) })
		return p
	}
	i := slices.IndexFunc(p.common, func(o option) bool { return o.names[0] == "--format" })
	p.common[i] = c.formatOption()
	return p
}

// formatOption says what --format may be of a command.
func (c Command) formatOption() option {
	o := option{names: []string{"--format"}, value: "FORMAT", standard: c.Formats[0],
		text: "write the result as FORMAT: " + tree.Alternatives(c.Formats)}
	if slices.Contains(c.Formats, "table") {
		o.standard = "table on a terminal, otherwise " + c.Formats[0]
	}
	return o
}

// options returns flags in the order of their names.
func options(flags []urfave.Flag) []option {
	var all []option
	for _, f := range flags {
		o := option{}
		for _, n := range namesOf(f) {
			o.names = append(o.names, dashed(n))
		}
		if o.names == nil {
			continue
		}
		doc, ok := f.(urfave.DocGenerationFlag)
		if !ok {
			continue // all flags of the library are documented
		}
		o.value, o.text = placeholder(doc.GetUsage())
		if !doc.TakesValue() {
			o.value = ""
		} else if o.value == "" {
			o.value = "VALUE"
		}
		o.standard = standard(f)
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b option) int { return strings.Compare(a.names[0], b.names[0]) })
	return all
}

// dashed returns the name of a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// placeholder takes the quoted word of a usage text, which stands for the value, out of its quotes.
func placeholder(usage string) (value, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	value, after, ok := strings.Cut(rest, "`")
	if !ok {
		return "", usage
	}
	return value, before + value + after
}

// standard returns what holds if a flag is not given.
func standard(f urfave.Flag) string {
	switch f := f.(type) {
	case *urfave.StringFlag:
		return either(f.DefaultText, f.Value)
	case *urfave.IntFlag:
		if f.Value == 0 {
			return f.DefaultText
		}
		return either(f.DefaultText, fmt.Sprint(f.Value))
	case *urfave.Uint64Flag:
		return either(f.DefaultText, fmt.Sprint(f.Value))
	case *urfave.Float64Flag:
		if f.Value == 0 {
			return f.DefaultText
		}
		return either(f.DefaultText, fmt.Sprint(f.Value))
	case *urfave.StringSliceFlag:
		return f.DefaultText
	}
	return ""
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// term returns the flag as it is written.
func (o option) term() string {
	var all []string
	for _, n := range o.names {
		if o.value != "" {
			n += " " + o.value
		}
		all = append(all, n)
	}
	return strings.Join(all, ", ")
}

// meaning returns what the flag does and what holds without it.
func (o option) meaning() string {
	if o.standard == "" {
		return o.text
	}
	return o.text + " (default: " + o.standard + ")"
}

// The widths of help text: that of the terminal, but lines that are neither short nor long.
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
	if err != nil || width == 0 {
		return usual
	}
	return width
}

// Text returns the page for a terminal of a width.
func (p Page) Text(width int) string {
	b := &textPage{width: width}
	b.line(p.Name + " - " + p.summary)
	b.heading("Usage")
	b.line("  " + p.usage)
	for _, paragraph := range p.details {
		b.line("")
		for line := range strings.SplitSeq(paragraph, "\n") {
			indent := 0
			if strings.HasPrefix(line, "- ") {
				indent = 2
			}
			b.wrapped(line, 0, indent)
		}
	}
	if len(p.start) > 0 {
		b.heading("Start here")
		b.list(p.start)
	}
	for _, g := range p.Groups {
		b.heading(g.Title)
		b.list(g.Commands)
	}
	b.options("Flags", p.flags)
	b.options("Flags of every command", p.common)
	if len(p.examples) > 0 {
		b.heading("Examples")
		for _, e := range p.examples {
			b.line("  " + e)
		}
	}
	return b.String()
}

// textPage is text under headings, with entries in two columns.
type textPage struct {
	strings.Builder
	width int
}

func (b *textPage) line(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }

func (b *textPage) heading(s string) { b.line("\n" + s + ":") }

// wrapped writes words on lines, the first of which is already written up to a column.
func (b *textPage) wrapped(text string, at, indent int) {
	column, begun := at, false
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case begun && column+1+n > b.width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		case begun:
			b.WriteString(" ")
			column++
		}
		begun = true
		b.WriteString(word)
		column += n
	}
	b.WriteString("\n")
}

// list writes terms with their meanings beside them.
func (b *textPage) list(terms []Entry) {
	wide := 0
	for _, t := range terms {
		wide = max(wide, len(t.Word))
	}
	b.terms(terms, wide+4)
}

// mostTerm is how wide a term may be to have its meaning beside it.
const mostTerm = 26

func (b *textPage) options(title string, all []option) {
	if len(all) == 0 {
		return
	}
	b.heading(title)
	var terms []Entry
	wide := 0
	for _, o := range all {
		terms = append(terms, Entry{o.term(), o.meaning()})
		if n := len(o.term()); n <= mostTerm {
			wide = max(wide, n)
		}
	}
	b.terms(terms, wide+4)
}

func (b *textPage) terms(terms []Entry, indent int) {
	for _, t := range terms {
		word := "  " + t.Word
		if len(word)+2 > indent {
			b.line(word)
			word = ""
		}
		b.WriteString(word + strings.Repeat(" ", indent-len(word)))
		b.wrapped(t.Meaning, indent, indent)
	}
}
