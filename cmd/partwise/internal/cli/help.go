package cli

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/words"
)

//go:embed help.txt
var helpText string

// templates are the templates of pages: of the program, of a command and of a topic.
//
//go:embed help
var templates embed.FS

// Topic is a page of help that is not about a command but about flags that several commands share: the page explains the flags
// once.
type Topic struct {
	Name, Summary string
	Details       string // paragraphs
	Flags         []Flag
}

// Referred changes the flags, and returns them: the help of a command names the flags in one line and refers to the topic.
func (t Topic) Referred() []Flag { return Under(t.Name, t.Flags...) }

// HelpCommand prints the pages of a program.
func HelpCommand(p *Program) Command {
	return WithOptions(func() *helpOptions { return new(helpOptions) }, func(inv *Invocation, o *helpOptions) error {
		page, err := p.Page(inv.Args, o.all)
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

// Page returns the page of the command or topic that words name, and the page of the program for no words. all says that the
// page explains also what few users need.
func (p *Program) Page(path []string, all bool) (Page, error) {
	for _, t := range p.Topics {
		if len(path) == 1 && path[0] == t.Name {
			return newPage("topic", "partwise help "+t.Name, t.Summary, t), nil
		}
	}
	c := &call{Program: p}
	app := c.app()
	app.Setup()
	if len(path) == 0 {
		return newPage("program", app.Name, p.Summary, programPage{app, p, all}), nil
	}
	command := &urfave.Command{HelpName: app.Name, Subcommands: app.Commands}
	for _, word := range path {
		part := command.Command(word)
		if part == nil {
			return Page{}, unknownCommand(command, word)
		}
		command = part
	}
	return newPage("command", command.HelpName, command.Usage, commandPage{command, p, c.table[command], all}), nil
}

// programPage is what the page of the program is about.
type programPage struct {
	*urfave.App
	program *Program
	all     bool
}

// Summary is a sentence about the program.
func (p programPage) Summary() string { return p.program.Summary }

// Topics are the topics of help.
func (p programPage) Topics() []Topic { return p.program.Topics }

// Categories returns the categories of the listed commands in the order of the program. The library sorts them by name.
func (p programPage) Categories() []urfave.CommandCategory {
	place := func(c urfave.CommandCategory) int {
		return slices.IndexFunc(p.program.Groups, func(g Group) bool { return g.Title == c.Name() })
	}
	return slices.SortedFunc(slices.Values(p.VisibleCategories()), func(a, b urfave.CommandCategory) int {
		return cmp.Compare(place(a), place(b))
	})
}

// Unlisted returns the commands that only the page of everything lists.
func (p programPage) Unlisted() []*urfave.Command {
	return slices.DeleteFunc(slices.Clone(p.Commands), func(c *urfave.Command) bool { return !p.all || c.Category != unlisted })
}

// commandPage is what the page of a command is about.
type commandPage struct {
	*urfave.Command
	program *Program
	of      Command
	all     bool
}

// Path is the words that call the command, without the program.
func (p commandPage) Path() string { return strings.TrimPrefix(p.HelpName, "partwise ") }

// UsageLine is how the command is called.
func (p commandPage) UsageLine() string {
	return strings.Join(slices.DeleteFunc([]string{p.HelpName, p.ArgsUsage, "[flags]"}, func(s string) bool { return s == "" }), " ")
}

// Topics are the topics of help.
func (p commandPage) Topics() []Topic { return p.program.Topics }

// Examples are command lines.
func (p commandPage) Examples() []string { return p.of.Examples }

// Formats are the formats of the results of the command.
func (p commandPage) Formats() []string { return p.of.Formats }

// Listed returns the flags of a topic or, for no topic, the flags that the page explains.
func (p commandPage) Listed(topic string) []Flag {
	return slices.DeleteFunc(p.VisibleFlags(), func(f Flag) bool {
		category := Category(f)
		if category == rarelyNeeded && p.all {
			category = ""
		}
		return category != topic
	})
}

// Rare returns the flags that only the page of everything explains.
func (p commandPage) Rare() []Flag { return p.Listed(rarelyNeeded) }

// flagRows returns what flags do, a row each, in the order of their names.
func flagRows(flags []Flag) string {
	var rows []string
	for _, f := range slices.SortedFunc(slices.Values(flags), func(a, b Flag) int { return cmp.Compare(Name(a), Name(b)) }) {
		if IsVisible(f) {
			rows = append(rows, flagRow(f.(urfave.DocGenerationFlag)))
		}
	}
	return strings.Join(rows, "\n")
}

// flagRow returns the row of a flag: its letter, its name and the placeholder of its value; what it does, and what is true
// without it. The library's row of a flag has old names, too.
func flagRow(f urfave.DocGenerationFlag) string {
	word, meaning := "--"+Name(f), f.GetUsage()
	for _, name := range f.Names()[1:] {
		if len(name) == 1 {
			word = "-" + name + ", " + word
		}
	}
	if parts := strings.SplitN(meaning, "`", 3); len(parts) == 3 {
		word, meaning = word+" "+parts[1], parts[0]+parts[1]+parts[2]
	} else if takesValue(f) {
		word += " VALUE"
	}
	if takesValue(f) && f.GetDefaultText() != "" {
		meaning += " (default: " + f.GetDefaultText() + ")"
	}
	return row(word, meaning)
}

// row returns the row of a word and its meaning.
func row(word, meaning string) string { return word + "\t" + meaning }

// commandRows returns what commands do, a row each. family is the words before the names of the commands.
func commandRows(family string, all []*urfave.Command) string {
	rows := words.Texts(all, func(c *urfave.Command) string { return row(strings.TrimPrefix(family+" "+c.Name, " "), c.Usage) })
	return strings.Join(rows, "\n")
}

// topicRows returns what topics are about, a row each.
func topicRows(all []Topic) string {
	return strings.Join(words.Texts(all, func(t Topic) string { return row("partwise help "+t.Name, t.Summary) }), "\n")
}

// dashedNames returns the names of flags as users write them.
func dashedNames(flags []Flag) string {
	return strings.Join(words.Texts(flags, func(f Flag) string { return fmt.Sprintf("--%s", Name(f)) }), ", ")
}
