package joblog

import (
	"cmp"
	"fmt"
	"slices"
)

// BySubmission compares jobs by when they were submitted.
func BySubmission(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) }

// Range says which jobs are wanted. Its zero value wants all.
type Range struct {
	From, To float64  // submitted at From or later, and before To unless that is 0
	Sizes    Sizes    // the zero value: any
	Statuses []Status // none: any
}

// excludes returns why a job is not wanted, in words that are the same for all jobs left out for the same reason; empty
// if it is.
func (r *Range) excludes(j *Job) string {
	switch {
	case j.Submit < r.From:
		return "before the range"
	case r.To != 0 && j.Submit >= r.To:
		return "after the range"
	case j.Nodes() < r.Sizes.From:
		return "too small"
	case r.Sizes.To > 0 && j.Nodes() > r.Sizes.To:
		return "too large"
	case len(r.Statuses) > 0 && !slices.Contains(r.Statuses, j.Status):
		return "status " + j.Status.String()
	}
	return ""
}

// Choose returns the jobs that are wanted and can be run again on a machine with the given number of nodes; 0 nodes stand for
// any number. They share memory with jobs, and are not to be modified. It counts the others by reason. lost is the node-seconds of the jobs that are wanted but cannot be run.
func (r *Range) Choose(jobs []Job, nodes int) (chosen []Job, skipped map[string]int, lost float64) {
	skipped = map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		unwanted, problem := r.excludes(j), j.Problem(nodes)
		if problem != "" && unwanted == "" {
			lost += j.nodeTime()
		}
		switch reason := cmp.Or(problem, unwanted); {
		case reason != "":
			skipped[reason]++
		case len(chosen) == i: // none was left out so far, and none need be copied
			chosen = jobs[: i+1 : i+1]
		default:
			chosen = append(chosen, *j)
		}
	}
	return chosen, skipped, lost
}

// Stretch returns the jobs with factor times the times between their submissions, the first staying where it is: 1/2 doubles
// the load. It returns an *[Error] if a job comes later than [Longest].
func Stretch(jobs []Job, factor float64) ([]Job, error) {
	jobs = slices.Clone(jobs)
	for i := range jobs {
		j := &jobs[i]
		if j.Submit = jobs[0].Submit + factor*(j.Submit-jobs[0].Submit); !(j.Submit <= Longest) {
			return nil, &Error{Problem: fmt.Sprintf("with %.3g times the times between submissions job %d comes after %.3g s; "+
				"times of more than %g s are not simulated", factor, j.ID, j.Submit, Longest)}
		}
	}
	return jobs, nil
}
