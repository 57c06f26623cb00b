package sched

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/internal/des"
)

// State is the state of a machine as policies see it: the clock, the queue, the running jobs and their nodes. The
// machine changes it; policies read it through a [View]. Sums and orders that policies often ask for are kept up to
// date.
type State struct {
	nodes       int                     // number of nodes
	unit        int                     // number of nodes of which sizes are multiples
	units       int                     // nodes / unit, kept because an integer division takes as long as many comparisons
	free        int                     // nodes that no job holds
	nodeMemory  float64                 // memory of a node, in the unit of the memory of jobs; 0: memory does not matter
	load        float64                 // offered load as policies know it; 0 if unknown
	now         float64                 // the clock
	random      *des.Stream             // of the policy
	jobs        []Entry                 // by JobID
	freeIDs     []JobID                 // released IDs, which the next arrivals get
	queue       calendar.Queue[waiting] // waiting jobs in the order of arrival
	running     []JobID                 // in the order of their starts
	held        []int                   // Held of the running jobs, side by side for divisions of the machine
	started     int                     // number of jobs started so far
	changes     int                     // number of changes so far of the nodes or of the expected end of a running job
	endingsKept bool                    // endings is maintained, because a policy has asked for it
	endings     []ending                // of the running jobs, by expected end
	resizable   *resizableJobs          // maintained if a policy has asked for it; else nil
	owner       []JobID                 // by node; nil until a job is placed
	arrived     int                     // number of jobs that have arrived so far
	limited     int                     // number of jobs in the system for which limited is true
	window      *StartWindow            // nil: jobs start at any time
}

// Entry is a job in the system, as the machine sees it. The fields that are used most come first. Times are in the
// unit of the jobs.
type Entry struct {
	Status      Status
	Working     bool          // it makes progress
	Overtook    bool          // it was started before a job that arrived earlier
	limited     bool          // it cannot be given every number of units: see [Entry.isLimited]
	kind        workload.Kind // the kind of Job, beside the other fields that divisions of the machine read
	Held        int           // nodes that the policy gave it
	Occupied    int           // nodes that it runs on; differs from Held until the job reaches a scheduling point
	Offset      int           // first of its nodes, from 0; −1 if it was not placed
	Expected    float64       // expected end; +Inf without an expected end
	rank        int           // number of jobs that were started before it
	place       int           // its index in the list of running jobs
	Asked       int           // nodes that it asks for, within Least and Most; 0: no number
	Least, Most int           // fewest and most nodes on which it can run
	fewest      int           // the least multiple of the unit from Least on; Asked if this exceeds Most
	Start       float64       // time at which it was started
	Number      int           // number of jobs that arrived before it
	Job         workload.Job  // the job as it arrived
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

// NewState returns the state of an empty machine at time 0. unit is the number of nodes of which sizes are multiples.
// A unit below 1 counts as 1. nodeMemory is the memory of a node in the unit of the memory of jobs, 0 if memory does not
// matter. load is the offered load as policies know it, 0 if unknown. random is the stream that [View.Random] gives to
// the policy.
func NewState(nodes, unit int, nodeMemory, load float64, random *des.Stream) *State {
	unit = max(1, unit)
	return &State{nodes: nodes, unit: unit, units: nodes / unit, free: nodes, nodeMemory: nodeMemory, load: load, random: random}
}

// SetStartWindow sets the [StartRule] for the starts of jobs, on the clock of the log; nil: jobs start at any time.
// Only EASY backfilling, with rigid and with malleable jobs, obeys it.
func (s *State) SetStartWindow(w *StartWindow) { s.window = w }

// View returns the view through which a policy reads the state, without being able to change it.
func (s *State) View() View { return View{s} }

// Elapse sets the clock of the state to a time, in the unit of the jobs, before the events of this time are entered.
func (s *State) Elapse(to float64) { s.now = to }

// Arrive appends a copy of a job to the queue and returns its ID. IDs of forgotten jobs are used again. If the job asks
// for a number of nodes outside of its bounds, the nearest bound replaces the number. The bounds come from the job, the
// memory of a node and the number of nodes of the machine. A job that asks for no number (0) still asks for none.
func (s *State) Arrive(job *workload.Job) JobID {
	var id JobID
	if n := len(s.freeIDs); n > 0 {
		id = s.freeIDs[n-1]
		s.freeIDs = s.freeIDs[:n-1]
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
	e.fewest = e.Least
	if s.unit > 1 {
		e.fewest = (e.Least + s.unit - 1) / s.unit * s.unit
	}
	if e.fewest > e.Most {
		e.fewest = e.Asked
	}
	e.kind, e.limited = job.Kind, e.isLimited(s)
	if e.limited {
		s.limited++
	}
	s.arrived++
	s.queue.Push(waiting{job: id, fewest: int32(e.fewest), nodes: e.Asked, estimate: e.Job.EstimateOn(e.Asked)})
	return id
}

// estimateOn returns the estimated run time of a waiting job on n nodes: those that it asks for, or the fewest. The time on
// the fewest is kept in w, because backfilling asks for it at each decision while the job waits.
func (s *State) estimateOn(w *waiting, n int) float64 {
	if n == w.nodes {
		return w.estimate
	}
	if w.onFewest == 0 {
		w.onFewest = s.jobs[w.job].Job.EstimateOn(n)
	}
	return w.onFewest
}

// isLimited reports whether the job cannot be given every number of units of machine s: it needs more than a unit, cannot
// use all nodes, or cannot be resized. Policies that divide all nodes evenly must look at bounds while such a job is in
// the system.
func (e *Entry) isLimited(s *State) bool {
	return e.Least > s.unit || e.Most < s.nodes || e.Job.Kind != workload.Malleable
}

// Entry returns the job with an ID. The pointer is valid until the next job arrives. The machine may set the fields
// Working, Occupied and Start through it, which concern this job alone. The methods of the state change all other fields.
func (s *State) Entry(id JobID) *Entry { return &s.jobs[id] }

// Status returns the stage of the job with an ID. It is neither Waits nor Runs if no job in the system has the ID.
func (s *State) Status(id JobID) Status {
	if id < 0 || int(id) >= len(s.jobs) {
		return absent
	}
	return s.jobs[id].Status
}

// Start moves job id, which must be waiting, to the end of the running jobs, at the present time. The job has no nodes
// yet, and no expected end: +Inf. If a job before it in the queue still waits, it is marked as backfilled (Overtook).
func (s *State) Start(id JobID) {
	e, i := &s.jobs[id], 0
	if s.queue.At(0).job == id {
		s.queue.RemoveFirst()
	} else {
		i = s.queue.Search(func(w *waiting) bool { return s.jobs[w.job].Number >= e.Number })
		s.queue.Remove(i)
	}
	e.Status, e.rank, e.Start, e.Expected, e.Overtook = Runs, s.started, s.now, math.Inf(1), i > 0
	s.started++
	e.place = len(s.running)
	s.running, s.held = append(s.running, id), append(s.held, 0)
	if s.endingsKept { // the job comes last: it has no expected end yet and was started last
		s.endings = append(s.endings, e.ending(id))
	}
	if s.resizable != nil {
		s.resizable.add(s, id)
	}
}

// Hold gives a running job the given number of nodes instead of those that it has, and makes the job occupy them. 0
// nodes suspend the job. Nodes are placed from offset on, or only counted if offset is −1. The machine has checked that
// they are free.
func (s *State) Hold(id JobID, nodes, offset int) {
	s.Assign(id, nodes, offset)
	s.jobs[id].Occupied = nodes
}

// HoldCounted does what [State.Hold] does with offset −1 for a malleable job e, and returns true, if nodes are only counted.
// It returns false and changes nothing if jobs have been placed, or if a policy has asked for lists that depend on nodes. It
// is so small that the compiler puts it into the loop of a machine over its actions.
func (s *State) HoldCounted(e *Entry, nodes int) bool {
	if s.owner != nil || s.resizable != nil {
		return false
	}
	s.free += e.Held - nodes
	s.changes++
	e.Held, e.Occupied = nodes, nodes
	s.held[e.place] = nodes
	return true
}

// Assign gives a running job nodes, placed from offset on, as [State.Hold] does, but the job does not occupy them yet.
// It stays on the nodes that it occupies until it reaches a scheduling point. The nodes count as held by the job from
// now on, and not as free.
func (s *State) Assign(id JobID, nodes, offset int) {
	e := &s.jobs[id]
	if e.Offset >= 0 || offset >= 0 {
		s.setOwner(id, nodes, offset)
	}
	if s.resizable != nil {
		s.resizable.setNodes(s, id, nodes)
	}
	if s.endingsKept && e.kind == workload.Moldable {
		s.endings[s.endingIndex(id)].fewest = int32(nodes)
	}
	s.free += e.Held - nodes
	s.changes++
	e.Held, e.Offset = nodes, offset
	s.held[e.place] = nodes
}

// setOwner records in s.owner that a job leaves the nodes on which it was placed, and owns the given nodes from offset
// on. With offset −1 it owns none. The fields Held and Offset of the job must still be the fields before the change.
func (s *State) setOwner(id JobID, nodes, offset int) {
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

// Placed reports whether any job has ever been placed on certain nodes. Until then the state keeps no list of the
// owners of nodes.
func (s *State) Placed() bool { return s.owner != nil }

// Owner returns the job that is placed on a node, counted from 0, and true. The result is false if no job is placed on
// it.
func (s *State) Owner(node int) (JobID, bool) {
	if s.owner == nil || s.owner[node] == nobody {
		return 0, false
	}
	return s.owner[node], true
}

// SetWorking records whether a job makes progress (working), and the time at which it is expected to end. Backfilling
// plans with this time, so the list of running jobs by expected end is updated, if a policy has asked for it. The time
// is +Inf for a suspended job.
func (s *State) SetWorking(id JobID, working bool, expected float64) {
	e := &s.jobs[id]
	e.Working = working
	if e.Expected == expected {
		return
	}
	s.changes++
	if s.endingsKept {
		s.moveEnding(id, expected)
	}
	e.Expected = expected
}

// Depart removes a job that has ended from the running jobs, also from the list by expected end, and frees its nodes.
// Its ID stays valid until Forget, so that the policy can read the job when it decides on the departure.
func (s *State) Depart(id JobID) {
	e := &s.jobs[id]
	if s.endingsKept {
		i := s.endingIndex(id)
		s.endings = s.endings[:i+copy(s.endings[i:], s.endings[i+1:])] // without clearing the rest, as slices.Delete would
	}
	if s.resizable != nil {
		s.resizable.remove(s, id)
	}
	s.removeRunning(e.place)
	s.free += e.Held
	if e.Offset >= 0 {
		s.setOwner(id, 0, -1)
	}
	e.Status, e.Working = ended, false
}

// removeRunning removes the k-th running job, from 0, from the lists of running jobs. The jobs behind it move up by a
// place. One loop for all lists takes less time than a copy of each, because the place of each job changes anyway.
func (s *State) removeRunning(k int) {
	running := s.running
	held := s.held[:len(running)]
	for ; k+1 < len(running); k++ {
		id := running[k+1]
		running[k], held[k] = id, held[k+1]
		s.jobs[id].place = k
	}
	s.running, s.held = running[:len(running)-1], held[:len(held)-1]
}

// Forget releases the ID of a job that has departed. The next arrival may get it, and overwrites the entry of the job.
func (s *State) Forget(id JobID) {
	if s.jobs[id].limited {
		s.limited--
	}
	s.jobs[id].Status = absent
	s.freeIDs = append(s.freeIDs, id)
}
