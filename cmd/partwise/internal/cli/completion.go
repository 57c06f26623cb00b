package cli

import (
	"embed"
	"github.com/partwise/partwise/models/words"
	"slices"
	"strings"
)

//go:embed completion.txt
var completionText string

// completing is the last word of the command lines by which shells ask for what completes the word before it. It is what
// the command line library uses for that.
const completing = "--generate-bash-completion"

// completions are scripts that ask the program for the candidates. Where it has none, shells complete files.
//
//go:embed completion
var completions embed.FS

// CompletionCommand prints scripts that complete the command lines of a program.
func CompletionCommand() Command {
	known := []string{"bash", "fish", "powershell", "zsh"}
	return Described(completionText, Command{
		Choices: known,
		Run: func(inv *Invocation) error {
			script, err := completions.ReadFile("completion/" + inv.Args[0])
			if err != nil {
				return Usagef(words.Suggest(inv.Args[0], known), "no completion for %q", inv.Args[0])
			}
			return inv.Print(string(script))
		},
	})
}

// candidates returns what completes the last of some words: parts of a command, flags, or the words that a value or an
// argument may be. There are none where a file may stand, or any text.
func (l *line) candidates(words []string) (all []string) {
	if len(words) == 0 {
		return nil
	}
	last := len(words) - 1
	current := strings.TrimSpace(words[last])
	if last > 0 { // the value of a flag?
		_ = l.arrange(words[:last-1]) // what is wrong with the line does not matter here
		name, isFlag := strings.CutPrefix(words[last-1], "-")
		at := slices.IndexFunc(l.flags, func(f Flag) bool { return f.is(strings.TrimPrefix(name, "-")) })
		if isFlag && at >= 0 && !l.flags[at].IsSwitch() {
			if name == "-format" && len(l.command.Formats) > 0 {
				return beginning(current, l.command.Formats)
			}
			return beginning(current, l.flags[at].Words)
		}
		_ = l.arrange(words[last-1 : last])
	}
	if strings.HasPrefix(current, "-") {
		for i := range l.flags {
			if f := &l.flags[i]; !f.Hidden {
				all = append(all, "--"+f.Name)
			}
		}
		return beginning(current, all)
	}
	return beginning(current, append(namesOf(l.command.Parts), l.command.Choices...))
}

// beginning returns the words that begin as a word does, sorted.
func beginning(start string, words []string) []string {
	some := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, start) })
	slices.Sort(some)
	return some
}
