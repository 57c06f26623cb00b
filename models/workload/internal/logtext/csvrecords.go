package logtext

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// CSV reads the records of a table in CSV. Quotes within fields are taken as they stand. A field that begins with a quote may go on in
// the next lines only if a quote closes the field, as RFC 4180 says: otherwise the quote of one row would take in the rows after it.
type CSV struct {
	reader *csv.Reader
	source *csvSource
	bytes  *Records
	line   int // on which the last record begins
}

// csvSource passes a file on, and keeps what was passed on since the end of a record.
type csvSource struct {
	in     io.Reader
	buffer []byte
	text   []byte // what was passed on since the end of a record: the end of the buffer
	at     int64  // offset of the text in the file
}

// Read reads on.
func (s *csvSource) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	kept := copy(s.buffer, s.text)
	s.buffer = append(s.buffer[:kept], p[:n]...)
	s.text = s.buffer
	return n, err
}

// cut returns the text before an offset, and keeps the text from the offset on. The result is valid until the next Read.
func (s *csvSource) cut(offset int64) []byte {
	n := offset - s.at
	record := s.text[:n]
	s.text, s.at = s.text[n:], offset
	return record
}

// ErrOpenQuote is the error of a record with a field that no quote closes.
var ErrOpenQuote = errors.New("a quote is never closed in this line; close it, or delete it")

// NewCSV returns the records of a file, whose fields a separator divides.
func NewCSV(in *File, separator rune) *CSV {
	records := &Records{In: in, Most: LongestLine}
	source := &csvSource{in: records}
	return &CSV{reader: newCSV(source, separator), source: source, bytes: records}
}

// newCSV returns a reader of records of any number of fields.
func newCSV(in io.Reader, separator rune) *csv.Reader {
	r := csv.NewReader(in)
	r.Comma, r.Comment, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = separator, '#', -1, true, true
	r.TrimLeadingSpace = r.Comma != '\t'
	return r
}

// Next returns the next record, which is valid until the next call, and the line on which it begins. The error is [io.EOF] after the last
// record, [ErrOpenQuote] of the line with an open quote, or the error of the file, of the line after the last record.
func (r *CSV) Next() (record []string, line int, err error) {
	record, err = r.reader.Read()
	if err != nil {
		return nil, r.line + 1, err
	}
	r.bytes.Next()
	r.line, _ = r.reader.FieldPos(0)
	text := r.source.cut(r.reader.InputOffset())
	for i, field := range record {
		if strings.Contains(field, "\n") && !r.isClosed(text) {
			line, _ := r.reader.FieldPos(i)
			return nil, line, ErrOpenQuote
		}
	}
	return record, r.line, nil
}

// isClosed reports whether a text is one record with the quotes of RFC 4180.
func (r *CSV) isClosed(text []byte) bool {
	strict := newCSV(bytes.NewReader(text), r.reader.Comma)
	strict.LazyQuotes = false
	_, err := strict.Read()
	if err != nil {
		return false
	}
	_, err = strict.Read()
	return errors.Is(err, io.EOF)
}
