package sched

import (
	"math"

	"github.com/partwise/partwise/models/policy"
)

// Width determines how many nodes a job is given.
type Width uint8

// The nodes of a job. The fewest and the most nodes come from the shares under the rule, within the bounds of the job.
const (
	Divided Width = iota // the nodes of the rule, which divides the machine
	Free                 // the nodes that are free at the start, between the fewest and the most; the job keeps them
	Growing              // the fewest, and later free nodes that no waiting job can use, up to the most; none are given back
	Apart                // an even share, which each job follows on its own
)

// settings starts and resizes jobs like a system that has settings but no controller, such as an autoscaler. A job
// starts, first come, first served, as soon as the nodes of its start are free.
//
// With [Apart], each of n jobs has the share that the rule gives for n jobs. The share counts only if it differs from
// the nodes of the job by the factor Hysteresis or more. A smaller share counts only while at least Wait jobs wait.
// Resizes follow the shares of the last time Cooldown:
//
//   - A job grows, as far as nodes are free, if its share was larger than its nodes all that time. It grows to the
//     smallest share of that time.
//   - A job shrinks if its share was smaller all that time. It shrinks to the largest share of that time.
//
// An autoscaler of Kubernetes stabilises the replicas of a job in this way (autoscaling/v2,
// stabilizationWindowSeconds).
type settings struct {
	rule     policy.Resize // its cooldown is a fixed time
	width    Width
	uncapped bool // the cap of the rule does not limit the number of jobs; their fewest nodes do

	fewest, most int // the nodes that [settings.evenBounds] returns; 0: not known yet

	shares []history // by JobID
	alarm  float64   // next alarm that was requested
	sizes  []int     // of the jobs that share the machine, in nodes
	low    []int     // sizes up to which they grow, in nodes
	want   []int     // their shares, in units
}

// history holds the shares of a job during the last cooldown, in nodes, the oldest first.
type history struct {
	number int // arrival number of the job, because its JobID may have belonged to another job
	shares []share
}

// share is the number of nodes that a job should have from a time on.
type share struct {
	from  float64
	nodes int
}

// NewSettings returns a scheduler, for one run, that imitates a cluster system without a controller. The settings of
// the system approximate a rule for resizing. width says how many nodes a job gets. The fewest and the most nodes are
// the even shares under the rule when the most jobs run, and when one job runs.
//
//   - [Divided]: the fewest nodes, without resizes.
//   - [Free]: the nodes that are free at the start, between the fewest and the most, without resizes.
//   - [Growing]: the fewest nodes, and later free nodes, up to the most.
//   - [Apart]: the fewest nodes, and later an even share, which each job follows on its own.
//
// If uncapped, the cap of the rule does not limit the number of running jobs. The cooldown, during which a job is not
// resized again, is always rule.Cooldown; a random cooldown (SCV) is not drawn. The purpose is to measure how much
// configuration files for Slurm or Kubernetes lose against the rule itself.
func NewSettings(rule policy.Resize, width Width, uncapped bool) Policy {
	return &settings{rule: rule, width: width, uncapped: uncapped}
}

// Name returns "settings".
func (*settings) Name() string { return "settings" }

// ignoresEnds marks a policy whose decisions do not depend on the expected ends of jobs, for [PlansWithEnds].
func (*settings) ignoresEnds() {}

// Decide makes jobs give nodes back, starts jobs, and makes jobs grow, in this order. Jobs start in the order of the
// queue until the nodes of a job are not free, or [settings.allowsMore] does not allow more jobs. Only with [Apart] jobs
// give nodes back; otherwise [settings.startAndGrow] decides.
//
// [settings.keepRange] returns the range of sizes within which a job keeps its nodes. A job with more nodes shrinks to
// the upper end. A job with fewer nodes grows towards the lower end, in whole units and as far as nodes are free.
//
// The actions are appended to do and returned. With a cooldown, an alarm is requested for the next time at which a job
// may be resized. The policy remembers the alarm, the sizes of the jobs and, with [Apart], their shares.
func (s *settings) Decide(v View, _ []Event, do []Action) []Action {
	if s.width != Apart {
		return s.startAndGrow(v, do)
	}
	s.want = evenSizes(v, s.want, s.rule.Shares(v.Running()+v.Waiting(), v.units())) // whatever the bounds of the jobs
	free, sizes, low, next := v.Free(), s.sizes[:0], s.low[:0], math.Inf(1)
	for k, j := range v.s.running {
		held := v.s.held[k]
		least, most, until := s.keepRange(v, j, k, held)
		low, next = append(low, least), min(next, until)
		free += held - min(held, most)
		sizes = append(sizes, min(held, most))
	}
	for i := 0; i < v.Waiting() && s.allowsMore(v, len(sizes)); i++ {
		j := v.s.queue.At(i).job
		nodes := s.startNodes(v, j, free)
		if nodes > free {
			break
		}
		free -= nodes
		least, _, until := s.keepRange(v, j, len(sizes), nodes)
		sizes, low, next = append(sizes, nodes), append(low, least), min(next, until)
	}
	for k, n := range sizes {
		if more := min(low[k]-n, wholeUnits(v, free)); more > 0 {
			sizes[k] += more
			free -= more
		}
	}
	s.low, s.sizes, do = low, sizes, allocateSizes(v, sizes, 1, do)
	if s.alarm <= v.Now() {
		s.alarm = math.Inf(1)
	}
	if next < s.alarm {
		s.alarm = next
		do = append(do, Wake(next))
	}
	return do
}

// startAndGrow appends actions to do that start jobs and, with [Growing], then make jobs grow: first running jobs, in the
// order of their starts, then the jobs that start. No job gives nodes back. So running jobs are looked at only while nodes
// are free that no waiting job can use, which is seldom on a busy machine.
func (s *settings) startAndGrow(v View, do []Action) []Action {
	free, starts := v.Free(), s.sizes[:0]
	for i := 0; i < v.Waiting() && s.allowsMore(v, v.Running()+i); i++ {
		nodes := s.startNodes(v, v.s.queue.At(i).job, free)
		if nodes > free {
			break
		}
		free -= nodes
		starts = append(starts, nodes)
	}
	s.sizes = starts
	for k := 0; k < v.Running() && s.width == Growing && free >= v.Unit(); k++ {
		j, held := v.s.running[k], v.s.held[k]
		if more := s.growth(v, j, held, free); more > 0 {
			do = appendAllocate(do, j, held+more)
			free -= more
		}
	}
	for i, nodes := range starts {
		j := v.s.queue.At(i).job
		if s.width == Growing {
			more := s.growth(v, j, nodes, free)
			nodes, free = nodes+more, free-more
		}
		do = appendAllocate(do, j, nodes)
	}
	return do
}

// growth returns by how many nodes job j grows, which has the given number of nodes, towards the most nodes that the rule
// gives it: by whole units that are free.
func (s *settings) growth(v View, j JobID, nodes, free int) int {
	_, most := s.bounds(v, j)
	return max(0, min(most-nodes, wholeUnits(v, free)))
}

// allowsMore reports whether another job may start beside so many jobs. Unless s.uncapped, at most as many jobs run as
// [settings.mostJobs] allows.
func (s *settings) allowsMore(v View, jobs int) bool { return s.uncapped || jobs < s.mostJobs(v) }

// mostJobs returns the largest number of jobs that may run at a time under the rule. It is the number of units of the
// machine (of smallest partitions), or the cap of the rule if that is less. It ignores s.uncapped.
func (s *settings) mostJobs(v View) int {
	units := v.units()
	return s.rule.Shares(units, units)
}

// bounds returns the fewest and the most nodes that the rule gives job j: those of [settings.evenBounds], moved within the
// job's own bounds on nodes. For a running job that cannot be resized, both are the nodes that it has.
func (s *settings) bounds(v View, j JobID) (fewest, most int) {
	fewest, most = s.evenBounds(v)
	least, largest := nodeBounds(v, j)
	most = max(least, min(wholeUnits(v, largest), most))
	return min(most, max(least, fewest)), most
}

// evenBounds returns the fewest and the most nodes that the rule gives a job without bounds of its own. The fewest are an
// even share when as many jobs run as the rule allows, rounded down to a multiple of the unit. The most are an even share
// when one job runs (a rule with a floor still makes several shares), rounded up. They are the same in all decisions of a
// run, which ask for them for each job, so they are kept.
func (s *settings) evenBounds(v View) (fewest, most int) {
	if s.most == 0 {
		units := v.units()
		parts := s.rule.Shares(1, units)
		s.fewest, s.most = units/s.mostJobs(v)*v.Unit(), (units+parts-1)/parts*v.Unit()
	}
	return s.fewest, s.most
}

// startNodes returns the number of nodes on which job j starts when free nodes are free. With s.width [Free] it is as
// many of the free nodes as the bounds of [settings.bounds] allow, in whole units of the machine. With any other width
// it is the lower bound. The result may exceed free; then the job has to wait.
func (s *settings) startNodes(v View, j JobID, free int) int {
	fewest, most := s.bounds(v, j)
	if s.width == Free {
		return max(fewest, min(most, wholeUnits(v, free)))
	}
	return fewest
}

// keepRange returns the range of sizes, in nodes, within which job j is not resized with [Apart]: below low it grows,
// above high it shrinks. The job is the k-th, from 0, of the running and then the waiting jobs, and has the given number
// of nodes.
//
// low and high are the even share of the job, within its bounds. The present nodes replace a share that differs by less
// than the factor Hysteresis of the rule. They also replace a smaller share while fewer than Wait jobs wait.
//
// s.want must hold the even shares of the first jobs, in units; a job beyond the list has the fewest nodes. If there is a
// cooldown, too, [settings.stabilized] records the share, and widens the range to all shares of the last cooldown. The
// range applies until the returned time, which is +Inf if no time limits it.
func (s *settings) keepRange(v View, j JobID, k, nodes int) (low, high int, until float64) {
	want, most := s.bounds(v, j)
	if k < len(s.want) {
		want = min(most, max(want, s.want[k]*v.Unit()))
	}
	if want != nodes && (s.isNear(want, nodes) || want < nodes && v.Waiting() < s.rule.Wait) {
		want = nodes
	}
	if s.rule.Cooldown == 0 {
		return want, want, math.Inf(1)
	}
	return s.stabilized(v, j, nodes, want)
}

// isNear reports whether two numbers of nodes differ by less than the factor Hysteresis of the rule. No numbers do without
// hysteresis, which is a factor of at most 1.
func (s *settings) isNear(a, b int) bool {
	return s.rule.Hysteresis > 1 && max(float64(a)/float64(b), float64(b)/float64(a)) < s.rule.Hysteresis
}

// stabilized returns the smallest and the largest number of nodes that job j should have had during the last cooldown.
// It first records in s.shares that job j, which has the number nodes, should have want nodes from now on. Records
// before the cooldown, or of an earlier job with the same ID, are dropped. The first record of a job is its present
// number of nodes. until is the time at which the oldest number leaves the cooldown, +Inf if there is only one number.
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
