package sched

import "github.com/partwise/partwise/models/policy"

// What the tests of the package use beside its exports.
type Dynamic = dynamic

var (
	Fill            = fillSmallest
	PartitionWithin = partitionWithin
)

// Rule returns what makes the schedules of a rule.
func Rule(rule policy.EpochRule, spread int) EpochPolicy {
	e, err := NewEpochPolicy(policy.Epochs{Rule: rule, Spread: spread})
	if err != nil {
		panic(err)
	}
	return e
}
