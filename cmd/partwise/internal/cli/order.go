package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
)

// helpFlags are the flags that mean a command: partwise solve --help is partwise help solve. The library's own flags for help
// and version write past the errors of standard output, and know no topics.
var helpFlags = map[string]string{"help": "help", "h": "help", "version": "version", "v": "version", "V": "version"}

// level is a command on the way to the command that a command line calls, with the flags that the command line gives it.
type level struct {
	word     string
	flags    []urfave.Flag
	commands []*urfave.Command
	given    []string
}

// flagsFirst returns the words of a command line in the order in which urfave/cli reads them: each flag, with its value, behind
// the name of the command that declares it, and the arguments last. Users write flags behind arguments, too, where the library
// reads no flags, and write flags of every command behind the name of a command. A flag that no command declares stays with the
// last command, for which the library refuses it.
func flagsFirst(app *urfave.App, words []string) ([]string, error) {
	levels := []level{{flags: app.Flags, commands: app.Commands}}
	var arguments []string
	var meant string // the command that --help or --version means
	literal := false // behind "--"
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		last := &levels[len(levels)-1]
		switch {
		case literal || !isFlag(word):
			at := slices.IndexFunc(last.commands, func(c *urfave.Command) bool { return c.HasName(word) })
			switch {
			case at >= 0:
				c := last.commands[at]
				levels = append(levels, level{word: word, flags: c.Flags, commands: c.Subcommands})
			case last.commands != nil: // an unknown command: what follows belongs to it
				arguments, words = append([]string{word}, words...), nil
			default:
				arguments = append(arguments, word)
			}
		case word == "--":
			literal = true
		default:
			name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
			owner, declared := declaring(levels, name)
			if declared == nil && helpFlags[name] != "" {
				meant = helpFlags[name]
				continue
			}
			owner.given = append(owner.given, word)
			if declared == nil || hasValue || !takesValue(declared) {
				continue
			}
			if len(words) == 0 {
				return nil, fault.Usagef("write --"+Name(declared)+" VALUE", "--%s needs a value", Name(declared))
			}
			owner.given = append(owner.given, words[0])
			words = words[1:]
		}
	}
	if meant != "" {
		return meantBy(meant, levels, arguments), nil
	}
	return arranged(levels, arguments), nil
}

// arranged returns the words of the levels with the flags of each, and the arguments.
func arranged(levels []level, arguments []string) []string {
	var words []string
	for _, l := range levels {
		if l.word != "" {
			words = append(words, l.word)
		}
		words = append(words, l.given...)
	}
	return append(append(words, "--"), arguments...)
}

// meantBy returns the call of the command that --help or --version means. The page of a command does not depend on the arguments of
// the command.
func meantBy(command string, levels []level, arguments []string) []string {
	words := []string{command, "--"}
	if command == "version" {
		return words
	}
	for _, l := range levels[1:] {
		words = append(words, l.word)
	}
	if levels[len(levels)-1].commands == nil {
		return words
	}
	return append(words, arguments...)
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
