package joblog_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// A reader that is interrupted ends, and the decompression ahead of it as well.
func TestInterrupted(t *testing.T) {
	text := zipped(t, strings.Repeat(strings.Repeat("-1 ", 18)+"\n", 100_000))
	before := runtime.NumGoroutine()
	in := io.MultiReader(strings.NewReader(text[:len(text)/2]), iotest.ErrReader(context.Canceled))
	if _, err := joblog.Read(in, "f", joblog.Options{Format: joblog.SWF}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for tries := 0; runtime.NumGoroutine() > before; tries++ { // it has nothing to do but to end
		if tries == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}
