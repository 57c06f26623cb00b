package values_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/values"
)

// TestWholeNumbers: lists and ranges of whole numbers within bounds.
func TestWholeNumbers(t *testing.T) {
	parse := values.WholeNumbers(2, 9)
	if got, err := parse("2,4:8:2"); err != nil || fmt.Sprint(got) != "[2 4 6 8]" {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{"1": "1 is not a whole number from 2 to 9", "2.5": "2.5 is not a whole",
		"2,10": "10 is not a whole", "x": `"x" is not a number`} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	if math.MaxInt == math.MaxInt32 {
		return
	}
	parse = values.WholeNumbers(1, math.MaxInt) // numbers above 2⁵³ − 1 may have been rounded
	if got, err := parse("9007199254740991"); err != nil || fmt.Sprint(got) != "[9007199254740991]" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{"9007199254740993", "9223372036854775807", "1,1e18"} {
		if got, err := parse(text); err == nil || !strings.Contains(err.Error(), "from 1 to 9007199254740991") {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
}

// TestCountsWithExponent: a count is read exactly, also one with an exponent.
func TestCountsWithExponent(t *testing.T) {
	for text, want := range map[string]int64{"7": 7, "-3": -3, "1e3": 1000, "1.5e1": 15, "20e-1": 2, "9007199254740993e0": 9007199254740993} {
		if want > math.MaxInt { // of 32 bits
			continue
		}
		if got, err := values.Whole(text); err != nil || int64(got) != want {
			t.Errorf("%s is read as %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"2.5": "is not a whole number", "1.00000000000000000001e3": "is not a whole number",
		"1e19": "is too large", "1e": "is not a whole number", "0x10": "is not a whole number"} {
		if _, err := values.Whole(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]uint64{"0": 0, "1e3": 1000, "0x10": 16, "18446744073709551615": 1<<64 - 1, "1e19": 10000000000000000000} {
		if got, err := values.Seed(text); err != nil || got != want {
			t.Errorf("seed %s is read as %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"-1", "2.5", "1e20", "x"} {
		if _, err := values.Seed(text); err == nil || !strings.Contains(err.Error(), "is not a whole number from 0 to 18446744073709551615") {
			t.Errorf("seed %s: error %v", text, err)
		}
	}
}
