package overheads

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/validate/sched"
)

// Steps are the costs of the steps of a repartition, in one unit of time, by the constants below.
type Steps [steps]float64

// The steps, in the order in which they happen. Where processes are served one after another, the cost counts once for
// each process.
const (
	Message    = iota // a message between two processes, sending and handling
	Phase             // the longest time that a worker computes before it looks for a message
	Checkpoint        // the data of a worker, from one after another to the coordinator
	Kill              // the end of a process on a moving node, one after another
	Update            // the data structures of the scheduler about an application that changes
	Launch            // the order to start a process on a node, one after another
	Boot              // from the last order until all processes run
	Connect           // a connection of a worker to the coordinator, one after another
	Congestion        // relative growth of Connect with each further worker of the same coordinator
	Assign            // work handed out to a worker, one after another
	steps
)

// Names are the names of the steps.
var Names = [steps]string{"message", "phase", "checkpoint", "kill", "update", "launch", "boot", "connect", "congestion", "assign"}

// OfApplications are the steps of applications; the others are the system's.
var OfApplications = []int{Phase, Checkpoint, Connect, Congestion, Assign}

// With returns the costs with the cost of the named step replaced. The error says that the cost is negative or not finite, or
// that no step has this name; the costs are unchanged then.
func (s Steps) With(name string, cost float64) (Steps, error) {
	if !(cost >= 0) || math.IsInf(cost, 1) {
		return s, fmt.Errorf("overheads: step %s: %v is not a nonnegative number", name, cost)
	}
	i := slices.Index(Names[:], name)
	if i < 0 {
		return s, fmt.Errorf("overheads: there is no step %q", name)
	}
	s[i] = cost
	return s, nil
}

// system returns the costs of the system alone: applications that take no time.
func (s Steps) system() Steps {
	for _, i := range OfApplications {
		s[i] = 0
	}
	return s
}

// Resize is an application that is interrupted to have another number of nodes.
type Resize struct{ From, To int }

// Repartition is a change of partitions: the applications that are interrupted, and the number of nodes of the one that
// is launched, 0 if none is, or whether one has departed.
type Repartition struct {
	Interrupted []Resize
	Launched    int
	Departed    bool
}

// moving returns how many nodes are taken from applications, and how many are given to applications.
func (r Repartition) moving() (taken, given int) {
	given = r.Launched
	for _, a := range r.Interrupted {
		taken += max(0, a.From-a.To)
		given += max(0, a.To-a.From)
	}
	return taken, given
}

// Time returns how long a repartition takes until all applications that it touches work again:
//
//	scheduler     notifies the coordinators, one after another
//	coordinator   tells its w workers to checkpoint; they do when their phase of work ends, the last of them after
//	              Phase·w/(w+1) on average, and send their data; it tells the scheduler
//	scheduler     has heard from all; kills the processes on nodes that are taken away; updates its data; launches
//	              processes on nodes that are handed out
//	coordinator   has accepted those workers that it keeps since it checkpointed, accepts the new ones, hands out work
//
// The new application, if there is one, has only the last two.
func (s Steps) Time(r Repartition) float64 {
	ready := make([]float64, len(r.Interrupted)) // when each coordinator has told the scheduler that it is
	var all float64
	for k, a := range r.Interrupted {
		w := float64(a.From)
		ready[k] = float64(k+1)*s[Message] + w*s[Message] + s[Phase]*w/(w+1) + w*s[Checkpoint] + s[Message]
		all = math.Max(all, ready[k])
	}
	taken, given := r.moving()
	changed := len(r.Interrupted)
	if r.Launched > 0 || r.Departed {
		changed++
	}
	running := all + float64(taken)*s[Kill] + float64(changed)*s[Update] + float64(given)*s[Launch]
	if given > 0 {
		running += s[Boot]
	}
	var end float64
	for k, a := range r.Interrupted {
		kept, added := min(a.From, a.To), max(0, a.To-a.From)
		connected := ready[k] + float64(kept)*s.connect(a.To)
		if added > 0 {
			connected = math.Max(connected, running) + float64(added)*s.connect(a.To)
		}
		end = math.Max(end, connected+float64(a.To)*s[Assign])
	}
	if n := r.Launched; n > 0 {
		end = math.Max(end, running+float64(n)*(s.connect(n)+s[Assign]))
	}
	return math.Max(end, running)
}

// connect returns the time that each of w connections to one coordinator takes.
func (s Steps) connect(w int) float64 { return s[Connect] * (1 + s[Congestion]*float64(w-1)) }

// Row is a point of a shrinking or an expanding phase: the repartition that makes Jobs applications run. In an
// expanding phase any of the applications may be the one that has left; the costs are the means over all.
type Row struct {
	Phase       string // shrink or expand
	Jobs        int
	Before      sizes
	After       sizes
	Transition  string
	Interrupted float64 // applications, without the one that is launched
	Moving      float64 // nodes that change hands
	System      float64 // what the repartition would take if applications took no time
	Application float64 // what they add
	Total       float64
}

// mostPartitions bounds the memory of the rows, which grows with the square of the number of partitions.
const mostPartitions = 4096

// check returns an error if the nodes of a machine are no multiple of the unit, or make too many partitions.
func check(nodes, unit int) error {
	switch {
	case unit < 1 || nodes < unit || nodes%unit != 0:
		return fmt.Errorf("overheads: the number of nodes, %d, is not a multiple of %d", nodes, unit)
	case nodes/unit > mostPartitions:
		return fmt.Errorf("overheads: more than %d partitions", mostPartitions)
	}
	return nil
}

// equal returns the sizes of the partitions of some applications, as equal as can be, the largest first.
func equal(applications, partitions int) []int {
	sizes := make([]int, applications)
	for k := range sizes {
		sizes[k] = (partitions + applications - 1 - k) / applications
	}
	return sizes
}

// Phases returns two phases of a machine. In the shrinking phase applications arrive one by one, from the first, which finds
// the machine empty, to as many as there are partitions. In the expanding phase they depart one by one, until one is left; its
// rows are by the number of applications that are left, ascending.
func (s Steps) Phases(nodes, unit int) (shrink, expand []Row, err error) {
	if err := check(nodes, unit); err != nil {
		return nil, nil, err
	}
	n := nodes / unit
	for i := range n {
		before := equal(i, n)
		after := append(slices.Clone(before), 0)
		sched.EquiPartition(after, n)
		row := newRow("shrink", before, equal(i+1, n), unit)
		row.add(s, repartition(before, after[:i], after[i], unit), 1)
		shrink = append(shrink, row)
	}
	for i := 1; i < n; i++ {
		before := equal(i+1, n)
		row := newRow("expand", before, equal(i, n), unit)
		larger := n % len(before) // applications with a unit more than the others; it does not matter which of equal applications departs
		for _, gone := range [][2]int{{0, larger}, {larger, len(before) - larger}} {
			if gone[1] == 0 {
				continue
			}
			left := slices.Delete(slices.Clone(before), gone[0], gone[0]+1)
			after := slices.Clone(left)
			sched.EquiPartition(after, n)
			r := repartition(left, after, 0, unit)
			r.Departed = true
			row.add(s, r, float64(gone[1])/float64(len(before)))
		}
		expand = append(expand, row)
	}
	return shrink, expand, nil
}

// repartition returns the change of applications from the partitions before to the partitions after, in units and in the same
// order. An application is launched on so many units, 0 for none.
func repartition(before, after []int, launched, unit int) Repartition {
	r := Repartition{Launched: launched * unit}
	for k, n := range before {
		if after[k] != n {
			r.Interrupted = append(r.Interrupted, Resize{n * unit, after[k] * unit})
		}
	}
	return r
}

// add adds the costs of a repartition, times a weight, to the means of the row: interrupted applications, moving nodes, and
// the times of the system and of applications.
func (row *Row) add(s Steps, r Repartition, weight float64) {
	total, system := s.Time(r), s.system().Time(r)
	row.System += weight * system
	row.Application += weight * (total - system)
	row.Total += weight * total
	row.Interrupted += weight * float64(len(r.Interrupted))
	taken, given := r.moving()
	row.Moving += weight * float64(max(taken, given)) // all that are taken are given, but for a departure or on an empty machine
}

// newRow returns the row of a transition without its costs; sizes are in units.
func newRow(phase string, before, after []int, unit int) Row {
	r := Row{Phase: phase, Jobs: len(after), Before: scaled(before, unit), After: scaled(after, unit)}
	r.Transition = fmt.Sprintf("%v → %v", r.Before, r.After)
	return r
}

// scaled returns sizes in nodes, given sizes in units of so many nodes.
func scaled(units []int, unit int) sizes {
	nodes := make(sizes, len(units))
	for k, n := range units {
		nodes[k] = n * unit
	}
	return nodes
}

// sizes are the sizes of partitions, in nodes.
type sizes []int

// String returns sizes in braces, such as {4,4}, as the tables of the literature write them.
func (s sizes) String() string {
	return "{" + strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(s)), "[]"), " ", ",") + "}"
}
