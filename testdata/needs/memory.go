package needs

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
)

// spendMemory makes the tests of this process take less time and more memory. Garbage is collected when the heap is five times
// what is in use, not twice, as long as the process stays below a gigabyte. Programs that the tests start collect garbage as seldom.
// Variables of the environment that say otherwise count more. Allocations are sampled for a profile only if a flag asks for a
// profile of memory. Benchmarks run as programs do: a large chain would collect garbage all the time below a limit of a gigabyte.
func spendMemory() {
	if bench := flag.Lookup("test.bench"); bench != nil && bench.Value.String() != "" {
		return
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		_ = os.Setenv("GOGC", "400") // for the programs: this process has read the variable already
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30)
	}
	if profile := flag.Lookup("test.memprofile"); profile != nil && profile.Value.String() == "" {
		runtime.MemProfileRate = 0
	}
}
