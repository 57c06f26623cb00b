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

// jsonText is a value that Slurm writes as a number, as a text, as {"set": true, "infinite": false, "number": 60}, or as the first of a
// list; "" where it says that there is none.
type jsonText string

func (t *jsonText) UnmarshalJSON(text []byte) (err error) {
	switch text[0] {
	case 'n': // null
		*t = ""
	case '{':
		v := struct {
			Set, Infinite bool
			Number        jsonText
		}{Set: true}
		if err = json.Unmarshal(text, &v); v.Set && !v.Infinite {
			*t = v.Number
		}
	case '[':
		var all []jsonText
		if err = json.Unmarshal(text, &all); len(all) > 0 {
			*t = all[0]
		}
	case '"':
		err = json.Unmarshal(text, (*string)(t))
	default:
		*t = jsonText(text)
	}
	return err
}
