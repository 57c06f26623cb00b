package logstats

import (
	"errors"

	"github.com/partwise/partwise/models/workload/joblog"
)

// occasion is a time at which the nodes in use change, or at which a job that waits becomes eligible.
type occasion struct {
	at    float64
	nodes int // of the job; if the job shrinks or grows, the difference
	pool  int32
	kind  occasionKind
}

// occasionKind is what happens to the job of an occasion. At the same time, ends and shrinks come before grows and starts: a job
// can take the nodes that another job gives back.
type occasionKind int32

const (
	ends occasionKind = iota
	shrinks
	grows
	becomesEligible
	starts
	startsAfterWait // of a job that was eligible before
)

// precedes reports whether an occasion comes before another.
func (o *occasion) precedes(other *occasion) bool {
	return o.at < other.at || o.at == other.at && o.kind < other.kind
}

// occasions hands out the occasions of jobs in order of time. Only those of jobs in the system are in memory, in a heap: jobs
// come in the order of their submission, and nothing happens to a job before its submission.
type occasions struct {
	heap   []occasion
	pass   func(occasion)
	latest float64 // submission
}

// errUnsorted says that jobs do not come in the order of their submission.
var errUnsorted = errors.New("logstats: jobs are not in the order of their submission")

// change returns by how much an occasion changes the nodes in use.
func (o *occasion) change() int {
	switch o.kind {
	case ends, shrinks:
		return -o.nodes
	case grows, starts, startsAfterWait:
		return o.nodes
	}
	return 0
}

// add hands out what happened before a job that [Waited] was submitted, and takes in what will happen to the job. The nodes of a
// job that was resized change while it runs.
func (s *occasions) add(j *joblog.Job, pool int32) error {
	if len(j.Pieces) < 2 {
		return s.addOf(j, j.Nodes(), pool)
	}
	if err := s.addFromTo(j, j.Pieces[0].Nodes, j.Pieces[len(j.Pieces)-1].Nodes, pool); err != nil {
		return err
	}
	for k := 1; k < len(j.Pieces); k++ {
		o := occasion{j.Submit + j.Wait + j.Pieces[k].After, j.Pieces[k].Nodes - j.Pieces[k-1].Nodes, pool, grows}
		if o.nodes < 0 {
			o.nodes, o.kind = -o.nodes, shrinks
		}
		s.push(o)
	}
	return nil
}

// addOf does the work of add for a job that holds the given nodes from its start to its end.
func (s *occasions) addOf(j *joblog.Job, nodes int, pool int32) error {
	return s.addFromTo(j, nodes, nodes, pool)
}

// addFromTo does the work of add for a job that holds the given nodes when it starts, and last nodes when it ends.
func (s *occasions) addFromTo(j *joblog.Job, nodes, last int, pool int32) error {
	if j.Submit < s.latest {
		return errUnsorted
	}
	s.latest = j.Submit
	for len(s.heap) > 0 && s.heap[0].at <= j.Submit {
		s.next()
	}
	start := j.Submit + j.Wait
	eligible := j.Submit + heldOf(j)
	o := occasion{start, nodes, pool, starts}
	if start > eligible {
		s.passOrPush(occasion{eligible, nodes, pool, becomesEligible}, j.Submit)
		o.kind = startsAfterWait
	}
	if j.Run == 0 && o.kind == starts {
		return nil // holds nodes for no time
	}
	s.passOrPush(o, j.Submit)
	s.push(occasion{start + j.Run, last, pool, ends})
	return nil
}

// passOrPush hands out an occasion of the time of the last submission: all occasions before it have been handed out. It takes in
// a later one.
func (s *occasions) passOrPush(o occasion, submitted float64) {
	if o.at == submitted {
		s.pass(o)
	} else {
		s.push(o)
	}
}

// finish hands out all that happened after the last submission.
func (s *occasions) finish() {
	for len(s.heap) > 0 {
		s.next()
	}
}

// next hands out the first occasion.
func (s *occasions) next() {
	first := s.heap[0]
	last := len(s.heap) - 1
	moved := s.heap[last]
	s.heap = s.heap[:last]
	if last > 0 {
		s.sink(moved)
	}
	s.pass(first)
}

// ary is the number of children of an occasion in the heap. With four of them the heap is half as deep as with two, and a step
// down reads neighbours in memory.
const ary = 4

// sink puts an occasion into the place of the first, and moves it behind those that precede it.
func (s *occasions) sink(o occasion) {
	at, heap := 0, s.heap
	for {
		child := ary*at + 1
		if child >= len(heap) {
			break
		}
		for other := child + 1; other < min(ary*at+1+ary, len(heap)); other++ {
			if heap[other].precedes(&heap[child]) {
				child = other
			}
		}
		if !heap[child].precedes(&o) {
			break
		}
		heap[at] = heap[child]
		at = child
	}
	heap[at] = o
}

// push takes an occasion in.
func (s *occasions) push(o occasion) {
	s.heap = append(s.heap, o)
	at := len(s.heap) - 1
	for at > 0 {
		parent := (at - 1) / ary
		if !o.precedes(&s.heap[parent]) {
			break
		}
		s.heap[at] = s.heap[parent]
		at = parent
	}
	s.heap[at] = o
}

// inOrder calls each with the jobs, and once more with the jobs in the order of their submission if each says that they are not.
// It returns the error of each, or that of the jobs.
func inOrder(jobs joblog.Jobs, each func(joblog.Jobs) error) error {
	err := each(jobs)
	if !errors.Is(err, errUnsorted) {
		return err
	}
	list, err := joblog.Keep(jobs, "", 0)
	if err != nil {
		return err
	}
	return each(list.BySubmission().All())
}
