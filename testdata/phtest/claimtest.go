// This file holds the claims of a paper to what is found, and shows both as a list in the documents. The
// claims of a paper are a list; the test of their outcomes and the page are two views of it.

package phtest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Outcome is what became of a claim: it "holds", "partly" or "fails".
type Outcome string

// outcomes are in the order in which they are listed.
var outcomes = []Outcome{"fails", "partly", "holds"}

// Verdict is "holds" if all of a claim is true, "partly" if some of it is, and otherwise "fails".
func Verdict(all, some bool) Outcome {
	switch {
	case all:
		return "holds"
	case some:
		return "partly"
	}
	return "fails"
}

// Claim is a statement of a paper that is examined on what was found, an E.
type Claim[E any] struct {
	id, where, says string
	want            Outcome
	examine         func(found E) (Outcome, string)
}

// NewClaim returns the claim of a place in a paper, in words of our own, with the outcome that is expected. examine returns
// the outcome and what was found. Figures that follow a line break in what was found appear in the table of all figures only.
func NewClaim[E any](id, where, says string, want Outcome, examine func(found E) (Outcome, string)) Claim[E] {
	return Claim[E]{id, where, says, want, examine}
}

// row is a claim with what became of it, a row of the table of all figures.
type row struct {
	id, where string
	outcome   Outcome
	says      string
	found     string
}

// HoldClaims compares the outcome of every claim with the expected outcome. It also compares two files with what is found:
// the list of claims in a page of the folder docs, followed by rest, and the figures in testdata/claims/PAGE.csv. If
// update is set, it rewrites both files. where says what the places in the paper are, such as "section".
func HoldClaims[E any](t testing.TB, page, where string, claims []Claim[E], found E, rest []byte, update bool) {
	t.Helper()
	rows := make([]row, len(claims))
	for i, c := range claims {
		got, figures := c.examine(found)
		if got != c.want {
			t.Errorf("claim %s %s, not %s: %s %s", c.id, got, c.want, c.says, figures)
		}
		rows[i] = row{c.id, c.where, got, c.says, figures}
	}
	name := strings.TrimSuffix(filepath.Base(page), ".md") + ".csv"
	HoldPage(t, page, "claims", fmt.Sprintf("\n%s\n[A table](../testdata/claims/%s) has the figures behind every claim.\n%s\n",
		claimsList(where, rows), name, rest), update)
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	w.Write([]string{"claim", "place", "outcome", "statement", "found"}) // its errors are those of Flush, and none
	for _, r := range rows {
		w.Write([]string{r.id, r.where, string(r.outcome), r.says, strings.ReplaceAll(r.found, "\n", " ")})
	}
	w.Flush()
	file := filepath.Join(filepath.Dir(page), "..", "testdata", "claims", name)
	if update {
		if err := os.WriteFile(file, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if before, err := os.ReadFile(file); err != nil || !bytes.Equal(before, table.Bytes()) {
		t.Errorf("%s is not what is found (%v); -update rewrites it", file, err)
	}
}

// claimsList returns the claims as lists, one for each outcome. Claims that do not hold altogether have what was found.
func claimsList(where string, rows []row) []byte {
	b := fmt.Appendf(nil, "In parentheses: the %s; after *here:* what is found.\n", where)
	for _, outcome := range outcomes {
		title := "\n**" + strings.ToUpper(string(outcome[:1])) + string(outcome[1:]) + "**\n\n"
		for _, r := range rows {
			if r.outcome != outcome {
				continue
			}
			b = fmt.Appendf(b, "%s- %s (%s): %s", title, r.id, r.where, r.says)
			title = ""
			if outcome != "holds" {
				found, _, _ := strings.Cut(r.found, "\n")
				b = fmt.Appendf(b, " *Here:* %s", found)
			}
			b = append(b, '\n')
		}
	}
	return b
}
