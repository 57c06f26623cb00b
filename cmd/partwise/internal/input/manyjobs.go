package input

import (
	"os"
	"runtime/debug"
)

// manyJobs is the number of jobs above which a command spares memory. Commands on short logs would take 2 % longer.
const manyJobs = 200_000

// SpareMemory limits garbage to a percentage of the memory in use, if a log has many jobs and the user has not set GOGC. The
// standard of Go is 100 per cent. SpareMemory returns a function that restores the earlier limit.
func SpareMemory(jobs, percent int) (undo func()) {
	if jobs <= manyJobs || os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
