package logstats

import (
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// SizeClass is the jobs of a log of similar sizes.
type SizeClass struct {
	joblog.Sizes
	Jobs int
	Mean float64 // of the run times, in seconds
	runs values  // the run times in seconds, ascending
}

// Quantile returns the run time below which the share p of the jobs lies, by the rule of waiting times: it interpolates between
// two run times. It returns NaN of no jobs, or if p is not a share.
func (c *SizeClass) Quantile(p float64) float64 { return c.runs.quantileOfSorted(p) }

// SizeClasses returns jobs by their sizes, in ascending order, without sizes that no job has.
func SizeClasses(jobs *joblog.List) []SizeClass {
	var all []SizeClass
	for j := range jobs.All() {
		of := joblog.SizesOf(j.Nodes())
		at, found := slices.BinarySearchFunc(all, of.To, func(c SizeClass, to int) int { return c.To - to })
		if !found {
			all = slices.Insert(all, at, SizeClass{Sizes: of})
		}
		all[at].Jobs++
		all[at].Mean += j.Run
		all[at].runs.add(j.Run)
	}
	for i := range all {
		all[i].runs.sort()
		all[i].Mean /= float64(all[i].Jobs)
	}
	return all
}
