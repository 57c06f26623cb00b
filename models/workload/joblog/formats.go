package joblog

import (
	"bytes"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Format is the name of the format of a job log, such as "swf" or "sacct".
type Format string

// format is an entry of the table of formats. All that is known of a format stands in its entry and in one file.
type format struct {
	name    Format
	summary string // what writes such logs
	// sizes says which fields tell the size of a job in nodes, CPUs and GPUs; "": the format does not tell it.
	sizes     [len(units)]string
	recognise func(b *beginning) bool // by content
	// read reads a log whose name in errors is file. It gives the jobs to take as they come, or returns them in a list, in the
	// order of their submission.
	read func(in *logtext.File, file string, o Options, take func(*Job) bool) (Log, *List, error)
}

// formatTable is a list of formats. The first format that recognises the beginning of a log counts.
type formatTable []format

// formats is the table of all formats.
var formats = formatTable{swf, sacct, kubernetes, sacctJSON, pbs, helios, philly, elastiSim}

// Formats lists the names of all formats.
func Formats() []Format { return formats.names() }

func (t formatTable) names() (all []Format) {
	for i := range t {
		all = append(all, t[i].name)
	}
	return all
}

// named returns the entry of a name, nil if there is none.
func (t formatTable) named(name Format) *format {
	for i := range t {
		if t[i].name == name {
			return &t[i]
		}
	}
	return nil
}

// recognise returns the entry of the format that the beginning of a log shows, nil if no format does.
func (t formatTable) recognise(b *beginning) *format {
	if otherRecord(b.line) != "" {
		return nil
	}
	for i := range t {
		if t[i].recognise(b) {
			return &t[i]
		}
	}
	return nil
}

// beginning is the beginning of a file, by which its format is recognised.
type beginning struct {
	text []byte // without blanks in front
	rest []byte // text without messages and comments in front of it
	line []byte // the first line of rest
}

func beginningOf(text []byte) *beginning {
	b := &beginning{text: bytes.TrimLeft(text, " \t\r\n")}
	b.rest = b.text
	for len(b.rest) > 0 {
		line, rest, _ := bytes.Cut(b.rest, []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 && !logtext.IsMessage(line) {
			b.line = bytes.TrimRight(line, "\r")
			break
		}
		b.rest = rest
	}
	return b
}

// isJSON reports whether the text begins as JSON does.
func (b *beginning) isJSON() bool { return beginsJSON(b.text) }

func beginsJSON(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

// has reports whether the text has a key of JSON: its name in quotation marks before a colon.
func (b *beginning) has(key string) bool {
	name := []byte(`"` + key + `"`)
	for rest := b.text; ; {
		i := bytes.Index(rest, name)
		if i < 0 {
			return false
		}
		if rest = rest[i+len(name):]; bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":")) {
			return true
		}
	}
}

// hasAny reports whether the text has one of some keys.
func (b *beginning) hasAny(keys ...string) bool { return slices.ContainsFunc(keys, b.has) }

// quotesAny reports whether one of some words stands in quotation marks in the text.
func (b *beginning) quotesAny(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(b.text, []byte(`"`+word+`"`)) })
}

// Recognise returns the format that the beginning of a log shows. It returns "" if no format does; the file may then still be a log in
// Standard Workload Format that begins with its first job.
func Recognise(text []byte) Format {
	if f := formats.recognise(beginningOf(text)); f != nil {
		return f.name
	}
	return ""
}

// stored returns the reader of a format with a layout, whose jobs are made when read has put all records into a store.
func stored(l *layout, read func(s *store, in *logtext.File) error) func(*logtext.File, string, Options, func(*Job) bool) (Log, *List, error) {
	return func(in *logtext.File, file string, o Options, _ func(*Job) bool) (Log, *List, error) {
		s := newStore(file, o, l)
		if err := read(s, in); err != nil {
			return Log{}, nil, err
		}
		return s.finish()
	}
}
