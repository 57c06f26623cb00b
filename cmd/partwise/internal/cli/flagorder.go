package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
)

// versionFlag is the flag and the command that print the version.
const versionFlag = "version"

// helpFlags are the flags that mean a command: partwise solve --help is partwise help solve. The library's own flags for help
// and version write past the errors of standard output, and know no topics.
var helpFlags = map[string]string{"help": "help", "h": "help", versionFlag: versionFlag, "v": versionFlag, "V": versionFlag}

// flagsFirst returns the words of a command line in the order in which urfave/cli reads them: each flag, with its value, behind
// the name of the command that declares it, and the arguments last. Users write flags behind arguments, too, where the library
// reads no flags, and write flags of every command behind the name of a command. A flag that no command declares stays with the
// last command, for which the library refuses it.
func flagsFirst(app *urfave.App, words []string) ([]string, error) {
	o := order{levels: []level{{flags: app.Flags, commands: app.Commands}}}
	literal := false // behind "--"
	for len(words) > 0 {
		var err error
		switch {
		case literal || !isFlag(words[0]):
			words = o.word(words)
		case words[0] == "--":
			literal, words = true, words[1:]
		default:
			words, err = o.flag(words)
		}
		if err != nil {
			return nil, err
		}
	}
	return o.arranged(), nil
}

// order is a command line as far as it has been put in order.
type order struct {
	levels    []level // the program, and the commands on the way to the command that is called
	arguments []string
	meant     string // the command that --help or --version means
}

// level is a command, with the flags that the command line gives it.
type level struct {
	word     string
	flags    []urfave.Flag
	commands []*urfave.Command
	given    []string
}

// word takes the first word, a command or an argument, and returns the words that are left. Behind an unknown command it takes all
// words as arguments.
func (o *order) word(words []string) (left []string) {
	last := o.levels[len(o.levels)-1]
	at := slices.IndexFunc(last.commands, func(c *urfave.Command) bool { return c.HasName(words[0]) })
	switch {
	case at >= 0:
		c := last.commands[at]
		o.levels = append(o.levels, level{word: words[0], flags: c.Flags, commands: c.Subcommands})
	case last.commands != nil:
		o.arguments = words
		return nil
	default:
		o.arguments = append(o.arguments, words[0])
	}
	return words[1:]
}

// flag takes the first word, a flag, with the value of the flag, and returns the words that are left.
func (o *order) flag(words []string) (left []string, err error) {
	name, _, hasValue := strings.Cut(strings.TrimLeft(words[0], "-"), "=")
	owner, declared := declaring(o.levels, name)
	used := 1
	switch {
	case declared == nil && helpFlags[name] != "":
		o.meant = helpFlags[name]
		return words[1:], nil
	case declared == nil || hasValue || !takesValue(declared):
	case len(words) == 1:
		return nil, fault.Usagef("write --"+Name(declared)+" VALUE", "--%s needs a value", Name(declared))
	default:
		used = 2
	}
	owner.given = append(owner.given, words[:used]...)
	return words[used:], nil
}

// arranged returns the words in order. What --help and --version mean does not depend on other flags, nor the page of a command on
// the arguments of the command.
func (o *order) arranged() []string {
	words, called := o.levels[0].given, []string{o.meant, "--"}
	for _, l := range o.levels[1:] {
		words = append(append(words, l.word), l.given...)
		called = append(called, l.word)
	}
	switch {
	case o.meant == "":
		return append(append(words, "--"), o.arguments...)
	case o.meant == versionFlag:
		return []string{o.meant}
	case o.levels[len(o.levels)-1].commands == nil:
		return called
	}
	return append(called, o.arguments...)
}

// isFlag reports whether a word is a flag or "--". A lone "-" is a file, and a negative number an argument.
func isFlag(word string) bool {
	return strings.HasPrefix(word, "-") && word != "-" && !values.IsNumber(word)
}

// declaring returns the innermost level that declares a flag, and the flag; the last level and nil for a flag that no level
// declares.
func declaring(levels []level, name string) (*level, urfave.Flag) {
	for i := len(levels) - 1; i >= 0; i-- {
		for _, f := range levels[i].flags {
			if slices.Contains(f.Names(), name) {
				return &levels[i], f
			}
		}
	}
	return &levels[len(levels)-1], nil
}
