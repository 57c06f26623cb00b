package jobtimes_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/phasetype"
)

// TestMostArrivals: under Poisson arrivals and an exponential time, the next event is an arrival with a probability p, so
// that k jobs or more arrive with probability p^k.
func TestMostArrivals(t *testing.T) {
	const rate, rare, limit = 1.5, 1e-13, 1 << 14
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(rate)))
	if err != nil {
		t.Fatal(err)
	}
	for _, mean := range []float64{0.01, 1, 30} {
		d, err := phasetype.Exponential(1 / mean)
		if err != nil {
			t.Fatal(err)
		}
		p := rate / (rate + 1/mean)
		got := jobtimes.MostArrivals(d, arrivals, rare, limit)
		if last := math.Pow(p, float64(got)); last > rare || last < rare*p {
			t.Errorf("mean %v: %d jobs or more arrive with probability %.2g, want %.2g at most", mean, got, last, rare)
		}
	}
}
