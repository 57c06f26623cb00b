// Package together does several things at the same time.

package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Do calls all functions, the first on this goroutine and each other on one of its own, and returns when all have. One
// that panics makes Do panic, with the stack of the call: on this goroutine, where the program can tell of it.
func Do(calls ...func()) {
	var others sync.WaitGroup
	var panicked atomic.Pointer[string]
	safe := func(call func()) {
		defer func() {
			if v := recover(); v != nil {
				text := fmt.Sprintf("%v\n\n%s", v, debug.Stack())
				panicked.CompareAndSwap(nil, &text)
			}
		}()
		call()
	}
	for i, call := range calls {
		if i > 0 {
			others.Go(func() { safe(call) })
		}
	}
	if len(calls) > 0 {
		safe(calls[0])
	}
	others.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

// EachOf calls do(0), …, do(n−1), on as many goroutines as there are processors, and returns the error of the least argument
// of those that failed. It begins no more after one has.
func EachOf(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	calls := make([]func(), min(n, runtime.GOMAXPROCS(0)))
	for k := range calls {
		calls[k] = func() {
			for i := next.Add(1) - 1; i < int64(n) && !failed.Load(); i = next.Add(1) - 1 {
				if errs[i] = do(int(i)); errs[i] != nil {
					failed.Store(true)
				}
			}
		}
	}
	Do(calls...)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
