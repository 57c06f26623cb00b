package joblog

import (
	"errors"

	"github.com/partwise/partwise/models/workload/internal/filekind"
)

// ErrNotLog is wrapped by the error of a file that is not a readable job log, but looks like something else.
var ErrNotLog = errors.New("not a job log")

// Kind returns what a file is by its beginning, for a command that wants something else: a job log in one of the formats, a page for
// browsers, a table and so on. Kind returns "" for what may be a log in Standard Workload Format without comments.
func Kind(text []byte) string {
	b := filekind.Begin(text)
	if f := formats.recognise(b); f != nil {
		return "a job log (" + string(f.name) + ")"
	}
	kind, _ := b.Kind()
	return kind
}
