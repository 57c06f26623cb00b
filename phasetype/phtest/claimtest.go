// This file holds the claims of a paper to what is found, and shows both as a list in the documents. The
// claims of a paper are a list; the test of their outcomes and the page are two views of it.

package phtest

import (
	"fmt"
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
// outcome and the figures behind it.
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

// ClaimsTable returns the claims as a list; where says what their places in the paper are, such as "section".
func ClaimsTable[E any](where string, claims []Claim[E], found E) []byte {
	b := fmt.Appendf(nil, "In parentheses is the %s; *here:* begins what is found.\n\n", where)
	for _, c := range claims {
		got, numbers := c.examine(found)
		b = fmt.Appendf(b, "- %s **%s** (%s): %s *Here:* %s\n", c.id, got, c.where, c.says, numbers)
	}
	return b
}

// HoldClaims holds what stands in a file between the marks "claims: …" and "end of claims" to a list, or writes it there.
func HoldClaims(t testing.TB, file string, list []byte, update bool) {
	t.Helper()
	HoldPage(t, file, "claims", "\n"+string(list)+"\n", update)
}
