package cli

import (
	"fmt"
	"io"
	"strings"
)

// marks are the letters of our own text that are not meant as Markdown; its backquotes are.
var marks = strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "_", `\_`)

// ManCommand prints the manual of a program, or of one of its commands.
func ManCommand(all *Program) Command {
	return Command{
		Name:      "man",
		Group:     Aiding,
		Summary:   "print the manual of the program, or of one command",
		Arguments: "[COMMAND...]",
		Details: "Prints a manual page in the format of man(1), of the whole program or of a command; --format markdown " +
			"prints it for the web.",
		Examples: []string{
			"partwise man > partwise.1",
			"partwise man solve > partwise-solve.1",
			"partwise man curve --format markdown",
		},
		MaxArgs: 2,
		Formats: []string{"roff", "markdown"},
		Run: func(inv *Invocation) error {
			if err := all.knownPath(inv.Args); err != nil {
				return err
			}
			text := all.Manual(inv.Args)
			if inv.Format == "markdown" {
				text = all.Page(inv.Args).Markdown()
			}
			return inv.Write(func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		},
	}
}

// knownPath checks that there is a command at a path.
func (all *Program) knownPath(path []string) error {
	p := permutation{all: all.Commands, table: all.Commands}
	for _, word := range path {
		if len(p.table) == 0 {
			return Usagef("partwise help lists the commands", "%s has no part %q", strings.Join(p.path, " "), word)
		}
		if err := p.word(word); err != nil {
			return err
		}
	}
	return nil
}

// Manual returns the manual page of a command, of the program with all its commands for none.
func (all *Program) Manual(path []string) string {
	p := all.Page(path)
	r := &roffPage{}
	title := strings.ReplaceAll(p.Name, " ", "-")
	r.macro("TH", strings.ToUpper(title), "1", "", "partwise "+Version(), "partwise")
	r.macro("SH", "NAME")
	r.text(title + " \\- " + escaped(p.summary))
	r.macro("SH", "SYNOPSIS")
	r.text("\\fB" + escaped(p.usage) + "\\fR")
	r.macro("SH", "DESCRIPTION")
	r.body(p)
	if len(path) == 0 {
		r.macro("SH", "COMMANDS")
		for _, c := range all.Commands {
			r.command(c, "")
		}
	}
	r.options("OPTIONS", p.flags)
	r.options("OPTIONS OF EVERY COMMAND", p.common)
	r.examples("SH", p.examples)
	r.macro("SH", "EXIT STATUS")
	for _, e := range exitCodes {
		r.term(fmt.Sprint(e.code), e.meaning)
	}
	r.macro("SH", "ENVIRONMENT")
	r.term("NO_COLOR", "if set, no bold letters")
	r.term("TERM", "if dumb, no bold letters and no progress")
	return r.String()
}

// roffPage is text in the macros of man(7).
type roffPage struct{ strings.Builder }

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`)

// escaped keeps text from being taken for macros.
func escaped(s string) string {
	s = roffEscapes.Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

func (r *roffPage) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, a := range args {
		r.WriteString(` "` + strings.ReplaceAll(a, `"`, `\(dq`) + `"`)
	}
	r.WriteString("\n")
}

func (r *roffPage) text(s string) { r.WriteString(s + "\n") }

// body writes what stands in front of the flags.
func (r *roffPage) body(p Page) {
	for i, paragraph := range p.details {
		if i > 0 {
			r.macro("PP")
		}
		for j, line := range strings.Split(paragraph, "\n") {
			if j > 0 {
				r.macro("br")
			}
			r.text(escaped(line))
		}
	}
	for _, s := range p.start {
		r.term(s.Word, s.Meaning)
	}
}

func (r *roffPage) term(word, meaning string) {
	r.macro("TP")
	r.text("\\fB" + escaped(word) + "\\fR")
	r.text(escaped(meaning))
}

func (r *roffPage) options(title string, all []option) {
	if len(all) == 0 {
		return
	}
	r.macro("SH", title)
	for _, o := range all {
		r.term(o.term(), o.meaning())
	}
}

func (r *roffPage) examples(section string, all []string) {
	if len(all) == 0 {
		return
	}
	r.macro(section, "EXAMPLES")
	for i, e := range all {
		if i > 0 {
			r.macro("br")
		}
		r.text(escaped(e))
	}
}

// command writes a command, and the parts of a family, as a section of the manual of the program.
func (r *roffPage) command(c Command, parent string) {
	name := strings.TrimSpace(parent + " " + c.Name)
	if len(c.Parts) > 0 {
		for _, part := range c.Parts {
			r.command(part, name)
		}
		return
	}
	p := c.page("partwise " + parent)
	r.macro("SS", strings.TrimSpace(name+" "+c.Arguments))
	r.text(escaped(p.Sentence()))
	r.macro("PP")
	r.body(p)
	for _, o := range p.flags {
		r.term(o.term(), o.meaning())
	}
	if len(p.examples) > 0 {
		r.macro("PP")
		r.text("Examples:")
		r.macro("br")
		for i, e := range p.examples {
			if i > 0 {
				r.macro("br")
			}
			r.text(escaped(e))
		}
	}
}

// Sentence is the summary as a sentence.
func (p Page) Sentence() string {
	end := "."
	if strings.HasSuffix(p.summary, "?") {
		end = ""
	}
	return strings.ToUpper(p.summary[:1]) + p.summary[1:] + end
}

// Markdown returns usage and flags of the page for the documents.
func (p Page) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "```text\n%s\n```\n", p.usage)
	for _, paragraph := range p.details {
		b.WriteString("\n")
		for line := range strings.SplitSeq(paragraph, "\n") {
			t := &textPage{width: 120}
			t.wrapped(marks.Replace(line), 0, 0)
			b.WriteString(t.String())
		}
	}
	for _, g := range p.Groups {
		fmt.Fprintf(&b, "\n%s:\n\n| command | does |\n|---|---|\n", g.Title)
		for _, c := range g.Commands {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Word, marks.Replace(c.Meaning))
		}
	}
	if len(p.flags) > 0 {
		b.WriteString("\n| flag | does | default |\n|---|---|---|\n")
		for _, o := range p.flags {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell.Replace(o.term()), marks.Replace(o.text),
				marks.Replace(o.standard))
		}
	}
	if len(p.examples) > 0 {
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.Join(p.examples, "\n"))
	}
	return b.String()
}

var cell = strings.NewReplacer("|", `\|`)
