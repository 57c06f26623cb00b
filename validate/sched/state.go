package sched

import (
	"cmp"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

// State is what policies see of a machine. The machine keeps it; policies read it through a [View].
type State struct {
	nodes, unit, free int
	nodeMemory        float64
	load              float64
	now               float64
	random            *des.Stream
	jobs              []entry
	vacant            []JobID
	queue             des.Queue[Waiting]
	running           []JobID // in the order of their starts
	endings           []Ending
	ordered           bool    // endings is kept in order: some policy has asked for it
	owner             []JobID // of each node, once a job was placed
	arrived           int
	bounded           int // jobs in the system that do not run on any number of nodes
}

// entry is a job in the system.
type entry struct {
	job         workload.Job
	number      int
	asked       int
	least, most int
	status      Status
	held        int
	offset      int
	start       float64
	expected    float64
	working     bool
	overtook    bool // it was started before a job that had come earlier
}

// Status says where a job is.
type Status uint8

// The statuses.
const (
	Absent Status = iota
	Waits
	Runs // perhaps without nodes, suspended
	Ended
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
		s.jobs = append(s.jobs, entry{})
	}
	e := &s.jobs[id]
	*e = entry{job: *job, number: s.arrived, status: Waits, offset: -1}
	e.asked, e.least, e.most = job.Asked(s.nodes), job.Least(s.nodeMemory), job.Most(s.nodes)
	if e.limited(s) {
		s.bounded++
	}
	s.arrived++
	s.queue.Push(Waiting{id, e.asked, e.job.EstimateOn(e.asked)})
	return id
}

func (e *entry) limited(s *State) bool { return e.least > s.unit || e.most < s.nodes }

// Job returns the job of a name, to be read by the machine.
func (s *State) Job(id JobID) *workload.Job { return &s.jobs[id].job }

// Status returns where a job is; Absent for what names none.
func (s *State) Status(id JobID) Status {
	if id < 0 || int(id) >= len(s.jobs) {
		return Absent
	}
	return s.jobs[id].status
}

// Start moves a waiting job among the running ones, as yet without nodes.
func (s *State) Start(id JobID) {
	i := 0
	for s.queue.At(i).Job != id {
		i++
	}
	s.queue.Remove(i)
	e := &s.jobs[id]
	e.status, e.start, e.expected, e.overtook = Runs, s.now, math.Inf(1), i > 0
	s.running = append(s.running, id)
	if s.ordered {
		s.insert(Ending{math.Inf(1), id, 0})
	}
}

// Hold gives a running job nodes, from offset on if that is not negative, in place of those that it has. The machine
// has checked that there are as many.
func (s *State) Hold(id JobID, nodes, offset int) {
	e := &s.jobs[id]
	s.release(e)
	e.held, e.offset = nodes, offset
	s.free -= nodes
	if offset < 0 {
		return
	}
	if s.owner == nil {
		s.owner = slices.Repeat([]JobID{nobody}, s.nodes)
	}
	for i := offset; i < offset+nodes; i++ {
		s.owner[i] = id
	}
}

// release frees the nodes of a job.
func (s *State) release(e *entry) {
	s.free += e.held
	if e.offset >= 0 {
		for i := e.offset; i < e.offset+e.held; i++ {
			s.owner[i] = nobody
		}
	}
}

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
	e.working = working
	if s.ordered && (working || expected != e.expected) {
		s.remove(id)
		s.insert(Ending{expected, id, e.held})
	}
	e.expected = expected
}

// Depart takes a job that has ended off its nodes; its name stays good until it is forgotten.
func (s *State) Depart(id JobID) {
	e := &s.jobs[id]
	if s.ordered {
		s.remove(id)
	}
	at := slices.Index(s.running, id)
	s.running = slices.Delete(s.running, at, at+1)
	s.release(e)
	if e.limited(s) {
		s.bounded--
	}
	e.status, e.working = Ended, false
}

// Forget gives up the name of a job that has departed.
func (s *State) Forget(id JobID) {
	s.jobs[id] = entry{}
	s.vacant = append(s.vacant, id)
}

// Overtook reports whether a job was started before one that had come earlier.
func (s *State) Overtook(id JobID) bool { return s.jobs[id].overtook }

// order begins to keep the running jobs in the order of their expected ends.
func (s *State) order() {
	s.endings = s.endings[:0]
	for _, id := range s.running {
		e := &s.jobs[id]
		s.endings = append(s.endings, Ending{e.expected, id, e.held})
	}
	slices.SortStableFunc(s.endings, func(a, b Ending) int { return cmp.Compare(a.At, b.At) })
	s.ordered = true
}

// insert enters a job behind those that are expected to end no later.
func (s *State) insert(x Ending) {
	i := s.endingAt(x.At)
	for i < len(s.endings) && s.endings[i].At == x.At {
		i++
	}
	s.endings = slices.Insert(s.endings, i, x)
}

func (s *State) remove(id JobID) {
	i := s.endingAt(s.jobs[id].expected)
	for s.endings[i].Job != id {
		i++
	}
	s.endings = slices.Delete(s.endings, i, i+1)
}

// endingAt returns the first of the endings that is not before t.
func (s *State) endingAt(t float64) int {
	lo, hi := 0, len(s.endings)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); s.endings[mid].At < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
