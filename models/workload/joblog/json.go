package joblog

import (
	"encoding/json"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// eachJob gives the elements of a JSON array of jobs to take, one by one, with the line on which they begin: the file is
// the array, the array of the key jobs of an object, or objects one after the other. An element that take refuses is
// counted; a file that is not JSON is an error.
func (s *store) eachJob(in *logtext.File, take func(text json.RawMessage, line int) (problem string)) error {
	return s.eachOf(in, "jobs", take)
}

// eachOf does so for the array of another key.
func (s *store) eachOf(in *logtext.File, key string, take func(text json.RawMessage, line int) (problem string)) error {
	return logtext.EachValue(in, s.file, key, func(text json.RawMessage, line int) error {
		if problem := take(text, line); problem != "" {
			s.lose(problem, line, text)
		}
		return nil
	})
}
