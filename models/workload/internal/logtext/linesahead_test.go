package logtext

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/partwise/partwise/markov/parallel"
)

// TestReaderPanics: a panic of the first reader of a block comes out of Each, whichever of its goroutines begins first.
func TestReaderPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(processors)
		for range 25 {
			wantPanic(t, func() {
				lines := LinesAhead[int]{In: linesOfBlocks(t, 2*processors+4)}
				_ = lines.Each(newPanicking, func(*Block[int]) bool { return true })
			})
		}
	}
}

// TestReaderPanicsBeforeTaking: a panic of a reader ends reading although nothing takes blocks. So it is in Each where the panic
// comes before takeBlocks has begun, which the scheduler allows too rarely for a test of Each.
func TestReaderPanicsBeforeTaking(t *testing.T) {
	wantPanic(t, func() {
		free, inOrder, unread := make(chan *Block[int], 2), make(chan *Block[int], 2), make(chan *Block[int], 2)
		free <- nil
		free <- nil
		ended := make(chan struct{})
		stop := sync.OnceFunc(func() { close(ended) })
		parallel.Do(
			func() { readBlocks(linesOfBlocks(t, 4), free, inOrder, unread, ended) },
			func() { readEach(unread, newPanicking(), stop) },
		)
	})
}

// newPanicking returns a reader that panics.
func newPanicking() func(*Block[int]) {
	return func(*Block[int]) { panic("unreadable") }
}

// linesOfBlocks returns lines that fill a number of blocks.
func linesOfBlocks(t *testing.T, blocks int) *Lines {
	in, err := Open(strings.NewReader(strings.Repeat(strings.Repeat("x", bytesOfBlock)+"\n", blocks)), "f")
	if err != nil {
		t.Error(err)
	}
	return &Lines{File: "f", In: in}
}

// wantPanic fails the test unless a call panics as the reader of [newPanicking] does, within 20 s.
func wantPanic(t *testing.T, call func()) {
	t.Helper()
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		call()
	}()
	select {
	case got := <-panicked:
		text, _ := got.(string)
		if !strings.HasPrefix(text, "unreadable") {
			t.Fatalf("the panic is %v, want unreadable", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("reading has not ended")
	}
}
