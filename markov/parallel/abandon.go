package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Abandonable returns what f returns, or the error of a context that is done before: f then goes on by itself. It is for
// what takes no context and changes nothing that others see.
func Abandonable[T any](ctx context.Context, f func() (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	type result struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if r.panicked = recover(); r.panicked != nil {
				r.panicked = fmt.Sprintf("%v\n%s", r.panicked, debug.Stack())
			}
			done <- r
		}()
		r.value, r.err = f()
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
