package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// completions are the beginnings of command lines with what completes them, the same in every shell.
var completions = []struct{ line, completed string }{
	{"partwise so", "solve"},
	{"partwise solve --fo", "--format"},
	{"partwise solve --format j", "json"},
	{"partwise solve --policy b", "best-static"},
	{"partwise lab allocate --policies simp", "simplified-sev"},
	{"partwise init go", "goals"},
	{"partwise lab workload lub", "lublin99"},
	{"partwise ph s", "show"},
	{"partwise solve model.y", "model.yaml"},
	{"partwise solve --output mod", "model.yaml"},
}

// complete types the beginnings of command lines in a shell: script reads the completion from a file "completion" and, for
// each line, with what try makes of it, prints the candidates on a line.
func complete(t *testing.T, shell, flags, name string, script func(lines []string) string) {
	program := needs.Program(t, shell)
	dir := t.TempDir()
	written := exec.CommandContext(t.Context(), "partwise", "completion", name, "--output", filepath.Join(dir, "completion"))
	if out, err := written.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "model.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var lines, want []string
	for _, c := range completions {
		lines, want = append(lines, c.line), append(want, c.completed)
	}
	cmd := exec.CommandContext(t.Context(), program, flags, script(lines))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != strings.Join(want, " ") {
		t.Errorf("%v: got %q, want %q", err, got, want)
	}
}

func TestCompletionInBash(t *testing.T) {
	complete(t, "bash", "-c", "bash", func(lines []string) string {
		return "source completion\n" +
			`compopt() { :; }
try() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=(); _partwise
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "${!#}")) # as complete -o default does
  echo "${COMPREPLY[*]}"
}` +
			"\ntry " + strings.Join(lines, "\ntry ")
	})
}

func TestCompletionInFish(t *testing.T) {
	complete(t, "fish", "-c", "fish", func(lines []string) string {
		return "source completion\ncomplete -C '" + strings.Join(lines, "'\ncomplete -C '") + "'"
	})
}

func TestCompletionInPowershell(t *testing.T) {
	complete(t, "pwsh", "-Command", "powershell", func(lines []string) string {
		var b strings.Builder
		b.WriteString(". { " + "Get-Content completion -Raw | Invoke-Expression }\n")
		for _, line := range lines {
			b.WriteString("(TabExpansion2 '" + line + "' " + "-cursorColumn ('" + line + "').Length).CompletionMatches | " +
				"ForEach-Object { Split-Path -Leaf $_.CompletionText }\n")
		}
		return b.String()
	})
}
