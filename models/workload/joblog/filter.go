package joblog

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Source gives jobs one by one: Next reads the next one into j and returns io.EOF after the last. A [Reader] is one.
type Source interface {
	Next(j *Job) error
}

// Jobs returns a source of the given jobs.
func Jobs(jobs []Job) Source { return ListOf(jobs).Jobs() }

var errNoSource = errors.New("joblog: there is no source of jobs")

// All reads a source to its end.
func All(s Source) ([]Job, error) {
	var jobs []Job
	if c, ok := s.(*cursor); ok {
		jobs = make([]Job, 0, c.list.n-c.next)
	}
	err := each(s, func(j *Job) error {
		jobs = append(jobs, *j)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return jobs, nil
}

// each gives the jobs of a source to f.
func each(s Source, f func(*Job) error) error {
	if s == nil {
		return errNoSource
	}
	j := new(Job) // one for all, as what is given to a source goes to the heap
	for {
		*j = Job{}
		switch err := s.Next(j); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := f(j); err != nil {
			return err
		}
	}
}

// Most returns a source that gives at most n of the jobs of another, and an *[Error] in place of one more: for those that
// keep all jobs in memory. 0 is any number.
func Most(s Source, n int) Source {
	if n == 0 {
		return s
	}
	return &most{s, n, n}
}

type most struct {
	in      Source
	n, left int
}

func (m *most) Next(j *Job) error {
	err := m.in.Next(j)
	if m.left--; err == nil && m.left < 0 {
		return tooMany(m.n)
	}
	return err
}

// Range says which jobs are wanted. Its zero value wants all.
type Range struct {
	From, To           float64 // submitted at From or later, and before To unless that is 0
	MinNodes, MaxNodes int     // 0: any
	MinRun, MaxRun     float64 // 0: any
	Statuses           []Status
	Users              []int
}

// excludes returns why a job is not wanted, in words that are the same for all jobs left out for the same reason; empty
// if it is.
func (r *Range) excludes(j *Job) string {
	switch n := j.Nodes(); {
	case j.Submit < r.From:
		return "before the range"
	case r.To != 0 && j.Submit >= r.To:
		return "after the range"
	case n < r.MinNodes:
		return "too small"
	case r.MaxNodes > 0 && n > r.MaxNodes:
		return "too large"
	case j.Run < r.MinRun:
		return "too short"
	case r.MaxRun > 0 && j.Run > r.MaxRun:
		return "too long"
	case len(r.Statuses) > 0 && !slices.Contains(r.Statuses, j.Status):
		return "status " + j.Status.String()
	case len(r.Users) > 0 && !slices.Contains(r.Users, j.User):
		return "other users"
	}
	return ""
}

// Filter passes on the jobs of a source that can be run again on a machine and are wanted, and counts the others by
// reason.
type Filter struct {
	In      Source
	Nodes   int // of the machine; 0: any number
	Range   Range
	Skipped map[string]int
	Lost    float64 // node-seconds of the jobs that are wanted but cannot be run
}

// Next reads the next job that is wanted.
func (f *Filter) Next(j *Job) error {
	if f == nil || f.In == nil {
		return errNoSource
	}
	for {
		if err := f.In.Next(j); err != nil {
			return err
		}
		unwanted := f.Range.excludes(j)
		reason := j.Problem(f.Nodes)
		switch {
		case reason == "" && unwanted == "":
			return nil
		case reason == "":
			reason = unwanted
		case unwanted == "":
			f.Lost += j.nodeTime()
		}
		if f.Skipped == nil {
			f.Skipped = map[string]int{}
		}
		f.Skipped[reason]++
	}
}

// Stretch multiplies the times between submissions by Factor, the first staying where it is: 1/2 doubles the load.
type Stretch struct {
	In     Source
	Factor float64

	begun bool
	first float64
}

// Next reads the next job, at its new time, or returns an *[Error] if that is later than [Longest].
func (s *Stretch) Next(j *Job) error {
	if s == nil || s.In == nil {
		return errNoSource
	}
	if err := s.In.Next(j); err != nil {
		return err
	}
	if !s.begun {
		s.begun, s.first = true, j.Submit
	}
	j.Submit = s.first + s.Factor*(j.Submit-s.first)
	if !(j.Submit <= Longest) {
		return &Error{Problem: fmt.Sprintf("with %.3g times the times between submissions job %d comes after %.3g s; "+
			"times of more than %g s are not simulated", s.Factor, j.ID, j.Submit, Longest)}
	}
	return nil
}
