package parallel_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
)

// TestLimitErrorIsForPeople: sizes and times have a unit in which they are short numbers.
func TestLimitErrorIsForPeople(t *testing.T) {
	const gib, day = 1 << 30, 86_400
	for _, c := range []struct {
		err  parallel.LimitError
		want string
	}{
		{parallel.LimitError{Takes: 14_800 * gib, Limit: 4 * gib, Seconds: 21_000 * day}, "some 14.5 TiB of memory and 57.5 years, the limit is 4 GiB"},
		{parallel.LimitError{Takes: 149 * gib, Limit: 4 * gib, Seconds: 9 * 3600}, "some 149 GiB of memory and 9 hours, the limit is 4 GiB"},
		{parallel.LimitError{Takes: 1015 * gib, Limit: 300 << 20, Seconds: 300 * day}, "some 1015 GiB of memory and 300 days, the limit is 300 MiB"},
		{parallel.LimitError{Takes: 1e30, Limit: 4 * gib, Seconds: 1e30}, "some more than a million EiB of memory and more than 1000 years"},
	} {
		if got := c.err.Error(); !strings.Contains(got, c.want) {
			t.Errorf("%q does not contain %q", got, c.want)
		}
	}
}

// A refusal says how much memory is enough for all methods, rounded up so that it is enough when it is given.
func TestLimitErrorsTellWhatSuffices(t *testing.T) {
	for _, c := range []struct {
		err            parallel.LimitError
		text, suffices string
	}{
		{parallel.LimitError{Takes: 527.3 * (1 << 20), Limit: 512 << 20}, "it takes some 527 MiB of memory, the limit is 512 MiB", "528MiB"},
		{parallel.LimitError{Takes: 527.3 * (1 << 20), Limit: 512 << 20, Seconds: 2, All: 4.18 * (1 << 30), AllSeconds: 800},
			"it takes some 527 MiB of memory and 2 seconds, or up to 4.18 GiB and 13 minutes if digits are lost, the limit is 512 MiB", "4.2GiB"},
		{parallel.LimitError{Takes: 6 << 20, Limit: 6 << 20, Partial: true}, "it takes more than 6 MiB of memory, the limit is 6 MiB", ""},
		{parallel.LimitError{Takes: 1100 * (1 << 30), Limit: 1 << 30}, "it takes some 1.07 TiB of memory, the limit is 1 GiB", "1.1TiB"},
		{parallel.LimitError{Takes: 1023.5 * (1 << 20), Limit: 1 << 20}, "it takes some 1024 MiB of memory, the limit is 1 MiB", "1.1GiB"},
		{parallel.LimitError{What: "as a journal has it", All: 3 << 20}, "as a journal has it", "4MiB"},
		{parallel.LimitError{Takes: 1e6, Limit: 86400, Resource: parallel.Time}, "it takes about 11.6 days of one processor, the limit is 24 hours", ""},
	} {
		if got := c.err.Error(); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if got := c.err.Suffices(); got != c.suffices {
			t.Errorf("%q suffices, want %q", got, c.suffices)
		}
	}
}
