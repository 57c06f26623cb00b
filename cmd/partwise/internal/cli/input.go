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
	switch {
	case path == standardStream:
		if f, ok := inv.Stdin.(*os.File); ok && isRegular(f.Stat()) {
			return &input{inv.Context, io.NopCloser(f)}, "standard input", nil
		}
		return newStream(inv.Context, io.NopCloser(inv.Stdin)), "standard input", nil
	case isDirectory(path):
		return nil, path, Hint(ExitFailure, "name a file in it", fmt.Errorf("%s is a directory", path))
	case IsReadOnce(path):
		f, err := openStream(inv.Context, path)
		if err != nil {
			return nil, path, err
		}
		return newStream(inv.Context, f), path, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, err
	}
	return &input{inv.Context, f}, path, nil
}

// IsReadOnce reports whether a name leads to something that gives its bytes only once: standard input, a pipe, a device.
func IsReadOnce(path string) bool {
	if path == standardStream {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isRegular(info os.FileInfo, err error) bool { return err == nil && info.Mode().IsRegular() }

// input is a file that ends with the error of a context when that is done.
type input struct {
	ctx context.Context
	io.ReadCloser
}

// Read reads on.
func (f *input) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.ReadCloser.Read(p)
}

// openStream opens a pipe, which takes until somebody opens its other end, or until the context is done.
func openStream(ctx context.Context, path string) (*os.File, error) {
	return parallel.Abandonable(ctx, func() (*os.File, error) { return os.Open(path) })
}

// stream is a pipe or a device whose reads end when a context is done, though the system goes on waiting for bytes.
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
