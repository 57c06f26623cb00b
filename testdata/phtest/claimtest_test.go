package phtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
)

// TestHoldClaims: a list of claims is written and compared, and an outcome that is not the expected one is an error. The paper
// says that response times grow faster than the load; three were found.
func TestHoldClaims(t *testing.T) {
	const head, end = "<!-- claims -->\n", "<!-- end of claims -->\n"
	dir := t.TempDir()
	page := filepath.Join(dir, "docs", "paper.md")
	for _, d := range []string{"docs", "testdata/claims"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(page, []byte(head+end), 0o644); err != nil {
		t.Fatal(err)
	}
	grow := func(found []float64) (phtest.Outcome, string) {
		first, second := found[1]-found[0], found[2]-found[1]
		return phtest.Verdict(second > first, second == first), fmt.Sprintf("By %v s, then by %v s.", first, second)
	}
	hold := func(want phtest.Outcome, times []float64, update bool) (failed bool) {
		r := &recorder{TB: t}
		claims := []phtest.Claim[[]float64]{phtest.NewClaim("1", "4.2", "Response times grow faster than the load.", want, grow)}
		phtest.HoldClaims(r, page, "section", claims, times, nil, update)
		return r.failed
	}
	times := []float64{10, 15, 20}
	if hold("partly", times, true) || hold("partly", times, false) || !hold("holds", times, false) ||
		!hold("partly", []float64{10, 16, 22}, false) {
		t.Error("claims are not compared with what is found")
	}
	text, err := os.ReadFile(page)
	want := head + `
In parentheses: the section; after *here:* what is found.

**Partly**

- 1 (4.2): Response times grow faster than the load. *Here:* By 5 s, then by 5 s.

[A table](../testdata/claims/paper.csv) has the figures behind every claim.

` + end
	if err != nil || string(text) != want {
		t.Errorf("%v, got\n%s", err, text)
	}
}
