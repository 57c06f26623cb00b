package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// longestLine is the longest line, in bytes, of a file of measurements.
const longestLine = 16 << 20

// uncompressed returns what r holds, decompressed if it begins as gzip does, without a byte order mark.
func uncompressed(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(z, 64<<10)
	}
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		if _, err := in.Discard(3); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// damaged returns the error of a file that cannot be read on after row−1.
func damaged(file string, row int, err error) error {
	problem := err.Error()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		problem = "the line is too long to be a measurement"
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = "the file is cut off: its compressed data end too early"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		problem = "damaged compression: " + err.Error()
	}
	return &DataError{File: file, Row: row, Problem: problem}
}
