package measure_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
)

// TestWithPoint: a comma is a decimal comma unless it separates thousands.
func TestWithPoint(t *testing.T) {
	for text, want := range map[string]string{"0,6": "0.6", "40,5": "40.5", "1,5min": "1.5min", "2,5 %": "2.5 %", "-1,25e3": "-1.25e3",
		"0,125": "0.125", "1,000": "", "12,500s": "", "1,2,3": "", "06,5": "", "1.5": "", "1,": "", ",5": "", "a,5": ""} {
		if got := measure.WithPoint(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// TestCheckUnits: a number without a unit before one with a unit may be the whole part of a decimal number.
func TestCheckUnits(t *testing.T) {
	for text, want := range map[string]string{
		"1,5min":    `only the last number of "1,5min" has a unit; did you mean 1.5min or 1min,5min?`,
		"0,5min":    "did you mean 0.5min or 0min,5min?",
		"10,20,30s": "as in 10s,20s,30s",
		"1,5min,3h": "as in 1min,5min,3h",
		"2,5%":      "did you mean 2.5% or 2%,5%?",
		"2,5/h":     "did you mean 2.5/h or 2/h,5/h?",
	} {
		if err := measure.CheckUnits(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "1", "1,5", "60s,5min", "0,30s", "0,50%", "0,30s,1m", "60s,costs.csv", "0:10m:1m", "a,5s", "30s,5"} {
		if err := measure.CheckUnits(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
