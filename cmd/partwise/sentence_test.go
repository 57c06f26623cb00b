package main

import (
	"testing"

	"github.com/partwise/partwise/models"
)

// ratios are points at loads .1, .2, … with ratios; 0 is a point at which a policy is unstable.
func ratios(rs ...float64) []models.Point {
	var points []models.Point
	for i, r := range rs {
		points = append(points, models.Point{Load: float64(i+1) / 10, Decision: models.Decision{Ratio: r}})
	}
	return points
}

func TestCrossings(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		want   string
	}{
		{[]float64{0.9, 0.95, 1.05, 1.1}, "dynamic pays from load 0.25 on"},
		{[]float64{1.1, 1.1}, "dynamic pays at every load from 0.1 to 0.2"},
		{[]float64{0.9, 0.8}, "dynamic pays at no load from 0.1 to 0.2"},
		{[]float64{1.2, 0.8}, "dynamic pays up to load 0.15"},
		{[]float64{0.9, 1.1, 0.9}, "dynamic pays from load 0.15 to 0.25"},
		{[]float64{1.1, 0.9, 1.1}, "dynamic pays up to load 0.15, and from load 0.25 on"},
		{[]float64{0.9, 1.1, 0, 0}, "dynamic pays from load 0.15 on, as far as it is stable (0.2)"},
		{[]float64{1.25, 0}, "at load 0.1 dynamic is 25 % faster than the best static"},
		{[]float64{0, 0}, "no load at which both policies are stable"},
	} {
		if got := crossings(ratios(c.ratios...)); got != c.want {
			t.Errorf("ratios %v: %q, want %q", c.ratios, got, c.want)
		}
	}
}

func TestSpeed(t *testing.T) {
	for ratio, want := range map[float64]string{
		1.18: "18 % faster than", 0.8: "25 % slower than", 1.0001: "as fast as", 1.014: "1.4 % faster than",
		3.5: "250 % faster than",
	} {
		if got := speed(ratio); got != want {
			t.Errorf("speed(%v) = %q, want %q", ratio, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1e-6: "< 0.01 %", 0.00033: "0.033 %", 0.0123: "1.2 %", 0.0996: "10 %", 0.34: "34 %", 0.9961: "99.6 %",
	} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"solve", "simulate", "validate", "policy"}
	for word, want := range map[string]string{
		"slove": "solve", "polciy": "policy", "policies": "policy", "simulat": "simulate", "x": "", "reticulate": "", "": "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
