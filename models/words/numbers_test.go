package words_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/words"
)

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1e-6: "< 0.01 %", 0.00033: "0.033 %", 0.0123: "1.2 %", 0.0996: "10 %", 0.34: "34 %", 0.9961: "99.6 %",
	} {
		if got := words.Percent(share); got != want {
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
		if got := words.Seconds(v); got != want {
			t.Errorf("Seconds(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestTimeWords: the time of a flag stands with a space before its unit; other text does not change.
func TestTimeWords(t *testing.T) {
	for text, want := range map[string]string{"60s": "60 s", "15min": "15 min", "1h30m": "1h30m", "costs.csv": "costs.csv",
		"resized": "resized", "0.5": "0.5"} {
		if got := words.TimeWords(text); got != want {
			t.Errorf("TimeWords(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestLoad: a load has four decimals at most, and more where it would look like 0 or 1. A load has been through a division, so
// that 1 may be off by a rounding.
func TestLoad(t *testing.T) {
	for load, want := range map[float64]string{
		0: "0", 0.7: "0.7", 2. / 3: "0.6667", 1: "1", 1 - 1e-15: "1", 1.25: "1.25", 0.99996: "0.99996", 1.000004: "1.000004",
		1 - 1e-9: "0.999999999", 1e-5: "1e-05", 1.0000000000000001e-17: "1e-17", 3.14159e-9: "3.14e-09", 10: "10",
	} {
		if got := words.Load(load); got != want {
			t.Errorf("Load(%v) = %q, want %q", load, got, want)
		}
	}
}

// TestSaturationLoad: the load 1 at which a policy saturates is exact, and no other load looks like it.
func TestSaturationLoad(t *testing.T) {
	for load, want := range map[float64]string{
		1: "1", 1 - 3e-13: "1", 1 + 3e-13: "1", 0.5: "0.500", 0.99442: "0.994", 0.99996: "0.99996", 1.0002: "1.0002", 10: "10.0", 0: "0",
	} {
		if got := words.SaturationLoad(load, 3); got != want {
			t.Errorf("SaturationLoad(%v, 3) = %q, want %q", load, got, want)
		}
	}
}

// TestLengths: lengths of logs are written in years, months or days if there are at least two of them, otherwise in hours.
func TestLengths(t *testing.T) {
	for days, want := range map[float64]string{.01: "1 hour", 1.5: "36 hours", 14: "14 days", 60: "60 days", 61: "2 months",
		332: "11 months", 731: "2 years", 36525: "100 years", math.Inf(1): "more than 100 years"} {
		if got := words.Days(days); got != want {
			t.Errorf("%g days: %q, want %q", days, got, want)
		}
	}
}

// TestPercentApart: two precisions are written with as many digits as tell them apart, and with 17 where no percentages do.
func TestPercentApart(t *testing.T) {
	for _, c := range []struct {
		reached, asked float64
		known, wanted  string
	}{
		{.0150123, .015, "1.501 %", "1.500 %"},
		{.01, .015, "1.0 %", "1.5 %"},
		{math.Nextafter(.007, 1), .007, "0.70000000000000007 %", "0.70000000000000007 %"},
	} {
		if known, wanted := words.PercentApart(c.reached, c.asked); known != c.known || wanted != c.wanted {
			t.Errorf("%v and %v: %q and %q", c.reached, c.asked, known, wanted)
		}
	}
}
