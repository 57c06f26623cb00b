package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/policy"
)

// Command is one entry of the table of commands.
type Command struct {
	Name, Summary string
	Was           []string // old names: accepted, but neither listed nor proposed
	Arguments     string   // as in the usage line
	Details       string
	Examples      []string
	Choices       []string // words that arguments may be
	MinArgs       int
	MaxArgs       int
	Parts         []Command     // of a command that is only a family of others
	Moved         bool          // the parts were commands of the program: that is accepted, but neither listed nor proposed
	Formats       []string      // what --format may say and, first, what is written to anything but a terminal; nil: text
	OwnOutput     bool          // --output is not for what is printed but for something the command makes
	RunsPolicies  policy.Runner // what it runs policies on, if it runs any
	Run           func(*Invocation) error

	path string                                   // the words that call it
	bind func() ([]Flag, func(*Invocation) error) // see WithOptions
}

// Flags returns new flags of the command, beside those of every command.
func (c Command) Flags() []Flag {
	flags, _ := c.bound()
	return flags
}

// bound returns new flags, and what runs the command on their values.
func (c Command) bound() ([]Flag, func(*Invocation) error) {
	if c.bind == nil {
		return nil, c.Run
	}
	return c.bind()
}

// Program is a table of commands, with what its help says before it lists them.
type Program struct {
	Summary  string
	Details  []string  // paragraphs
	Start    []Entry   // first steps
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

// Execute parses the command line and runs the command.
func (p *Program) Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	root := p.tree(Streams{stdin, stdout, stderr})
	root.SetArgs(append([]string{}, args...)) // of nil the library takes the arguments of the process
	return root.ExecuteContext(ctx)
}

// tree returns the commands as the command line library takes them.
func (p *Program) tree(s Streams) *cobra.Command {
	line := &line{Program: p, Streams: s}
	line.flags = line.globals.Flags()
	root := line.entry(Command{Name: "partwise", Parts: p.Commands()}, nil)
	root.SetOut(s.Stdout)
	root.SetErr(io.Discard) // of debugging the completion
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(badFlag)
	for _, f := range append(line.flags, versionFlags()...) {
		root.PersistentFlags().AddFlag(f.Flag)
	}
	completeFlags(root, line.flags)
	for _, family := range p.moved() {
		for _, c := range family.Parts {
			former := line.entry(c, []string{family.Name, c.Name})
			former.Hidden = true
			root.AddCommand(former)
		}
	}
	return root
}

// moved returns the families whose parts were commands of the program.
func (p *Program) moved() []Command {
	return slices.DeleteFunc(p.Commands(), func(c Command) bool { return !c.Moved })
}

// line is one command line of a program.
type line struct {
	*Program
	Streams
	globals globals
	flags   []Flag // of the globals
}

// entry turns an entry of the table into what the library takes; path are the words that call it, none for the program.
func (l *line) entry(c Command, path []string) *cobra.Command {
	c.path = strings.Join(path, " ")
	flags, run := c.bound()
	out := &cobra.Command{Use: c.Name, Aliases: c.Was, Args: cobra.ArbitraryArgs, ValidArgsFunction: completeArguments(c)}
	out.RunE = func(cc *cobra.Command, args []string) error {
		if cc.Flags().Changed("version") || cc.Flags().Changed("Version") {
			run, args, c = printVersion, nil, Command{Name: "version"}
		} else if c.Parts != nil {
			return l.noCommand(c, cc, args)
		}
		inv, err := l.invocation(cc, args, c)
		if err != nil {
			return err
		}
		end := inv.showTime()
		defer end()
		return run(inv)
	}
	out.SetHelpFunc(func(*cobra.Command, []string) {
		page, _ := l.Page(path, false) // the path of a command
		_, _ = io.WriteString(l.Stdout, page.Text(widthOf(l.Stdout)))
	})
	was := map[string]string{}
	for _, f := range flags {
		out.Flags().AddFlag(f.Flag)
		for _, name := range f.was {
			was[name] = f.Name
		}
	}
	out.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := was[name]; ok {
			name = now
		}
		return pflag.NormalizedName(name)
	})
	completeFlags(out, flags)
	for _, part := range c.Parts {
		if entry := l.entry(part, append(slices.Clone(path), part.Name)); part.Name == "help" {
			out.SetHelpCommand(entry)
		} else {
			out.AddCommand(entry)
		}
	}
	return out
}

// noCommand ends a command line that names no command, or none that there is.
func (l *line) noCommand(c Command, cc *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return unknownCommand(cc, args[0])
	case c.path == "":
		page, _ := l.Page(nil, false)
		if _, err := io.WriteString(l.Stderr, page.Text(widthOf(l.Stderr))); err != nil {
			return err
		}
		return &Error{Code: ExitUsage}
	}
	var parts []string
	for _, part := range c.Parts {
		parts = append(parts, c.path+" "+part.Name)
	}
	return Usagef("partwise help "+c.path, "%s is not complete: use %s", c.path, strings.Join(parts, ", "))
}

// unknownCommand says which of the commands, or of the parts of its families, was meant.
func unknownCommand(cc *cobra.Command, word string) error {
	paths := map[string]string{}
	for _, c := range cc.Commands() {
		for _, part := range c.Commands() {
			paths[part.Name()] = c.Name() + " " + part.Name()
		}
	}
	for _, c := range cc.Commands() {
		if !c.Hidden {
			paths[c.Name()] = c.Name()
		}
	}
	hint := "partwise help lists the commands"
	if near, ok := tree.Nearest(word, slices.Sorted(maps.Keys(paths))); ok {
		hint = "did you mean " + strconv.Quote(paths[near]) + "?"
	}
	return Usagef(hint, "unknown command %q", strings.TrimPrefix(cc.CommandPath()+" ", "partwise ")+word)
}

// badFlag says in one line what is wrong with a flag.
func badFlag(cc *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	words := cc.Flags().Args()
	switch {
	case cc.HasSubCommands() && len(words) > 0:
		return unknownCommand(cc, words[0])
	case errors.As(err, &unknown):
		name, dashes := unknown.GetSpecifiedName(), "--"
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name, dashes = letters, "-"
		}
		var names []string
		cc.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		hint := cc.CommandPath() + " --help lists the flags"
		if near, ok := tree.Nearest(name, names); ok {
			hint = "did you mean \"--" + near + "\"?"
		}
		return Usagef(hint, "unknown flag %q", dashes+name)
	case errors.As(err, &noValue):
		name := noValue.GetFlag().Name
		return Usagef("write --"+name+" VALUE", "--%s needs a value", name)
	case errors.As(err, &invalid):
		return Usagef(cc.CommandPath()+" --help", "--%s: %q is not true or false", invalid.GetFlag().Name, invalid.GetValue())
	}
	return Usagef(cc.CommandPath()+" --help lists the flags", "%w", err)
}

// checkArguments says in one line what is wrong with the number of arguments.
func (c Command) checkArguments(args []string) error {
	hint := fmt.Sprintf("usage: partwise %s %s", c.path, c.Arguments)
	switch {
	case len(args) < c.MinArgs:
		return Usagef(hint, "%s needs %s", c.Name, c.Arguments)
	case len(args) > c.MaxArgs:
		return Usagef(hint, "%s: one argument too many: %q", c.Name, args[c.MaxArgs])
	}
	return nil
}
