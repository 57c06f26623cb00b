package cli

import (
	"context"
	"github.com/partwise/partwise/models/words"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// line is one command line of a program: the command, its flags and its arguments. The library reads the flags of the
// command; it stops at the first argument, but users write flags behind arguments, too.
type line struct {
	*Program
	Streams
	globals
	shared  []Flag   // the flags of every command
	path    []string // the words that call the command
	command Command  // the program itself, where no word names a command
	flags   []Flag   // of the command, with the shared ones
	run     func(*Invocation) error
	given   []string // flags with their values: --name=value
	words   []string // arguments
	help    bool     // --help was given
	version bool
}

// newLine returns the empty line.
func (p *Program) newLine(s Streams) *line {
	l := &line{Program: p, Streams: s, command: Command{Name: "partwise", Parts: p.Commands()}}
	l.shared = l.globals.Flags()
	l.flags = l.shared
	return l
}

// Execute parses the command line and runs the command.
func (p *Program) Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	l := p.newLine(Streams{stdin, stdout, stderr})
	if n := len(args); n > 0 && args[n-1] == completing {
		_, err := io.WriteString(stdout, strings.Join(l.candidates(args[:n-1]), "\n")+"\n")
		return err
	}
	if err := l.arrange(args); err != nil {
		return err
	}
	switch {
	case l.help:
		return p.show(stdout, l.path)
	case l.version:
		l.path, l.command, l.run, l.given, l.words = []string{"version"}, VersionCommand(), printVersion, nil, nil
	case l.command.Parts != nil:
		return l.noCommand()
	}
	app := &urfave.App{Name: "partwise", HideHelp: true, HideVersion: true, DisableSliceFlagSeparator: true, Action: l.act,
		Reader: stdin, Writer: stdout, ErrWriter: stderr,
		ExitErrHandler: func(*urfave.Context, error) {}, // Run decides on the exit code
	}
	for _, f := range l.flags {
		app.Flags = append(app.Flags, &urfave.StringSliceFlag{Name: f.Name, KeepSpace: true})
	}
	return app.RunContext(ctx, slices.Concat([]string{"partwise"}, l.given, []string{"--"}, l.words))
}

// act runs the command, whose flags the library has read.
func (l *line) act(c *urfave.Context) error {
	inv, err := l.invocation(c)
	if err != nil {
		return err
	}
	end := inv.report()
	defer end()
	return l.run(inv)
}

// arrange takes the words of the command line apart. It returns an error for a command or flag that nobody knows.
func (l *line) arrange(args []string) error {
	literal := false // behind "--"
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case literal || arg == "-" || !strings.HasPrefix(arg, "-") || IsNumber(arg):
			if err := l.word(arg); err != nil {
				return err
			}
		case arg == "--":
			literal = true
		default:
			used, err := l.flag(args[i:])
			if err != nil {
				return err
			}
			i += used - 1
		}
	}
	return nil
}

// word takes the name of a command, of a part of it, or an argument.
func (l *line) word(word string) error {
	if l.command.Parts == nil {
		l.words = append(l.words, word)
		return nil
	}
	if at := named(l.command.Parts, word); at >= 0 {
		l.enter(l.command.Parts[at])
		return nil
	}
	if len(l.path) == 0 {
		for _, family := range l.Commands() {
			if at := named(family.Parts, word); family.Moved && at >= 0 {
				l.enter(family)
				l.enter(family.Parts[at])
				return nil
			}
		}
	}
	return l.unknownCommand(word)
}

// enter makes a part of the command the command.
func (l *line) enter(c Command) {
	l.path = append(l.path, c.Name)
	c.path = strings.Join(l.path, " ")
	l.command = c
	own, run := c.bound()
	l.flags, l.run = append(own, l.shared...), run
}

// show writes the page of the command with a path, of the program for an empty path.
func (p *Program) show(w io.Writer, path []string) error {
	page, err := p.Page(path, false)
	if err == nil {
		_, err = io.WriteString(w, page.Text(widthOf(w)))
	}
	return err
}

// flag takes a flag with its value and returns how many words these were.
func (l *line) flag(args []string) (int, error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	if name == "help" || name == "h" {
		l.help = true
		return 1, nil
	}
	at := slices.IndexFunc(l.flags, func(f Flag) bool { return f.is(name) })
	if at < 0 {
		if l.version = slices.Contains([]string{"version", "v", "V"}, name); l.version {
			return 1, nil
		}
		return 0, l.unknownFlag(args[0], name)
	}
	f, used := &l.flags[at], 1
	switch {
	case f.IsSwitch() && hasValue:
		if _, err := strconv.ParseBool(value); err != nil {
			return 0, Usagef(l.called()+" --help", "--%s: %q is not true or false", f.Name, value)
		}
	case f.IsSwitch():
		value = "true"
	case hasValue:
	case len(args) < 2:
		return 0, Usagef("write --"+f.Name+" VALUE", "--%s needs a value", f.Name)
	default:
		value, used = args[1], 2
	}
	l.given = append(l.given, "--"+f.Name+"="+value)
	return used, nil
}

// called returns the words that call the command.
func (l *line) called() string { return strings.Join(append([]string{"partwise"}, l.path...), " ") }

// noCommand is the error of a line that names no command, or only a family.
func (l *line) noCommand() error {
	if len(l.path) == 0 {
		if err := l.show(l.Stderr, nil); err != nil {
			return err
		}
		return &Error{Code: ExitUsage}
	}
	parts := words.Texts(l.command.Parts, func(part Command) string { return l.command.path + " " + part.Name })
	return Usagef("partwise help "+l.command.path, "%s is not complete: use %s", l.command.path, strings.Join(parts, ", "))
}

// unknownCommand says which of the commands, or of the parts of their families, was meant.
func (l *line) unknownCommand(word string) error {
	paths := map[string]string{}
	for _, c := range l.command.Parts {
		for _, part := range c.Parts {
			paths[part.Name] = c.Name + " " + part.Name
		}
	}
	for _, c := range l.command.Parts {
		paths[c.Name] = c.Name
	}
	hint := "partwise help lists the commands"
	if near, ok := words.Nearest(word, slices.Sorted(maps.Keys(paths))); ok {
		hint = "did you mean " + strconv.Quote(paths[near]) + "?"
	}
	return Usagef(hint, "unknown command %q", strings.TrimPrefix(l.called()+" ", "partwise ")+word)
}

// unknownFlag says which flag was meant.
func (l *line) unknownFlag(word, name string) error {
	var names []string
	for i := range l.flags {
		if !l.flags[i].Hidden {
			names = append(names, l.flags[i].Name)
		}
	}
	hint := l.called() + " --help lists the flags"
	if path := InModels(name); path != "" && slices.Contains(names, "set") {
		hint = "did you mean --set " + path + "=VALUE?"
	} else if near, ok := words.Nearest(name, names); ok {
		hint = "did you mean \"--" + near + "\"?"
	} else if len(l.path) == 0 {
		hint = "write flags of a command behind its name"
	}
	return Usagef(hint, "unknown flag %q", word[:strings.Index(word, name)]+name)
}
