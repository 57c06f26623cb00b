package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
)

// TestAnyCommandLineEndsInOrder: whatever is typed, the program neither panics nor ends with a code without a meaning.
// The words are drawn by math/rand, not by package rapid: this test binary is also the program that the other tests start
// many times, and package rapid takes 10 ms to initialize.
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
	codes := []int{fault.ExitOK, fault.ExitFailure, fault.ExitUsage, fault.ExitInput}
	t.Chdir(t.TempDir()) // --output may name anything
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		args := make([]string, r.IntN(7))
		for i := range args {
			args[i] = words[r.IntN(len(words))]
		}
		c := runIn(t.Context(), args...)
		if !slices.Contains(codes, c.code) {
			t.Errorf("%q: exit code %d: %s", args, c.code, &c.stderr)
		}
		if c.code != fault.ExitOK && c.stderr.Len() == 0 {
			t.Errorf("%q: exit code %d without a word", args, c.code)
		}
		if c.code == fault.ExitUsage && len(args) > 0 && c.stdout.Len() > 0 {
			t.Errorf("%q makes no sense, but printed %q", args, &c.stdout)
		}
	}
}
