package needs

import (
	"fmt"
	"slices"
	"testing"
)

func TestSummary(t *testing.T) {
	if got := summary(nil); got != "" {
		t.Errorf("no test was skipped, and the summary is %q", got)
	}
	got := summary(map[string]int{"the program sbatch": 2, "-long": 3})
	if want := "skipped 5 tests: 3 need -long, 2 need the program sbatch"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTestsOfConcurrency: the calls are found in the source, and this test is the one here.
func TestTestsOfConcurrency(t *testing.T) {
	Concurrency(t)
	names, err := testsOfConcurrency("testdata")
	if want := []string{"TestFirst", "TestSecond"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v; want %v", names, err, want)
	}
}

// recorder is a test that notes its reason to be skipped, and is not.
type recorder struct {
	testing.TB
	reason string
}

func (r *recorder) Helper()                          {}
func (r *recorder) Skipf(format string, args ...any) { r.reason = fmt.Sprintf(format, args...) }

// TestUnmetNeedsAreCounted: a test that needs what is not there is skipped, with the reason, and counted.
func TestUnmetNeedsAreCounted(t *testing.T) {
	defer delete(skipped.by, "the program no-such-program")
	r := &recorder{TB: t}
	Program(r, "no-such-program")
	if want := "needs the program no-such-program: it is not installed"; r.reason != want {
		t.Errorf("the reason is %q, want %q", r.reason, want)
	}
	if n := skipped.by["the program no-such-program"]; n != 1 {
		t.Errorf("%d tests were counted", n)
	}
	if path := Program(t, "go"); path == "" {
		t.Error("go has no path")
	}
}
