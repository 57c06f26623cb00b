package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/partwise/partwise/models/modelfile/tree"
)

// bashWithoutPackage stands in for what the script of the library takes from the package bash-completion.
const bashWithoutPackage = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
  _get_comp_words_by_ref() {
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  }
fi
`

// CompletionCommand prints scripts that complete the command lines of a program.
func CompletionCommand(all *Program) Command {
	shells := map[string]func(*cobra.Command, io.Writer) error{
		"bash": func(root *cobra.Command, w io.Writer) error {
			if _, err := io.WriteString(w, bashWithoutPackage); err != nil {
				return err
			}
			return root.GenBashCompletionV2(w, false)
		},
		"zsh":        (*cobra.Command).GenZshCompletionNoDesc,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, false) },
		"powershell": (*cobra.Command).GenPowerShellCompletion,
	}
	known := []string{"bash", "fish", "powershell", "zsh"}
	return Command{
		Name:      "completion",
		Summary:   "print the script that completes command lines in a shell",
		Arguments: "bash|zsh|fish|powershell",
		Details:   "Prints a script for the shell that completes commands, flags, known values of flags and arguments, and files.",
		Examples: []string{
			"source <(partwise completion bash)",
			"partwise completion fish > ~/.config/fish/completions/partwise.fish",
			"partwise completion powershell > partwise.ps1",
		},
		Choices: known,
		MinArgs: 1, MaxArgs: 1,
		Run: func(inv *Invocation) error {
			script, ok := shells[inv.Args[0]]
			if !ok {
				return Usagef(tree.Suggest(inv.Args[0], known), "no completion for %q", inv.Args[0])
			}
			return inv.Write(func(w io.Writer) error { return script(all.tree(inv.Streams), w) })
		},
	}
}

// completeArguments offers the words that an argument may be, files where there are none, and nothing to a family.
func completeArguments(c Command) cobra.CompletionFunc {
	switch {
	case c.Parts != nil:
		return cobra.NoFileCompletions
	case c.Choices == nil:
		return nil
	}
	return cobra.FixedCompletions(c.Choices, cobra.ShellCompDirectiveDefault)
}

// completeFlags offers the words that the value of a flag may be, files where it names one, and otherwise nothing.
func completeFlags(cc *cobra.Command, flags []Flag) {
	for _, f := range flags {
		complete := cobra.FixedCompletions(f.words, cobra.ShellCompDirectiveNoFileComp)
		if f.IsFile {
			complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
		}
		// The only error is a flag that is not there, or completed already.
		_ = cc.RegisterFlagCompletionFunc(f.Name, complete)
	}
}
