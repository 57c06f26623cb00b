package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
)

func ExampleEach() {
	squares := make([]int, 5)
	err := parallel.Each(context.Background(), len(squares), 2, func(i int) error {
		squares[i] = i * i
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}

func TestEachCallsOnceAndReturnsTheFirstError(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 100} {
		var calls [50]atomic.Int32
		call := func(i int) error { calls[i].Add(1); return nil }
		if err := parallel.Each(t.Context(), len(calls), workers, call); err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("%d workers: do(%d) was called %d times", workers, i, n)
			}
		}
	}
	seven, eight := errors.New("seven"), errors.New("eight")
	err := parallel.Each(t.Context(), 9, 1, func(i int) error {
		return map[int]error{7: seven, 8: eight}[i]
	})
	if err != seven {
		t.Errorf("error %v, want that of the least argument", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err = parallel.Each(ctx, 9, 1, func(int) error { n++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d calls and the error %v after the context ended in the first", n, err)
	}
}

// TestGrid: each call has a place of its own, and progress ends with their number.
func TestGrid(t *testing.T) {
	var last atomic.Int32
	progress := func(done int) { last.Store(max(last.Load(), int32(done))) }
	got, err := parallel.Grid(t.Context(), 2, 3, 1, progress, func(i, j int) (int, error) { return 10*i + j, nil })
	if err != nil || fmt.Sprint(got) != "[[0 1 2] [10 11 12]]" || last.Load() != 6 {
		t.Errorf("values %v, error %v, %d done", got, err, last.Load())
	}
	failed := errors.New("fails")
	if _, err := parallel.Grid(t.Context(), 2, 2, 2, nil, func(i, j int) (int, error) {
		if i+j > 1 {
			return 0, failed
		}
		return 1, nil
	}); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
