package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// everyCommand returns all commands that do something, with the words that call them.
func everyCommand() map[string]command {
	all := map[string]command{}
	for _, c := range partwise().commands {
		if c.run != nil {
			all[c.name] = c
		}
		for _, part := range c.parts {
			all[c.name+" "+part.name] = part
		}
	}
	return all
}

func TestHelpFitsItsWidthAndNamesEverything(t *testing.T) {
	for name, c := range everyCommand() {
		for _, width := range []int{60, 80, 100} {
			text := partwise().page(strings.Fields(name)).text(width)
			for line := range strings.Lines(text) {
				example := strings.HasPrefix(line, "  partwise ") // as it is typed, on one line
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > width && !example && strings.Contains(line, ": ") {
					t.Errorf("help of %s: %d letters in %q", name, n, line)
				}
			}
			for _, f := range c.allFlags() {
				flag := "--" + f.Names()[0]
				if !strings.Contains(text, flag) && (flag != "--format" || c.formats != nil) {
					t.Errorf("help of %s does not name %s", name, flag)
				}
			}
		}
	}
	text := partwise().page(nil).text(80)
	for _, c := range partwise().commands {
		if !regexp.MustCompile(`(?m)^  ` + c.name + ` +\S`).MatchString(text) {
			t.Errorf("help does not list %s", c.name)
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
		text := partwise().manual(path)
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
	all := partwise().manual(nil)
	for name, c := range everyCommand() {
		if !strings.Contains(all, ".SS \""+strings.TrimSpace(name+" "+c.arguments)+"\"\n") {
			t.Errorf("the manual has no section %s %s", name, c.arguments)
		}
	}
}

// TestReadmeListsTheExitCodes: what the manual says of them is what the README says.
func TestReadmeListsTheExitCodes(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range exitCodes {
		if row := fmt.Sprintf("| %d | %s |\n", e.code, e.meaning); !strings.Contains(string(text), row) {
			t.Errorf("no row %q in the README", row)
		}
	}
}
