package block

import (
	"runtime"
	"sync/atomic"

	"github.com/partwise/partwise/markov/parallel"
)

// worthSharing is the number of multiplications, some 0.4 ms, from which another core is asked to help. Waking a core
// takes tens of microseconds.
const worthSharing = 8_000_000

// atWork counts the calls of Share at work. If there are as many of them as cores, nothing is shared.
var atWork atomic.Int32

// Share calls do for 0 to n−1 in parts whose lengths are multiples of unit. It uses the cores that are not busy with such
// calls, if so many multiplications are worth it. The first part runs on the calling goroutine. Parts must be independent
// of each other.
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
