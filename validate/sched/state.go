package sched

import (
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/calendar"
)

// State is what policies see of a machine. The machine keeps it; policies read it through a [View].
type State struct {
	nodes, unit, free int
	nodeMemory        float64
	load              float64
	now               float64
	random            *des.Stream
	jobs              []Entry
	vacant            []JobID
	queue             calendar.Queue[Waiting]
	running           []JobID // in the order of their starts
	started           int
	ordered           bool     // endings is kept: somebody has asked for it
	endings           []Ending // of the running jobs, in order
	owner             []JobID  // of each node, once a job was placed
	arrived           int
	bounded           int // jobs in the system that do not run on any number of nodes
}

// Entry is a job in the system, to be read by the machine. What is looked at most comes first.
type Entry struct {
	Status      Status
	Working     bool // it makes progress
	Overtook    bool // it was started before a job that had come earlier
	Held        int  // nodes that it was given
	Occupied    int  // nodes that it is on, others as long as it has not come to a point where it can be resized
	Offset      int  // −1 if it was not placed
	Expected    float64
	rank        int // jobs that were started before it
	Asked       int
	Least, Most int
	Start       float64
	Number      int // jobs that came before it
	Job         workload.Job
}

// Status says where a job is.
type Status uint8

// The statuses.
const (
	absent Status = iota
	Waits
	Runs // perhaps without nodes, suspended
	ended
)

const nobody = JobID(-1)

// NewState returns an empty machine. nodeMemory is the memory of a node, 0 if memory does not matter; load is the
// offered load as policies are told it.
func NewState(nodes, unit int, nodeMemory, load float64, random *des.Stream) *State {
	return &State{nodes: nodes, unit: unit, free: nodes, nodeMemory: nodeMemory, load: load, random: random}
}

// View returns what a policy sees.
func (s *State) View() View { return View{s} }

// Elapse moves the clock.
func (s *State) Elapse(to float64) { s.now = to }

// Arrive puts a job at the end of the queue and returns its name.
func (s *State) Arrive(job *workload.Job) JobID {
	var id JobID
	if n := len(s.vacant); n > 0 {
		id = s.vacant[n-1]
		s.vacant = s.vacant[:n-1]
	} else {
		id = JobID(len(s.jobs))
		s.jobs = append(s.jobs, Entry{})
	}
	e := &s.jobs[id]
	e.Status, e.Held, e.Occupied, e.Offset, e.Number = Waits, 0, 0, -1, s.arrived
	e.Job = *job
	e.Asked, e.Least, e.Most = job.Asked(s.nodes), job.Least(s.nodeMemory), job.Most(s.nodes)
	if e.Asked > 0 {
		e.Asked = min(max(e.Asked, e.Least), e.Most)
	}
	if e.limited(s) {
		s.bounded++
	}
	s.arrived++
	s.queue.Push(Waiting{id, e.Asked, e.Job.EstimateOn(e.Asked)})
	return id
}

func (e *Entry) limited(s *State) bool {
	return e.Least > s.unit || e.Most < s.nodes || e.Job.Kind != workload.Malleable
}

// Entry returns the job of a name; it is good until the next job arrives.
func (s *State) Entry(id JobID) *Entry { return &s.jobs[id] }

// Status returns where a job is; the zero Status for what names none.
func (s *State) Status(id JobID) Status {
	if id < 0 || int(id) >= len(s.jobs) {
		return absent
	}
	return s.jobs[id].Status
}

// Start moves a waiting job among the running ones, as yet without nodes.
func (s *State) Start(id JobID) {
	e, i := &s.jobs[id], 0
	if s.queue.At(0).Job != id {
		i = sort.Search(s.queue.Len(), func(i int) bool { return s.jobs[s.queue.At(i).Job].Number >= e.Number })
	}
	s.queue.Remove(i)
	e.Status, e.rank, e.Start, e.Expected, e.Overtook = Runs, s.started, s.now, math.Inf(1), i > 0
	s.started++
	s.running = append(s.running, id)
	if s.ordered { // nobody else who is expected to end never was started later
		s.endings = append(s.endings, Ending{e.Expected, id, e.Held})
	}
}

// Hold gives a running job nodes, from offset on if that is not negative, in place of those that it has. The machine
// has checked that there are as many.
func (s *State) Hold(id JobID, nodes, offset int) {
	s.Assign(id, nodes, offset)
	s.jobs[id].Occupied = nodes
}

// Assign gives a running job nodes as Hold does, which it does not occupy yet: it stays on those that it is on.
func (s *State) Assign(id JobID, nodes, offset int) {
	e := &s.jobs[id]
	if s.ordered {
		s.endings[s.earlier(e)].Nodes = nodes
	}
	if e.Offset >= 0 || offset >= 0 {
		s.place(id, nodes, offset)
	}
	s.free += e.Held - nodes
	e.Held, e.Offset = nodes, offset
}

// place writes down whose nodes are, of a job that leaves some for others, or for none.
func (s *State) place(id JobID, nodes, offset int) {
	if s.owner == nil {
		s.owner = slices.Repeat([]JobID{nobody}, s.nodes)
	}
	if e := &s.jobs[id]; e.Offset >= 0 {
		for i := range e.Held {
			s.owner[e.Offset+i] = nobody
		}
	}
	if offset >= 0 {
		for i := range nodes {
			s.owner[offset+i] = id
		}
	}
}

// Placed reports whether any job has ever been placed.
func (s *State) Placed() bool { return s.owner != nil }

// Owner returns the job that was placed on a node and true, or false if none is.
func (s *State) Owner(node int) (JobID, bool) {
	if s.owner == nil || s.owner[node] == nobody {
		return 0, false
	}
	return s.owner[node], true
}

// Work says whether a job makes progress, and when it is expected to end.
func (s *State) Work(id JobID, working bool, expected float64) {
	e := &s.jobs[id]
	e.Working = working
	if s.ordered && e.Expected != expected {
		s.endings = without(s.endings, s.earlier(e))
		e.Expected = expected
		s.enter(id)
	}
	e.Expected = expected
}

// Depart takes a job that has ended off its nodes; its name stays good until it is forgotten.
func (s *State) Depart(id JobID) {
	e := &s.jobs[id]
	if s.ordered {
		s.endings = without(s.endings, s.earlier(e))
	}
	s.running = without(s.running, slices.Index(s.running, id))
	s.free += e.Held
	if e.Offset >= 0 {
		s.place(id, 0, -1)
	}
	e.Status, e.Working = ended, false
}

// Forget gives up the name of a job that has departed.
func (s *State) Forget(id JobID) {
	if s.jobs[id].limited(s) {
		s.bounded--
	}
	s.jobs[id].Status = absent
	s.vacant = append(s.vacant, id)
}

// order puts the endings in order, and keeps that order from then on.
func (s *State) order() {
	s.ordered = true
	for _, id := range s.running {
		s.enter(id)
	}
}

// enter puts a running job in its place among the endings.
func (s *State) enter(id JobID) {
	e := &s.jobs[id]
	s.endings = slices.Insert(s.endings, s.earlier(e), Ending{e.Expected, id, e.Held})
}

// without returns a list without its i-th element. Unlike slices.Delete it leaves behind what was beyond the end: jobs
// come and go all the time, and nothing in these lists holds memory.
func without[T JobID | Ending](list []T, i int) []T {
	return list[:i+copy(list[i:], list[i+1:])]
}

// earlier returns the number of endings that come before that of a job: those that are expected earlier and, of the
// same time, those of jobs that were started earlier.
func (s *State) earlier(e *Entry) int {
	lo, hi := 0, len(s.endings)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		x := &s.endings[mid]
		if x.At < e.Expected || x.At == e.Expected && s.jobs[x.Job].rank < e.rank {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
