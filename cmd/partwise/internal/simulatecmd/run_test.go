package simulatecmd

import (
	"testing"

	"github.com/partwise/partwise/validate"
)

// A simulation says how long it takes if that is more than a minute, by the jobs that it did so far.
func TestLongRunsTellTheirTime(t *testing.T) {
	for _, c := range []struct {
		jobs, expected int64
		want           string
	}{
		{1e6, 30e6, ""},
		{1e6, 400e6, "400M jobs take about 14 minutes; fewer --jobs or a larger --precision take less"},
		{0, 1, ""},
	} {
		if got := longRun(validate.Progress{Jobs: c.jobs, Expected: c.expected}, speedKnown); got != c.want {
			t.Errorf("%d of %d jobs in %v: %q, want %q", c.jobs, c.expected, speedKnown, got, c.want)
		}
	}
}
