package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// run is a simulation under way. Times are nanoseconds.
type run struct {
	*Config
	policy.Coscheduling       // of nodes that schedule their processes themselves
	gang                *gang // nil unless rows of the matrix take turns

	now       int64
	nodes     []node
	processes []process // MPL for each node
	timers    *timerTree
	jobs      []job
	ideal     map[int]int64 // times of the communication of an iteration, by the number of processes

	arrived, placed, ended int // jobs: first come, first served
	global                 int64
	from, to, stop         int64
	work, useful           float64 // nanoseconds
	measuring              bool
	result                 Result
}

// job is a job that has arrived or is to arrive.
type job struct {
	Job
	arrival, start, end int64
	iterations          int32
	iteration           float64 // ideal time of an iteration, nanoseconds
	compute, io         float64 // in an iteration
	processes           []int32 // by rank
	left                int     // processes that have not ended
	row                 int     // of the matrix
}

// Run simulates the jobs, which are in the order of their arrivals. The error names the job that cannot be simulated,
// or comes from ctx.
func Run(ctx context.Context, c Config, jobs []Job) (*Result, error) {
	if !(c.Skew >= 0 && c.Skew <= 2) {
		return nil, fmt.Errorf("cluster: Skew: %v is not between 0 and 2", c.Skew)
	}
	if c.Nodes < 1 || c.MPL < 1 || c.Policy == nil || c.Costs.Tick <= 0 {
		return nil, errors.New("cluster: a run needs nodes, levels of multiprogramming, a policy and ticks, as Defaults has them")
	}
	r := newRun(&c, len(jobs))
	for i := range jobs {
		if err := r.plan(&r.jobs[i], jobs[i]); err != nil {
			return nil, fmt.Errorf("cluster: job %d: %w", i, err)
		}
	}
	if err := r.simulate(ctx); err != nil {
		return nil, err
	}
	return r.results(), nil
}

// newRun returns a run of so many jobs that have not been planned yet. All nodes are idle, and no timer is set.
func newRun(c *Config, jobs int) *run {
	r := &run{Config: c, jobs: make([]job, jobs), ideal: map[int]int64{}, nodes: make([]node, c.Nodes),
		processes: make([]process, c.Nodes*c.MPL), timers: newTimerTree(c.Nodes), from: nanoseconds(c.From),
		to: cmp.Or(nanoseconds(c.To), never), stop: cmp.Or(nanoseconds(c.Stop), never)}
	var local bool
	if r.Coscheduling, local = c.Policy.(policy.Coscheduling); !local {
		r.gang = newGang(c)
	}
	r.result.Boosts.ByPosition = make([]int64, c.MPL)
	for i := range r.nodes {
		r.nodes[i].init(c, c.Key.At(uint64(i)).At(ofTicks).Stream())
	}
	return r
}

// What streams below the key of the cluster are for: the phases of ticks are below the number of the node, the skew of
// a process below the number of its job and its rank.
const (
	ofTicks = iota
	ofSkew
)

// nanoseconds returns a time in seconds as a whole number of nanoseconds, the unit of all times of a run.
func nanoseconds(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// seconds returns a time in nanoseconds in seconds, the unit of configurations and results.
func seconds(t int64) float64 { return float64(t) / 1e9 }

// plan works out the program of a job for [run.begin]: the number of its iterations, and the nanoseconds that an iteration
// computes, does I/O and takes in all. The shares of the type of the job hold on a cluster that the job has for itself. The
// error says why the job cannot run.
func (r *run) plan(j *job, of Job) error {
	switch {
	case !(of.Arrival >= 0 && of.Arrival <= LongestRun):
		return fmt.Errorf("arrives at %v", of.Arrival)
	case of.Nodes < 1 || of.Nodes > r.Nodes:
		return fmt.Errorf("needs %d of %d nodes", of.Nodes, r.Nodes)
	case !(of.Dedicated > 0 && of.Dedicated <= LongestRun):
		return fmt.Errorf("takes %v s", of.Dedicated)
	}
	j.Job, j.arrival = of, nanoseconds(of.Arrival)
	n := max(of.Nodes, 2)
	ideal, ok := r.ideal[n]
	if !ok {
		var err error
		if ideal, err = r.idealCommunication(n); err != nil {
			return err
		}
		r.ideal[n] = ideal
	}
	t := of.Type
	j.iteration = float64(ideal) / t.Communicate
	j.compute, j.io = j.iteration*t.Compute, j.iteration*t.IO
	if of.Nodes == 1 { // nobody to talk to
		j.compute += float64(ideal)
	}
	iterations := max(1, math.Round(of.Dedicated*1e9/j.iteration))
	if iterations > math.MaxInt32 {
		return fmt.Errorf("takes %v s, which are too many iterations of %v s", of.Dedicated, j.iteration/1e9)
	}
	j.iterations = int32(iterations)
	return nil
}

// The times of communication are measured with so much computation between them that iterations do not overlap.
const (
	measuredCompute         = 50e6
	fewIterations, manyMore = 2, 4
)

// idealCommunication returns how much longer iterations of n processes alone on the cluster are than their computation:
// the increase of the run time by each of several more iterations.
func (r *run) idealCommunication(n int) (int64, error) {
	c := *r.Config
	c.Nodes, c.MPL, c.Policy, c.Skew, c.From, c.To, c.Stop = n, 1, policy.Coscheduling{}, 0, 0, 0, 0
	var ends [2]int64
	for k := range ends {
		one := newRun(&c, 1)
		one.jobs[0] = job{Job: Job{Nodes: n}, compute: measuredCompute, iterations: int32(fewIterations + k*manyMore)}
		if err := one.simulate(context.Background()); err != nil {
			return 0, err
		}
		ends[k] = one.jobs[0].end
	}
	return (ends[1]-ends[0])/manyMore - measuredCompute, nil
}

// errDeadlock can only be a mistake of this package.
var errDeadlock = errors.New("cluster: jobs wait for messages that are never sent")

// patience is the number of events between two looks at the context.
const patience = 1 << 16

// simulate handles event after event until all jobs have ended, or until the time r.stop. The events of nodes come from
// their timers; arrivals, turns of rows, and the ends of the profile are global. The error comes from ctx, or is
// errDeadlock.
func (r *run) simulate(ctx context.Context) error {
	r.nextGlobal()
	for r.ended < len(r.jobs) && r.now < r.stop {
		if r.result.Events%patience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.result.Events++
		i, at := r.timers.first()
		if r.global <= at {
			if r.global == never {
				return errDeadlock
			}
			r.now = r.global
			r.globalEvent()
			r.nextGlobal()
			continue
		}
		r.now = at
		n := &r.nodes[i]
		switch at {
		case n.at[tick]:
			r.tick(n)
		case n.at[processor]:
			r.activityEnds(n)
		case n.at[leaving]:
			r.leaves(n)
		case n.at[arriving]:
			r.deposited(n)
		default:
			r.ioEnds(n)
		}
		r.timers.set(i, n.next())
	}
	return nil
}

// nextGlobal sets r.global, in nanoseconds: the time of the next event that belongs to no node.
func (r *run) nextGlobal() {
	r.global = min(r.from, r.to, r.stop)
	if r.arrived < len(r.jobs) {
		r.global = min(r.global, r.jobs[r.arrived].arrival)
	}
	if r.gang != nil {
		r.global = min(r.global, r.gang.boundary)
	}
}

// globalEvent handles one global event that is due: the beginning or the end of the profile, else an arrival, else the turn
// of the next row.
func (r *run) globalEvent() {
	switch {
	case r.from <= r.now:
		r.beginProfile()
		r.from = never
	case r.to <= r.now:
		r.endProfile()
		r.to = never
	case r.arrived < len(r.jobs) && r.jobs[r.arrived].arrival <= r.now:
		r.arrived++
		r.place()
	case r.gang != nil && r.gang.boundary <= r.now:
		r.nextRow()
	}
}

// touch tells the tree of timers the next event of a node whose timers were changed by an event of another node.
func (r *run) touch(node int32) { r.timers.set(int(node), r.nodes[node].next()) }

// place gives waiting jobs their nodes, in the order of their arrival, as long as there is room for the first.
func (r *run) place() {
	for r.placed < r.arrived {
		j := &r.jobs[r.placed]
		if r.gang != nil && !r.gang.place(r, r.placed) || r.gang == nil && !r.placeOnNodes(j) {
			return
		}
		j.start = r.now
		r.begin(j, r.placed)
		r.placed++
	}
}

// placeOnNodes finds the nodes of a job: the least loaded, or the first ones that have room; it returns false if there
// are too few.
func (r *run) placeOnNodes(j *job) bool {
	var room []int
	for i := range r.nodes {
		if len(r.nodes[i].table) < r.MPL {
			room = append(room, i)
		}
	}
	if len(room) < j.Nodes {
		return false
	}
	if !r.Choices.LowestFirst {
		slices.SortStableFunc(room, func(a, b int) int { return len(r.nodes[a].table) - len(r.nodes[b].table) })
	}
	room = room[:j.Nodes]
	slices.Sort(room)
	for _, i := range room {
		id := i * r.MPL
		for r.processes[id].used {
			id++
		}
		j.processes = append(j.processes, int32(id))
	}
	return true
}

// begin starts the processes of a job that has been placed: it writes their programs, and enters them on their nodes. number
// is the index of the job.
func (r *run) begin(j *job, number int) {
	j.left = j.Nodes
	key := r.Key.At(uint64(number)).At(ofSkew)
	k := cmp.Or(r.Messages, r.Pattern.Messages())
	var steps []step
	for rank, id := range j.processes {
		from := len(steps)
		steps = r.Pattern.script(steps, j.processes, rank, k)
		i, p := id/int32(r.MPL), &r.processes[id]
		*p = process{job: int32(number), id: id, used: true, started: r.now, iterations: j.iterations,
			script: steps[from:len(steps):len(steps)], pending: make([]uint32, len(steps)-from), // fewer slots than steps
			random: key.At(uint64(rank)).Stream()}
		r.compute(p)
		n := &r.nodes[i]
		n.table = append(n.table, id)
		if r.gang == nil {
			r.arrives(n, p)
		}
		r.touch(i)
	}
}

// finish ends a process that has done all its iterations; the processor is free already.
func (r *run) finish(n *node, p *process) {
	n.forget(p.id)
	p.used = false
	j := &r.jobs[p.job]
	j.left--
	if r.gang == nil && n.current == none {
		r.dispatch(n)
	}
	if j.left == 0 {
		j.end = r.now
		r.ended++
		if r.gang != nil {
			r.gang.free(j)
		}
	}
	if r.gang == nil || j.left == 0 {
		r.place()
	}
}

// beginProfile sets the sums of the profile to 0: from now on counts what processors do.
func (r *run) beginProfile() {
	for i := range r.nodes {
		n := &r.nodes[i]
		r.enter(n, n.doing)
		n.spent = [activities]int64{}
	}
	r.work, r.useful, r.measuring = 0, 0, true
	clear(r.result.Boosts.ByPosition)
	r.result.Boosts.ByState = [3]int64{}
}

// endProfile enters in the result what processors did since beginProfile: shares of their time, work over capacity, and the
// length of the profile in seconds.
func (r *run) endProfile() {
	var spent [activities]int64
	var total int64
	for i := range r.nodes {
		n := &r.nodes[i]
		r.enter(n, n.doing)
		for k, t := range n.spent {
			spent[k] += t
			total += t
		}
	}
	for k, t := range spent {
		r.result.Profile[k] = float64(t) / float64(total)
	}
	r.result.Span = seconds(r.now) - r.From
	capacity := r.result.Span * 1e9 * float64(r.Nodes)
	r.result.Work, r.result.Useful = r.work/capacity, r.useful/capacity
	r.measuring = false
}

// results returns the result with a record of each job, times in seconds. A job that has not started or not ended has the
// time at which the run stopped.
func (r *run) results() *Result {
	if r.measuring {
		r.endProfile()
	}
	r.result.Records = make([]Record, len(r.jobs))
	for i := range r.jobs {
		j := &r.jobs[i]
		record := Record{Job: j.Job, Start: seconds(j.start), End: seconds(j.end), Nominal: float64(j.iterations) * j.iteration / 1e9}
		record.Arrival = seconds(j.arrival) // or who does not wait would by rounding
		if i >= r.placed {
			record.Start = seconds(r.now)
		}
		if j.end == 0 {
			record.End = seconds(r.now)
			r.result.Unfinished++
		}
		r.result.Records[i] = record
	}
	return &r.result
}
