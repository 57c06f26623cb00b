package joblog

import (
	"bytes"
	"regexp"
	"unicode"
)

// OtherError is the error of a file that is not a job log, but looks like something else.
type OtherError struct{ Err *Error }

func (e *OtherError) Error() string { return e.Err.Error() }

// Unwrap returns the error with the name of the file.
func (e *OtherError) Unwrap() error { return e.Err }

// yamlKey matches a line of YAML that is a key, perhaps with its value.
var yamlKey = regexp.MustCompile(`(?m)^[A-Za-z_][\w.-]*:(\s|$)`)

// lookalike returns what the beginning of a file of no known format looks like, "" if that may be a log in Standard
// Workload Format.
func lookalike(beginning []byte) string {
	text := bytes.TrimLeft(beginning, " \t\r\n")
	switch {
	case len(text) == 0, text[0] == '-' && !bytes.HasPrefix(text, []byte("---")), text[0] >= '0' && text[0] <= '9':
		return ""
	case bytes.IndexByte(text, 0) >= 0:
		return "binary data"
	case text[0] == '{', text[0] == '[':
		return "JSON without jobs"
	case text[0] == '#', yamlKey.Match(text), bytes.HasPrefix(text, []byte("---")):
		return "YAML, such as a model file"
	}
	if line, _, _ := bytes.Cut(text, []byte("\n")); bytes.ContainsAny(line, ",;|\t") {
		return "a table whose columns are not those of a job log: " + shortened(bytes.TrimRight(line, "\r"))
	}
	if unicode.IsLetter(rune(text[0])) {
		return "plain text"
	}
	return ""
}
