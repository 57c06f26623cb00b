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

// Outcome is what became of a claim.
type Outcome string

// The outcomes.
const (
	Holds  Outcome = "holds"
	Partly Outcome = "partly"
	Fails  Outcome = "fails"
)

// Verdict is Holds if all of a claim is true, Partly if some of it is.
func Verdict(all, some bool) Outcome {
	switch {
	case all:
		return Holds
	case some:
		return Partly
	}
	return Fails
}

// Claim is a statement of a paper that is examined on what was found, an E.
type Claim[E any] struct {
	id, where, says string
	want            Outcome
	examine         func(found E) (Outcome, string)
}

// NewClaim returns the claim of a place in a paper, in words of our own, with what is to become of it; examine returns the
// outcome and what was found. Figures that follow a line break in what was found are left to the table of all figures.
func NewClaim[E any](id, where, says string, want Outcome, examine func(found E) (Outcome, string)) Claim[E] {
	return Claim[E]{id, where, says, want, examine}
}

// CheckClaims holds every claim to the outcome that the list gives.
func CheckClaims[E any](t testing.TB, claims []Claim[E], found E) {
	t.Helper()
	for _, c := range claims {
		if got, numbers := c.examine(found); got != c.want {
			t.Errorf("claim %s %s, not %s: %s %s", c.id, got, c.want, c.says, numbers)
		}
	}
}

// examined is what became of a claim, and the figures behind it.
type examined struct {
	outcome Outcome
	numbers string
}

// ClaimsTable returns the claims as lists, one for each outcome; where says what their places in the paper are, such as
// "section". Claims that do not hold altogether have what was found.
func ClaimsTable[E any](where string, claims []Claim[E], found E) []byte {
	return claimsTable(where, claims, examineAll(claims, found))
}

func examineAll[E any](claims []Claim[E], found E) []examined {
	all := make([]examined, len(claims))
	for i, c := range claims {
		all[i].outcome, all[i].numbers = c.examine(found)
	}
	return all
}

func claimsTable[E any](where string, claims []Claim[E], results []examined) []byte {
	b := fmt.Appendf(nil, "In parentheses is the %s; *here:* begins what is found.\n", where)
	for _, outcome := range []Outcome{Fails, Partly, Holds} {
		title := "\n**" + strings.ToUpper(string(outcome[:1])) + string(outcome[1:]) + "**\n\n"
		for i, c := range claims {
			if results[i].outcome != outcome {
				continue
			}
			b = fmt.Appendf(b, "%s- %s (%s): %s", title, c.id, c.where, c.says)
			title = ""
			if outcome != Holds {
				found, _, _ := strings.Cut(results[i].numbers, "\n")
				b = fmt.Appendf(b, " *Here:* %s", found)
			}
			b = append(b, '\n')
		}
	}
	return b
}

// HoldClaims holds the list of claims in a page of the folder docs, and what follows it, to what is found, and the figures of all
// claims to the file testdata/claims/PAGE.csv; update rewrites both.
func HoldClaims[E any](t testing.TB, page, where string, claims []Claim[E], found E, rest []byte, update bool) {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(page), ".md") + ".csv"
	results := examineAll(claims, found)
	HoldPage(t, page, "claims", fmt.Sprintf("\n%s\n[A table](../testdata/claims/%s) has the figures behind every claim.\n%s\n",
		claimsTable(where, claims, results), name, rest), update)
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	rows := [][]string{{"claim", "place", "outcome", "statement", "found"}}
	for i, c := range claims {
		rows = append(rows, []string{c.id, c.where, string(results[i].outcome), c.says,
			strings.ReplaceAll(results[i].numbers, "\n", " ")})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
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
