package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	urfave "github.com/urfave/cli/v2"
)

// everyCommand returns all commands that do something, with the words that call them.
func everyCommand() map[string]cli.Command {
	all := map[string]cli.Command{}
	partwise(policy.Standard()).Every(func(name string, c cli.Command) { all[name] = c })
	return all
}

// page returns a page of help with all flags.
func page(t *testing.T, name string) cli.Page {
	t.Helper()
	p, err := partwise(policy.Standard()).Page(strings.Fields(name), true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHelpFitsItsWidthAndNamesEverything(t *testing.T) {
	for name, c := range everyCommand() {
		for _, width := range []int{80, 100} {
			text := page(t, name).Text(width)
			_, rest, _ := strings.Cut(text, "\n") // after name and summary
			rest, _, _ = strings.Cut(rest, "\nExamples:\n")
			for line := range strings.Lines(rest) {
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > width && !strings.Contains(line, " [flags]") {
					t.Errorf("help of %s: %d letters in %q", name, n, line)
				}
			}
			for _, f := range c.Flags() {
				if cli.IsVisible(f) && !strings.Contains(text, "--"+cli.Name(f)) {
					t.Errorf("help of %s does not name --%s", name, cli.Name(f))
				}
			}
		}
	}
	text := page(t, "").Text(80)
	for _, c := range partwise(policy.Standard()).Commands() {
		if !regexp.MustCompile(`(?m)^  ` + c.Name + ` +\S`).MatchString(text) {
			t.Errorf("help --all does not list %s", c.Name)
		}
	}
	for _, f := range cli.GlobalFlags() {
		if cli.IsVisible(f) && !strings.Contains(text, "--"+cli.Name(f)) {
			t.Errorf("help does not name --%s", cli.Name(f))
		}
	}
}

// The size of what a user has to survey.
const (
	mostCommands = 18
	mostFlags    = 260
)

// TestHelpIsShort: help lists few commands, and all pages together have few flags, also if those of a topic are counted
// with each command that takes them.
func TestHelpIsShort(t *testing.T) {
	listed := 0
	for _, g := range partwise(policy.Standard()).Groups {
		listed += len(g.Commands)
	}
	if listed > mostCommands {
		t.Errorf("help lists %d commands, more than %d", listed, mostCommands)
	}
	counts, flags, ofTopics := []string{}, 0, 0
	for _, f := range cli.GlobalFlags() {
		if cli.IsVisible(f) {
			flags++
		}
	}
	for name, c := range everyCommand() {
		own, shared := 0, 0
		for _, f := range c.Flags() {
			switch {
			case !cli.IsVisible(f):
			case isOfTopic(f):
				shared++
			default:
				own++
			}
		}
		flags += own
		ofTopics += shared
		counts = append(counts, fmt.Sprintf("%s %d+%d", name, own, shared))
	}
	once := flags
	for _, topic := range partwise(policy.Standard()).Topics {
		once += len(topic.Flags)
	}
	slices.Sort(counts)
	t.Logf("%d flags, %d with those of topics on each page: %s", once, flags+ofTopics, strings.Join(counts, ", "))
	if once > mostFlags {
		t.Errorf("%d flags, more than %d: %s", once, mostFlags, strings.Join(counts, ", "))
	}
}

// isOfTopic reports whether a topic of help explains a flag.
func isOfTopic(f cli.Flag) bool {
	return slices.ContainsFunc(partwise(nil).Topics, func(t cli.Topic) bool { return t.Name == f.(urfave.CategorizableFlag).GetCategory() })
}

func TestManualIsWellFormed(t *testing.T) {
	paths := [][]string{nil}
	for name := range everyCommand() {
		paths = append(paths, strings.Fields(name))
	}
	macro := regexp.MustCompile(`^\.(nh|TH|SH|SS|PP|TP|br|IP|RS|RE|EX|EE|nf|fi|ti)( .*)?$`)
	for _, path := range paths {
		text, err := partwise(policy.Standard()).Manual(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, ".") && !macro.MatchString(line) || strings.HasPrefix(line, "'") {
				t.Errorf("manual of %v: %q", path, line)
			}
		}
		t.Run("mandoc "+strings.Join(path, " "), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), needs.Program(t, "mandoc"), "-Tlint", "-Werror")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.Output(); err != nil {
				t.Errorf("manual of %v: %v\n%s", path, err, out)
			}
		})
	}
	all, err := partwise(policy.Standard()).Manual(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range everyCommand() {
		if !strings.Contains(all, "\n.SS "+name) {
			t.Errorf("the manual has no section %s", name)
		}
	}
}
