package estimate

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f(0), …, f(n−1), each once, from up to workers goroutines (0: one for each processor), and returns when
// all have returned. After ctx is done it begins no more calls and returns the context's error. Whatever f computes
// belongs in a place of its own, indexed by its argument, so that it does not matter who computed it.
func Each(ctx context.Context, n, workers int, f func(i int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// Lengthen returns the length that a run should have to reach the relative half width target, given that at its present
// length it has half: the square law with ten per cent to spare, but at most four times the present length, as the
// estimate of a short run is not to be trusted, and at least a quarter more.
func Lengthen(length int, half, target float64) int {
	factor := 1.1 * (half / target) * (half / target)
	if !(factor < 4) {
		factor = 4
	}
	return int(math.Ceil(float64(length) * max(factor, 1.25)))
}
