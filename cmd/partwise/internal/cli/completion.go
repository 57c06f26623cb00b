package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
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
				return Usagef(Suggestion(inv.Args[0], known), "no completion for %q", inv.Args[0])
			}
			return inv.Write(func(w io.Writer) error {
				return script(w, completion{all.completions(), all.FlagValues, all.policies()})
			})
		},
	}
}

// completion is what can be completed: flags and choices by command, under "" the commands; the values of flags; and the
// policies by command.
type completion struct {
	words, values, policies map[string][]string
}

// policies returns what --policy may say by command.
func (all *Program) policies() map[string][]string {
	words := map[string][]string{}
	for _, c := range all.Commands {
		if c.RunsPolicies != 0 {
			words[c.Name] = all.Policies.Words(c.RunsPolicies)
		}
	}
	return words
}

// completions returns flags and choices by command; under "" the commands.
func (all *Program) completions() map[string][]string {
	words := map[string][]string{}
	for _, c := range append(slices.Clone(all.Commands), Command{Name: "help"}) {
		words[""] = append(words[""], c.Name)
		parts := append([]Command{c}, c.Parts...)
		for _, part := range parts {
			if part.Run == nil && part.Name != c.Name {
				continue
			}
			for _, f := range part.AllFlags() {
				words[c.Name] = append(words[c.Name], "--"+f.Names()[0])
			}
		}
		words[c.Name] = append(words[c.Name], c.Choices...)
		for _, part := range c.Parts {
			words[c.Name] = append(words[c.Name], part.Name)
		}
		sort.Strings(words[c.Name])
		words[c.Name] = slices.Compact(words[c.Name])
	}
	return words
}

// names lists the commands.
func (all completion) names() []string {
	var names []string
	for name := range all.words {
		if name != "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// valueCases writes a line for each flag whose values are words; it takes command and flag, * for any command.
func (all completion) valueCases(format string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all.policies)) {
		fmt.Fprintf(&b, format, name, "policy", strings.Join(all.policies[name], " "))
	}
	for _, flag := range slices.Sorted(maps.Keys(all.values)) {
		fmt.Fprintf(&b, format, "*", flag, strings.Join(all.values[flag], " "))
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
`, all.valueCases("    %s\" --%s\") words=%q ;;\n"), strings.Join(all.words[""], " "), cases.String())
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
`, all.valueCases("    %s\" --%s\") compadd -- %s; return ;;\n"), strings.Join(all.words[""], " "), cases.String())
	return err
}

func fishCompletion(w io.Writer, all completion) error {
	var b strings.Builder
	fmt.Fprintf(&b, "complete -c partwise -n __fish_use_subcommand -f -a %q\n", strings.Join(all.words[""], " "))
	for _, name := range all.names() {
		for _, word := range all.words[name] {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				fmt.Fprintf(&b, "complete -c partwise -n '__fish_seen_subcommand_from %s' -l %s", name, flag)
				values := all.values[flag]
				if flag == "policy" {
					values = all.policies[name]
				}
				if values != nil {
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
