package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCompletionInBash types the beginnings of command lines.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script := `source <(partwise completion bash)
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=(); _partwise; echo "${COMPREPLY[*]}"; }
`
	var want []string
	for _, c := range []struct{ line, completed string }{
		{"partwise so", "solve"},
		{"partwise solve --fo", "--format"},
		{"partwise solve --format j", "json"},
		{"partwise solve --policy b", "best-static"},
		{"partwise init go", "goals"},
		{"partwise ph s", "show"},
		{"partwise solve model.y", "model.yaml"},
	} {
		script += "try " + c.line + "\n"
		want = append(want, c.completed)
	}
	cmd := exec.CommandContext(t.Context(), bash, "-c", "touch model.yaml\n"+script)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if got := strings.Fields(string(out)); err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%v: got %q, want %q", err, got, want)
	}
}
