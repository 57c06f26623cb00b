package main

import (
	"fmt"
	"io"
	"strings"
)

// manCommand prints the manual of a program, or of one of its commands.
func manCommand(all *program) command {
	return command{
		name:      "man",
		group:     aiding,
		summary:   "print the manual of the program, or of one command",
		arguments: "[COMMAND...]",
		details: "Prints a manual page in the format of man(1), of the whole program or of a command; --format markdown " +
			"prints it for the web.",
		examples: []string{
			"partwise man > partwise.1",
			"partwise man solve > partwise-solve.1",
			"partwise man curve --format markdown",
		},
		maxArgs: 2,
		formats: []string{"roff", "markdown"},
		run: func(inv *invocation) error {
			if err := all.knownPath(inv.args); err != nil {
				return err
			}
			text := all.manual(inv.args)
			if inv.format == "markdown" {
				text = all.page(inv.args).markdown()
			}
			return inv.write(func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		},
	}
}

// knownPath checks that there is a command at a path.
func (all *program) knownPath(path []string) error {
	p := permutation{all: all.commands, table: all.commands}
	for _, word := range path {
		if len(p.table) == 0 {
			return usage("partwise help lists the commands", "%s has no part %q", strings.Join(p.path, " "), word)
		}
		if err := p.word(word); err != nil {
			return err
		}
	}
	return nil
}

// manual returns the manual page of a command, of the program with all its commands for none.
func (all *program) manual(path []string) string {
	p := all.page(path)
	r := &roffPage{}
	title := strings.ReplaceAll(p.name, " ", "-")
	r.macro("TH", strings.ToUpper(title), "1", "", "partwise "+version(), "partwise")
	r.macro("SH", "NAME")
	r.text(title + " \\- " + escaped(p.summary))
	r.macro("SH", "SYNOPSIS")
	r.text("\\fB" + escaped(p.usage) + "\\fR")
	r.macro("SH", "DESCRIPTION")
	r.body(p)
	if len(path) == 0 {
		r.macro("SH", "COMMANDS")
		for _, c := range all.commands {
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
func (r *roffPage) body(p page) {
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
		r.term(s.word, s.meaning)
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
		r.term(o.heads(), o.meaning())
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
func (r *roffPage) command(c command, parent string) {
	name := strings.TrimSpace(parent + " " + c.name)
	if len(c.parts) > 0 {
		for _, part := range c.parts {
			r.command(part, name)
		}
		return
	}
	p := c.page("partwise " + parent)
	r.macro("SS", strings.TrimSpace(name+" "+c.arguments))
	r.text(escaped(p.sentence()))
	r.macro("PP")
	r.body(p)
	for _, o := range p.flags {
		r.term(o.heads(), o.meaning())
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

// sentence is the summary as a sentence.
func (p page) sentence() string {
	end := "."
	if strings.HasSuffix(p.summary, "?") {
		end = ""
	}
	return strings.ToUpper(p.summary[:1]) + p.summary[1:] + end
}

// markdown returns usage and flags of the page for the documents.
func (p page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "```text\n%s\n```\n", p.usage)
	for _, paragraph := range p.details {
		b.WriteString("\n")
		for line := range strings.SplitSeq(paragraph, "\n") {
			t := &textPage{width: 120}
			t.wrapped(markdownText(line), 0, 0)
			b.WriteString(t.String())
		}
	}
	for _, g := range p.groups {
		fmt.Fprintf(&b, "\n%s:\n\n| command | does |\n|---|---|\n", g.title)
		for _, c := range g.commands {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.word, markdownText(c.meaning))
		}
	}
	if len(p.flags) > 0 {
		b.WriteString("\n| flag | does | default |\n|---|---|---|\n")
		for _, o := range p.flags {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell.Replace(o.heads()), markdownText(o.text),
				markdownText(o.standard))
		}
	}
	if len(p.examples) > 0 {
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.Join(p.examples, "\n"))
	}
	return b.String()
}

var cell = strings.NewReplacer("|", `\|`)

var markdownEscapes = strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "_", `\_`)

// markdownText keeps letters of text from being taken for Markdown.
func markdownText(s string) string { return markdownEscapes.Replace(s) }
