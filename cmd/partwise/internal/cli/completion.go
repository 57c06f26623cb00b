package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/modelfile/tree"
)

// CompletionCommand prints scripts that complete the command lines of a program.
func CompletionCommand(all *Program) Command {
	shells := map[string]func(io.Writer, completion) error{
		"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion, "powershell": powershellCompletion,
	}
	known := []string{"bash", "fish", "powershell", "zsh"}
	return Command{
		Name:      "completion",
		Group:     Aiding,
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
			return inv.Write(func(w io.Writer) error {
				return script(w, all.completion())
			})
		},
	}
}

// completion is what can be completed: the commands; by command its flags and the words that arguments may be; and by
// command and flag the words that the value may be, none of a flag that takes a file.
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
				for _, name := range namesOf(f) {
					words = append(words, dashed(name))
					if of := part.valuesOf(f); of != nil {
						values[dashed(name)] = of
					}
				}
			}
			if part.Formats != nil {
				values["--format"] = part.Formats
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

// valuesOf returns the words that the value of a flag may be, none but not nil if it is a file.
func (c Command) valuesOf(f urfave.Flag) []string {
	if words := c.words[f.Names()[0]]; words != nil {
		return words
	}
	if text, ok := f.(*urfave.StringFlag); ok && text.TakesFile {
		return []string{}
	}
	return nil
}

// names lists the commands by name.
func (all completion) names() []string { return slices.Sorted(maps.Keys(all.words)) }

// valueCases writes a line for each flag whose value is one of a few words, as in words, or a file; the formats take
// command, flag and words.
func (all completion) valueCases(words, file string) string {
	var b strings.Builder
	for _, name := range all.names() {
		for _, flag := range slices.Sorted(maps.Keys(all.values[name])) {
			if values := all.values[name][flag]; len(values) > 0 {
				fmt.Fprintf(&b, words, name, flag, strings.Join(values, " "))
			} else {
				fmt.Fprintf(&b, file, name, flag)
			}
		}
	}
	return b.String()
}

// wordCases writes a line for each command; the format takes command and words.
func (all completion) wordCases(format string) string {
	var b strings.Builder
	for _, name := range all.names() {
		fmt.Fprintf(&b, format, name, strings.Join(all.words[name], " "))
	}
	return b.String()
}

func bashCompletion(w io.Writer, all completion) error {
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
`, all.valueCases("    \"%s %s\") words=%q ;;\n", "    \"%s %s\") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"),
		strings.Join(all.commands, " "), all.wordCases("    %s) words=%q ;;\n"))
	return err
}

func zshCompletion(w io.Writer, all completion) error {
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
`, all.valueCases("    \"%s %s\") compadd -- %s; return ;;\n", "    \"%s %s\") _files; return ;;\n"),
		strings.Join(all.commands, " "), all.wordCases("    %s) compadd -- %s ;;\n"))
	return err
}

func fishCompletion(w io.Writer, all completion) error {
	var b strings.Builder
	fmt.Fprintf(&b, "complete -c partwise -n __fish_use_subcommand -f -a %q\n", strings.Join(all.commands, " "))
	for _, name := range all.names() {
		for _, word := range all.words[name] {
			fmt.Fprintf(&b, "complete -c partwise -n '__fish_seen_subcommand_from %s' ", name)
			values, takes := all.values[name][word]
			switch flag := strings.TrimLeft(word, "-"); {
			case flag == word:
				fmt.Fprintf(&b, "-a %s", word)
			case len(flag) == 1:
				fmt.Fprintf(&b, "-s %s", flag)
			default:
				fmt.Fprintf(&b, "-l %s", flag)
			}
			switch {
			case len(values) > 0:
				fmt.Fprintf(&b, " -x -a %q", strings.Join(values, " "))
			case takes:
				b.WriteString(" -r -F")
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func powershellCompletion(w io.Writer, all completion) error {
	_, err := fmt.Fprintf(w, `Register-ArgumentCompleter -Native -CommandName partwise -ScriptBlock {
  param($current, $ast, $position)
  $words = -split '%s'
  $values = @{
%s  }
  $before = @($ast.CommandElements | ForEach-Object { $_.ToString() })
  if ($current) { $before = @($before | Select-Object -SkipLast 1) }
  if ($before.Count -gt 1) {
    $words = switch ($before[1]) {
%s    }
    $of = $before[1] + ' ' + $before[-1]
    if ($values.ContainsKey($of)) { $words = -split $values[$of] }
  }
  # Without a candidate PowerShell completes files.
  $words | Where-Object { $_ -and $_.StartsWith($current) } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`, strings.Join(all.commands, " "), all.valueCases("    '%s %s' = '%s'\n", "    '%s %s' = ''\n"),
		all.wordCases("      '%s' { -split '%s' }\n"))
	return err
}
