package logtext

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// CSV reads the records of a table in CSV. Quotes within fields are taken as they stand. A field that begins with a quote may go
// on in the next lines only if a quote closes the field, as RFC 4180 says: otherwise the quote of one row would take in the rows
// after it.
type CSV struct {
	reader *csv.Reader
	source *csvSource
	bytes  *Records
	line   int // on which the last record begins
	passed int // lines up to the end of the last record
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

// Next returns the next record, which is valid until the next call, and the line on which it begins. The error is [io.EOF] after
// the last record, [ErrOpenQuote] of the line with an open quote, or the error of the file, of the line after the last record.
func (r *CSV) Next() (record []string, line int, err error) {
	record, err = r.reader.Read()
	if err != nil {
		return nil, r.line + 1, err
	}
	r.bytes.Next()
	r.line, _ = r.reader.FieldPos(0)
	text := r.source.cut(r.reader.InputOffset())
	if line, isOpen := r.openQuote(record, text); isOpen {
		return nil, line, ErrOpenQuote
	}
	r.passed += bytes.Count(text, []byte("\n"))
	return record, r.line, nil
}

// openQuote reports whether a field goes on in the next lines although no quote closes the field. Such a field begins on the line
// returned. Quotes in other fields do not matter. The text is the record as it stands in the file, with the comments and empty
// lines before the record.
func (r *CSV) openQuote(record []string, text []byte) (line int, isOpen bool) {
	passed := r.passed
	for i, field := range record {
		if !strings.Contains(field, "\n") {
			continue
		}
		line, column := r.reader.FieldPos(i)
		for ; passed < line-1; passed++ {
			_, text, _ = bytes.Cut(text, []byte("\n"))
		}
		if !isClosed(text[column:], string(r.reader.Comma)) {
			return line, true
		}
	}
	return 0, false
}

// isClosed reports whether a quote closes the field whose text, without the quote at its beginning, begins a text that ends with
// the record. A separator or the end of the record follows the closing quote. Each quote within the field is doubled, as RFC 4180
// says.
func isClosed(text []byte, separator string) bool {
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	for {
		_, after, isQuote := bytes.Cut(text, []byte(`"`))
		switch {
		case !isQuote:
			return false
		case len(after) == 0 || bytes.HasPrefix(after, []byte(separator)):
			return true
		case after[0] != '"':
			return false
		}
		text = after[1:]
	}
}
