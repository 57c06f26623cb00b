package words_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/words"
)

// TestNearest: a word stands for the known word that it is a slip of, and for no word that it merely resembles.
func TestNearest(t *testing.T) {
	known := []string{"solve", "simulate", "validate", "policy", "bash"}
	for word, want := range map[string]string{
		"slove": "solve", "polciy": "policy", "policies": "policy", "simulat": "simulate", "Solve": "solve",
		"tcsh": "", "x": "", "reticulate": "", "": "", "solve" + strings.Repeat("!", 100): "",
	} {
		if got, ok := words.Nearest(word, known); ok != (want != "") || got != want {
			t.Errorf("nearest to %q is %q, %v, want %q", word, got, ok, want)
		}
	}
}

// TestNearestLeavesOutWords: a known name stands for a text that leaves out its first or its last word.
func TestNearestLeavesOutWords(t *testing.T) {
	known := []string{"mean_jobs", "mean_response_time", "mean_waiting_time", "probability_wait"}
	for word, want := range map[string]string{"mean_response": "mean_response_time", "respons_time": "mean_response_time",
		"waiting_time": "mean_waiting_time", "probability": "probability_wait", "time": "", "slowdown": ""} {
		if got, ok := words.Nearest(word, known); ok != (want != "") || got != want {
			t.Errorf("nearest to %q is %q, %v, want %q", word, got, ok, want)
		}
	}
}

// TestNearestFile: a file is meant if its name is near with its extension and without.
func TestNearestFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"work.ph.json", "none.json", "runtimes.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"wrok.ph.json": "work.ph.json", "runtime.csv": "runtimes.csv", "nofile.json": "", "": ""} {
		if got, ok := words.NearestFile(name, folder); ok != (want != "") || got != want {
			t.Errorf("nearest to %q is %q, %v, want %q", name, got, ok, want)
		}
	}
	if got, ok := words.NearestFile("work.ph.json", nil); ok {
		t.Errorf("in an empty folder %q is near", got)
	}
}

// TestLists: lists of no, one, two and three words.
func TestLists(t *testing.T) {
	all := []string{"a", "b", "c"}
	for n, want := range []string{"nothing", "a", "a or b", "a, b or c"} {
		if got := words.Or(all[:n]); got != want {
			t.Errorf("%d words are %q, want %q", n, got, want)
		}
		want = strings.ReplaceAll(want, " or ", " and ")
		if got := words.And(all[:n]); got != want {
			t.Errorf("%d words are %q, want %q", n, got, want)
		}
	}
}

// TestCount: one thing is in the singular, other numbers of things are in the regular plural.
func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 phase": words.Count(1, "phase"), "2 phases": words.Count(2, "phase"), "0 jobs": words.Count(0, "job"),
		"2 entries": words.Count(2, "entry"), "1 entry": words.Count(1, "entry"), "3 days": words.Count(3, "day"),
		"3 classes": words.Count(int64(3), "class"), "2 switches": words.Count(2, "switch"), "2 boxes": words.Count(2, "box"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestGrouped: thousands have commas in whole numbers and in front of decimals; what is no decimal number stays.
func TestGrouped(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "999": "999", "4469": "4,469", "-1234.5678": "-1,234.5678", "1234567": "1,234,567", "-123": "-123", "1e-9": "1e-9", "–": "–", "": "",
	} {
		if got := words.Grouped(number); got != want {
			t.Errorf("Grouped(%q) = %q, want %q", number, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{"log.swf.gz": "log.swf.gz", "--load=0.1:0.9": "--load=0.1:0.9", "my log": "'my log'",
		"it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'"} {
		if got := words.Quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	if got := words.Sentence("if jobs stop, ", "dynamic wins"); got != "If jobs stop, dynamic wins." {
		t.Errorf("%q", got)
	}
	if got := words.Sentence("élan pays"); got != "Élan pays." {
		t.Errorf("%q", got)
	}
}
