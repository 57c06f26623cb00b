package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Crossings says at which of the solved loads dynamic partitioning pays. The command breakeven finds the exact load between two
// of them.
func Crossings(points []decide.Point) string {
	known := decide.Compared(points)
	switch {
	case len(known) > 0:
	case !slices.ContainsFunc(points, func(p decide.Point) bool { return p.Decision.Of(policy.Dynamic{}) != nil }):
		return "dynamic partitioning was not solved"
	default:
		return "no load at which both ways are stable"
	}
	first, last := words.Load(known[0].Load), words.Load(known[len(known)-1].Load)
	if first == last {
		return fmt.Sprintf("at load %s, the only one at which both ways are stable, the ratio is %.3f%s", first,
			known[0].Decision.Ratio, ifNegligible(known))
	}
	if ifNegligible(known) != "" {
		return fmt.Sprintf("there is no practical difference between dynamic and static partitioning at any load from %s to %s",
			first, last)
	}
	pays := slices.DeleteFunc(slices.Clone(known), func(p decide.Point) bool { return !(p.Decision.Ratio > 1) })
	switch len(pays) {
	case 0:
		return fmt.Sprintf("dynamic partitioning pays at no load from %s to %s", first, last)
	case len(known):
		return fmt.Sprintf("dynamic partitioning pays at all loads from %s to %s%s", first, last, ifNegligible(pays))
	}
	return fmt.Sprintf("dynamic partitioning pays %s, of the loads that were solved%s", strings.Join(words.Texts(decide.Paying(known),
		stretch), " and "), ifNegligible(pays))
}

// RigidSaturation says at which load rigid jobs in the order of their arrival saturate; "" if they were not solved, or are stable
// at all points.
func RigidSaturation(points []decide.Point) string {
	if load := decide.RigidLimit(points); load > 0 {
		return "rigid jobs in their order (fcfs) saturate at load " + words.SaturationLoad(load, 3)
	}
	return ""
}

// stretch names the loads of a range. The ends may be the same load to the digits that are shown.
func stretch(loads [2]float64) string {
	from, to := words.Load(loads[0]), words.Load(loads[1])
	if from == to {
		return "at load " + from
	}
	return fmt.Sprintf("from load %s to %s", from, to)
}

// ifNegligible says that none of some points shows a practical difference, if that is so.
func ifNegligible(points []decide.Point) string {
	if slices.ContainsFunc(points, func(p decide.Point) bool { return !decide.Negligible(p.Decision.Ratio) }) {
		return ""
	}
	return fmt.Sprintf(", which is no practical difference (less than %s)", words.Percent(decide.PracticalDifference))
}

// Thrashing says at which loads too much of the time goes into repartitioning, see [decide.Solved.Thrashes]; "" if at none.
func Thrashing(points []decide.Point) string {
	t := decide.ThrashingLoads(points)
	switch {
	case t == nil:
		return ""
	case t.From < t.To:
		return fmt.Sprintf("thrashing from load %s to %s: up to %s of the time goes into repartitioning (at load %s)",
			words.Load(t.From), words.Load(t.To), words.Percent(t.Share), words.Load(t.At))
	}
	return fmt.Sprintf("thrashing at load %s: %s of the time goes into repartitioning", words.Load(t.At), words.Percent(t.Share))
}
