package files

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/markov/parallel"
)

// NameOf returns the name of a file for people, which is standard input for [StandardStream].
func NameOf(path string) string {
	if path == StandardStream {
		return "standard input"
	}
	return path
}

// Open opens a file for reading, or takes stdin for [StandardStream], and returns the name of the file for people. The opening
// and the reading end with the error of ctx when ctx is done, also of a pipe into which nobody writes.
func Open(ctx context.Context, path string, stdin io.Reader) (io.ReadCloser, string, error) {
	if path == StandardStream {
		return newStream(ctx, io.NopCloser(stdin)), NameOf(path), nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, path, fault.Hint(fault.ExitFailure, "name a file in it", fmt.Errorf("%s is a directory", path))
	}
	// A pipe takes until somebody opens its other end.
	f, err := parallel.Abandonable(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, path, err
	}
	return newStream(ctx, f), path, nil
}

// stream is a file whose reads end when a context is done. The system may go on waiting for the bytes of a pipe or a device.
type stream struct {
	*io.PipeReader
	in   io.Closer
	stop func() bool
}

// newStream returns the stream of a file. A goroutine of its own waits for the bytes.
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
