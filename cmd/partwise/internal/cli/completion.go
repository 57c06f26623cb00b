package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/spec/tree"
)

// CompletionCommand prints scripts that complete the command lines of a program.
func CompletionCommand(all *Program) Command {
	shells := map[string]func(io.Writer, completion) error{
		"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion,
	}
	known := []string{"bash", "fish", "zsh"}
	return Command{
		Name:      "completion",
		Group:     Aiding,
		Summary:   "print the script that completes command lines in a shell",
		Arguments: "bash|zsh|fish",
		Details: "Prints a script for the shell. Commands, flags, the words that flags and arguments may be, and then " +
			"files are completed.",
		Examples: []string{
			"source <(partwise completion bash)",
			"partwise completion fish > ~/.config/fish/completions/partwise.fish",
		},
		Choices: known,
		MinArgs: 1, MaxArgs: 1,
		Run: func(inv *Invocation) error {
			script, ok := shells[inv.Args[0]]
			if !ok {
				return Usagef(tree.Suggest(inv.Args[0], known), "no completion for %q", inv.Args[0])
			}
			return inv.Write(func(w io.Writer) error {
				return script(w, all.completion())
			})
		},
	}
}

// completion is what can be completed: the commands; by command its flags and the words that arguments may be; and by
// command and flag the words that the value may be.
type completion struct {
	commands []string
	words    map[string][]string
	values   map[string]map[string][]string
}

func (all *Program) completion() completion {
	out := completion{words: map[string][]string{}, values: map[string]map[string][]string{}}
	for _, c := range append(slices.Clone(all.Commands), Command{Name: "help"}) {
		out.commands = append(out.commands, c.Name)
		words, values := slices.Clone(c.Choices), map[string][]string{}
		for _, part := range append([]Command{c}, c.Parts...) {
			if part.Run == nil && part.Name != c.Name {
				continue
			}
			for _, f := range part.AllFlags() {
				words = append(words, "--"+f.Names()[0])
			}
			maps.Copy(values, part.words)
			if part.Formats != nil {
				values["format"] = part.Formats
			}
		}
		for _, part := range c.Parts {
			words = append(words, part.Name)
		}
		slices.Sort(words)
		out.words[c.Name], out.values[c.Name] = slices.Compact(words), values
	}
	return out
}

// names lists the commands by name.
func (all completion) names() []string { return slices.Sorted(maps.Keys(all.words)) }

// valueCases writes a line for each flag whose value is one of a few words; it takes command, flag and words.
func (all completion) valueCases(format string) string {
	var b strings.Builder
	for _, name := range all.names() {
		for _, flag := range slices.Sorted(maps.Keys(all.values[name])) {
			fmt.Fprintf(&b, format, name, flag, strings.Join(all.values[name][flag], " "))
		}
	}
	return b.String()
}

func bashCompletion(w io.Writer, all completion) error {
	var cases strings.Builder
	for _, name := range all.names() {
		fmt.Fprintf(&cases, "    %s) words=%q ;;\n", name, strings.Join(all.words[name], " "))
	}
	_, err := fmt.Fprintf(w, `_partwise() {
  local words="" current="${COMP_WORDS[COMP_CWORD]}"
  case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in
%s  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %q -- "$current"))
    return
  fi
  case "${COMP_WORDS[1]}" in
%s  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}
complete -o filenames -F _partwise partwise
`, all.valueCases("    %s\" --%s\") words=%q ;;\n"), strings.Join(all.commands, " "), cases.String())
	return err
}

func zshCompletion(w io.Writer, all completion) error {
	var cases strings.Builder
	for _, name := range all.names() {
		fmt.Fprintf(&cases, "    %s) compadd -- %s ;;\n", name, strings.Join(all.words[name], " "))
	}
	_, err := fmt.Fprintf(w, `#compdef partwise
_partwise() {
  case "$words[2] $words[CURRENT-1]" in
%s  esac
  if (( CURRENT == 2 )); then
    compadd -- %s
    return
  fi
  case "$words[2]" in
%s  esac
  _files
}
compdef _partwise partwise
`, all.valueCases("    %s\" --%s\") compadd -- %s; return ;;\n"), strings.Join(all.commands, " "), cases.String())
	return err
}

func fishCompletion(w io.Writer, all completion) error {
	var b strings.Builder
	fmt.Fprintf(&b, "complete -c partwise -n __fish_use_subcommand -f -a %q\n", strings.Join(all.commands, " "))
	for _, name := range all.names() {
		for _, word := range all.words[name] {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				fmt.Fprintf(&b, "complete -c partwise -n '__fish_seen_subcommand_from %s' -l %s", name, flag)
				if values := all.values[name][flag]; values != nil {
					fmt.Fprintf(&b, " -x -a %q", strings.Join(values, " "))
				}
				b.WriteString("\n")
			} else {
				fmt.Fprintf(&b, "complete -c partwise -n '__fish_seen_subcommand_from %s' -a %s\n", name, word)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
