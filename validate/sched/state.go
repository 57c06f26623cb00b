package sched

import (
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
	started           int
	ordered           bool     // endings is kept: somebody has asked for it
	endings           []Ending // in order
	loose             []JobID  // running jobs whose ending has changed, and is entered when it is asked for
	owner             []JobID  // of each node, once a job was placed
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
	rank        int // jobs that were started before it
	start       float64
	expected    float64
	loose       bool // in State.loose, not in State.endings
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
	if e.asked > 0 {
		e.asked = min(max(e.asked, e.least), e.most)
	}
	if e.limited(s) {
		s.bounded++
	}
	s.arrived++
	s.queue.Push(Waiting{id, e.asked, e.job.EstimateOn(e.asked)})
	return id
}

func (e *entry) limited(s *State) bool {
	return e.least > s.unit || e.most < s.nodes || e.job.Kind != workload.Malleable
}

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
	e.status, e.rank, e.start, e.expected, e.overtook = Runs, s.started, s.now, math.Inf(1), i > 0
	s.started++
	s.running = append(s.running, id)
	if s.ordered {
		e.loose = true
		s.loose = append(s.loose, id)
	}
}

// Hold gives a running job nodes, from offset on if that is not negative, in place of those that it has. The machine
// has checked that there are as many.
func (s *State) Hold(id JobID, nodes, offset int) {
	e := &s.jobs[id]
	if nodes != e.held {
		s.loosen(id)
	}
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
	if expected != e.expected {
		s.loosen(id)
		e.expected = expected
	}
}

// Depart takes a job that has ended off its nodes; its name stays good until it is forgotten.
func (s *State) Depart(id JobID) {
	e := &s.jobs[id]
	if s.ordered {
		s.forgetEnding(id)
	}
	at := slices.Index(s.running, id)
	s.running = slices.Delete(s.running, at, at+1)
	s.release(e)
	e.status, e.working = Ended, false
}

// Forget gives up the name of a job that has departed.
func (s *State) Forget(id JobID) {
	if s.jobs[id].limited(s) {
		s.bounded--
	}
	s.jobs[id] = entry{}
	s.vacant = append(s.vacant, id)
}

// Overtook reports whether a job was started before one that had come earlier.
func (s *State) Overtook(id JobID) bool { return s.jobs[id].overtook }

// Ending returns the i-th of the running jobs in the order of [View.Ending].
func (s *State) Ending(i int) Ending {
	if !s.ordered {
		s.ordered = true
		for _, id := range s.running {
			s.jobs[id].loose = true
		}
		s.loose = append(s.loose, s.running...)
	}
	for _, id := range s.loose {
		s.enter(id)
	}
	s.loose = s.loose[:0]
	return s.endings[i]
}

// enter puts a loose job in its place among the endings.
func (s *State) enter(id JobID) {
	e := &s.jobs[id]
	e.loose = false
	s.endings = slices.Insert(s.endings, s.place(e), Ending{e.expected, id, e.held})
}

// loosen takes a job whose ending changes out of the order, until somebody asks for that again.
func (s *State) loosen(id JobID) {
	e := &s.jobs[id]
	if !s.ordered || e.loose {
		return
	}
	s.forgetEnding(id)
	e.loose = true
	s.loose = append(s.loose, id)
}

// forgetEnding takes a job out of the endings, or of the loose jobs.
func (s *State) forgetEnding(id JobID) {
	e := &s.jobs[id]
	if e.loose {
		i := slices.Index(s.loose, id)
		s.loose = slices.Delete(s.loose, i, i+1)
		return
	}
	i := s.place(e)
	s.endings = slices.Delete(s.endings, i, i+1)
}

// place returns the number of endings that come before that of a job: those that are expected earlier and, of the same
// time, those of jobs that were started earlier.
func (s *State) place(e *entry) int {
	lo, hi := 0, len(s.endings)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		x := &s.endings[mid]
		if x.At < e.expected || x.At == e.expected && s.jobs[x.Job].rank < e.rank {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
