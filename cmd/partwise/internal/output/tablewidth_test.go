package output_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
)

// wide is a table that is too wide for a terminal in every way.
func wide() *output.Table {
	return &output.Table{Title: strings.Repeat("a long title ", 8) + "end",
		Columns: []output.Column{{Name: "policy"}, {Name: "mean response [s]", Number: true}, {Name: "±", Number: true, Extra: true},
			{Name: "median of waiting [s]", Number: true}, {Name: "times the file's", Number: true}, {Name: "M/PH/1", Number: true},
			{Name: "shown by"}, {Name: "", Number: false}},
		Rows: [][]string{{"dynamic", "1234.5", "12", "1.5", "3.25", "10.4", strings.Repeat("many words ", 8) + "end", "ok"},
			{"static:4", "234.5", "2", "11.5", "13.25", "11.4", "few words", "differs"}}}
}

// Whatever the table, it fits; what is lost is named, the extra column before all others.
func TestTablesFit(t *testing.T) {
	for width := 80; width >= 30; width-- {
		var b bytes.Buffer
		if err := wide().WriteText(&b, width, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Fatalf("a line of %d columns, more than %d:\n%s", n, width, &b)
			}
		}
		if width < 60 && !strings.Contains(b.String(), "(left out: ") {
			t.Errorf("%d columns: nobody says what is left out:\n%s", width, &b)
		}
	}
	var b bytes.Buffer
	if err := wide().WriteText(&b, 76, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  response  waiting", "\npolicy         [s] ", "\ndynamic     1234.5", "many words"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// TestNarrowForWide: where a wide column does not fit, a narrow one that was left out before it may.
func TestNarrowForWide(t *testing.T) {
	table := &output.Table{Columns: []output.Column{{Name: "policy"}, {Name: "±", Extra: true}, {Name: "wide"}},
		Rows: [][]string{{"dynamic", "12", strings.Repeat("w", 30)}, {"static", "13", ""}}}
	var b bytes.Buffer
	if err := table.WriteText(&b, 30, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "12") || !strings.Contains(b.String(), "(left out: wide;") {
		t.Errorf("got\n%s", &b)
	}
}

func TestWideTable(t *testing.T) {
	var b bytes.Buffer
	if err := wide().WriteText(&b, 0, true); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); len(lines) != 5 || !strings.HasPrefix(lines[1], "\x1b[1mpolicy    mean response [s]   ±") {
		t.Errorf("%q", lines)
	}
}

// What is far below what anybody measures is 0 for people.
func TestRoundBelowTheResolution(t *testing.T) {
	for v, want := range map[float64]string{1.1516e-21: "0", -2e-17: "0", 1e-12: "1.00e-12", 0.00123: "0.00123"} {
		if got := words.Round(v, 3); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// The legend explains what is shown, each thing once.
func TestLegend(t *testing.T) {
	tables := []output.Table{
		{Columns: []output.Column{{Name: "policy"}, {Name: "traffic", Number: true}}, Rows: [][]string{{"static:2", "0.5"}}},
		{Columns: []output.Column{{Name: "T dynamic [s]"}, {Name: "traffic", Number: true}}},
	}
	want := "(static:K splits the machine once into K equal partitions, a job to each; traffic: work offered over what the policy " +
		"can do: saturated at 1; T dynamic: mean response time under dynamic partitioning)"
	if got := output.Legend(tables, 80); got != want {
		t.Errorf("%q", got)
	}
	if got := output.Legend([]output.Table{{Columns: []output.Column{{Name: "policy"}}, Rows: [][]string{{"dynamic"}}}}, 80); got != "" {
		t.Errorf("%q", got)
	}
}

// Width 0 is without limit, also for sentences.
func TestWrapWithoutLimit(t *testing.T) {
	if lines := output.Wrap("one two three", 0); len(lines) != 1 {
		t.Errorf("without a limit a sentence is broken into %q", lines)
	}
}
