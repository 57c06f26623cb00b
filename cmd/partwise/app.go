package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// command is one entry of the table of commands.
type command struct {
	name, summary string
	group         string // where help lists it
	arguments     string // as in the usage line
	details       string
	examples      []string
	flags         []cli.Flag
	choices       []string // words that arguments may be
	minArgs       int
	maxArgs       int
	parts         []command // of a command that is only a family of others
	formats       []string  // what --format may say and, first, what is written to anything but a terminal; nil: text
	ownOutput     bool      // --output is not for what is printed but for something the command makes
	run           func(*invocation) error
}

// program is a table of commands, with what its help says before it lists them.
type program struct {
	summary  string
	details  []string // paragraphs
	start    []entry  // first steps
	commands []command
	values   map[string][]string // the words that the values of flags may be, by flag
}

// globalFlags are those of every command. (New ones each time: a flag keeps what it was set to.)
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Usage: "`FORMAT` of the result: table, json, csv or markdown",
			DefaultText: "table on a terminal, otherwise json, of curves csv"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, TakesFile: true,
			Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, DisableDefaultText: true,
			Usage: "no progress, notes or warnings"},
		&cli.IntFlag{Name: "workers", DefaultText: "one a processor",
			Usage: "work on `N` things at a time; results do not depend on it"},
	}
}

// execute parses the command line and runs the command.
func (p *program) execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	line, err := p.permute(args)
	if err != nil {
		return err
	}
	if line.help {
		_, err := io.WriteString(stdout, p.page(line.path).text(widthOf(stdout)))
		return err
	}
	s := streams{stdin, stdout, stderr}
	app := &cli.App{
		Name:                      "partwise",
		HideHelp:                  true,
		HideVersion:               true,
		Reader:                    stdin,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // run decides on the exit code
		Flags:                     globalFlags(),
		Action:                    p.noCommand,
	}
	for _, c := range p.commands {
		app.Commands = append(app.Commands, c.cli(s))
	}
	return app.RunContext(ctx, append([]string{"partwise"}, line.words...))
}

func (p *program) noCommand(c *cli.Context) error {
	if _, err := io.WriteString(c.App.ErrWriter, p.page(nil).text(widthOf(c.App.ErrWriter))); err != nil {
		return err
	}
	return &exitError{code: exitUsage}
}

// cli turns an entry of the table into what the command line library takes.
func (c command) cli(s streams) *cli.Command {
	out := &cli.Command{
		Name:         c.name,
		Flags:        c.allFlags(),
		HideHelp:     true,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return badFlag(c, err) },
	}
	for _, part := range c.parts {
		out.Subcommands = append(out.Subcommands, part.cli(s))
	}
	if c.run == nil {
		out.Flags = nil
		out.Action = func(ctx *cli.Context) error { return c.needsPart() }
		return out
	}
	out.Action = func(ctx *cli.Context) error {
		inv, err := newInvocation(ctx, s, c)
		if err != nil {
			return err
		}
		return c.run(inv)
	}
	return out
}

func (c command) needsPart() error {
	names := make([]string, len(c.parts))
	for i, p := range c.parts {
		names[i] = c.name + " " + p.name
	}
	return usage("partwise help "+c.name, "%s is not complete: use %s", c.name, strings.Join(names, ", "))
}

func (c command) allFlags() []cli.Flag {
	return append(slices.Clone(c.flags), globalFlags()...)
}

// checkArguments says in one line what is wrong with the number of arguments.
func (c command) checkArguments(args []string) error {
	hint := fmt.Sprintf("usage: partwise %s %s", c.name, c.arguments)
	switch {
	case len(args) < c.minArgs:
		return usage(hint, "%s needs %s", c.name, c.arguments)
	case len(args) > c.maxArgs:
		return usage(hint, "%s: one argument too many: %q", c.name, args[c.maxArgs])
	}
	return nil
}
