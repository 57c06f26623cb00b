package sched

import "github.com/partwise/partwise/models/workload"

// resizable is a job whose number of nodes can be chosen. Sizes are in units.
type resizable struct {
	job         JobID
	size        int32 // its present size; 0 of a job that starts
	least, most int32
}

// resizableJobs are the running jobs whose nodes can be chosen, and sums over all running jobs. A [State] keeps them up to
// date from the first request of a policy on, so that decisions need not go through all running jobs. A start takes
// O(1), a departure or a resize a search in the list.
type resizableJobs struct {
	list   []resizable // in the order of the starts
	fewest int         // sum of the fewest nodes that the running jobs may have; see [nodeBounds]
	fixed  int         // sum of the fewest nodes of the running jobs that are not in the list
	held   int         // sum of the sizes in the list, in units
	most   int         // sum of the upper bounds in the list, in units
}

// resizable returns the running jobs whose nodes can be chosen. The result is valid until the state changes. Policies
// must not change it.
func (v View) resizable() *resizableJobs {
	if v.s.resizable == nil {
		v.s.resizable = &resizableJobs{}
		for _, id := range v.s.running {
			v.s.resizable.add(v.s, id)
		}
	}
	return v.s.resizable
}

// choice returns job id as a resizable job, with its present size. ok is false if the job has no choice of whole units
// between its bounds. The kind of the job does not count: only a malleable job can be resized while it runs.
func (s *State) choice(id JobID) (j resizable, ok bool) {
	e := &s.jobs[id]
	least, most, held := e.fewest, e.Most, e.Held
	if s.unit > 1 {
		if least%s.unit != 0 {
			return j, false
		}
		least, most, held = least/s.unit, most/s.unit, held/s.unit
	}
	return resizable{id, int32(held), int32(least), int32(most)}, least < most
}

// add adds a running job with its present nodes: none if it has just been started.
func (r *resizableJobs) add(s *State, id JobID) {
	e := &s.jobs[id]
	if e.kind != workload.Malleable {
		r.fewest, r.fixed = r.fewest+e.Held, r.fixed+e.Held
		return
	}
	r.fewest += e.fewest
	if j, ok := s.choice(id); ok {
		r.list = append(r.list, j)
		r.held, r.most = r.held+int(j.size), r.most+int(j.most)
	} else {
		r.fixed += e.fewest
	}
}

// setNodes notes that a running job gets other nodes. The state must still have its present nodes.
func (r *resizableJobs) setNodes(s *State, id JobID, nodes int) {
	e := &s.jobs[id]
	if e.kind != workload.Malleable {
		r.fewest, r.fixed = r.fewest+nodes-e.Held, r.fixed+nodes-e.Held
		return
	}
	if i := r.index(id); i >= 0 {
		if s.unit > 1 {
			nodes /= s.unit
		}
		r.held += nodes - int(r.list[i].size)
		r.list[i].size = int32(nodes)
	}
}

// remove removes a running job. The state must still have its present nodes.
func (r *resizableJobs) remove(s *State, id JobID) {
	e := &s.jobs[id]
	if e.kind != workload.Malleable {
		r.fewest, r.fixed = r.fewest-e.Held, r.fixed-e.Held
		return
	}
	r.fewest -= e.fewest
	if i := r.index(id); i >= 0 {
		r.held, r.most = r.held-int(r.list[i].size), r.most-int(r.list[i].most)
		r.list = r.list[:i+copy(r.list[i:], r.list[i+1:])]
	} else {
		r.fixed -= e.fewest
	}
}

// index returns the place of a job in the list, −1 if it is not there.
func (r *resizableJobs) index(id JobID) int {
	for i := len(r.list) - 1; i >= 0; i-- { // most often a job that was started lately
		if r.list[i].job == id {
			return i
		}
	}
	return -1
}
