package joblog

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// eachJob gives the elements of a JSON array of jobs to take, one by one, with the line on which they begin: the file is
// the array, the array of the key jobs of an object, or objects one after the other. An element that take refuses is
// counted; a file that is not JSON is an error.
func (s *store) eachJob(in *logtext.File, take func(text json.RawMessage, line int) (problem string)) error {
	return logtext.EachValue(in, s.file, "jobs", func(text json.RawMessage, line int) error {
		if problem := take(text, line); problem != "" {
			s.lose(problem, line, text)
		}
		return nil
	})
}

// number is a number that Slurm writes as such, as text, or as {"set": true, "infinite": false, "number": 60}; NaN where
// it says that there is none.
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	*n = number(math.NaN())
	if len(text) > 0 && text[0] == '{' {
		var v struct {
			Set, Infinite bool
			Number        json.Number
		}
		v.Set = true
		if err := json.Unmarshal(text, &v); err != nil || !v.Set || v.Infinite {
			return err
		}
		text = []byte(v.Number)
	}
	if string(text) == "null" || len(text) == 0 {
		return nil
	}
	if text[0] == '"' && len(text) > 1 {
		text = text[1 : len(text)-1]
		if isUnknown(text) || isUnlimited(text) {
			return nil
		}
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return fmt.Errorf("%q is not a number", shortened(text))
	}
	*n = number(x)
	return nil
}

// time returns the time that a number of seconds since 1970 tells; 0 and NaN tell none.
func (n number) time() moment { return moment{at: int64(n), known: n > 0} }

// whole returns the whole number that n is, if it is one.
func (n number) whole() (uint32, bool) {
	if !(n >= 0 && n < none && float64(n) == math.Trunc(float64(n))) {
		return 0, false
	}
	return uint32(n), true
}
