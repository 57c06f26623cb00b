package logstats

import (
	"cmp"
	"math"
	"slices"
)

// Stay is the time that a job spent in the system, as a log recorded it. Times are in seconds.
type Stay struct {
	Submit   float64
	Eligible float64 // when nothing but the machine kept the job from starting; Submit where the log does not tell
	Start    float64
	End      float64
	Nodes    int // that the job held from Start to End
}

// wait returns the time from the submission of the job to its start.
func (s *Stay) wait() float64 { return s.Start - s.Submit }

// Waits says how long the jobs of a machine waited, and what the machine did meanwhile. All times are seconds per job:
//
//	Mean = Held + NoNodes + NodesFree,   NoNodes ≤ NearlyFull.
type Waits struct {
	Jobs   int // that started
	Mean   float64
	Median float64
	P90    float64 // of ten jobs, nine waited no longer
	// Held is the time from the submission until the job was eligible: dependencies, holds, begin times.
	Held float64
	// NoNodes is the time in which an eligible job found fewer free nodes than the job asks for.
	NoNodes float64
	// NearlyFull is NoNodes together with the time in which nine tenths of the nodes or more were in use. Fragmentation and
	// shared nodes hide between NoNodes and NearlyFull.
	NearlyFull float64
	// NodesFree is the rest: the nodes for the job were free, but the job waited. The reason may be a partition, a limit, a
	// priority, a reservation or a clock.
	NodesFree float64
}

// leastOfNearlyFull returns the fewest nodes in use with which a machine of so many nodes is nearly full: nine tenths.
func leastOfNearlyFull(nodes int) int { return (9*nodes + 9) / 10 }

// mostNodes is more than any machine has: the time of each number of free nodes is kept.
const mostNodes = 10_000_000

// WaitsOf returns how the jobs of a machine of so many nodes waited. It divides the wait of each job by the nodes in use at
// the time, as the log recorded them; nothing is simulated. Without jobs all times are 0.
//
// The starts and ends of all jobs are sorted once. Each start, each end and each job that waited then costs O(log nodes).
func WaitsOf(stays []Stay, nodes int) Waits {
	nodes = min(max(nodes, 0), mostNodes)
	w := Waits{Jobs: len(stays)}
	if w.Jobs == 0 {
		return w
	}
	waits := make([]float64, len(stays))
	for i := range stays {
		waits[i] = stays[i].wait()
		w.Held += stays[i].Eligible - stays[i].Submit
	}
	slices.Sort(waits)
	w.Median, w.P90 = quantile(waits, 0.5), quantile(waits, 0.9)
	for _, wait := range waits {
		w.Mean += wait
	}
	w.NoNodes, w.NearlyFull = shortOfNodes(stays, nodes)
	jobs := float64(w.Jobs)
	w.Mean, w.Held, w.NoNodes, w.NearlyFull = w.Mean/jobs, w.Held/jobs, w.NoNodes/jobs, w.NearlyFull/jobs
	w.NodesFree = max(0, w.Mean-w.Held-w.NoNodes) // below 0 only by rounding
	return w
}

// quantile returns the value below which a share p of sorted values lies. Between two values it interpolates linearly, so
// that the median of an even number of values is the mean of the middle two. It returns NaN of no values, or if p is not a share.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || !(0 <= p && p <= 1) {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

// change is a time at which the nodes in use change: a start or an end of a job.
type change struct {
	at    float64
	nodes int // in use from then on, more than before
}

// look is an end of the time in which an eligible job waited.
type look struct {
	at    float64
	nodes int     // that the job asks for
	sign  float64 // −1 when the job becomes eligible, 1 when the job starts
}

// shortOfNodes returns two times, summed over the jobs: none, in which eligible jobs found too few free nodes, and nearly,
// in which they found too few or the machine was nearly full.
//
// It goes once through the starts and ends in order of time. For each number of free nodes it keeps how long the machine
// has had that number so far. For a job of n nodes, none is then the difference of two sums over fewer than n free nodes.
func shortOfNodes(stays []Stay, nodes int) (none, nearly float64) {
	changes, looks := changesOf(stays), looksOf(stays)
	leastFree := nodes - leastOfNearlyFull(nodes) + 1 // with fewer free nodes the machine is nearly full
	free := newFreeTime(nodes)
	used, next := 0, 0
	for _, l := range looks {
		for ; next < len(changes) && changes[next].at <= l.at; next++ {
			free.pass(changes[next].at, nodes-used)
			used += changes[next].nodes
		}
		free.pass(l.at, nodes-used)
		none += l.sign * free.below(l.nodes)
		nearly += l.sign * free.below(max(l.nodes, leastFree))
	}
	return none, nearly
}

// changesOf returns the starts and ends of jobs in order of time.
func changesOf(stays []Stay) []change {
	changes := make([]change, 0, 2*len(stays))
	for i := range stays {
		s := &stays[i]
		changes = append(changes, change{s.Start, s.Nodes}, change{s.End, -s.Nodes})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return changes
}

// looksOf returns, in order of time, when the jobs that waited became eligible and when they started.
func looksOf(stays []Stay) []look {
	var looks []look
	for i := range stays {
		s := &stays[i]
		if s.Start > s.Eligible {
			looks = append(looks, look{s.Eligible, s.Nodes, -1}, look{s.Start, s.Nodes, 1})
		}
	}
	slices.SortFunc(looks, func(a, b look) int { return cmp.Compare(a.at, b.at) })
	return looks
}

// freeTime is how long a machine has had each number of free nodes. It is a Fenwick tree over the numbers from 0 on.
//
// Reference: P. M. Fenwick, A new data structure for cumulative frequency tables, Software: Practice and Experience 24
// (1994) 327–336.
type freeTime struct {
	at   float64 // the time up to which the tree counts
	tree []float64
}

func newFreeTime(nodes int) *freeTime {
	return &freeTime{at: math.Inf(-1), tree: make([]float64, nodes+2)}
}

// pass adds the time from the last call until now, in which so many nodes were free. Fewer than none count as none: more
// nodes were in use than the machine has.
func (f *freeTime) pass(now float64, nodes int) {
	passed := now - f.at
	f.at = now
	if math.IsInf(passed, 1) || passed == 0 {
		return
	}
	for i := max(nodes, 0) + 1; i < len(f.tree); i += i & -i {
		f.tree[i] += passed
	}
}

// below returns the time so far with fewer free nodes than the given number.
func (f *freeTime) below(nodes int) (sum float64) {
	for i := min(nodes, len(f.tree)-1); i > 0; i -= i & -i {
		sum += f.tree[i]
	}
	return sum
}
