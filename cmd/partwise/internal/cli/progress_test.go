package cli

import (
	"bytes"
	"regexp"
	"testing"
	"time"
)

// TestProgressLines: where no bar can be drawn, lines tell of the progress, but not of its beginning and its end, and
// not more often than the interval.
func TestProgressLines(t *testing.T) {
	var b bytes.Buffer
	inv := &Invocation{Streams: Streams{Stderr: &b}}
	step := inv.lines(4, "solving", 0)
	for done := range 5 {
		step(done)
	}
	want := regexp.MustCompile(`^solving: 1 of 4, about \d+s left\nsolving: 2 of 4, about \d+s left\nsolving: 3 of 4, about \d+s left\n$`)
	if !want.MatchString(b.String()) {
		t.Errorf("said %q", &b)
	}
	b.Reset()
	step = inv.lines(4, "solving", time.Hour)
	for done := range 5 {
		step(done)
	}
	if b.Len() > 0 {
		t.Errorf("said %q within an hour", &b)
	}
}
