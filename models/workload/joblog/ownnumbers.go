package joblog

import "slices"

// WithOwnNumbers returns the jobs of a list such that no two have the same number. Tasks of an array, attempts of a job, and jobs of
// several clusters may share a number in other formats than the Standard Workload Format. All jobs are then numbered from 1 in
// their order, and anew is true. The list stays as it is.
func (l *List) WithOwnNumbers() (jobs Jobs, anew bool) {
	var numbers []int
	for j := range l.All() {
		numbers = append(numbers, j.ID)
	}
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) == l.Len() {
		return l.All(), false
	}
	return func(yield func(*Job, error) bool) {
		number := 0
		for j, err := range l.All() {
			number++
			numbered := *j
			numbered.ID = number
			if !yield(&numbered, err) {
				return
			}
		}
	}, true
}
