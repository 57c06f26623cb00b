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

// TestSeconds: people read seconds up to a day, and days and hours above.
func TestSeconds(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0 s", 0.345: "0.34 s", 3: "3 s", 57.6: "58 s", 16754.2: "16,754 s", 86399: "86,399 s", 86400: "1 day", 93599: "1 day 2 h",
		398768: "4 days 15 h", 86400 * 99.99: "100 days", 86400 * 250.4: "250 days",
	} {
		if got := output.Seconds(v); got != want {
			t.Errorf("Seconds(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestTimeWords: the time of a flag stands with a space before its unit; other text does not change.
func TestTimeWords(t *testing.T) {
	for text, want := range map[string]string{"60s": "60 s", "15min": "15 min", "1h30m": "1h30m", "costs.csv": "costs.csv", "resized": "resized", "0.5": "0.5"} {
		if got := output.TimeWords(text); got != want {
			t.Errorf("TimeWords(%q) = %q, want %q", text, got, want)
		}
	}
}
