package fit

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// parallel calls, for each i from 0 to n−1, the function that each worker makes for itself. It returns the error of
// ctx, before all calls are made, if that ends. A call that panics makes parallel panic, with the stack of the call.
func parallel(ctx context.Context, workers, n int, newWorker func() func(i int)) error {
	workers = min(workers, n)
	if workers <= 1 {
		work := newWorker()
		for i := 0; i < n && ctx.Err() == nil; i++ {
			work(i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var all sync.WaitGroup
	var panicked atomic.Pointer[string]
	for range workers {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					text := fmt.Sprintf("%v\n\n%s", v, debug.Stack())
					panicked.CompareAndSwap(nil, &text)
				}
			}()
			work := newWorker()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	all.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return ctx.Err()
}
