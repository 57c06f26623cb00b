package measure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
)

func TestParseShares(t *testing.T) {
	for text, want := range map[string][]float64{"20%": {0.2}, "0.2,1": {0.2, 1}, "0%:100%:50%": {0, 0.5, 1}} {
		if got, err := measure.ParseShares(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"20": "did you mean 20%?", "120%": "is not between 0 and 100 %",
		"many": "is not a list of shares", "-1": "not between",
		"0,2": "did you mean 0.2?", "0,2:0,8:0,2": "did you mean 0.2:0.8:0.2?", "0,2,0,4": "did you mean 0.2,0.4?",
		"2,5%": "did you mean 2.5% or 2%,5%?", "0,5%": "did you mean 0.5% or 0%,5%?"} {
		if _, err := measure.ParseShares(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
