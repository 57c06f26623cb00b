package aboutcmd

import (
	"embed"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
)

//go:embed completion.txt
var completionText string

// completions are scripts that ask the program for what completes a command line, as urfave/cli answers it: with
// --generate-bash-completion behind the words. Where the program has no answer, shells complete files.
//
//go:embed completion
var completions embed.FS

// Completion prints scripts that complete the command lines of a program.
func Completion() cli.Command {
	known := []string{"bash", "fish", "powershell", "zsh"}
	return cli.Described(completionText, cli.Command{
		Choices: known,
		Run: func(inv *cli.Invocation) error {
			script, err := completions.ReadFile("completion/" + inv.Args[0])
			if err != nil {
				return fault.Usagef(words.Suggest(inv.Args[0], known), "no completion for %q", inv.Args[0])
			}
			return inv.Print(string(script))
		},
	})
}
