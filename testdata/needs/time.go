package needs

import (
	"flag"
	"testing"
)

var (
	long  = flag.Bool("long", false, "run the tests that take seconds to a minute, too, as .ci/run does")
	study = flag.Bool("study", false, "run the studies that take minutes to an hour, too; implies -long")
)

// IsLong reports whether the flags ask for long tests: a test may then try more cases.
func IsLong() bool { return *long || *study }

// IsStudy reports whether the flags ask for studies.
func IsStudy() bool { return *study }

// Long skips the test t unless the flags ask for long tests. The reason says what the test does that takes its time.
func Long(t testing.TB, reason string) {
	t.Helper()
	if !IsLong() {
		skip(t, "-long", reason)
	}
}

// Study skips the test t unless the flags ask for studies. The reason says what the study does that takes its time.
func Study(t testing.TB, reason string) {
	t.Helper()
	if !IsStudy() {
		skip(t, "-study", reason)
	}
}
