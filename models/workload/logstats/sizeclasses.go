package logstats

import (
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// SizeClass is the jobs of a log of similar sizes.
type SizeClass struct {
	joblog.Sizes
	Runs []float64 // their run times in seconds, ascending
	Mean float64   // of the run times
}

// Quantile returns the run time that the share p of the jobs does not exceed.
func (c *SizeClass) Quantile(p float64) float64 { return c.Runs[int(p*float64(len(c.Runs)-1))] }

// SizeClasses returns jobs by their sizes, in ascending order, without sizes that no job has.
func SizeClasses(jobs *joblog.List) []SizeClass {
	var all []SizeClass
	for j := range jobs.All() {
		of := joblog.SizesOf(j.Nodes())
		at, found := slices.BinarySearchFunc(all, of.To, func(c SizeClass, to int) int { return c.To - to })
		if !found {
			all = slices.Insert(all, at, SizeClass{Sizes: of})
		}
		all[at].Runs = append(all[at].Runs, j.Run)
		all[at].Mean += j.Run
	}
	for i := range all {
		sortValues(all[i].Runs)
		all[i].Mean /= float64(len(all[i].Runs))
	}
	return all
}
