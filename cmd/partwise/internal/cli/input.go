package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/partwise/partwise/markov/parallel"
)

// Open opens a file, or standard input for "-", and returns its name for people. An interrupt ends the opening and the
// reading, also of a pipe into which nobody writes.
func (inv *Invocation) Open(path string) (io.ReadCloser, string, error) {
	if path == standardStream {
		return newStream(inv.Context, io.NopCloser(inv.Stdin)), "standard input", nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, path, Hint(ExitFailure, "name a file in it", fmt.Errorf("%s is a directory", path))
	}
	// A pipe takes until somebody opens its other end.
	f, err := parallel.Abandonable(inv.Context, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, path, err
	}
	return newStream(inv.Context, f), path, nil
}

// stream is a file whose reads end when a context is done, though the system goes on waiting for the bytes of a pipe or a device.
type stream struct {
	*io.PipeReader
	in   io.Closer
	stop func() bool
}

func newStream(ctx context.Context, in io.ReadCloser) *stream {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return &stream{r, in, context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })}
}

// Close ends the reading.
func (s *stream) Close() error {
	s.stop()
	s.PipeReader.Close()
	return s.in.Close()
}
