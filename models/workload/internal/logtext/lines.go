package logtext

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Lines reads the lines of a log.
type Lines struct {
	File     string // its name in errors
	In       *File
	Row      int    // of the last line, from 1
	Comments bool   // comments begin with a semicolon and may have any length; other lines must fit into the buffer of the file
	longer   []byte // a line that is longer than the buffer of the file
}

// KeptOfLong is the number of bytes that are kept of a comment, or of a line that is longer than any job.
const KeptOfLong = 4 << 10

// longestRecord is the longest line of a job, in bytes: the list of the nodes of a job on a large machine fits.
const longestRecord = 8 << 20

// endMark is what DOS wrote behind the last line of a text. Files that were put together have it between their lines, too.
const endMark = '\x1a'

// isBlank reports whether a line holds nothing but white space, or an end mark of DOS.
func isBlank(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) == 0 || len(text) == 1 && text[0] == endMark
}

// Next returns the next line that is not blank, without its end. The line is valid until the next call. long reports that
// the line is longer than any job; only its beginning is returned then. The error is io.EOF after the last line, or says
// that the file cannot be read on.
func (l *Lines) Next() (line []byte, long bool, err error) {
	for {
		line, err = l.In.ReadSlice('\n')
		l.Row++
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
		case errors.Is(err, bufio.ErrBufferFull):
			if line, long, err = l.nextLonger(line); err != nil || len(line) == 0 || long || l.Comments {
				return line, long, err
			}
		case errors.Is(err, io.EOF):
			return nil, false, io.EOF
		default:
			return nil, false, Damaged(l.File, l.Row, err)
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		if !isBlank(line) {
			return line, false, nil
		}
	}
}

// nextLonger reads the rest of a line that is longer than the buffer of the file. It returns the line as [Lines.Next] does.
func (l *Lines) nextLonger(beginning []byte) (line []byte, long bool, err error) {
	endless := l.Comments && bytes.HasPrefix(bytes.TrimSpace(beginning), []byte(";"))
	most := longestRecord
	if l.Comments {
		most = KeptOfLong
	}
	l.longer = append(l.longer[:0], beginning[:min(len(beginning), most)]...)
	err = bufio.ErrBufferFull
	for n := len(beginning); errors.Is(err, bufio.ErrBufferFull) && (endless || n < LongestLine); {
		var more []byte
		more, err = l.In.ReadSlice('\n')
		n += len(more)
		if long = long || n > most; !long {
			l.longer = append(l.longer, more...)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, Damaged(l.File, l.Row, err)
	}
	if long {
		return l.longer[:min(len(l.longer), KeptOfLong)], !endless, nil
	}
	return l.longer, false, nil
}
