package testbed

import (
	"fmt"
	"math"
	"os"
)

// Idle tells how much of the time of the host's processors nobody used.
type Idle struct{ idle, all float64 }

// NewIdle begins to watch. What other systems than Linux tell is not known, and NaN.
func NewIdle() Idle { return readIdle() }

func readIdle() Idle {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Idle{math.NaN(), math.NaN()}
	}
	var t [8]float64
	if _, err := fmt.Sscanf(string(text), "cpu %f %f %f %f %f %f %f %f", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]); err != nil {
		return Idle{math.NaN(), math.NaN()}
	}
	i := Idle{idle: t[3] + t[4]}
	for _, x := range t {
		i.all += x
	}
	return i
}

// Share returns the share of the time since i began, between 0 and 1.
func (i Idle) Share() float64 {
	now := readIdle()
	return (now.idle - i.idle) / (now.all - i.all)
}
