package pbs

import (
	"bytes"
	"time"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Record is a record of an accounting log, such as 03/01/2024 08:00:00;E;123.server;user=u1 … The slices refer to the line that
// was parsed.
//
// Reference: Torque Administrator Guide, accounting records; PBS Professional Reference Guide, accounting log.
type Record struct {
	Kind       byte   // letter of the type of the record, such as E for the end of a job
	clock      []byte // date and time of day, on the clock of the server
	Job        []byte // number of the job, see [ParseJob]
	Attributes []byte // see [NextAttribute]
}

// ParseRecord returns the record on a line. ok is false if the line is not a record.
func ParseRecord(line []byte) (r Record, ok bool) {
	const form = "../../.... ..:..:..;.;"
	if len(line) < len(form) {
		return r, false
	}
	for i := range len(form) {
		if form[i] != '.' && line[i] != form[i] {
			return r, false
		}
	}
	r.clock, r.Kind = line[:19], line[20]
	r.Job, r.Attributes, _ = bytes.Cut(line[len(form):], []byte(";"))
	return r, r.Kind >= 'A' && r.Kind <= 'Z' || r.Kind >= 'a' && r.Kind <= 'z'
}

// Clock returns the date and time of the record as Unix time, as if the clock of the server showed UTC. The caller has to
// subtract the offset of its time zone. ok is false if the text is no date and time.
func (r *Record) Clock() (civil int64, ok bool) {
	ok = true
	number := func(from, to int) (n int) {
		for _, c := range r.clock[from:to] {
			ok = ok && c >= '0' && c <= '9'
			n = 10*n + int(c-'0')
		}
		return n
	}
	month, day, year := number(0, 2), number(3, 5), number(6, 10)
	hour, minute, second := number(11, 13), number(14, 16), number(17, 19)
	ok = ok && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 61
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).Unix(), ok
}

// NextAttribute returns the name and the value of the attribute that a text begins with, and the text after the attribute. A value in
// quotation marks may hold blanks. A word without a value has the value nil.
func NextAttribute(text []byte) (name, value, rest []byte) {
	word, rest, _ := bytes.Cut(text, []byte(" "))
	name, value, found := bytes.Cut(word, []byte("="))
	if !found {
		return word, nil, rest
	}
	if quoted, after, ok := cutQuoted(text[len(name)+1:]); ok {
		return name, quoted, after
	}
	return name, value, rest
}

// cutQuoted cuts a value in quotation marks off the beginning of a text, and the blank behind it. A quotation mark closes the
// value if a blank or the end of the text follows. ok is false if the text does not begin with a quoted value.
func cutQuoted(text []byte) (quoted, rest []byte, ok bool) {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
		return nil, nil, false
	}
	mark := text[0]
	if closing := bytes.Index(text[1:], []byte{mark, ' '}); closing >= 0 {
		return text[:closing+2], text[closing+3:], true
	}
	return text, nil, text[len(text)-1] == mark
}

// Job is the number of a job, such as 123 or 123.server. A task of an array is 123[4].server or 123-4.server, and a whole array
// 123[].server.
type Job struct {
	Number, Task         uint32
	IsTask, IsWholeArray bool
	Server               []byte
}

// ParseJob reads the number of a job. ok is false if the text has no form that [Job] describes.
func ParseJob(text []byte) (j Job, ok bool) {
	number, server, _ := bytes.Cut(text, []byte("."))
	j.Server = server
	var rest []byte
	if j.Number, rest, ok = logtext.LeadingNumber(number); !ok || len(rest) == 0 {
		return j, ok
	}
	task, inBrackets := bytes.CutPrefix(rest, []byte("["))
	switch {
	case inBrackets && bytes.Equal(task, []byte("]")):
		j.IsWholeArray = true
		return j, true
	case inBrackets && bytes.HasSuffix(task, []byte("]")):
		task = task[:len(task)-1]
	case !inBrackets && rest[0] == '-':
		task = rest[1:]
	default:
		return j, false
	}
	j.Task, rest, j.IsTask = logtext.LeadingNumber(task)
	return j, j.IsTask && len(rest) == 0
}
