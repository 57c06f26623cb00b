package sched

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
)

// What the tests of the package use beside its exports.
type Dynamic = dynamic

var Fill = fillSmallest

// PartitionWithin divides units among jobs of sizes with bounds, as a boundedDivision does whose last level is given. It
// overwrites the sizes, and returns how many of them the division announced to change.
func PartitionWithin(sizes, least, most []int, units, last int) (resizes int) {
	jobs := make([]resizable, len(sizes))
	room := 0
	for k := range jobs {
		jobs[k] = resizable{size: int32(sizes[k]), least: int32(least[k]), most: int32(most[k])}
		room += most[k]
	}
	d := boundedDivision{near: int32(last)}
	resizes = d.begin(jobs, room, units)
	for k := range jobs {
		sizes[k] = d.nextSize(&jobs[k])
	}
	return resizes
}

// Rule returns what makes the schedules of a rule.
func Rule(rule policy.EpochRule, spread int) EpochPolicy {
	e, err := NewEpochPolicy(policy.Epochs{Rule: rule, Spread: spread})
	if err != nil {
		panic(err)
	}
	return e
}

// Lists returns the lists of running jobs by expected end, and of running jobs whose nodes can be chosen: as the state keeps
// them, and as it makes them anew.
func Lists(v View) (kept, anew string) {
	lists := func(v View) string { return fmt.Sprintf("by end %v, resizable %+v", v.endings(), *v.resizable()) }
	other := *v.s
	other.endings, other.endingsKept, other.resizable = nil, false, nil
	return lists(v), lists(View{&other})
}
