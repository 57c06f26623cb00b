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

// eachOf does so for the array of another key. An element that take refuses may be a document that has such an array, as in a
// list of the documents of several files. Then take is given the elements of that array.
func (s *store) eachOf(in *logtext.File, key string, take func(text json.RawMessage, line int) (problem string)) error {
	return logtext.EachValue(in, s.file, key, func(text json.RawMessage, line int) error {
		problem := take(text, line)
		if problem == "" {
			return nil
		}
		elements, isDocument := logtext.Elements(text, key)
		if !isDocument {
			s.lose(problem, line, text)
		}
		for _, element := range elements {
			if problem := take(element, line); problem != "" {
				s.lose(problem, line, element)
			}
		}
		return nil
	})
}
