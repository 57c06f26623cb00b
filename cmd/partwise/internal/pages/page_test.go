package pages_test

import (
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/pages"
)

// TestViews: Markdown has no marks that the text does not mean, and a manual is roff with the exit codes.
func TestViews(t *testing.T) {
	page := pages.Command{Command: &urfave.Command{HelpName: "app draw", Usage: "does it draw?", Description: "A|B <c> d_e."}}.Page()
	if got, want := page.Markdown(), "Does it draw?\n\nUsage:\n\n```text\napp draw [flags]\n```\n\nA\\|B &lt;c> d\\_e.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	manual := pages.Manual(page, "1.2", nil)
	for _, want := range []string{`.TH "APP-DRAW" "1"`, "partwise 1.2", ".SH EXIT STATUS"} {
		if !strings.Contains(manual, want) {
			t.Errorf("no %q in %s", want, manual)
		}
	}
}

// TestParseText: a text has a name, arguments, a summary, paragraphs and examples.
func TestParseText(t *testing.T) {
	got := pages.ParseText("draw FILE...\ndraw a plan\n\nDraws\na plan.\n\n- a list\n- of two\n\n    app draw a\n    app draw b\n")
	if got.Name != "draw" || got.Arguments != "FILE..." || got.Summary != "draw a plan" || got.Details != "Draws a plan.\n\n- a list\n- of two" ||
		len(got.Examples) != 2 || got.Examples[1] != "app draw b" {
		t.Errorf("%+v", got)
	}
}
