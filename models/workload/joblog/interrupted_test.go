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

// errDisk is why a file cannot be read on.
var errDisk = errors.New("input/output error")

// TestReadingFailsAnywhere: wherever the reading of a log fails, in whatever format, the error wraps the reason. So an interrupt
// and a broken disk are told from a log that is wrong.
func TestReadingFailsAnywhere(t *testing.T) {
	for format, text := range map[joblog.Format]string{
		joblog.SWF: strings.Repeat(strings.Repeat("1 ", 18)+"\n", 3), sacct: sacctSeed, sacctJSON: sacctJSONText, pbs: pbsText,
		helios: heliosSeed, philly: phillyText, elastiSim: elastiSimText,
	} {
		for _, whole := range []string{text, zipped(t, text)} {
			for at := 0; at < len(whole); at += 1 + len(whole)/50 {
				for _, named := range []joblog.Format{"", format} {
					in := io.MultiReader(strings.NewReader(whole[:at]), iotest.ErrReader(errDisk))
					if _, err := joblog.Read(in, "f", joblog.Options{Format: named}); !errors.Is(err, errDisk) {
						t.Errorf("%s as %q after %d of %d bytes: %v", format, named, at, len(whole), err)
					}
				}
			}
		}
	}
}
