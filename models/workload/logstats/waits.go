package logstats

import (
	"math"

	"github.com/partwise/partwise/models/workload/joblog"
)

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

// Waited reports whether a log tells that a job started, how long the job waited and how long it ran.
func Waited(j *joblog.Job) bool { return j != nil && j.Wait >= 0 && j.Run >= 0 && j.Problem(0) == "" }

// leastOfNearlyFull returns the fewest nodes in use with which a machine of so many nodes is nearly full: nine tenths.
func leastOfNearlyFull(nodes int) int { return (9*nodes + 9) / 10 }

// mostNodes is more than any machine has: the time of each number of free nodes is kept.
const mostNodes = 10_000_000

// waitCount counts the waits of the jobs of a machine, and divides each by the nodes in use at the time, as the log recorded
// them. Nothing is simulated.
//
// It goes once through the starts and ends in order of time. For each number of free nodes it keeps how long the machine has had
// that number so far. For a job of n nodes, the time without enough nodes is then the difference of two sums over fewer than n
// free nodes.
type waitCount struct {
	nodes        int // of the machine
	leastFree    int // with fewer free nodes the machine is nearly full
	used         int
	free         freeTime
	none, nearly float64 // sums over the jobs
}

// newWaitCount returns an empty count of waits for a machine of so many nodes, limited to 0 to mostNodes.
func newWaitCount(nodes int) *waitCount {
	nodes = min(max(nodes, 0), mostNodes)
	return &waitCount{nodes: nodes, leastFree: nodes - leastOfNearlyFull(nodes) + 1, free: newFreeTime(nodes)}
}

// waitSums are sums over jobs that [Waited].
type waitSums struct {
	jobs        int
	longest     float64 // wait
	total, held float64
}

// add takes a job in that [Waited].
func (s *waitSums) add(j *joblog.Job) {
	s.jobs++
	s.longest = max(s.longest, j.Wait)
	s.total += j.Wait
	s.held += heldOf(j)
}

// heldOf returns the time from the submission of a job that [Waited] until nothing but the machine kept the job from starting.
func heldOf(j *joblog.Job) float64 { return min(max(j.Held, 0), j.Wait) }

// pass takes an occasion in, in order of time.
func (c *waitCount) pass(o occasion) {
	c.free.pass(o.at, c.nodes-c.used)
	switch o.kind {
	case becomesEligible:
		c.look(o.nodes, -1)
	case startsAfterWait:
		c.look(o.nodes, 1)
	}
	c.used += o.change()
}

// look adds the time so far without enough nodes for a job: sign −1 when the job becomes eligible, 1 when it starts.
func (c *waitCount) look(nodes int, sign float64) {
	c.none += sign * c.free.below(nodes)
	c.nearly += sign * c.free.below(max(nodes, c.leastFree))
}

// summary returns the statistics of the jobs with the given sums, whose occasions were counted. waits are the waits of these jobs
// in any order; summary reorders them in place. Without jobs all times are 0.
func (c *waitCount) summary(sums *waitSums, waits values) Waits {
	w := Waits{Jobs: sums.jobs}
	if w.Jobs == 0 {
		return w
	}
	jobs := float64(w.Jobs)
	w.Mean, w.Held, w.NoNodes, w.NearlyFull = sums.total/jobs, sums.held/jobs, c.none/jobs, c.nearly/jobs
	w.NodesFree = max(0, w.Mean-w.Held-w.NoNodes) // below 0 only by rounding
	w.Median, w.P90 = waits.quantile(0.5), waits.quantile(0.9)
	return w
}

// freeTime is how long a machine has had each number of free nodes. It is a Fenwick tree over the numbers from 0 on.
//
// Reference: P. M. Fenwick, A new data structure for cumulative frequency tables, Software: Practice and Experience 24
// (1994) 327–336.
type freeTime struct {
	at   float64 // the time up to which the tree counts
	tree []float64
}

func newFreeTime(nodes int) freeTime {
	return freeTime{at: math.Inf(-1), tree: make([]float64, nodes+2)}
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
