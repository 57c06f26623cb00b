package decide

import (
	"testing"
)

func TestSpeed(t *testing.T) {
	for ratio, want := range map[float64]string{
		1.18: "18 % faster than", 0.8: "25 % slower than", 1.0001: "as fast as", 1.014: "1.4 % faster than",
		3.5: "250 % faster than",
	} {
		if got := Speed(ratio); got != want {
			t.Errorf("speed(%v) = %q, want %q", ratio, got, want)
		}
	}
}
