package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

// everyCommand returns all commands that do something, with the words that call them.
func everyCommand() map[string]cli.Command {
	all := map[string]cli.Command{}
	for _, c := range partwise(policy.Standard()).Commands {
		if c.Run != nil {
			all[c.Name] = c
		}
		for _, part := range c.Parts {
			all[c.Name+" "+part.Name] = part
		}
	}
	return all
}

func TestHelpFitsItsWidthAndNamesEverything(t *testing.T) {
	for name, c := range everyCommand() {
		for _, width := range []int{60, 80, 100} {
			text := partwise(policy.Standard()).Page(strings.Fields(name)).Text(width)
			for line := range strings.Lines(text) {
				example := strings.HasPrefix(line, "  partwise ") // as it is typed, on one line
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > width && !example && strings.Contains(line, ": ") {
					t.Errorf("help of %s: %d letters in %q", name, n, line)
				}
			}
			for _, f := range c.AllFlags() {
				flag := "--" + f.Names()[0]
				if v, ok := f.(urfave.VisibleFlag); ok && !v.IsVisible() {
					if regexp.MustCompile(`(?m)^  ` + flag + `\b`).MatchString(text) {
						t.Errorf("help of %s lists the old spelling %s", name, flag)
					}
					continue
				}
				if !strings.Contains(text, flag) && (!slices.Contains([]string{"--columns", "--format", "--wide"}, flag) || c.Formats != nil) {
					t.Errorf("help of %s does not name %s", name, flag)
				}
			}
		}
	}
	text := partwise(policy.Standard()).Page(nil).Text(80)
	for _, c := range partwise(policy.Standard()).Commands {
		if !regexp.MustCompile(`(?m)^  ` + c.Name + ` +\S`).MatchString(text) {
			t.Errorf("help does not list %s", c.Name)
		}
	}
}

func TestManualIsWellFormed(t *testing.T) {
	paths := [][]string{nil}
	for name := range everyCommand() {
		paths = append(paths, strings.Fields(name))
	}
	macro := regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|br)( "[^"]*")*$`)
	for _, path := range paths {
		text := partwise(policy.Standard()).Manual(path)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, ".") && !macro.MatchString(line) || strings.HasPrefix(line, "'") || line == "" {
				t.Errorf("manual of %v: %q", path, line)
			}
		}
		mandoc, err := exec.LookPath("mandoc")
		if err != nil {
			continue // it would check more
		}
		cmd := exec.CommandContext(t.Context(), mandoc, "-Tlint", "-Werror")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.Output(); err != nil {
			t.Errorf("manual of %v: %v\n%s", path, err, out)
		}
	}
	all := partwise(policy.Standard()).Manual(nil)
	for name, c := range everyCommand() {
		if !strings.Contains(all, ".SS \""+strings.TrimSpace(name+" "+c.Arguments)+"\"\n") {
			t.Errorf("the manual has no section %s %s", name, c.Arguments)
		}
	}
}
