package joblog

import (
	"errors"
	"regexp"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// ErrNotLog is the kind of the error of a file that is not a job log, but looks like something else.
var ErrNotLog = errors.New("not a job log")

// lookalikes are what files of no known format look like, by their beginning; "" may be a log in Standard Workload Format. The first
// that fits counts.
var lookalikes = []struct {
	pattern *regexp.Regexp
	kind    string
}{
	{regexp.MustCompile(`^(-?[0-9]|-$|-[^-]|--$|--[^-]|$)`), ""},
	{regexp.MustCompile(`\x00`), "binary data"},
	{regexp.MustCompile(`^[{[]`), "JSON without jobs"},
	{regexp.MustCompile(`(?m)\A(#|---)|^[A-Za-z_][\w.-]*:(\s|$)`), "YAML, such as a model file"},
	{regexp.MustCompile(`^[^\n]*[,;|\t]`), "a table whose columns are not those of a job log: "},
	{regexp.MustCompile(`^\pL`), "plain text"},
}

// lookalike returns what the beginning of a file of no known format looks like, "" if that may be a log in Standard
// Workload Format.
func lookalike(b *beginning) string {
	for _, l := range lookalikes {
		if !l.pattern.Match(b.text) {
			continue
		}
		if strings.HasSuffix(l.kind, ": ") {
			return l.kind + logtext.Shortened(b.line)
		}
		return l.kind
	}
	return ""
}
