package sched

import (
	"math"

	"github.com/partwise/partwise/models/policy"
)

// Width says which nodes a job is given.
type Width uint8

// The nodes of a job. The fewest and the most nodes are those of a share under the rule, within the bounds of the job.
const (
	Divided Width = iota // those of the rule, which divides the machine
	Free                 // those that are free when the job starts, between the fewest and the most; it keeps them
	Growing              // the fewest, and then, of those that no waiting job can start on, up to the most; it gives none back
	Apart                // an even share, which each job follows by itself
)

// settings starts and resizes jobs as a system does that has settings and no controller. A job starts, first come, first
// served, as soon as the nodes of its start are free.
//
// With [Apart] the share of each of n jobs is that of the rule. It counts if it differs from the nodes of the job by the factor
// Hysteresis or more, and if it is smaller only while Wait jobs wait. A job gets more nodes, as far as nodes are free, when its
// share has been larger for the time Cooldown: the smallest share of that time. It gives nodes back when its share has been
// smaller for that time, down to the largest. An autoscaler of Kubernetes stabilizes the replicas of a job like this
// (autoscaling/v2, stabilizationWindowSeconds).
type settings struct {
	rule     policy.Resize // the cooldown is a fixed time
	width    Width
	uncapped bool // the cap of the rule does not bound the jobs: the fewest nodes do

	shares []history // by name of job
	alarm  float64   // the next one that was asked for
	sizes  []int     // of the jobs that share the machine, in nodes
	want   []int     // their shares, in units
}

// history is the shares of the last cooldown of a job, the oldest first.
type history struct {
	number int // of the job: its name may have been another job's
	shares []share
}

// share is the share of a job from a time on.
type share struct {
	from  float64
	nodes int
}

// NewSettings returns the scheduler of a system that has settings and no controller: they are those of a rule with a fixed cooldown,
// whose cap does not bound the jobs if uncapped is true.
func NewSettings(rule policy.Resize, width Width, uncapped bool) Policy {
	return &settings{rule: rule, width: width, uncapped: uncapped}
}

// Name returns "settings".
func (*settings) Name() string { return "settings" }

// Decide lets jobs give nodes back, starts jobs, and lets jobs grow, in this order.
func (s *settings) Decide(v View, _ []Event, do []Action) []Action {
	if s.width == Apart { // without regard to the bounds of the jobs
		s.want = evenly(v, s.want, s.rule.Shares(v.Running()+v.Waiting(), v.units()))
	}
	free, sizes, next := v.Free(), s.sizes[:0], math.Inf(1)
	var low []int // that jobs grow to
	for k := range v.Running() {
		j := v.Started(k)
		held := v.Held(j)
		least, most, until := s.span(v, k, held)
		low, next = append(low, least), min(next, until)
		free += held - min(held, most)
		sizes = append(sizes, min(held, most))
	}
	started := len(sizes)
	for i := 0; i < v.Waiting() && (s.uncapped || len(sizes) < s.jobs(v)); i++ {
		nodes := s.first(v, v.Queued(i).Job, free)
		if nodes > free {
			break
		}
		free -= nodes
		sizes = append(sizes, nodes)
		least, _, until := s.span(v, started+i, nodes)
		low, next = append(low, least), min(next, until)
	}
	for k, n := range sizes {
		if more := min(low[k]-n, whole(v, free)); more > 0 {
			sizes[k] += more
			free -= more
		}
	}
	s.sizes, do = sizes, allocate(v, sizes, 1, do)
	if s.alarm <= v.Now() {
		s.alarm = math.Inf(1)
	}
	if next < s.alarm {
		s.alarm = next
		do = append(do, Wake(next))
	}
	return do
}

// jobs returns the most jobs that the rule lets run.
func (s *settings) jobs(v View) int {
	units := v.units()
	return s.rule.Shares(units, units)
}

// bounds returns the fewest and the most nodes of a job.
func (s *settings) bounds(v View, j JobID) (fewest, most int) {
	units := v.units()
	parts := s.rule.Shares(1, units)
	least, largest := bounds(v, j)
	most = max(least, min(whole(v, largest), (units+parts-1)/parts*v.Unit()))
	return min(most, max(least, units/s.jobs(v)*v.Unit())), most
}

// first returns the nodes on which a job starts.
func (s *settings) first(v View, j JobID, free int) int {
	fewest, most := s.bounds(v, j)
	if s.width == Free {
		return max(fewest, min(most, whole(v, free)))
	}
	return fewest
}

// span returns the nodes below and above which the k-th job, which has so many, is resized, and when they change.
func (s *settings) span(v View, k, nodes int) (low, high int, until float64) {
	j := sharer(v, k)
	fewest, most := s.bounds(v, j)
	switch {
	case s.width == Growing:
		return most, nodes, math.Inf(1)
	case s.width != Apart:
		return nodes, nodes, math.Inf(1)
	}
	want := fewest
	if k < len(s.want) {
		want = min(most, max(fewest, s.want[k]*v.Unit()))
	}
	if max(float64(want)/float64(nodes), float64(nodes)/float64(want)) < s.rule.Hysteresis || want < nodes && v.Waiting() < s.rule.Wait {
		want = nodes
	}
	if s.rule.Cooldown == 0 {
		return want, want, math.Inf(1)
	}
	return s.stabilized(v, j, nodes, want)
}

// stabilized notes the share of a job, and returns the smallest and the largest of the last cooldown, and when its oldest ends.
func (s *settings) stabilized(v View, j JobID, nodes, want int) (low, high int, until float64) {
	for int(j) >= len(s.shares) {
		s.shares = append(s.shares, history{})
	}
	all := s.shares[j].shares
	if s.shares[j].number != v.Number(j) || all == nil {
		all = []share{{v.Now(), nodes}}
	}
	if all[len(all)-1].nodes != want {
		all = append(all, share{v.Now(), want})
	}
	for len(all) > 1 && all[1].from+s.rule.Cooldown <= v.Now() {
		all = all[1:]
	}
	s.shares[j] = history{v.Number(j), all}
	low, high, until = want, want, math.Inf(1)
	for _, x := range all {
		low, high = min(low, x.nodes), max(high, x.nodes)
	}
	if len(all) > 1 {
		until = all[1].from + s.rule.Cooldown
	}
	return low, high, until
}
