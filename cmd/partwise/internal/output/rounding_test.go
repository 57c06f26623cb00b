package output_test

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1e-6: "< 0.01 %", 0.00033: "0.033 %", 0.0123: "1.2 %", 0.0996: "10 %", 0.34: "34 %", 0.9961: "99.6 %",
	} {
		if got := output.Percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
}
