package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	_ "github.com/partwise/partwise/validate/draws"
	"pgregory.net/rapid"
)

func TestPermute(t *testing.T) {
	value := func(name string) cli.Flag { return &cli.StringFlag{Name: name} }
	all := program{commands: []command{
		{name: "solve", flags: []cli.Flag{value("load"), value("set")}},
		{name: "fit", flags: []cli.Flag{value("column")}},
		{name: "ph", parts: []command{{name: "show"}}},
		{name: "version"},
	}}
	for _, c := range []struct{ line, want string }{
		{"solve m.yaml --load 0.7", "solve --load 0.7 -- m.yaml"},
		{"--workers 2 solve --load=0.7 m.yaml", "solve --workers 2 --load=0.7 -- m.yaml"},
		{"solve --set a=-1 m.yaml --set b=--x", "solve --set a=-1 --set b=--x -- m.yaml"},
		{"fit - --column -1", "fit --column -1 -- -"},
		{"solve -q -- -m.yaml", "solve -q -- -m.yaml"},
		{"ph show --format json x", "ph show --format json -- x"},
		{"help solve", "help: solve"},
		{"solve m.yaml -h", "help: solve"},
		{"ph show -h", "help: ph show"},
		{"--help", "help: "},
		{"--version", "version --"},
		{"", ""},
	} {
		line, err := all.permute(strings.Fields(c.line))
		got := strings.Join(line.words, " ")
		if line.help {
			got = "help: " + strings.Join(line.path, " ")
		}
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
}

// TestAnyCommandLineEndsInOrder: whatever is typed, the program neither panics nor ends with a code without a meaning.
func TestAnyCommandLineEndsInOrder(t *testing.T) {
	words := []string{
		"--format", "json", "table", "--output", "-o", "--quiet", "-q", "--workers", "1", "0", "-1", "two", "--load", "0.5",
		"--policy", "dynamic", "static:3", "--set", "a=b", "a.b[0]=1", "--set=", "=", "--", "-", "--x", "-h", "--help", "",
		"absent.yaml", "--plot", "a.gif", "--phases", "1:2", "--precision", "5%", "--=", "-=x", "ä", "--seed", "show", "help",
	}
	for _, c := range partwise().commands {
		words = append(words, c.name)
	}
	codes := []int{exitOK, exitFailure, exitUsage, exitInput}
	t.Chdir(t.TempDir()) // --output may name anything
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "args")
		c := runIn(t.Context(), args...)
		if !slices.Contains(codes, c.code) {
			t.Fatalf("exit code %d: %s", c.code, &c.stderr)
		}
		if c.code != exitOK && c.stderr.Len() == 0 {
			t.Fatalf("exit code %d without a word", c.code)
		}
		if c.code == exitUsage && len(args) > 0 && c.stdout.Len() > 0 {
			t.Fatalf("a command line that makes no sense printed %q", &c.stdout)
		}
	})
}
