package study

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

const (
	// mostPartitions is the number of partitions that a chain with the phases of a draft is solved for in a second or two.
	mostPartitions = 10
	// mostUnits is the number of partitions up to which a larger chain is made, if no chain of mostPartitions will do.
	mostUnits = 16
	// sameLoad is how many times the load of the log the load of a chain may be. It is a choice.
	sameLoad = 1.25
)

// ErrOneNode is why a part of a study is missing: the part divides the machine, but the machine has one node.
var ErrOneNode = errors.New("study: a machine of one node cannot be divided")

// Division is how the chain of a machine divides the nodes into equal units, and why.
type Division struct {
	Nodes  int
	Unit   int     // in nodes; 0: no unit was found
	Load   float64 // of the chain in this unit, see [DivisionOf]; infinite if all jobs came at once
	Logged float64 // load of the jobs on the nodes that they had; infinite if all jobs came at once
	// Usual is the unit that is tried first, with UsualLoad. It differs from Unit if its load is too high. It is 0 if
	// the nodes cannot be divided.
	Usual     int
	UsualLoad float64
}

// DivisionError is why no unit was found for the chain of a machine.
type DivisionError struct {
	Division
	// Stable is the largest unit in which the load is below 1. It makes more than 16 partitions. It is 0 if the load is not
	// below 1 in any unit.
	Stable int
}

// Error returns a message that names the cause: the number of nodes, or the loads.
func (e *DivisionError) Error() string {
	if e.Usual == 0 {
		return fmt.Sprintf("study: %d nodes cannot be divided into 2 to %d equal units", e.Nodes, mostUnits)
	}
	return fmt.Sprintf("study: no policy is stable in 2 to %d equal units: the load is %.4g in units of %d nodes, and %.4g on the nodes "+
		"that jobs had", mostUnits, e.UsualLoad, e.Usual, e.Logged)
}

// DivisionOf returns the unit in which the chain of the jobs of a log divides a machine. Chains, dynamic partitioning
// and static splits allocate multiples of it if the user names no unit.
//
// The chain in units of u nodes has the load
//
//	λ·E[D]·u/(nodes·S(u)),
//
// where λ is the rate of arrivals, D the run time of a job on one node, and S the speedup; nil is linear. Jobs use
// large units less efficiently, which raises the load of the chain above the load of the log.
//
// A unit divides the nodes into equal partitions. A chain of few partitions is small. Units are tried in this order: those
// that make 10, 9, … and 4 partitions, those that make 11 to 16 partitions, and those that make 3 and 2. The result is the
// first unit in which the load is below 1 and at most 1.25 times the load of the log. If no unit has such a load, the result
// is the unit with the least load. If all jobs came at once, no load is known, and the result is the unit that is tried first.
//
// The error is [ErrOneNode], or a *[DivisionError] if the nodes cannot be divided. It is also a DivisionError if the
// least load is 1 or more, but the load of the log is below 1. Another error comes from reading the jobs, or says that
// the speedup has no value for the nodes of a job, or that a time is not finite.
func DivisionOf(jobs joblog.Jobs, nodes int, speedup workload.Speedup) (Division, error) {
	if nodes == 1 {
		return Division{Nodes: nodes}, ErrOneNode
	}
	units := dividingUnits(nodes)
	if jobs == nil {
		return Division{Nodes: nodes}, errors.New("study: no jobs to divide a machine among")
	}
	if units == nil {
		return Division{Nodes: nodes}, &DivisionError{Division: Division{Nodes: nodes}}
	}
	loadIn, logged, err := loadsByUnit(jobs, nodes, speedup)
	if err != nil {
		return Division{Nodes: nodes}, err
	}
	d := Division{Nodes: nodes, Unit: units[0], Load: loadIn(units[0]), Logged: logged, Usual: units[0], UsualLoad: loadIn(units[0])}
	for _, unit := range units {
		load := loadIn(unit)
		if load < d.Load {
			d.Unit, d.Load = unit, load
		}
		if load < 1 && load <= sameLoad*logged {
			d.Unit, d.Load = unit, load
			break
		}
	}
	if d.Load >= 1 && logged < 1 {
		d.Unit = 0
		return d, &DivisionError{Division: d, Stable: largestStable(nodes, loadIn)}
	}
	return d, nil
}

// dividingUnits returns the units that divide the nodes into 2 to mostUnits equal partitions, in the order in which
// [DivisionOf] tries them.
func dividingUnits(nodes int) (units []int) {
	const fewest = 4 // two or three jobs at a time tell little of a machine
	add := func(parts int) {
		if nodes >= parts && nodes%parts == 0 {
			units = append(units, nodes/parts)
		}
	}
	for parts := mostPartitions; parts >= fewest; parts-- {
		add(parts)
	}
	for parts := mostPartitions + 1; parts <= mostUnits; parts++ {
		add(parts)
	}
	for parts := fewest - 1; parts > 1; parts-- {
		add(parts)
	}
	return units
}

// largestStable returns the largest unit that divides the nodes and has a load below 1. It is 0 if the nodes have none
// among those of at most 2²⁰ parts.
func largestStable(nodes int, loadIn func(unit int) float64) int {
	for parts := 2; parts <= min(nodes, 1<<20); parts++ {
		if nodes%parts == 0 && loadIn(nodes/parts) < 1 {
			return nodes / parts
		}
	}
	return 0
}

// loadsByUnit returns the load of a chain of the jobs as a function of its unit, and the load of the jobs on the nodes
// that they had; see [DivisionOf]. Jobs without a run time or a number of nodes have no work. The error comes from
// reading the jobs, or says that the speedup has no value for the nodes of a job, or that a time is not finite.
func loadsByUnit(jobs joblog.Jobs, nodes int, speedup workload.Speedup) (loadIn func(unit int) float64, logged float64, err error) {
	if speedup == nil {
		speedup = workload.Linear{}
	}
	offer, err := workload.OfferOfLog(jobs)
	if err != nil {
		return nil, 0, err
	}
	shape, work := workload.WithSpeedup(workload.Malleable, speedup), 0.0
	for from, err := range jobs {
		if err != nil {
			return nil, 0, err
		}
		if from.Run < 0 || from.Nodes() <= 0 {
			continue
		}
		j, err := shape.Job(0, from)
		if err != nil {
			return nil, 0, err
		}
		work += j.Work
	}
	if offer.Jobs < 2 || offer.First == offer.Last {
		return func(int) float64 { return math.Inf(1) }, math.Inf(1), nil
	}
	jobsPerGap := float64(offer.Jobs) / float64(offer.Jobs-1) // λ is one over the mean time between submissions
	perUnit, logged := work/jobsPerGap/((offer.Last-offer.First)*float64(nodes)), offer.Load(nodes)
	if sum := perUnit + logged; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, 0, errors.New("study: the run times or submissions of the jobs are not finite, so they have no load")
	}
	return func(unit int) float64 { return perUnit * float64(unit) / speedup.At(float64(unit)) }, logged, nil
}
