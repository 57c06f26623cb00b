package browsertest_test

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/browsertest"
)

// A test that looks at a page as a telephone shows it at night.
func Example() {
	_ = func(t *testing.T) {
		b := browsertest.Start(t)
		b.Window(380, 800, "dark")
		b.Open("page.html", "")
		for _, fault := range b.Faults() {
			t.Error(fault)
		}
	}
}
