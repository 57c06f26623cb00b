package advise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Problem is a machine and its jobs, under any policy.
type Problem struct {
	Machine policy.Machine
	Gap     float64 // mean time between arrivals: the scale of cooldowns
	Hour    float64 // in the unit of times
	Jobs    int     // of a log; 0: jobs come without an end
	// Config returns the machine under a policy. Its jobs are the same for all policies, in the same order. The error is a
	// *[models.UnstableError] if the policy cannot keep up. It is called by one goroutine at a time.
	Config func(p policy.Policy) (machine.Config, error)
	// Rigid are the policies of rigid jobs that rules are compared with, if jobs say how many nodes they ask for. They
	// begin with the policy that is first to be overloaded: the policies behind one that cannot keep up are left out.
	Rigid []policy.Policy
}

// OfSystem returns the problem of a model. o replaces the demands and the costs of resizes of the system where it has
// them. hour is an hour in the unit of time of the system. A system with rigid jobs is also compared with FCFS and
// EASY. The problem of a nil system is empty, and [Problem.Advise] refuses it.
func OfSystem(sys *models.System, o validate.Options, hour float64) Problem {
	if sys == nil {
		return Problem{}
	}
	q := Problem{Machine: sys.Machine(), Gap: 1 / sys.Arrivals.Rate(), Hour: hour,
		Config: func(p policy.Policy) (machine.Config, error) { return validate.WholeNodes(sys, p, o) }}
	if sys.Rigid() {
		q.Rigid = []policy.Policy{policy.FCFS{}, policy.EASY{}}
	}
	return q
}

// check returns an error if the problem is nil or empty: not made by [OfSystem] or [OfLog].
func (q *Problem) check() error {
	if q == nil || q.Config == nil {
		return errors.New("advise: the problem has no machine; make one with OfSystem or OfLog")
	}
	return nil
}

// Objective is what a rule should make small, by the name of the measure.
type Objective string

// The objectives.
const (
	Mean      Objective = "mean"       // mean response time
	P95       Objective = "p95"        // 95th percentile of the response time
	Slowdown  Objective = "slowdown"   // mean bounded slowdown
	NodeHours Objective = "node-hours" // node-hours that a job holds, on average
)

// Objectives returns all objectives, for flags and their completion.
func Objectives() []Objective { return []Objective{Mean, P95, Slowdown, NodeHours} }

// Measure returns the measure that the objective minimizes, for its name and unit. An unknown objective has the mean
// response time. The value of NodeHours is per job, but its measure is the sum over all jobs.
func (o Objective) Measure() measure.Measure {
	switch o {
	case P95:
		return measure.Must(measure.ResponseTimePercentile(0.95))
	case Slowdown:
		return measure.Must(measure.MeanBoundedSlowdown)
	case NodeHours:
		return measure.Must(measure.NodeHoursHeld)
	}
	return measure.Must(measure.MeanResponseTime)
}

// of returns the value of the objective for one job that has ended: its bounded slowdown, the node-hours that it held,
// or else its response time in the unit of time. on is the machine that the values refer to.
func (o Objective) of(r *machine.Record, on metric.Machine) float64 {
	switch o {
	case Slowdown:
		return on.BoundedSlowdown(r)
	case NodeHours:
		return r.NodeTime / on.Hour
	}
	return r.Response()
}

// over returns the value of the objective over a block of jobs, at least one, given the values of the jobs. It is their
// mean or, for P95, their 95th percentile. The order of the list may change.
func (o Objective) over(jobs []float64) float64 {
	if o == P95 {
		slices.Sort(jobs)
		return jobs[int(math.Ceil(0.95*float64(len(jobs))))-1]
	}
	return stat.Mean(jobs, nil)
}

// candidate is a policy that is being simulated: its run, and the values of the blocks that are complete.
type candidate struct {
	*Problem
	policy    policy.Policy
	objective Objective
	on        metric.Machine
	block     int // jobs
	first     int // blocks at the beginning that are left out
	most      int // jobs in the system at a time
	run       simulation.Run
	tally     simulation.Tally
	open      map[int]*openBlock // blocks that are not complete, by their numbers
	recent    *openBlock         // the block of the job that ended last; nil if this block is complete
	values    []float64          // values of complete blocks, in their order
	later     map[int]float64    // values of complete blocks that follow a block that is not complete
	whole     []float64          // of the jobs of a log, one by one, until all have ended
	total     float64            // the value of all jobs of a log, which have ended
	ended     bool
	full      bool    // there were more jobs in the system than fit into memory
	sum       float64 // of the values of the jobs that have ended
	sumOfBest float64 // the run is given up when sum exceeds this sum of a better policy; 0: it goes on
}

// openBlock is a block of jobs some of which have not ended.
type openBlock struct {
	number int       // from 0
	values []float64 // the objective of each job that has ended
}

// newCandidate returns a candidate: policy p with its simulation, of which no job has run yet. block is the number of
// jobs of a block. key draws the jobs, and o gives the objective and the candidate's share of the memory. For a model
// the first block is left out, because the machine is empty at the beginning. The error comes from [Problem.config] or
// [machine.New].
func (q *Problem) newCandidate(p policy.Policy, o *Options, block int, key des.Key) (*candidate, error) {
	c, err := q.config(p)
	if err != nil {
		return nil, err
	}
	x := &candidate{Problem: q, policy: p, objective: o.Objective, block: block, most: max(1, int(o.share/machine.BytesOfJob)),
		on:   metric.Machine{Nodes: q.Machine.Nodes, Hour: q.Hour, Bound: measure.SlowdownBound * q.Hour / 3600},
		open: map[int]*openBlock{}, later: map[int]float64{}}
	if q.Jobs == 0 {
		x.first = 1 // the machine is empty at the beginning of a model
	}
	c.Done = x.record
	m, err := machine.New(c)
	if err != nil {
		return nil, err
	}
	x.run = m.Start(key)
	return x, nil
}

// record adds the value of a job that has ended to the block of the job, by its number in the order of arrival. A block
// with all its jobs is closed by [candidate.close]. For a log the value is added to x.whole, too.
func (x *candidate) record(r *machine.Record) {
	number, v := r.Number/x.block, x.objective.of(r, x.on)
	x.sum += v
	if x.Jobs > 0 {
		if x.whole == nil {
			x.whole = make([]float64, 0, x.Jobs)
		}
		x.whole = append(x.whole, v)
	}
	if x.recent == nil || x.recent.number != number {
		x.recent = x.openNumber(number)
	}
	x.recent.values = append(x.recent.values, v)
	if len(x.recent.values) == x.block {
		x.close(x.recent)
	}
}

// openNumber returns the open block with the given number. If no job of the block has ended before, it adds an empty
// block to x.open.
func (x *candidate) openNumber(number int) *openBlock {
	b := x.open[number]
	if b == nil {
		b = &openBlock{number, make([]float64, 0, x.block)}
		x.open[number] = b
	}
	return b
}

// close removes a complete block from x.open and x.recent. It appends the value of the block to x.values in the order
// of the blocks: while an earlier block is open, the value waits in x.later. The first block of a model is dropped.
func (x *candidate) close(b *openBlock) {
	x.later[b.number-x.first] = x.objective.over(b.values)
	delete(x.open, b.number)
	x.recent = nil
	delete(x.later, -1) // the first block of a model
	for v, is := x.later[len(x.values)]; is; v, is = x.later[len(x.values)] {
		delete(x.later, len(x.values))
		x.values = append(x.values, v)
	}
}

// value returns the value of the objective so far. For a log whose jobs have all ended, it is the value over all jobs,
// as a replay has it. Otherwise it is the mean over the complete blocks; NaN without any.
func (x *candidate) value() float64 {
	if x.Jobs > 0 && x.ended {
		return x.total
	}
	return stat.Mean(x.values, nil)
}

// lengthen continues the simulation until so many blocks are complete, or all jobs have ended. When all jobs of a log
// have ended, x.total becomes the value over all jobs. The last, shorter block of a log then counts if it has at least
// half of the jobs of a block. The simulation also stops when the candidate is certain to be worse; see
// [candidate.isWorse].
//
// The error wraps the error of ctx, or says why the policy cannot run the jobs. It wraps a *[parallel.LimitError] if
// the waiting jobs do not fit into the candidate's share of the memory.
func (x *candidate) lengthen(ctx context.Context, blocks int) error {
	if x.ended {
		return nil
	}
	x.run.Watch(simulation.Observer{Most: x.most, Stop: ctx.Err})
	for len(x.values) < blocks && !x.ended && !x.isWorse() {
		switch err := x.run.Advance(x.block/4+1, &x.tally); {
		case errors.Is(err, machine.ErrEnded):
			x.ended = true
		case err != nil:
			return fmt.Errorf("advise: policy %s: %w", x.policy, err)
		}
	}
	if x.ended = x.ended || x.Jobs > 0 && len(x.whole) == x.Jobs; x.ended {
		x.total = x.objective.over(x.whole)
		x.whole, x.run = nil, nil
	}
	if rest := x.open[x.Jobs/max(1, x.block)]; x.ended && rest != nil {
		if n := len(rest.values); n == x.Jobs%x.block && 2*n >= x.block { // the rest of a log, if it is at least half a block
			x.close(rest)
		}
	}
	return nil
}

// slack is the largest relative difference that rounding makes between sums of the same values in different orders: 2⁻⁵³
// a job, for up to 2³² jobs.
const slack = 0x1p-21

// isWorse reports whether the candidate is certain to be worse than the policy with x.sumOfBest, on the same jobs of a log.
func (x *candidate) isWorse() bool { return x.sumOfBest > 0 && x.sum > (1+slack)*x.sumOfBest }

// lengthenInMemory does what [candidate.lengthen] does, except that waiting jobs that do not fit into memory are no
// error: x.full is set.
func (x *candidate) lengthenInMemory(ctx context.Context, blocks int) error {
	err := x.lengthen(ctx, blocks)
	if parallel.IsShortOf(err, parallel.Memory) {
		x.full, err = true, nil
	}
	return err
}
