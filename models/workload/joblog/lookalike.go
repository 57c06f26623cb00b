package joblog

import (
	"bytes"
	"errors"
	"unicode"
)

// ErrNotLog is the kind of the error of a file that is not a job log, but looks like something else.
var ErrNotLog = errors.New("not a job log")

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
	case text[0] == '#', hasYAMLKey(text), bytes.HasPrefix(text, []byte("---")):
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

// hasYAMLKey reports whether some line is a key of YAML, perhaps with its value.
func hasYAMLKey(text []byte) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	for line := range bytes.Lines(text) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && len(key) > 0 && bytes.IndexByte([]byte(letters), key[0]) >= 0 && len(bytes.Trim(key, letters+"0123456789.-")) == 0 &&
			(len(value) == 0 || bytes.IndexByte([]byte(" \t\r\n\f"), value[0]) >= 0) {
			return true
		}
	}
	return false
}
