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
