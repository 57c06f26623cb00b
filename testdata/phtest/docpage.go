// This file holds the generated parts of documents to what they are generated from. A part stands between two
// comments, which Markdown does not show:
//
//	<!-- policies: written by go test ./models/policy -update -->
//	<!-- end of policies -->
//
// Tests pass or fail by it, and rewrite the part if they are asked to.

package phtest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// HoldPage compares the part of a file that the given mark begins with a text, or puts the text there if update is set. The
// mark may have several words; the first of them stands in the comment that ends the part.
func HoldPage(t testing.TB, file, mark, text string, update bool) {
	t.Helper()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(mark, " ")
	part := regexp.MustCompile(`(?s)<!-- ` + regexp.QuoteMeta(mark) + `(?:: [^>]*)? -->\n(.*?)<!-- end of ` +
		regexp.QuoteMeta(first) + ` -->`)
	at := part.FindSubmatchIndex(before)
	if at == nil {
		t.Errorf("%s has no place for %s", file, mark)
		return
	}
	after := string(before[:at[2]]) + text + string(before[at[3]:])
	if after == string(before) {
		return
	}
	if !update {
		t.Errorf("%s (-page +now); -update rewrites it:\n%s", file, cmp.Diff(string(before), after))
		return
	}
	if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
		t.Fatal(err)
	}
}
