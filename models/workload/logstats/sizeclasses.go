package logstats

import (
	"math/bits"

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
	var byPower [bits.UintSize]SizeClass // by the exponent of the largest size, which is a power of two
	for j := range jobs.All() {
		of := joblog.SizesOf(j.Nodes())
		c := &byPower[bits.TrailingZeros(uint(of.To))]
		c.Sizes = of
		c.Jobs++
		c.Mean += j.Run
		c.runs.add(j.Run)
	}
	var all []SizeClass
	for _, c := range byPower {
		if c.Jobs == 0 {
			continue
		}
		c.runs.sort()
		c.Mean /= float64(c.Jobs)
		all = append(all, c)
	}
	return all
}
