// This file opens the text files that measurements and job logs come in, and says where one is wrong.

package logtext

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/partwise/partwise/markov/parallel"
)

// LongestLine is the longest line, in bytes, of a file of measurements.
const LongestLine = 16 << 20

// ErrTooMany is wrapped by the error of a file with more values or jobs than fit into the memory allowed.
var ErrTooMany error = &parallel.LimitError{What: "more than fit into the memory allowed", Resource: parallel.Memory}

// Error says where a file holds something that does not belong there. Row and Column count from 1; Column is the name
// in the header where there is one, otherwise its number; both are empty or 0 where they do not apply.
type Error struct {
	File    string
	Row     int
	Column  string
	Problem string
	Err     error // what kind of problem it is, for errors.Is; may be nil
}

// Unwrap returns the kind of the problem.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	s := e.File
	if e.Row > 0 {
		s += fmt.Sprintf(":%d", e.Row)
	}
	if e.Column != "" {
		s += ": column " + e.Column
	}
	if s == "" {
		return e.Problem
	}
	return s + ": " + e.Problem
}

// Records passes a file on in which no record may be longer than Most bytes; whoever reads says where one ends.
type Records struct {
	In   io.Reader
	Most int64

	passed int64 // since the last record
}

// Read reads on; the error is [bufio.ErrTooLong] where a record is too long.
func (r *Records) Read(p []byte) (int, error) {
	if r.passed > r.Most {
		return 0, bufio.ErrTooLong
	}
	n, err := r.In.Read(p)
	r.passed += int64(n)
	return n, err
}

// Next says that a record has ended.
func (r *Records) Next() { r.passed = 0 }

// errBlank is the error of a file that holds more blank characters in a row than any file of measurements.
var errBlank = fmt.Errorf("more than %d MiB of blank lines", LongestLine>>20)

// blanks passes a file on until it holds more than [LongestLine] blank characters in a row.
type blanks struct {
	in     io.Reader
	passed int // blank characters since the last other one, at least
}

// Read reads on.
func (b *blanks) Read(p []byte) (int, error) {
	if b.passed > LongestLine {
		return 0, errBlank
	}
	n, err := b.in.Read(p)
	if b.passed += n; len(bytes.TrimLeft(p[:n], " \t\r\n")) > 0 {
		b.passed = 0
	}
	return n, err
}

// File is a file of text.
type File struct {
	*bufio.Reader
	packed *packed // nil of a file that is not compressed
}

// packed is a file that is compressed, and how it is decompressed.
type packed struct{ io.Reader }

// gzipMagic is what the members of a file begin with that is compressed by gzip.
const gzipMagic = "\x1f\x8b"

// members decompresses the members of a file that is compressed by gzip, one after the other.
type members struct {
	raw *bufio.Reader
	now *gzip.Reader
}

// Read reads on. The error is [gzip.ErrHeader] if what follows a member does not begin as another member does.
func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.now.Read(p)
		if n > 0 && err == io.EOF {
			err = nil
		}
		if n > 0 || err != io.EOF {
			return n, err
		}
		next, err := m.raw.Peek(len(gzipMagic))
		switch {
		case len(next) == 0:
			return 0, err
		case !strings.HasPrefix(gzipMagic, string(next)):
			return 0, gzip.ErrHeader
		}
		if err := m.now.Reset(m.raw); err != nil {
			return 0, err
		}
		m.now.Multistream(false)
	}
}

// Open returns what r holds, decompressed if it begins as gzip does, without a byte order mark. file is its name in
// errors.
func Open(r io.Reader, file string) (*File, error) {
	raw := bufio.NewReaderSize(r, 4<<10)
	t, in := &File{}, io.Reader(raw)
	if magic, _ := raw.Peek(len(gzipMagic)); string(magic) == gzipMagic {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, Damaged(file, 0, err)
		}
		z.Multistream(false)
		t.packed = &packed{&members{raw, z}}
		in = t.packed
	}
	t.Reader = bufio.NewReaderSize(&blanks{in: in}, 64<<10) // also the longest line that some readers take
	mark, _ := t.Peek(archiveMarkAt + len(archiveMark))
	if err := otherForm(file, mark); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")) {
		if _, err := t.Discard(3); err != nil {
			return nil, Damaged(file, 1, err)
		}
	}
	return t, nil
}

// Ahead decompresses the text in another goroutine while it is being read, until stop is called. Nothing can be read after that.
func (t *File) Ahead() (stop func()) {
	if t.packed == nil {
		return func() {}
	}
	out, in := io.Pipe()
	packed := t.packed.Reader
	t.packed.Reader = out
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := io.Copy(in, packed)
		in.CloseWithError(err)
	}()
	return func() {
		out.Close()
		<-ended
	}
}

// Damaged returns the error of a file that cannot be read on after row−1; it wraps err, the reason.
func Damaged(file string, row int, err error) error {
	problem := err.Error()
	var reading *fs.PathError
	switch {
	case errors.As(err, &reading):
		problem = "cannot be read: " + reading.Err.Error()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // whoever reads was told to stop
	case errors.Is(err, bufio.ErrTooLong), errors.Is(err, bufio.ErrBufferFull):
		problem = "the line is too long: no job or measurement needs such a line; delete it"
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = "the file is cut off: its compressed data end too early; fetch the file again"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader) && row == 0:
		problem = "damaged compression: " + err.Error() + "; fetch the file again"
	case errors.Is(err, gzip.ErrHeader):
		problem = "what follows the compressed data is not compressed; gzip -dc leaves it out"
	}
	return &Error{File: file, Row: row, Problem: problem, Err: err}
}
