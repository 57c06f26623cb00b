package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
)

func completionCommand() command {
	shells := map[string]func(io.Writer, map[string][]string) error{
		"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion,
	}
	known := []string{"bash", "fish", "zsh"}
	return command{
		name:      "completion",
		group:     aiding,
		summary:   "print the script that completes command lines in a shell",
		arguments: "bash|zsh|fish",
		details: "Prints a script for the shell. Commands, flags, the words that flags and arguments may be, and then files " +
			"are completed.",
		examples: []string{
			"source <(partwise completion bash)",
			"partwise completion fish > ~/.config/fish/completions/partwise.fish",
		},
		choices: known,
		minArgs: 1, maxArgs: 1,
		run: func(inv *invocation) error {
			script, ok := shells[inv.args[0]]
			if !ok {
				return usage(suggestion(inv.args[0], known), "no completion for %q", inv.args[0])
			}
			return inv.write(func(w io.Writer) error { return script(w, completions()) })
		},
	}
}

// flagValues are the words that the values of flags may be, by flag.
func flagValues() map[string][]string {
	return map[string][]string{
		"format":    {"table", "json", "csv", "markdown"},
		"method":    multiserver.Methods(),
		"policy":    {models.Dynamic, models.Static, spec.BestStatic},
		"fidelity":  {string(validate.ModelFidelity), string(validate.MachineFidelity)},
		"time-unit": {"us", "ms", "s", "min", "h", "d"},
		"swf":       {string(workload.Interarrival), string(workload.RunTime), string(workload.Work)},
	}
}

// completions returns flags and choices by command; under "" the commands.
func completions() map[string][]string {
	words := map[string][]string{}
	for _, c := range append(commands(), command{name: "help"}) {
		words[""] = append(words[""], c.name)
		parts := append([]command{c}, c.parts...)
		for _, part := range parts {
			if part.run == nil && part.name != c.name {
				continue
			}
			for _, f := range part.allFlags() {
				words[c.name] = append(words[c.name], "--"+f.Names()[0])
			}
		}
		words[c.name] = append(words[c.name], c.choices...)
		for _, part := range c.parts {
			words[c.name] = append(words[c.name], part.name)
		}
		sort.Strings(words[c.name])
		words[c.name] = slices.Compact(words[c.name])
	}
	return words
}

func names(words map[string][]string) []string {
	var all []string
	for name := range words {
		if name != "" {
			all = append(all, name)
		}
	}
	sort.Strings(all)
	return all
}

// valueCases writes a line for each flag whose values are words.
func valueCases(format string) string {
	var b strings.Builder
	values := flagValues()
	for _, flag := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, format, flag, strings.Join(values[flag], " "))
	}
	return b.String()
}

func bashCompletion(w io.Writer, words map[string][]string) error {
	var cases strings.Builder
	for _, name := range names(words) {
		fmt.Fprintf(&cases, "    %s) words=%q ;;\n", name, strings.Join(words[name], " "))
	}
	_, err := fmt.Fprintf(w, `_partwise() {
  local words="" current="${COMP_WORDS[COMP_CWORD]}"
  case "${COMP_WORDS[COMP_CWORD-1]}" in
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
`, valueCases("    --%s) words=%q ;;\n"), strings.Join(words[""], " "), cases.String())
	return err
}

func zshCompletion(w io.Writer, words map[string][]string) error {
	var cases strings.Builder
	for _, name := range names(words) {
		fmt.Fprintf(&cases, "    %s) compadd -- %s ;;\n", name, strings.Join(words[name], " "))
	}
	_, err := fmt.Fprintf(w, `#compdef partwise
_partwise() {
  case "$words[CURRENT-1]" in
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
`, valueCases("    --%s) compadd -- %s; return ;;\n"), strings.Join(words[""], " "), cases.String())
	return err
}

func fishCompletion(w io.Writer, words map[string][]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "complete -c partwise -n __fish_use_subcommand -f -a %q\n", strings.Join(words[""], " "))
	for _, name := range names(words) {
		for _, word := range words[name] {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				fmt.Fprintf(&b, "complete -c partwise -n '__fish_seen_subcommand_from %s' -l %s", name, flag)
				if values := flagValues()[flag]; values != nil {
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
