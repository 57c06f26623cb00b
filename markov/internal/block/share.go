package block

import (
	"runtime"
	"sync/atomic"

	"github.com/partwise/partwise/markov/parallel"
)

// worthSharing is the number of multiplications, some .4 ms, from which another core is asked to help: waking it takes
// tens of microseconds.
const worthSharing = 8_000_000

// atWork counts what is shared at the time: where as many solutions are worked on as there are cores, nothing is.
var atWork atomic.Int32

// Share does 0..n in parts, multiples of unit, the first on this goroutine and the others on as many cores as are not at
// such work already, if it is worth it for so many multiplications. Parts may not depend on each other.
func Share(n, unit, work int, do func(from, to int)) {
	if work < worthSharing {
		do(0, n)
		return
	}
	free := runtime.GOMAXPROCS(0) - int(atWork.Add(1))
	defer atWork.Add(-1)
	parts := min(1+max(0, free), work/(worthSharing/2))
	step := (n/parts + unit) / unit * unit
	var calls []func()
	for from := 0; from < n; from += step {
		calls = append(calls, func() { do(from, min(from+step, n)) })
	}
	parallel.Do(calls...)
}
