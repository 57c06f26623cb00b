package phtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
)

// recorder takes the place of a test that may fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestHold(t *testing.T) {
	const page = "# Title\n\n<!-- list of words: made -->\nold\n<!-- end of list -->\n\n<!-- list -->\n<!-- end of list -->\nend\n"
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	hold := func(mark, text string, update bool) (failed bool) {
		r := &recorder{TB: t}
		phtest.HoldPage(r, file, mark, text, update)
		return r.failed
	}
	if hold("list of words", "old\n", false) || !hold("list of words", "new\n", false) || !hold("other", "x", true) {
		t.Error("a page is not what it is held to, or has no place for it")
	}
	if hold("list of words", "new\n", true) || hold("list", "$1 \\1\n", true) || hold("list", "$1 \\1\n", false) {
		t.Error("a page was not rewritten")
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(page, "old\n", "new\n", 1)
	want = strings.Replace(want, "<!-- list -->\n", "<!-- list -->\n$1 \\1\n", 1)
	if string(after) != want {
		t.Errorf("got\n%s\nwant\n%s", after, want)
	}
}
