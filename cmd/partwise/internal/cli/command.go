package cli

import (
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/pages"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Command is one entry of the table of commands. [Program.App] makes a command of urfave/cli of it.
type Command struct {
	Name, Summary string
	Was           []string // old names: accepted, but neither listed nor proposed
	Arguments     string   // as in the usage line; arguments in brackets may be left out
	Details       string   // paragraphs
	Examples      []string
	Choices       []string      // words that arguments may be
	MaxArgs       int           // the largest number of arguments; 0: one if Arguments says so
	Parts         []Command     // of a command that is only a family of others
	Moved         bool          // the parts were commands of the program: their old place is accepted, but neither listed nor proposed
	Formats       []string      // what --format may say and, first, what is written to anything but a terminal; none: text
	First         []string      // names of the flags that help lists first: those that are needed most
	RunsPolicies  policy.Runner // what the command runs policies on, if it runs any
	Run           func(*Invocation) error

	bind func() ([]Flag, func(*Invocation) error) // see WithOptions
}

// Described returns a command with the text of its help, see [pages.ParseText].
func Described(text string, c Command) Command {
	t := pages.ParseText(text)
	c.Name, c.Arguments, c.Summary, c.Details, c.Examples = t.Name, t.Arguments, t.Summary, t.Details, t.Examples
	return c
}

// Options are what the flags of a command say. Flags returns flags that are bound to fields of the options. A field holds the
// value that is true without its flag.
type Options interface{ Flags() []Flag }

// Checker are options some of whose flags exclude each other. Check checks what flags say together, once all are read.
type Checker interface{ Check(inv *Invocation) error }

// WithOptions returns the command with the flags of its options. Each call of the command has options of its own, made by
// fresh; run gets them when the command line has been read into them. A command whose Formats are nil writes all formats that
// results have.
func WithOptions[O Options](fresh func() O, run func(*Invocation, O) error, c Command) Command {
	if c.Formats == nil {
		c.Formats = []string{"json", "csv", "markdown", "table"}
	}
	c.bind = func() ([]Flag, func(*Invocation) error) {
		o := fresh()
		return o.Flags(), func(inv *Invocation) error {
			if checked, ok := any(o).(Checker); ok {
				if err := checked.Check(inv); err != nil {
					return err
				}
			}
			return run(inv, o)
		}
	}
	return c
}

// bound returns flags that are bound to new options, and what runs the command with these options.
func (c Command) bound() ([]Flag, func(*Invocation) error) {
	if c.bind == nil {
		return nil, c.Run
	}
	return c.bind()
}

// Flags returns new flags of the command, without the flags of every command.
func (c Command) Flags() []Flag {
	flags, _ := c.bound()
	return flags
}

// switches returns the flags of a call that take no value.
func switches(said *urfave.Context) []string {
	var given []string
	for _, f := range said.Command.Flags {
		if !takesValue(f) && said.IsSet(Name(f)) {
			given = append(given, "--"+Name(f))
		}
	}
	return given
}

// checkArguments returns an error for too few or too many arguments of a call, and for an empty argument. A shell makes an
// empty argument of a variable that is not set.
func (c Command) checkArguments(said *urfave.Context) error {
	path, args := said.Command.HelpName, said.Args()
	hint := fmt.Sprintf("usage: %s %s", path, c.Arguments)
	most := c.MaxArgs
	if most == 0 && c.Arguments != "" {
		most = 1
	}
	if given := switches(said); len(given) > 0 && args.Len() > 0 { // the argument may be meant as a value
		hint += "; no value belongs to " + words.Or(given)
	}
	switch {
	case args.Len() == 0 && c.Arguments != "" && c.Arguments[0] != '[':
		return fault.Usagef(hint, "%s needs %s", c.Name, c.Arguments)
	case args.Len() > most:
		return fault.Usagef(hint, "%s: one argument too many: %q", c.Name, args.Get(most))
	case slices.Contains(args.Slice(), ""):
		return fault.Usagef(hint, "%s: an argument is empty", c.Name)
	}
	return nil
}
