package machine

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/validate/sched"
)

// Piece is a time interval that a job spends on the same nodes, either working or standing still. Diagrams of schedules
// draw it as a bar.
type Piece struct {
	Number   int // number of the job in the order of arrival, from 0
	From, To float64
	Nodes    []int // indices of the nodes, from 0, ascending
	Paused   bool  // the job stands still
}

// Blocks returns the maximal ranges of adjacent nodes of the piece, in ascending order. Each is a pair of indices from
// 0: the first node, and the node after the last. A diagram draws one bar for each range.
func (p *Piece) Blocks() [][2]int {
	var all [][2]int
	for _, node := range p.Nodes {
		if n := len(all); n > 0 && all[n-1][1] == node {
			all[n-1][1]++
		} else {
			all = append(all, [2]int{node, node + 1})
		}
	}
	return all
}

// Step is a change of the number of waiting jobs: from time At on, Waiting jobs wait.
type Step struct {
	At      float64
	Waiting int
}

// Recorder records the schedule of one run from time From to time To, for diagrams. Its method Observe is the
// [Config].Observe of that run. The machine only counts nodes, unless the policy places jobs. So the Recorder chooses
// the nodes: a job that shrinks gives up its last nodes, and a job that starts or grows takes the nearest free nodes.
type Recorder struct {
	From, To float64
	Pieces   []Piece
	Queue    []Step

	onMachine map[sched.JobID]*stay
	owner     []sched.JobID // of each node, -1 if it is free
}

// stay is the present piece of a job that is on the machine.
type stay struct {
	number int
	begun  float64 // beginning of the piece
	nodes  []int
	paused bool
}

// nobody is the owner of a free node in Recorder.owner.
const nobody = sched.JobID(-1)

// Observe records the schedule after the events of one time. It is a value for [Config].Observe: v is the state of the
// machine after the decision, and events are the events of that time.
//
// A piece of a job ends, and is appended to r.Pieces, when the job departs, its nodes change, or it stops or continues
// its work. Observe also chooses the nodes of each job. Jobs first give up nodes, their last ones unless they were
// moved; then other jobs take free nodes, see [Recorder.takeNodes]. A new number of waiting jobs is appended to
// r.Queue.
func (r *Recorder) Observe(v sched.View, events []sched.Event) {
	if r.onMachine == nil {
		r.onMachine = map[sched.JobID]*stay{}
		r.owner = slices.Repeat([]sched.JobID{nobody}, v.Nodes())
	}
	now := v.Now()
	for _, why := range events {
		if why.Kind == sched.Departure {
			r.depart(why.Job, now)
		}
	}
	for k := range v.Running() { // jobs give back nodes before others take them
		j := v.Started(k)
		s := r.onMachine[j]
		if s == nil {
			s = &stay{number: v.Number(j), begun: now, paused: true}
			r.onMachine[j] = s
		}
		kept := min(v.Held(j), len(s.nodes))
		if v.Offset(j) >= 0 && (len(s.nodes) == 0 || s.nodes[0] != v.Offset(j)) {
			kept = 0
		}
		if kept < len(s.nodes) {
			r.endPiece(s, now)
			r.freeNodes(s.nodes[kept:])
			s.nodes = slices.Clone(s.nodes[:kept])
		}
	}
	for k := range v.Running() {
		j := v.Started(k)
		s := r.onMachine[j]
		if n := v.Held(j); n > len(s.nodes) {
			r.endPiece(s, now)
			s.nodes = r.takeNodes(j, s.nodes, n, v.Offset(j))
		}
		if paused := !v.Working(j); paused != s.paused {
			r.endPiece(s, now)
			s.paused = paused
		}
	}
	r.recordQueue(now, v.Waiting())
}

// endPiece ends the present piece of a job at time now, because its nodes change or it stops or continues, and begins
// the next. A piece is a bar of the diagram. It is appended to r.Pieces, cut to the time from r.From to r.To, unless
// nothing is left.
func (r *Recorder) endPiece(s *stay, now float64) {
	if from, to := max(s.begun, r.From), min(now, r.To); from < to && len(s.nodes) > 0 {
		r.Pieces = append(r.Pieces, Piece{Number: s.number, From: from, To: to, Nodes: s.nodes, Paused: s.paused})
	}
	s.begun = now
}

// depart ends the last piece, a bar of the diagram, of a job that has ended at time now, and frees its nodes in
// r.owner. The piece is appended to r.Pieces as far as it lies between r.From and r.To. The job leaves r.onMachine; a
// job that is not there is ignored.
func (r *Recorder) depart(j sched.JobID, now float64) {
	if s := r.onMachine[j]; s != nil {
		r.endPiece(s, now)
		r.freeNodes(s.nodes)
		delete(r.onMachine, j)
	}
}

// freeNodes marks nodes, given by their indices, as free in r.owner, so that other jobs of the diagram can take them.
func (r *Recorder) freeNodes(nodes []int) {
	for _, i := range nodes {
		r.owner[i] = nobody
	}
}

// takeNodes makes job j the owner of more free nodes until it has n, and returns the indices of all its nodes in
// ascending order. nodes are the nodes that it has, and are not changed. Enough nodes must be free. A placed job takes
// the nodes from offset on. With offset −1 it takes the free nodes next to its own, or the first gap of n free nodes if
// it has none. So partitions stay contiguous where possible.
func (r *Recorder) takeNodes(j sched.JobID, nodes []int, n, offset int) []int {
	nodes = slices.Clone(nodes)
	claim := func(i int) {
		r.owner[i] = j
		nodes = append(nodes, i)
	}
	for offset >= 0 && len(nodes) < n {
		claim(offset + len(nodes))
	}
	if len(nodes) == 0 {
		claim(r.firstGap(n))
	}
	for len(nodes) < n {
		claim(r.nearestFree(nodes))
	}
	slices.Sort(nodes)
	return nodes
}

// firstGap returns the index of the first node of the first n adjacent free nodes. With fewer adjacent free nodes, it
// is the first node of the longest range of them. There must be a free node.
func (r *Recorder) firstGap(n int) int {
	best, longest, length := 0, 0, 0
	for i, j := range r.owner {
		if j != nobody {
			length = 0
			continue
		}
		if length++; length > longest {
			best, longest = i+1-length, length
		}
		if longest == n {
			break
		}
	}
	return best
}

// nearestFree returns the index of the free node with the smallest distance to any of the given nodes, the lowest index
// of several. There must be a free node.
func (r *Recorder) nearestFree(nodes []int) int {
	best, distance := -1, len(r.owner)
	for i, j := range r.owner {
		if j != nobody {
			continue
		}
		for _, k := range nodes {
			if d := max(i-k, k-i); d < distance {
				best, distance = i, d
			}
		}
	}
	return best
}

// recordQueue appends a [Step] to r.Queue if the number of waiting jobs has changed. Changes before r.From count as
// changes at r.From; changes at r.To or later are left out. Of several changes at one time it keeps the last.
func (r *Recorder) recordQueue(now float64, waiting int) {
	if now >= r.To {
		return
	}
	at := max(now, r.From)
	n := len(r.Queue)
	switch {
	case n > 0 && r.Queue[n-1].Waiting == waiting:
		return
	case n > 0 && r.Queue[n-1].At == at:
		r.Queue[n-1].Waiting = waiting
		return
	}
	r.Queue = append(r.Queue, Step{At: at, Waiting: waiting})
}

// Close ends the pieces of the jobs that are still on the machine, at r.To. It sorts r.Pieces by their begin, then by
// the number of the job. It is called once, after the run.
func (r *Recorder) Close() {
	for _, s := range r.onMachine {
		r.endPiece(s, max(r.To, s.begun))
	}
	slices.SortFunc(r.Pieces, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
	})
}
