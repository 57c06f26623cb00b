package machine

import (
	"fmt"
	"strconv"
)

// Dynamic is dynamic equi-partitioning. While i ≤ N jobs are in the system each has ⌊N/i⌋ units of nodes or one more,
// and an arrival or a departure resizes as few of them as can be. With N in the system, others wait first come, first
// served, and a departure hands its partition to the head of the queue.
//
// Cap, if positive, is the largest number of jobs that run, in place of the N that the machine has units for; capped,
// the policy does not split partitions beyond a size.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, section 2.1 and table 1.
type Dynamic struct {
	Cap   int
	sizes []int
}

func newCapped(parameter string) (func() Policy, error) {
	k, err := strconv.Atoi(parameter)
	if err != nil || k < 1 {
		return nil, fmt.Errorf("machine: %q is not a number of jobs", parameter)
	}
	return func() Policy { return &Dynamic{Cap: k} }, nil
}

// Name returns "dynamic", or "capped" if there is a cap.
func (d *Dynamic) Name() string {
	if d.Cap > 0 {
		return "capped"
	}
	return "dynamic"
}

// most returns the largest number of jobs that run.
func (d *Dynamic) most(v View) int {
	n := v.Nodes() / v.Unit()
	if d.Cap > 0 {
		return min(d.Cap, n)
	}
	return n
}

// Decide repartitions, or starts the head of the queue in the place of the job that left.
func (d *Dynamic) Decide(v View, why Event, do []Action) []Action {
	switch {
	case why.Kind == Alarm:
		return do
	case why.Kind == Departure && v.Waiting() > 0:
		return append(do, Allocate(v.Head(), why.Nodes))
	case why.Kind == Departure && v.Running() > 0:
		d.sizes = held(v, d.sizes)
		return d.divide(v, do)
	case why.Kind == Arrival && v.Running() < d.most(v):
		d.sizes = append(held(v, d.sizes), 0)
		return d.divide(v, do)
	}
	return do
}

// divide resizes the running jobs, and starts as many waiting ones as sizes has entries beyond those of the running.
func (d *Dynamic) divide(v View, do []Action) []Action {
	EquiPartition(d.sizes, v.Nodes()/v.Unit())
	for k, units := range d.sizes {
		j := Job(-1)
		if k < v.Running() {
			j = v.Started(k)
		} else {
			j = v.Queued(k - v.Running())
		}
		if n := units * v.Unit(); n != v.Held(j) {
			do = append(do, Allocate(j, n))
		}
	}
	return do
}

// held returns the units that each running job has, in the order of their starts.
func held(v View, sizes []int) []int {
	sizes = sizes[:0]
	for k := range v.Running() {
		sizes = append(sizes, v.Held(v.Started(k))/v.Unit())
	}
	return sizes
}

// EquiPartition divides units of nodes evenly among jobs: it replaces the sizes they have, those of newcomers being 0,
// by sizes that differ by one at most, and changes as few as can be. There must not be more jobs than units.
//
// Which jobs are resized, when there is a choice, is not said by the source of the policy: here the first grow first
// and the last shrink first, so that with sizes in the order of the starts the newcomer gets the smallest partition.
func EquiPartition(sizes []int, units int) {
	if len(sizes) == 0 {
		return
	}
	small, bigs := units/len(sizes), units%len(sizes) // bigs jobs have one unit more
	smalls := len(sizes) - bigs
	const kept = 1 << 30
	for k, n := range sizes { // shrinking takes the last, so the first keep the larger size
		if n == small+1 && bigs > 0 {
			sizes[k] |= kept
			bigs--
		}
	}
	for k := len(sizes) - 1; k >= 0; k-- { // growing takes the first, so the last keep the smaller one
		if sizes[k] == small && smalls > 0 {
			sizes[k] |= kept
			smalls--
		}
	}
	for k, n := range sizes {
		switch {
		case n&kept != 0:
			sizes[k] = n &^ kept
		case bigs > 0:
			sizes[k] = small + 1
			bigs--
		default:
			sizes[k] = small
		}
	}
}
