package cli

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/words"
)

// isCompletion reports whether a shell asks for what completes a command line.
func isCompletion(args []string) bool {
	return len(args) > 0 && args[len(args)-1] == "--"+Name(urfave.BashCompletionFlag)
}

// complete prints the candidates for the last word of the command line, a line each.
func (c *call) complete(said *urfave.Context) {
	typed := c.words[:len(c.words)-1] // without the word that asks for the completion
	if len(typed) == 0 {
		return
	}
	last := strings.TrimSpace(typed[len(typed)-1])
	fmt.Fprintln(c.stdout, strings.Join(beginning(last, candidates(said, c.table[said.Command], typed)), "\n"))
}

// candidates returns the words that may stand in the last place of a command line: values of the flag before it, flags, parts of
// the command, or the words that an argument may be. There are none where a file, or any text, may stand.
func candidates(said *urfave.Context, of Command, typed []string) []string {
	flags := said.Command.Flags
	if said.Command.Name != said.App.Name {
		flags = append(slices.Clone(flags), said.App.Flags...)
	}
	last := typed[len(typed)-1]
	if len(typed) > 1 {
		before := typed[len(typed)-2]
		flag := strings.TrimLeft(before, "-")
		at := slices.IndexFunc(flags, func(f Flag) bool { return slices.Contains(f.Names(), flag) })
		switch {
		case !isFlag(before) || at < 0 || !takesValue(flags[at]):
		case flag == formatFlag && len(of.Formats) > 0:
			return of.Formats
		default:
			return valueOf(flags[at]).Words
		}
	}
	if !strings.HasPrefix(last, "-") {
		return append(words.Texts(said.Command.VisibleCommands(), commandName), of.Choices...)
	}
	var names []string
	for _, f := range flags {
		if IsVisible(f) {
			names = append(names, "--"+Name(f))
		}
	}
	return names
}

func commandName(c *urfave.Command) string { return c.Name }

// beginning returns the words that begin as a word does, sorted.
func beginning(start string, words []string) []string {
	some := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, start) })
	slices.Sort(some)
	return some
}
