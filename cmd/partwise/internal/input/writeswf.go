package input

import (
	"io"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/joblog"
)

// WriteSWF writes the jobs of the selection to a file, in Standard Workload Format. In other formats, jobs may share a number: tasks of an
// array, attempts of a job, and jobs of several clusters. WriteSWF then numbers all jobs from 1, and tells the user.
func (l *Selection) WriteSWF(file string, jobs *joblog.List) error {
	header, given := l.Header, jobs.All()
	if l.Source.Format != joblog.SWF && shareNumbers(jobs) {
		header.Comments = append(slices.Clip(header.Comments), " Note: jobs are numbered anew, because several had the same number")
		given = renumbered(given)
		l.inv.Notef("%s: jobs are numbered from 1, because several jobs of %s have the same number", file, l.Name)
	}
	return output.WriteFile(file, func(w io.Writer) error { return joblog.WriteSWF(w, &header, given) })
}

// shareNumbers reports whether two jobs have the same number.
func shareNumbers(jobs *joblog.List) bool {
	numbers := make([]int, 0, jobs.Len())
	for j := range jobs.All() {
		numbers = append(numbers, j.ID)
	}
	slices.Sort(numbers)
	return len(slices.Compact(numbers)) < jobs.Len()
}

// renumbered returns the jobs with the numbers from 1 in their order.
func renumbered(jobs joblog.Jobs) joblog.Jobs {
	return func(yield func(*joblog.Job, error) bool) {
		number := 0
		for j, err := range jobs {
			if err != nil {
				yield(nil, err)
				return
			}
			number++
			numbered := *j
			numbered.ID = number
			if !yield(&numbered, nil) {
				return
			}
		}
	}
}
