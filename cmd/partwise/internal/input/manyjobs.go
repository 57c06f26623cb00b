package input

import (
	"os"
	"runtime/debug"
)

// manyJobs is the number of jobs above which a command spares memory. Commands on short logs would take 2 % longer.
const manyJobs = 200_000

// SpareMemory makes the collection of garbage start when it takes the given percentage of the memory in use, if a log has many jobs and
// the user has not set GOGC. The standard of Go is 100. SpareMemory returns a function that restores the earlier setting.
func SpareMemory(jobs, percent int) (undo func()) {
	if jobs <= manyJobs || os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
