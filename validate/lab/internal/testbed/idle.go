package testbed

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// Idle tells how much of the time of the host's processors nobody used.
type Idle struct{ idle, all float64 }

// NewIdle begins to watch. What other systems than Linux tell is not known, and NaN.
func NewIdle() Idle {
	text, _ := os.ReadFile("/proc/stat")
	var i Idle
	fields := strings.Fields(string(text))
	if len(fields) < 9 { // cpu user nice system idle iowait irq softirq steal
		return Idle{math.NaN(), math.NaN()}
	}
	for k, field := range fields[1:9] {
		ticks, _ := strconv.ParseFloat(field, 64)
		i.all += ticks
		if k == 3 || k == 4 {
			i.idle += ticks
		}
	}
	return i
}

// Share returns the share of the time since i began, between 0 and 1.
func (i Idle) Share() float64 {
	now := NewIdle()
	return (now.idle - i.idle) / (now.all - i.all)
}
