package joblog

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// lines reads the lines of a log.
type lines struct {
	file     string
	in       *logtext.File
	row      int
	comments bool   // lines that begin with a semicolon are comments, which may be of any length; no other line is long
	longer   []byte // a line that is longer than the buffer of the file
}

// longestRecord is the longest line of a job, in bytes: the list of the nodes of a job on a large machine fits.
const longestRecord = 8 << 20

// next returns the next line that is not blank, without its end. long tells that it is longer than any job: only its
// beginning is returned. The error is io.EOF after the last, or that the file cannot be read on.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		line, err = l.in.ReadSlice('\n')
		l.row++
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
		case errors.Is(err, bufio.ErrBufferFull):
			if line, long, err = l.nextLonger(line); err != nil || len(line) == 0 || long || l.comments {
				return line, long, err
			}
		case errors.Is(err, io.EOF):
			return nil, false, io.EOF
		default:
			return nil, false, logtext.Damaged(l.file, l.row, err)
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, false, nil
		}
	}
}

// nextLonger reads a line on that is longer than the buffer of the file, whose beginning is given.
func (l *lines) nextLonger(beginning []byte) (line []byte, long bool, err error) {
	endless := l.comments && bytes.HasPrefix(bytes.TrimSpace(beginning), []byte(";"))
	most := longestRecord
	if l.comments {
		most = commentBytes
	}
	l.longer = append(l.longer[:0], beginning[:min(len(beginning), most)]...)
	err = bufio.ErrBufferFull
	for n := len(beginning); errors.Is(err, bufio.ErrBufferFull) && (endless || n < logtext.LongestLine); {
		var more []byte
		more, err = l.in.ReadSlice('\n')
		n += len(more)
		if long = long || n > most; !long {
			l.longer = append(l.longer, more...)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, logtext.Damaged(l.file, l.row, err)
	}
	if long {
		return l.longer[:min(len(l.longer), commentBytes)], !endless, nil
	}
	return l.longer, false, nil
}

// tooLong is what is wrong with a line that is longer than any job.
const tooLong = "a line longer than any job"
