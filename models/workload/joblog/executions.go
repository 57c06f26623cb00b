package joblog

import (
	"cmp"
	"slices"
	"sort"
)

// byJob returns the numbers of the records by job and component, those of one in the order of the log.
func (s *store) byJob() []uint32 {
	order := make([]uint32, s.n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(s.at(a).compare(s.at(b).key), cmp.Compare(a, b))
	})
	return order
}

// compare compares jobs by number, task and component.
func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.id, o.id), cmp.Compare(k.task, o.task), cmp.Compare(k.component, o.component))
}

// resolve makes one record of each execution of a job that the log lists several times, and of the components of a heterogeneous job.
func (s *store) resolve(order []uint32) {
	for from, to := 0, 0; from < len(order); from = to {
		first := s.at(order[from])
		for to = from + 1; to < len(order) && s.at(order[to]).id == first.id && s.at(order[to]).task == first.task; {
			to++
		}
		if to-from > 1 {
			s.resolveJob(order[from:to])
		}
	}
}

// resolveJob does so for the records of one job.
func (s *store) resolveJob(order []uint32) {
	components := map[uint8]*executions{}
	for _, i := range order {
		r := s.at(i)
		of := components[r.component]
		if of == nil {
			of = &executions{at: map[execution]*record{}}
			components[r.component] = of
		}
		old := of.find(r)
		switch {
		case old == nil && of.list != nil:
			s.note(requeued, int(r.line))
			of.add(r)
		case old == nil:
			of.add(r)
		default:
			s.note(listedTwice, int(r.line))
			if !old.state.isOver() {
				*old = *r
				of.enter(old)
			}
			r.state = folded
		}
	}
	for c, of := range components {
		if first := components[1]; c > 1 && first != nil {
			s.fold(of.list, first)
		}
	}
	for _, of := range components {
		separate(of.list)
	}
}

// executions are those of a job, or of a component, in the order of the log.
type executions struct {
	list []*record
	at   map[execution]*record
}

// execution tells the executions of a job apart: by when they started, or by when they were submitted.
type execution struct {
	at                 uint32 // Unix time
	submitted, started bool
}

func (x *executions) add(r *record) {
	x.list = append(x.list, r)
	x.enter(r)
}

// enter makes a record one that find finds.
func (x *executions) enter(r *record) {
	x.at[execution{at: r.submit, submitted: true}] = r
	if r.wait == none {
		x.at[execution{at: r.submit}] = r
	} else {
		x.at[execution{at: r.submit + r.wait, started: true}] = r
	}
}

// find returns the record of the execution that another record is of: one with the same start or, unless both have started, of the same
// submission; nil if there is none.
func (x *executions) find(r *record) *record {
	if r.wait == none {
		return x.at[execution{at: r.submit, submitted: true}]
	}
	return cmp.Or(x.at[execution{at: r.submit + r.wait, started: true}], x.at[execution{at: r.submit}])
}

// fold adds the nodes of a component of a heterogeneous job, whose components start together, to those of its first.
func (s *store) fold(component []*record, first *executions) {
	for _, r := range component {
		whole := first.find(r)
		if whole == nil {
			continue
		}
		whole.units += r.units
		if whole.run != none && r.run != none {
			whole.run = max(whole.run, r.run)
		}
		r.state = folded
		s.note(componentLines, 0)
	}
}

// separate lets each further execution of a job be submitted no earlier than the one before it ended.
func separate(executions []*record) {
	start := func(r *record) uint32 {
		if r.wait == none {
			return r.submit
		}
		return r.submit + r.wait
	}
	sort.SliceStable(executions, func(a, b int) bool { return start(executions[a]) < start(executions[b]) })
	for k := 1; k < len(executions); k++ {
		r, end := executions[k], executions[k-1].end()
		if r.submit >= end || r.wait != none && r.submit+r.wait < end {
			continue
		}
		if r.wait != none {
			r.wait -= end - r.submit
		}
		r.submit = end
	}
}

// countSteps counts the steps of which the log does not list the job.
func (s *store) countSteps(order []uint32) {
	var lines []int
	for k, line := range s.unresolved {
		if _, listed := slices.BinarySearchFunc(order, k, func(i uint32, k key) int { return s.at(i).compare(k) }); !listed {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		s.lose(orphanedSteps, line, nil)
	}
}
