package machine

import (
	"cmp"
	"slices"
)

// Visit is the life of a job in the machine, for a trace.
type Visit struct {
	Number   uint64 // how many jobs came before it
	Arrived  float64
	Started  float64 // when it was given its first nodes
	Departed float64
	Demand   float64
	First    int // nodes that it was started on
	Least    int // fewest and most nodes that it had
	Most     int
	Resized  int     // how often the number of its nodes was changed after the start
	Halted   float64 // time that it stood still on its nodes
	NodeTime float64 // ∫ nodes held
}

// Piece is a stretch of time that a job spends on the same nodes without a change.
type Piece struct {
	Number   uint64 // of the job
	From, To float64
	Nodes    []int // which nodes, ascending
	Halted   bool  // it stands still
}

// Step says that from a time on a number of jobs wait.
type Step struct {
	At      float64
	Waiting int
}

// Recorder follows one run through [Config].Observe: it makes a [Visit] of every job that departs, and the schedule of
// what happens from time From to To. Which nodes a job has is not decided by the machine, to which nodes are alike. In
// the schedule a job that shrinks leaves its last nodes, and one that starts or grows takes the free ones next to it.
type Recorder struct {
	// Departed, if not nil, is called with every visit, in the order of the departures.
	Departed func(Visit)
	From, To float64
	Pieces   []Piece
	Queue    []Step

	there map[Job]*guest
	owner []Job // of each node, -1 if it is free
}

// guest is a job that the recorder sees in the machine.
type guest struct {
	visit Visit
	seen  float64 // up to when the visit is written
	begun float64 // beginning of the piece
	nodes []int
	held  int // len(nodes) as of the last event
	halt  bool
}

const nobody = Job(-1)

// Observe writes down what an event has changed; it is a value for [Config].Observe.
func (r *Recorder) Observe(v View, why Event) {
	if r.there == nil {
		r.there = map[Job]*guest{}
		r.owner = slices.Repeat([]Job{nobody}, v.Nodes())
	}
	now := v.Now()
	if why.Kind == Departure {
		r.depart(why.Job, now)
	}
	for k := range v.Running() { // first what is given back, then what is taken
		j := v.Started(k)
		g := r.guest(v, j)
		g.account(now)
		if n := v.Held(j); n < len(g.nodes) {
			r.cut(g, now)
			for _, i := range g.nodes[n:] {
				r.owner[i] = nobody
			}
			g.nodes = slices.Clone(g.nodes[:n])
		}
	}
	for k := range v.Running() {
		j := v.Started(k)
		g := r.there[j]
		n := v.Held(j)
		if n > len(g.nodes) {
			r.cut(g, now)
			g.nodes = r.take(j, g.nodes, n)
		}
		if halt := !v.Working(j); halt != g.halt {
			r.cut(g, now)
			g.halt = halt
		}
		g.count(n)
	}
	r.queue(now, v.Waiting())
}

// guest returns the record of a running job, a new one if it was not seen before.
func (r *Recorder) guest(v View, j Job) *guest {
	g := r.there[j]
	if g == nil {
		now := v.Now()
		g = &guest{seen: now, begun: now, halt: true}
		g.visit = Visit{Number: v.Number(j), Arrived: v.Arrived(j), Started: now, Demand: v.Demand(j)}
		r.there[j] = g
	}
	return g
}

// account writes the time since the job was seen last into its visit.
func (g *guest) account(now float64) {
	dt := now - g.seen
	g.visit.NodeTime += dt * float64(len(g.nodes))
	if g.halt {
		g.visit.Halted += dt
	}
	g.seen = now
}

// count notes the number of nodes that the job has now.
func (g *guest) count(n int) {
	w := &g.visit
	switch {
	case w.First == 0:
		w.First, w.Least, w.Most = n, n, n
	case n != g.held:
		w.Resized++
		w.Least, w.Most = min(w.Least, n), max(w.Most, n)
	}
	g.held = n
}

// cut ends the piece of schedule of a job.
func (r *Recorder) cut(g *guest, now float64) {
	if from, to := max(g.begun, r.From), min(now, r.To); from < to && len(g.nodes) > 0 {
		r.Pieces = append(r.Pieces, Piece{Number: g.visit.Number, From: from, To: to, Nodes: g.nodes, Halted: g.halt})
	}
	g.begun = now
}

// depart ends the visit of a job.
func (r *Recorder) depart(j Job, now float64) {
	g := r.there[j]
	g.account(now)
	r.cut(g, now)
	for _, i := range g.nodes {
		r.owner[i] = nobody
	}
	delete(r.there, j)
	if r.Departed != nil {
		g.visit.Departed = now
		r.Departed(g.visit)
	}
}

// take gives a job free nodes until it has n: those next to its own first, otherwise from the first gap that is long
// enough, so that partitions stay together where they can.
func (r *Recorder) take(j Job, nodes []int, n int) []int {
	nodes = slices.Clone(nodes)
	claim := func(i int) {
		r.owner[i] = j
		nodes = append(nodes, i)
	}
	if len(nodes) == 0 {
		claim(r.gap(n))
	}
	for len(nodes) < n {
		claim(r.nearest(nodes))
	}
	slices.Sort(nodes)
	return nodes
}

// gap returns the first node of the first stretch of n free nodes, or of the longest stretch.
func (r *Recorder) gap(n int) int {
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

// nearest returns the free node that is nearest to one of the given nodes; there is one.
func (r *Recorder) nearest(nodes []int) int {
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

func (r *Recorder) queue(now float64, waiting int) {
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

// Close ends the pieces of the jobs that are still there at the end of the run.
func (r *Recorder) Close() {
	for _, g := range r.there {
		r.cut(g, max(r.To, g.begun))
	}
	slices.SortFunc(r.Pieces, func(a, b Piece) int {
		if c := cmp.Compare(a.From, b.From); c != 0 {
			return c
		}
		return cmp.Compare(a.Number, b.Number)
	})
}
