package needs

import "testing"

func TestSummary(t *testing.T) {
	if got := summary(nil); got != "" {
		t.Errorf("no test was skipped, and the summary is %q", got)
	}
	got := summary(map[string]int{"the program sbatch": 2, "-long": 3})
	if want := "skipped 5 tests: 3 need -long, 2 need the program sbatch"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUnmetNeedsAreCounted: a test that needs what is not there is skipped, and counted.
func TestUnmetNeedsAreCounted(t *testing.T) {
	ran := false
	t.Run("", func(t *testing.T) {
		Program(t, "no-such-program")
		ran = true
	})
	if ran || skipped.by["the program no-such-program"] != 1 {
		t.Errorf("the test ran: %v; counts: %v", ran, skipped.by)
	}
	delete(skipped.by, "the program no-such-program")
}
