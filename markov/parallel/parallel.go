// Package parallel does independent things several at a time.
package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each calls do(0), …, do(n−1), each once, in ascending order of start, from up to workers goroutines (0: one for each
// processor), and returns when all have returned. After ctx is done, or one has failed, it begins no more. It returns
// the error of the context or, of the calls that failed, the error of the call with the least argument. Whatever do
// computes belongs in a place of its own, indexed by its argument, so that it does not matter who computed it. A call
// that panics makes Each panic, with the stack of the call, when all that were begun have returned.
func Each(ctx context.Context, n, workers int, do func(i int) error) error {
	if do == nil {
		return errors.New("parallel: there is nothing to call")
	}
	return Workers(ctx, n, workers, func() func(i int) error { return do })
}

// Do calls all functions but nil ones at the same time, and returns when all have returned. It panics as [Each] does.
func Do(calls ...func()) {
	// The context does not end and no call fails, so there is no error.
	_ = Each(context.Background(), len(calls), len(calls), func(i int) error {
		if calls[i] != nil {
			calls[i]()
		}
		return nil
	})
}

// Workers is [Each] for calls that need storage: each goroutine makes a function of its own. After ctx is done it
// begins no more calls, and returns the error of ctx.
func Workers(ctx context.Context, n, workers int, newWorker func() func(i int) error) error {
	if newWorker == nil {
		return errors.New("parallel: there is nothing to call")
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, max(0, n))
	var next atomic.Int64
	var failed atomic.Bool
	var panicked atomic.Pointer[string]
	work := func() {
		defer func() {
			if v := recover(); v != nil {
				text := fmt.Sprintf("%v\n\n%s", v, debug.Stack())
				panicked.CompareAndSwap(nil, &text)
				failed.Store(true)
			}
		}()
		do := newWorker()
		for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil && !failed.Load(); i = next.Add(1) - 1 {
			if errs[i] = do(int(i)); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	var others sync.WaitGroup
	for range min(workers, n) - 1 {
		others.Go(work)
	}
	if n > 0 {
		work()
	}
	others.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Grid calls do(i, j) once for each i < n and j < m, and returns the results as values[i][j]. It uses workers, and
// returns errors, as [Each] does. If a call fails or ctx ends, the values of calls that were not made are zero.
// Progress, if it is not nil, is called with the number of calls that are done, perhaps from several goroutines at a
// time.
func Grid[T any](ctx context.Context, n, m, workers int, progress func(done int), do func(i, j int) (T, error)) ([][]T, error) {
	n, m = max(n, 0), max(m, 0)
	values := make([][]T, n)
	for i := range values {
		values[i] = make([]T, m)
	}
	var done atomic.Int64
	return values, Each(ctx, n*m, workers, func(k int) (err error) {
		i, j := k%n, k/n
		if values[i][j], err = do(i, j); err == nil && progress != nil {
			progress(int(done.Add(1)))
		}
		return err
	})
}
