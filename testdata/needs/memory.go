package needs

import (
	"flag"
	"runtime"
	"runtime/debug"
)

// spendMemory makes the tests of this process take less time and more memory. Garbage is collected when the heap is five times what is
// in use, not twice, as long as the process stays below a gigabyte. Allocations are sampled for a profile only if a flag asks for one.
func spendMemory() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	if profile := flag.Lookup("test.memprofile"); profile != nil && profile.Value.String() == "" {
		runtime.MemProfileRate = 0
	}
}
