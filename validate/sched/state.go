package sched

import (
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/calendar"
)

// State is the state of a machine as policies see it. The machine changes it; policies read it through a [View].
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
	ordered           bool     // endings is maintained, because a policy has asked for it
	endings           []Ending // of the running jobs, by expected end
	owner             []JobID  // by node; nil until a job is placed
	arrived           int
	bounded           int // number of jobs in the system that cannot run on every number of nodes
	window            *StartWindow
}

// Entry is a job in the system, for the machine to read. The fields that are used most come first.
type Entry struct {
	Status      Status
	Working     bool // it makes progress
	Overtook    bool // it was started before a job that arrived earlier
	Held        int  // nodes that it was given
	Occupied    int  // nodes that it occupies; differs from Held until the job reaches a scheduling point
	Offset      int  // −1 if it was not placed
	Expected    float64
	rank        int // number of jobs that were started before it
	Asked       int
	Least, Most int
	Start       float64
	Number      int // number of jobs that arrived before it
	Job         workload.Job
}

// Status is the stage of a job: waiting, running, or no longer there.
type Status uint8

// The statuses.
const (
	absent Status = iota
	Waits
	Runs // includes suspended jobs, which have no nodes
	ended
)

const nobody = JobID(-1)

// NewState returns an empty machine. nodeMemory is the memory of a node, 0 if memory does not matter. load is the offered
// load as policies know it.
func NewState(nodes, unit int, nodeMemory, load float64, random *des.Stream) *State {
	return &State{nodes: nodes, unit: unit, free: nodes, nodeMemory: nodeMemory, load: load, random: random}
}

// KeepWindow sets the window within which jobs start under policies that keep to it; nil: at any time.
func (s *State) KeepWindow(w *StartWindow) { s.window = w }

// View returns the view through which a policy reads the state, without being able to change it.
func (s *State) View() View { return View{s} }

// Elapse sets the clock to a time in seconds, before the events of this time are entered.
func (s *State) Elapse(to float64) { s.now = to }

// Arrive appends a job to the queue and returns its ID.
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

// limited reports whether the job cannot be given every number of units of nodes.
func (e *Entry) limited(s *State) bool {
	return e.Least > s.unit || e.Most < s.nodes || e.Job.Kind != workload.Malleable
}

// Entry returns the job with an ID. The pointer is valid until the next job arrives.
func (s *State) Entry(id JobID) *Entry { return &s.jobs[id] }

// Status returns the stage of a job, which is neither Waits nor Runs if no job has the ID.
func (s *State) Status(id JobID) Status {
	if id < 0 || int(id) >= len(s.jobs) {
		return absent
	}
	return s.jobs[id].Status
}

// Start moves a waiting job to the running jobs. It has no nodes yet.
func (s *State) Start(id JobID) {
	e, i := &s.jobs[id], 0
	if s.queue.At(0).Job != id {
		i = sort.Search(s.queue.Len(), func(i int) bool { return s.jobs[s.queue.At(i).Job].Number >= e.Number })
	}
	s.queue.Remove(i)
	e.Status, e.rank, e.Start, e.Expected, e.Overtook = Runs, s.started, s.now, math.Inf(1), i > 0
	s.started++
	s.running = append(s.running, id)
	if s.ordered { // the job comes last: it has no expected end yet and was started last
		s.endings = append(s.endings, Ending{e.Expected, id, e.Held})
	}
}

// Hold gives a running job nodes instead of those that it has, from offset on if that is not negative. The machine has
// checked that these are free.
func (s *State) Hold(id JobID, nodes, offset int) {
	s.Assign(id, nodes, offset)
	s.jobs[id].Occupied = nodes
}

// Assign gives a running job nodes as Hold does, but the job does not occupy them yet: it stays on the nodes that it
// occupies.
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

// place records the owner of the nodes that a job leaves and takes.
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

// Placed reports whether any job has ever been placed on certain nodes. Until then the state keeps no list of the owners of nodes.
func (s *State) Placed() bool { return s.owner != nil }

// Owner returns the job that is placed on a node and true, or false if there is none.
func (s *State) Owner(node int) (JobID, bool) {
	if s.owner == nil || s.owner[node] == nobody {
		return 0, false
	}
	return s.owner[node], true
}

// Work records whether a job makes progress, and when it is expected to end.
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

// Depart removes a job that has ended from its nodes. Its ID stays valid until Forget.
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

// Forget releases the ID of a job that has departed.
func (s *State) Forget(id JobID) {
	if s.jobs[id].limited(s) {
		s.bounded--
	}
	s.jobs[id].Status = absent
	s.vacant = append(s.vacant, id)
}

// order sorts the endings by expected end. From then on the state keeps them in order.
func (s *State) order() {
	s.ordered = true
	for _, id := range s.running {
		s.enter(id)
	}
}

// enter inserts a running job into the list of endings, at the place of its expected end.
func (s *State) enter(id JobID) {
	e := &s.jobs[id]
	s.endings = slices.Insert(s.endings, s.earlier(e), Ending{e.Expected, id, e.Held})
}

// without returns a list without its i-th element. Unlike slices.Delete it does not clear the rest of the array: jobs
// come and go all the time, and these lists hold no pointers.
func without[T JobID | Ending](list []T, i int) []T {
	return list[:i+copy(list[i:], list[i+1:])]
}

// earlier returns the number of endings before that of a job: endings that are expected earlier and, at the same time,
// those of jobs that were started earlier.
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
