package qbdtest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Peak returns by how much the live heap grows while f runs.
func Peak(f func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() float64 {
		metrics.Read(sample)
		return float64(sample[0].Value.Uint64())
	}
	before, most := read(), 0.0
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			case <-time.After(200 * time.Microsecond):
				most = max(most, read()-before)
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return most
}
