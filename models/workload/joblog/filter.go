package joblog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// BySubmission compares jobs by when they were submitted.
func BySubmission(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) }

// Range says which jobs are wanted. Its zero value wants all.
type Range struct {
	From, To float64  // submitted at From or later, and before To unless that is 0
	Sizes    Sizes    // the zero value: any
	Statuses []Status // none: any
	Choices  []Choice // all of which take a job that is wanted; none: any
	Names    Names    // of the log, for the choices
}

// excludes returns why a job is not wanted, "" if it is. The words are the same for all jobs that are left out for the same reason.
// What the log does not tell of a job excludes no job.
func (r *Range) excludes(j *Job) string {
	nodes := j.Nodes()
	switch {
	case j.Submit >= 0 && j.Submit < r.From:
		return "before the range"
	case r.To != 0 && j.Submit >= r.To:
		return "after the range"
	case nodes > 0 && nodes < r.Sizes.From:
		return "too small"
	case r.Sizes.To > 0 && nodes > r.Sizes.To:
		return "too large"
	case len(r.Statuses) > 0 && !slices.Contains(r.Statuses, j.Status):
		return "status " + j.Status.String()
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; !c.takes(&r.Names, j) {
			return "another " + string(c.Label)
		}
	}
	return ""
}

// isWhole reports whether all jobs are wanted.
func (r *Range) isWhole() bool {
	return r.From == 0 && r.To == 0 && r.Sizes == (Sizes{}) && len(r.Statuses)+len(r.Choices) == 0
}

// Count returns how many of some jobs are wanted. A job that was submitted before the log begins counts as submitted at its begin. An
// error ends the jobs.
func (r *Range) Count(jobs Jobs) (n int) {
	for j, err := range jobs {
		if err != nil {
			return n
		}
		counted := *j
		counted.Submit = max(j.Submit, 0)
		if r.excludes(&counted) == "" {
			n++
		}
	}
	return n
}

// CheckNames returns an *[UnknownNameError] if a choice has a name that none of the jobs has: the name is misspelt. It reads the jobs
// once for each choice, and returns their error.
func (r *Range) CheckNames(jobs Jobs) error {
	if r == nil || jobs == nil {
		return nil
	}
	for i := range r.Choices {
		if err := r.Choices[i].check(jobs, &r.Names); err != nil {
			return err
		}
	}
	return nil
}

// Choose returns the jobs that are wanted and can be run again on a machine with the given number of nodes; 0 nodes stand for
// any number. leave is told why another job is left out: that it is not wanted, otherwise that it is damaged or too large. It is
// also told the node-seconds that are lost with a job that is wanted but cannot be run.
func (r *Range) Choose(jobs Jobs, nodes int, leave func(reason string, lost float64)) Jobs {
	return func(yield func(*Job, error) bool) {
		for j, err := range jobs {
			if err == nil {
				if unwanted := r.excludes(j); unwanted != "" {
					leave(unwanted, 0)
					continue
				}
				if problem := j.Problem(nodes); problem != "" {
					leave(problem, j.NodeTime())
					continue
				}
			}
			if !yield(j, err) {
				return
			}
		}
	}
}

// Stretch returns the jobs with factor times the times between their submissions, the first staying where it is: 1/2 doubles
// the load. They end with an *[Error] if a job comes later than [Longest].
func Stretch(jobs Jobs, factor float64) Jobs {
	return func(yield func(*Job, error) bool) {
		first := math.NaN()
		for j, err := range jobs {
			if err == nil {
				if math.IsNaN(first) {
					first = j.Submit
				}
				if j.Submit = first + factor*(j.Submit-first); !(j.Submit <= Longest) {
					err = &Error{Problem: fmt.Sprintf("with %.3g times the times between submissions job %d comes after %.3g s; "+
						"times of more than %g s are not simulated", factor, j.ID, j.Submit, Longest)}
				}
			}
			if !yield(j, err) || err != nil {
				return
			}
		}
	}
}
