package measure_test

import (
	"testing"

	"github.com/partwise/partwise/models/measure"
)

// TestBytes: a size has a unit, and is at least 1 MiB.
func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "1.5GiB": 3 << 29, "1 TiB": 1 << 40, "1024KiB": 1 << 20} {
		if got, ok := measure.ParseBytes(text); !ok || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "100", "GiB", "1KiB", "-1GiB", "NaNGiB", "1e99TiB", "4GB"} {
		if got, ok := measure.ParseBytes(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}
