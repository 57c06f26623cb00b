package cli

import (
	"context"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/release"
	"github.com/partwise/partwise/models/policy"
)

// Program is the table of commands, with the pages of help that several commands share and the policies that they know.
type Program struct {
	Summary  string
	Groups   []Group
	Unlisted []Command // that only help --all lists
	Topics   []Topic
	Policies policy.Table
	Subjects map[string]string // words that people try as commands or topics of help, with where the answer is
	// Alone says that the process runs one command line and does nothing else. Then --memory limits the memory of the process.
	Alone bool
}

// Group is a category of the list of commands.
type Group struct {
	Title    string
	Commands []Command
}

// programName is the word that calls the program.
const programName = "partwise"

// unlisted is the category of the commands that only help --all lists.
const unlisted = "For packagers and scripts"

// Commands returns all commands of the program, in the order of help --all.
func (p *Program) Commands() []Command {
	var all []Command
	for _, g := range p.Groups {
		all = append(all, g.Commands...)
	}
	return append(all, p.Unlisted...)
}

// Every calls a function for each command that does something, with the words that call it.
func (p *Program) Every(see func(path string, c Command)) {
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

// Run runs one command line, prints what went wrong to stderr, and returns the exit code. A panic of the program is printed as
// an internal error.
func (p *Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = fault.Panic(stderr, v, debug.Stack())
		}
	}()
	return fault.Conclude(stderr, p.Execute(ctx, args, stdin, stdout, stderr))
}

// Execute runs one command line and returns what went wrong.
func (p *Program) Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	c := &call{Program: p, stdin: stdin, stdout: stdout, stderr: stderr, words: args}
	app := c.app()
	words := args
	if !isCompletion(args) {
		var err error
		if words, err = flagsFirst(app, args); err != nil {
			return err
		}
	}
	return app.RunContext(ctx, append([]string{app.Name}, words...))
}

// call is one call of the program. Its App belongs to it alone, because flags are bound to options of this call.
type call struct {
	*Program
	globals
	stdin          io.Reader
	stdout, stderr io.Writer
	words          []string                    // the command line
	table          map[*urfave.Command]Command // the commands of the App
	inv            *Invocation                 // of the command, once the command line has been read
	end            func()                      // ends the report of progress
}

// app returns the program as an App of urfave/cli.
func (c *call) app() *urfave.App {
	c.table = map[*urfave.Command]Command{}
	app := &urfave.App{
		Name: programName, Usage: c.Summary, Version: release.Version(),
		Reader: c.stdin, Writer: c.stdout, ErrWriter: c.stderr,
		Flags:                     c.globals.Flags(),
		Metadata:                  map[string]any{metadata: c},
		DisableSliceFlagSeparator: true,
		HideHelp:                  true, // see helpFlags
		HideVersion:               true,
		EnableBashCompletion:      true,
		BashComplete:              c.complete,
		Action:                    c.noCommand,
		OnUsageError:              usageError,
		ExitErrHandler:            func(*urfave.Context, error) {}, // fault.Conclude decides on the exit code
	}
	for _, g := range append(slices.Clone(c.Groups), Group{unlisted, c.Unlisted}) {
		for _, of := range g.Commands {
			command := c.command(of, of.Name)
			command.Category, command.Hidden = g.Title, g.Title == unlisted
			app.Commands = append(app.Commands, command)
		}
	}
	for _, family := range c.Commands() {
		for _, part := range family.Parts {
			if family.Moved {
				old := c.command(part, family.Name+" "+part.Name)
				old.Hidden = true
				app.Commands = append(app.Commands, old)
			}
		}
	}
	return app
}

// command returns a command of urfave/cli, for a call of it. path is the words that call the command. Setup of the App puts the
// name of the program before the words.
func (c *call) command(of Command, path string) *urfave.Command {
	var flags []Flag
	var run func(*Invocation) error
	if c.names(of) {
		flags, run = of.bound()
	}
	command := &urfave.Command{
		Name: of.Name, Aliases: of.Was, HelpName: path, Usage: of.Summary, ArgsUsage: of.Arguments, Description: of.Details,
		Flags:        flags,
		HideHelp:     true,
		BashComplete: c.complete,
		OnUsageError: usageError,
	}
	c.table[command] = of
	if of.Parts != nil {
		command.Action = c.noCommand
		for _, part := range of.Parts {
			sub := c.command(part, path+" "+part.Name)
			sub.HelpName = programName + " " + sub.HelpName
			command.Subcommands = append(command.Subcommands, sub)
		}
		return command
	}
	command.Before = func(said *urfave.Context) (err error) {
		if c.inv, err = c.invocation(said, of); err == nil {
			c.end = c.inv.report(c)
		}
		return err
	}
	command.Action = func(*urfave.Context) error { return run(c.inv) }
	command.After = func(*urfave.Context) error {
		if c.end != nil {
			c.end()
		}
		return nil
	}
	return command
}

// names reports whether a word of the command line names a command. The flags of other commands are not bound: making them all
// takes milliseconds.
func (c *call) names(of Command) bool {
	return slices.ContainsFunc(c.words, func(word string) bool {
		return word == of.Name || slices.Contains(of.Was, word) || helpFlags[strings.TrimLeft(word, "-")] == of.Name
	})
}

// metadata is the key under which the App keeps its call.
const metadata = "call"

// invocationOf returns the invocation of a context, for the actions of flags.
func invocationOf(said *urfave.Context) *Invocation { return said.App.Metadata[metadata].(*call).inv }

// path returns the words that call the command of a context, without the name of the program.
func path(said *urfave.Context) string {
	return strings.TrimPrefix(strings.TrimPrefix(said.Command.HelpName, said.App.Name), " ")
}
