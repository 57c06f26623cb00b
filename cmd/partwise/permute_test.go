package main

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
	_ "github.com/partwise/partwise/phasetype/phtest"
)

// TestAnyCommandLineEndsInOrder: whatever is typed, the program neither panics nor ends with a code without a meaning.
func TestAnyCommandLineEndsInOrder(t *testing.T) {
	words := []string{
		"--format", "json", "table", "--output", "-o", "--quiet", "-q", "--workers", "1", "0", "-1", "two", "--load", "0.5",
		"--policy", "dynamic", "static:3", "--set", "a=b", "a.b[0]=1", "--set=", "=", "--", "-", "--x", "-h", "--help", "",
		"absent.yaml", "--plot", "a.gif", "--phases", "1:2", "--precision", "5%", "--=", "-=x", "ä", "--seed", "show", "help",
	}
	partwise(policy.Standard()).Every(func(name string, _ cli.Command) {
		if !strings.Contains(name, "testbed ") { // which runs real processes for minutes
			words = append(words, strings.Fields(name)...)
		}
	})
	codes := []int{cli.ExitOK, cli.ExitFailure, cli.ExitUsage, cli.ExitInput}
	t.Chdir(t.TempDir()) // --output may name anything
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "args")
		c := runIn(t.Context(), args...)
		if !slices.Contains(codes, c.code) {
			t.Fatalf("exit code %d: %s", c.code, &c.stderr)
		}
		if c.code != cli.ExitOK && c.stderr.Len() == 0 {
			t.Fatalf("exit code %d without a word", c.code)
		}
		if c.code == cli.ExitUsage && len(args) > 0 && c.stdout.Len() > 0 {
			t.Fatalf("a command line that makes no sense printed %q", &c.stdout)
		}
	})
}
