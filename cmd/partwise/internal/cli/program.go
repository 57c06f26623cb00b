package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/partwise/partwise/models/policy"
)

// Command is one entry of the table of commands.
type Command struct {
	Name, Summary string
	Was           []string // old names: accepted, but neither listed nor proposed
	Arguments     string   // as in the usage line; in brackets they may be left out
	Details       string
	Examples      []string
	Choices       []string      // words that arguments may be
	MaxArgs       int           // of several arguments
	Parts         []Command     // of a command that is only a family of others
	Moved         bool          // the parts were commands of the program: that is accepted, but neither listed nor proposed
	Formats       []string      // what --format may say and, first, what is written to anything but a terminal; none: text
	OwnOutput     bool          // --output is not for what is printed but for something the command makes
	RunsPolicies  policy.Runner // what it runs policies on, if it runs any
	Run           func(*Invocation) error

	path string                                   // the words that call it
	bind func() ([]Flag, func(*Invocation) error) // see WithOptions
}

// Described returns a command with the text of its help: a line with its name and arguments, a line that sums it up, paragraphs,
// lists and, indented, examples.
func Described(text string, c Command) Command {
	head, rest, _ := strings.Cut(text, "\n\n")
	head, c.Summary, _ = strings.Cut(head, "\n")
	c.Name, c.Arguments, _ = strings.Cut(head, " ")
	var paragraphs []string
	for part := range strings.SplitSeq(rest, "\n\n") {
		switch {
		case strings.HasPrefix(part, "- "):
			paragraphs = append(paragraphs, part)
		case strings.HasPrefix(part, "    "):
			for line := range strings.Lines(part) {
				c.Examples = append(c.Examples, strings.TrimSpace(line))
			}
		default:
			paragraphs = append(paragraphs, strings.Join(strings.Fields(part), " "))
		}
	}
	c.Details = strings.Join(paragraphs, "\n\n")
	return c
}

// Flags returns new flags of the command, without the flags of every command.
func (c Command) Flags() []Flag {
	flags, _ := c.bound()
	return flags
}

// bound returns new flags, and the function that runs the command on their values.
func (c Command) bound() ([]Flag, func(*Invocation) error) {
	if c.bind == nil {
		return nil, c.Run
	}
	return c.bind()
}

// Program is a table of commands.
type Program struct {
	Summary  string
	Groups   []Group   // of commands, in the order in which help lists them
	Unlisted []Command // that only help --all lists
	Topics   []Topic
	Policies policy.Table
}

// Group is a part of the list of commands.
type Group struct {
	Title    string
	Commands []Command
}

// Commands returns all commands of the program, in the order of help --all.
func (p *Program) Commands() []Command {
	var all []Command
	for _, g := range p.Groups {
		all = append(all, g.Commands...)
	}
	return append(all, p.Unlisted...)
}

// Every calls a function for each command that does something, with the words that call it.
func (p *Program) Every(see func(name string, c Command)) {
	var each func(family string, all []Command)
	each = func(family string, all []Command) {
		for _, c := range all {
			if c.Parts == nil {
				see(family+c.Name, c)
			}
			each(family+c.Name+" ", c.Parts)
		}
	}
	each("", p.Commands())
}

// Run runs one command line, prints what went wrong, and returns the exit code.
func (p *Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = concludePanic(stderr, v, debug.Stack())
		}
	}()
	return Conclude(stderr, p.Execute(ctx, args, stdin, stdout, stderr))
}

// checkArguments checks the number of arguments.
func (c Command) checkArguments(args []string) error {
	hint := fmt.Sprintf("usage: partwise %s %s", c.path, c.Arguments)
	most := c.MaxArgs
	if most == 0 && c.Arguments != "" {
		most = 1
	}
	switch {
	case len(args) == 0 && c.Arguments != "" && c.Arguments[0] != '[':
		return Usagef(hint, "%s needs %s", c.Name, c.Arguments)
	case len(args) > most:
		return Usagef(hint, "%s: one argument too many: %q", c.Name, args[most])
	}
	return nil
}
