package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/testdata/needs"
)

// longPages repeat a paper's experiments, compare many systems or solve chains for many values: their commands take
// seconds of a processor. They are executed with -long, and with -update.
var longPages = []string{"advise.md", "breakeven.md", "classes.md", "curve.md", "downey96.md", "elasticity.md", "families.md",
	"from-sacct.md", "ips96.md", "kth-sp2.md", "mccann94.md", "mualem01.md", "README.md", "replay.md", "report.md", "rigid.md", "simulate.md",
	"simulator.md", "solve.md", "sweep.md", "sweeps.md", "tutorial.md", "when-to-resize.md", "zhang01.md"}

// TestDocs executes the commands of the documents, each document in a directory of its own. In a "console" fence lines
// that begin with "$ " are commands and the others are what they print; in a "sh" fence all lines are commands.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("every command of the documents is executed; not with -short")
	}
	t.Parallel()
	bash := needs.Program(t, "bash")
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ofCommands, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, ofCommands...)
	for _, page := range append(pages, "../../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			skipUnlessAsked(t, slices.Contains(longPages, filepath.Base(page)))
			t.Parallel()
			runPage(t, bash, page)
		})
	}
}

func runPage(t *testing.T, bash, page string) {
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(before, []byte("\n$ python3 ")) {
		needs.Program(t, "python3")
	}
	dir := t.TempDir()
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testdata, filepath.Join(dir, "testdata")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	shell := func(line string) string {
		// The program under test takes the place of a build of its own; the tests do not run themselves.
		line = strings.NewReplacer("go run ./cmd/partwise ", "partwise ", "go run -v ./cmd/partwise ", "partwise ").Replace(line)
		if strings.HasPrefix(line, "go ") && !strings.HasPrefix(line, "go run testdata/") {
			return ""
		}
		cmd := exec.CommandContext(t.Context(), bash, "-euo", "pipefail", "-c", line)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, &stderr)
		}
		if strings.Contains(line, "--format table") && !strings.Contains(line, "--wide") {
			fits(t, line, stdout.String())
		}
		return stdout.String()
	}
	after := rerun(string(before), shell)
	pictures(t, dir)
	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(before), after); diff != "" && !sameButForRounding(string(before), after) {
		t.Errorf("%s does not show what the commands print (-page +now); -update rewrites it:\n%s", page, diff)
	}
}

// fits holds the lines of tables, which are those with gaps between columns, to the width of a terminal.
func fits(t *testing.T, command, out string) {
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if n := utf8.RuneCountInString(line); n > output.UsualWidth && strings.Contains(strings.TrimLeft(line, " "), "  ") {
			t.Errorf("%s: a line of a table has %d columns, more than %d:\n%s", command, n, output.UsualWidth, line)
		}
	}
}

// manyDigits matches numbers that are shown as programs read them, with all their digits.
var manyDigits = pattern(`-?[0-9]+\.[0-9]{8,}([eE][-+]?[0-9]+)?`)

// sameButForRounding tells whether texts differ in the last digits of such numbers only, which are the processor's: in
// less than 1e-8, relative to numbers above 1. What is rounded for people must be the same.
func sameButForRounding(a, b string) bool {
	if manyDigits().ReplaceAllString(a, "#") != manyDigits().ReplaceAllString(b, "#") {
		return false
	}
	other := manyDigits().FindAllString(b, -1)
	for i, text := range manyDigits().FindAllString(a, -1) {
		x, err1 := strconv.ParseFloat(text, 64)
		y, err2 := strconv.ParseFloat(other[i], 64)
		if err1 != nil || err2 != nil || math.Abs(x-y) > 1e-8*max(1, math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return true
}

func TestSameButForRounding(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"x,0.40022622069264462", "x,0.4002262206926451", true},
		{"x,0.40022622069264462", "x,0.4002362206926451", false},
		{"x,1.9695748032487102e-09,", "x,1.95983900904248e-09,", true},
		{"12.5 %", "12.6 %", false},
		{"27 in 127.7936420619827", "28 in 127.7936420619827", false},
	} {
		if got := sameButForRounding(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// pictures holds those in docs/img to what the commands of a page drew under the same name in its directory.
func pictures(t *testing.T, dir string) {
	committed, err := filepath.Glob("../../docs/img/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range committed {
		drawn, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil {
			continue // of another page
		}
		if *update {
			if err := os.WriteFile(file, drawn, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(drawn, want) {
			t.Errorf("%s is not what is drawn now; look at it after -update", file)
		}
	}
}

// rerun returns the text with the outputs of its console fences made anew.
func rerun(text string, shell func(string) string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```") && fence == "":
			fence = strings.TrimPrefix(trimmed, "```")
			if fence == "" {
				fence = "plain"
			}
		case strings.HasPrefix(line, "```"):
			fence = ""
		case fence == "console" && strings.HasPrefix(line, "$ "):
			out.WriteString(line)
			out.WriteString(shell(strings.TrimPrefix(trimmed, "$ ")))
			continue
		case fence == "console":
			continue
		case fence == "sh" && trimmed != "":
			shell(trimmed)
		}
		out.WriteString(line)
	}
	return out.String()
}

// TestReadmeBeginsWithTheMainJob: the first command for go draws a curve, the second runs the tests.
func TestReadmeBeginsWithTheMainJob(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	fenced := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if fenced && strings.HasPrefix(line, "go ") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	want := []string{
		"go run -v ./cmd/partwise curve testdata/examples/rigid-costs.yaml --format table --plot rigid.svg",
		"go test ./...",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("commands for go in the README (-want +got):\n%s", diff)
	}
}
