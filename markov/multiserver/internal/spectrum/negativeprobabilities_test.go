package spectrum_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
)

// TestCheckNegative: the error names the negative share of the absolute values. It was negative itself where the sum was.
func TestCheckNegative(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		says string
	}{
		{[]float64{1, 0, 2}, ""},
		{[]float64{1, -1e-10}, ""},
		{[]float64{3, -1}, "0.2 of a level"},
		{[]float64{1, -4}, "0.8 of a level"},
		{[]float64{0, -1}, "1 of a level"},
		{[]float64{0, 0}, "no probabilities"},
		{[]float64{1, math.NaN()}, "no probabilities"},
	} {
		err := spectrum.CheckNegative(c.x)
		if (err == nil) != (c.says == "") || err != nil && !errors.Is(err, markov.ErrInaccurate) {
			t.Errorf("%v: error is %v, want %q", c.x, err, c.says)
		} else if err != nil && !strings.Contains(err.Error(), ": "+c.says) && !strings.Contains(err.Error(), "has "+c.says) {
			t.Errorf("%v: error is %v, want %q", c.x, err, c.says)
		}
	}
}
