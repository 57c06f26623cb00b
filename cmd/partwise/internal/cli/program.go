package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/policy"
)

// Command is one entry of the table of commands.
type Command struct {
	Name, Summary string
	Group         string // where help lists it
	Arguments     string // as in the usage line
	Details       string
	Examples      []string
	Flags         []urfave.Flag
	Choices       []string // words that arguments may be
	MinArgs       int
	MaxArgs       int
	Parts         []Command     // of a command that is only a family of others
	Formats       []string      // what --format may say and, first, what is written to anything but a terminal; nil: text
	OwnOutput     bool          // --output is not for what is printed but for something the command makes
	RunsPolicies  policy.Runner // what it runs policies on, if it runs any
	Run           func(*Invocation) error

	words map[string][]string // that the values of its flags may be, by flag
}

// Program is a table of commands, with what its help says before it lists them.
type Program struct {
	Summary  string
	Details  []string // paragraphs
	Start    []Entry  // first steps
	Commands []Command
	Policies policy.Table
}

// GlobalFlags are those of every command. (New ones each time: a flag keeps what it was set to.)
func GlobalFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "format", Usage: "write the result as `FORMAT`: table, json, csv or markdown",
			DefaultText: "table on a terminal, otherwise json, of curves csv"},
		&urfave.StringFlag{Name: "columns", Usage: "show only the columns `NAMES` of tables, separated by commas, such as " +
			"policy,response: heads without units, spaces as _"},
		&urfave.BoolFlag{Name: "guard-cells", DisableDefaultText: true,
			Usage: "write an apostrophe before text in CSV that a spreadsheet would take for a formula"},
		&urfave.StringFlag{Name: "output", Aliases: []string{"o"}, TakesFile: true,
			Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		&urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, DisableDefaultText: true,
			Usage: "print no progress, notes or warnings"},
		&urfave.BoolFlag{Name: "wide", DisableDefaultText: true,
			Usage: "show all columns of tables, without line breaks, however wide that is"},
		&urfave.IntFlag{Name: "workers", DefaultText: "one per processor",
			Usage: "run `N` calculations at a time; the results do not depend on it"},
		&urfave.StringFlag{Name: "memory", DefaultText: "4GiB",
			Usage: "refuse chains, fits and logs that need more memory than `SIZE`, all calculations together"},
	}
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

// Execute parses the command line and runs the command.
func (p *Program) Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	line, err := p.permute(args)
	if err != nil {
		return err
	}
	if line.help {
		_, err := io.WriteString(stdout, p.Page(line.path).Text(widthOf(stdout)))
		return err
	}
	s := Streams{stdin, stdout, stderr}
	app := &urfave.App{
		Name:                      "partwise",
		HideHelp:                  true,
		HideVersion:               true,
		Reader:                    stdin,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*urfave.Context, error) {}, // run decides on the exit code
		Flags:                     GlobalFlags(),
		Action:                    p.noCommand,
	}
	for _, c := range p.Commands {
		app.Commands = append(app.Commands, c.cli(p, s))
	}
	return app.RunContext(ctx, append([]string{"partwise"}, line.words...))
}

func (p *Program) noCommand(c *urfave.Context) error {
	if _, err := io.WriteString(c.App.ErrWriter, p.Page(nil).Text(widthOf(c.App.ErrWriter))); err != nil {
		return err
	}
	return &Error{Code: ExitUsage}
}

// cli turns an entry of the table into what the command line library takes.
func (c Command) cli(p *Program, s Streams) *urfave.Command {
	out := &urfave.Command{
		Name:         c.Name,
		Flags:        c.AllFlags(),
		HideHelp:     true,
		OnUsageError: func(_ *urfave.Context, err error, _ bool) error { return badFlag(c, err) },
	}
	for _, part := range c.Parts {
		out.Subcommands = append(out.Subcommands, part.cli(p, s))
	}
	if c.Run == nil {
		out.Flags = nil
		out.Action = func(ctx *urfave.Context) error { return c.needsPart() }
		return out
	}
	out.Action = func(ctx *urfave.Context) error {
		inv, err := newInvocation(ctx, p, s, c)
		if err != nil {
			return err
		}
		end := inv.showTime()
		defer end()
		return c.Run(inv)
	}
	return out
}

func (c Command) needsPart() error {
	names := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		names[i] = c.Name + " " + p.Name
	}
	return Usagef("partwise help "+c.Name, "%s is not complete: use %s", c.Name, strings.Join(names, ", "))
}

// AllFlags returns the flags of the command and those of every command.
func (c Command) AllFlags() []urfave.Flag {
	return append(slices.Clone(c.Flags), GlobalFlags()...)
}

// checkArguments says in one line what is wrong with the number of arguments.
func (c Command) checkArguments(args []string) error {
	hint := fmt.Sprintf("usage: partwise %s %s", c.Name, c.Arguments)
	switch {
	case len(args) < c.MinArgs:
		return Usagef(hint, "%s needs %s", c.Name, c.Arguments)
	case len(args) > c.MaxArgs:
		return Usagef(hint, "%s: one argument too many: %q", c.Name, args[c.MaxArgs])
	}
	return nil
}
