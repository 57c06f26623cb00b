package joblog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// eachJob gives the elements of a JSON array of jobs to take, one by one, with the line on which they begin: the file is
// the array, the array of the key jobs of an object, or objects one after the other. An element that take refuses is
// counted; a file that is not JSON is an error.
func (s *store) eachJob(in *logtext.File, take func(text json.RawMessage, line int) (problem string)) error {
	source := &logtext.Newlines{In: in}
	d := json.NewDecoder(source)
	damaged := func(err error) error {
		return &Error{File: s.file, Row: source.Line(d.InputOffset()), Problem: notJSON(err)}
	}
	one := func() error {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return damaged(err)
		}
		line := source.Line(d.InputOffset() - int64(len(text)))
		if problem := take(text, line); problem != "" {
			s.lose(problem, line, text)
		}
		return nil
	}
	first, err := in.Peek(1)
	if err != nil {
		return &Error{File: s.file, Problem: "is empty"}
	}
	for len(first) == 1 && (first[0] == ' ' || first[0] == '\n' || first[0] == '\r' || first[0] == '\t') {
		b, _ := in.ReadByte()
		if b == '\n' {
			source.Passed++
		}
		first, _ = in.Peek(1)
	}
	beginning, _ := in.Peek(in.Size())
	if len(first) == 1 && first[0] == '{' && !hasKey(beginning, "jobs") {
		for d.More() {
			if err := one(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := enterJobs(d); err != nil {
		return damaged(err)
	}
	for d.More() {
		if err := one(); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return damaged(err)
	}
	return nil
}

// hasKey reports whether an object whose beginning is given has a key.
func hasKey(beginning []byte, key string) bool {
	d := json.NewDecoder(bytes.NewReader(beginning))
	depth := 0
	for {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 && t == key {
				return true
			}
		}
	}
}

// enterJobs reads up to the first element of the array of jobs.
func enterJobs(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil || t == json.Delim('[') {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("neither an array of jobs nor an object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name != "jobs" {
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return err
			}
			continue
		}
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return errors.Join(err, fmt.Errorf("jobs is not an array"))
		}
		return nil
	}
	return fmt.Errorf("there is no array jobs")
}

func notJSON(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file is cut off: its JSON ends too early"
	}
	return "not JSON of jobs: " + err.Error()
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
