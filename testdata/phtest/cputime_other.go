//go:build !unix

package phtest

import "time"

var begun = time.Now()

// CPUSeconds returns the time since the process began, where the system does not say how much processor time it used.
func CPUSeconds() float64 { return time.Since(begun).Seconds() }
