package sched

import "github.com/partwise/partwise/models/policy"

// What the tests of the package use beside its exports.
type Dynamic = dynamic

var Fill = fillSmallest

// PartitionWithin divides units among jobs of sizes with bounds, as partitionWithin does. It overwrites the sizes.
func PartitionWithin(sizes, least, most []int, units int) {
	jobs := make([]resizable, len(sizes))
	for k := range jobs {
		jobs[k] = resizable{size: sizes[k], least: least[k], most: most[k]}
	}
	partitionWithin(jobs, units)
	for k := range jobs {
		sizes[k] = jobs[k].size
	}
}

// Rule returns what makes the schedules of a rule.
func Rule(rule policy.EpochRule, spread int) EpochPolicy {
	e, err := NewEpochPolicy(policy.Epochs{Rule: rule, Spread: spread})
	if err != nil {
		panic(err)
	}
	return e
}
