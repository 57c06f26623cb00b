package study

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/replay"
)

// RigidChain is what a chain says of the rigid jobs of the log in the order of their arrival. The chain assumes that
// jobs are independent and ask for a few sizes only.
type RigidChain struct {
	// jobs in classes by the nodes that they asked for; its speedup is linear, so that jobs keep their node-time
	System   *models.System
	Measures models.Measures // under fcfs
	// Steps lead from EASY backfilling of the log to the chain, which comes last unless it is unstable. Each step adds
	// an assumption.
	Steps   []RigidStep
	Missing error // why there is no chain; nil if there is a chain
}

// RigidStep is the mean response time of the jobs of the log with the assumptions of the chain made so far, in seconds.
type RigidStep struct {
	Assumption       RigidAssumption
	MeanResponseTime float64
}

// RigidAssumption is what a step adds to the steps before.
type RigidAssumption string

// The assumptions, in the order of the steps.
const (
	AsEASY      RigidAssumption = "easy"        // the log under EASY backfilling
	InOrder     RigidAssumption = "fcfs"        // jobs start in the order of their arrival
	Grouped     RigidAssumption = "grouped"     // jobs ask for the sizes of the chain, and keep their node-time
	Independent RigidAssumption = "independent" // jobs, and the times between arrivals, are in random order
	Fitted      RigidAssumption = "fitted"      // the chain: distributions are fitted
)

const (
	// mostRigidSizes is the largest number of sizes of rigid jobs in a chain.
	mostRigidSizes = 4
	// mostRigidUnits is the largest number of units into which a chain of rigid jobs divides the machine.
	mostRigidUnits = 64
	// secondsOfRigid bounds the time of the chain of rigid jobs.
	secondsOfRigid = 0.5
	// phasesOfRigid is the number of phases of the times between arrivals and of the run times of a size.
	phasesOfRigid = 2
)

// solveRigid sets Chain.Rigid: the chain of the log's jobs as rigid jobs, first come first served, and the steps from
// EASY on the log to this chain. See [work.rigidChain]. If it fails, Rigid.Missing says why, and the study goes on. The
// failure is returned as an error only if ctx has ended.
func (w *work) solveRigid(ctx context.Context) (err error) {
	w.Chain.Rigid.Missing, err = reasonOrError(ctx, w.rigidChain(ctx))
	return err
}

// rigidChain sets System, Measures and Steps of w.Chain.Rigid. System has rigid jobs of a few sizes, fitted to the jobs
// of w.oneMachine: the log or, where partitions are machines of their own, one partition. Measures describe its chain
// under first come first served.
//
// Steps are five mean response times in seconds, each with one more assumption of the chain:
//
//   - the log under EASY
//   - the log under first come first served
//   - the same with jobs of the few sizes of System
//   - the same with jobs in random order, the mean over four orders, or one order of a long log
//   - the chain itself, left out if it is unstable
//
// The error says that the rivals were not replayed under EASY and FCFS. It wraps [markov.ErrTooLarge] if no chain is
// small enough. It may also come from reading the log, from a fit, from the solution, or from a replay. System and
// Measures stay set if a later step fails.
func (w *work) rigidChain(ctx context.Context) (err error) {
	easy, fcfs := runUnder(w.Rivals.onOneMachine(), policy.EASY{}), runUnder(w.Rivals.onOneMachine(), policy.FCFS{})
	if easy == nil || fcfs == nil {
		return errors.Join(errors.New("study: the log was not replayed under EASY and fcfs"), w.Rivals.Missing)
	}
	c := &w.Chain.Rigid
	jobs, err := w.jobsOf(w.oneMachine)
	if err != nil {
		return err
	}
	classes, unit, err := w.rigidSizes(ctx, jobs)
	if err != nil {
		return err
	}
	if c.System, err = w.fitRigidSystem(ctx, jobs, classes, unit); err != nil {
		return err
	}
	d, err := decide.Solve(ctx, c.System, []policy.Policy{policy.FCFS{}}, w.chainSettings(), w.Workers)
	if err != nil {
		return err
	}
	c.Measures = d.Results[0].Measures
	inOrder, independent, err := w.replayInSizes(ctx, inSizes(jobs, classes), fcfs)
	if err != nil {
		return err
	}
	times := []float64{meanResponse(easy), meanResponse(fcfs), inOrder, independent}
	for i, a := range []RigidAssumption{AsEASY, InOrder, Grouped, Independent} {
		c.Steps = append(c.Steps, RigidStep{a, times[i]})
	}
	if c.Measures.Stable {
		c.Steps = append(c.Steps, RigidStep{Fitted, c.Measures.MeanResponseTime})
	}
	return nil
}

// replayInSizes replays jobs of the sizes of the chain first come, first served. It returns their mean response times
// in seconds: in the order of the log, and the average over explained random orders, or explainedLong of a long log. The replays run
// concurrently, when memory is free for as many jobs in the system as the run fcfs had; see [work.reserveReplays]. fcfs
// is the replay of the jobs with their own sizes. The error comes from [work.replayInOrder]; the times beside an error
// have no meaning.
func (w *work) replayInSizes(ctx context.Context, grouped *joblog.List, fcfs *replay.Run) (inOrder, inRandomOrder float64,
	err error) {
	release, err := w.reserveReplays(ctx, []*replay.Run{fcfs})
	if err != nil {
		return 0, 0, err
	}
	defer release()
	orders := explained
	if w.Sample != nil {
		orders = explainedLong
	}
	times := make([]float64, 1+orders)
	err = parallel.Each(ctx, len(times), w.Workers, func(i int) (err error) {
		jobs := grouped.All()
		if i > 0 {
			jobs = shuffled(grouped, uint64(i-1))
		}
		times[i], err = w.replayInOrder(ctx, jobs)
		return err
	})
	for _, t := range times[1:] {
		inRandomOrder += t / float64(orders)
	}
	return times[0], inRandomOrder, err
}

// rigidSizes returns the sizes, in nodes, for which a chain of rigid jobs keeps jobs apart, as classes whose MaxNodes
// is the size. It also returns the unit of the machine of which all sizes are multiples. It tries all numbers of sizes
// up to mostRigidSizes; [divideSizes] divides the jobs among them. It tries all units that divide the machine into at
// most mostRigidUnits equal parts. Among those whose chain is small enough, see [work.isSmall], the result has the
// least
//
//	Σ weight·(log nodes − log size)²
//
// over all jobs, with the weights of [weigh].
//
// The error wraps [markov.ErrTooLarge] if no chain is small enough, or if no job has a run time. It may also come from
// ctx.
func (w *work) rigidSizes(ctx context.Context, jobs *joblog.List) (best []jobClass, unit int, err error) {
	sizes, err := jobsBySize(jobs, policy.Machine{Nodes: w.oneMachine.Nodes, Unit: 1}, 1,
		workload.WithSpeedup(workload.Malleable, workload.Linear{}))
	if err != nil {
		return nil, 0, err
	}
	weigh(sizes)
	nearest := math.Inf(1)
	for k := 1; k <= min(mostRigidSizes, len(sizes)); k++ {
		ends := divideSizes(sizes, k)
		for parts := 1; parts <= min(mostRigidUnits, w.oneMachine.Nodes); parts++ {
			if w.oneMachine.Nodes%parts != 0 {
				continue
			}
			m := policy.Machine{Nodes: w.oneMachine.Nodes, Unit: w.oneMachine.Nodes / parts}
			classes := mergedClasses(sizes, ends, m)
			far := distance(sizes, ends, classes)
			if far < nearest && w.isSmall(ctx, classes, m.Unit) {
				best, unit, nearest = classes, m.Unit, far
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if best == nil {
		return nil, 0, markov.ErrTooLarge
	}
	return best, unit, nil
}

// weigh overwrites the field work of each size by its share of the node-time plus its share of the number of jobs. The
// new values add up to 2. Large jobs block the queue, but most of the jobs in a mean response time are small. So both
// count where [divideSizes] and [distance] weight sizes by work.
func weigh(sizes []jobsOfSize) {
	jobs, work := 0.0, 0.0
	for _, of := range sizes {
		jobs, work = jobs+float64(of.jobs), work+of.work
	}
	for i := range sizes {
		sizes[i].work = sizes[i].work/work + float64(sizes[i].jobs)/jobs
	}
}

// distance returns how far the sizes of classes are from the nodes that jobs asked for:
//
//	Σ weight·(log nodes − log size)²
//
// over all sizes. Class k holds sizes[ends[k−1]:ends[k]], and its size is MaxNodes. The weight is the field work, as
// [weigh] sets it. [work.rigidSizes] takes the division with the least distance.
func distance(sizes []jobsOfSize, ends []int, classes []jobClass) (sum float64) {
	from := 0
	for k, to := range ends {
		for _, of := range sizes[from:to] {
			x := math.Log(float64(of.maxNodes)) - math.Log(float64(classes[k].MaxNodes))
			sum += of.work * x * x
		}
		from = to
	}
	return sum
}

// isSmall reports whether the chain of rigid jobs of the given classes under first come first served can be solved
// quickly. It must be expected to take at most half a second (secondsOfRigid), and fit into 256 MiB and into the memory
// of the settings. The chain is not solved: distributions of two phases stand for the distributions that are fitted
// later. unit is the number of nodes of which sizes are multiples. An error, such as the end of ctx, counts as not
// small.
func (w *work) isSmall(ctx context.Context, classes []jobClass, unit int) bool {
	var demands []phasetype.Dist
	for k := range classes { // with phases as fitted distributions have them, of which no two are alike
		d, err := phasetype.TwoMoments(float64(k+1), 4)
		if err != nil {
			return false
		}
		demands = append(demands, d)
	}
	s, err := rigidSystem(w.oneMachine.Nodes, unit, classes, demands[0], demands)
	if err != nil {
		return false
	}
	set := markov.Settings{Method: markov.Auto, Memory: markov.NewMemory(int64(min(memoryOfDraft, w.Memory.Limit())))}
	fcfs := []policy.Policy{policy.FCFS{}}
	if decide.CheckSize(ctx, s, fcfs[0], set) != nil {
		return false
	}
	seconds, err := decide.Seconds(ctx, s, fcfs, set)
	return err == nil && seconds <= secondsOfRigid
}

// fitRigidSystem returns the system of rigid jobs whose chain is solved beside the replays. Its distributions, of at
// most two phases, are fitted to the jobs: the times between arrivals of all, and the node-seconds of each class. A job
// of a class asks for MaxNodes nodes. unit is the number of nodes of which sizes are multiples. The error says why a
// distribution cannot be fitted, such as the end of ctx, or which value is not valid.
func (w *work) fitRigidSystem(ctx context.Context, jobs *joblog.List, classes []jobClass, unit int) (*models.System, error) {
	a := w.Assumptions
	a.Speedup = workload.Linear{}
	d := &drafting{machine: policy.Machine{Nodes: w.oneMachine.Nodes, Unit: unit}, assumptions: a, jobs: jobs, fitted: map[source]Fit{}}
	gaps, err := d.fit(ctx, source{quantity: workload.Interarrival, phases: phasesFor(jobs.Len(), phasesOfRigid)})
	if err != nil {
		return nil, err
	}
	var demands []phasetype.Dist
	for _, c := range classes {
		f, err := d.fit(ctx, source{workload.Work, c.Sizes, phasesFor(c.Jobs, phasesOfRigid)})
		if err != nil {
			return nil, err
		}
		demands = append(demands, f.Dist)
	}
	return rigidSystem(w.oneMachine.Nodes, unit, classes, gaps.Dist, demands)
}

// rigidSystem returns a system of rigid jobs with linear speedup, on a machine of so many nodes in units of unit nodes.
// A job of classes[k] asks for MaxNodes nodes and has node-seconds with the distribution demands[k]. gaps is the
// distribution of the times between arrivals in seconds, of all classes together. Classes have shares by their numbers
// of jobs. The error says which value is not valid; the system beside it must not be used.
func rigidSystem(nodes, unit int, classes []jobClass, gaps phasetype.Dist, demands []phasetype.Dist) (*models.System, error) {
	s := &models.System{Nodes: nodes, MinNodes: unit}
	var err error
	if s.Arrivals, err = phasetype.Renewal(gaps); err != nil {
		return nil, err
	}
	for k, c := range classes {
		s.Classes = append(s.Classes, models.Class{Name: c.name(), Share: float64(c.Jobs), Nodes: c.MaxNodes, Demand: demands[k],
			Speedup: workload.Linear{}})
	}
	if s.Service, err = s.ServiceTimes(); err != nil {
		return nil, err
	}
	return s, s.Check()
}

// inSizes returns copies of the jobs in which each asks for the size, MaxNodes, of its class. The class of a job is the
// element of classes whose Sizes include its nodes. Run times change such that jobs keep their node-time. So a replay
// shows what the few sizes of the chain change. Jobs without a run time, or with a number of nodes in no class, are
// left out. The given list stays as it is.
func inSizes(jobs *joblog.List, classes []jobClass) *joblog.List {
	all := new(joblog.List)
	for i := range jobs.Len() {
		j := jobs.At(i)
		nodes := j.Nodes()
		k := slices.IndexFunc(classes, func(c jobClass) bool { return c.Sizes.From <= nodes && nodes <= c.Sizes.To })
		if j.Run < 0 || k < 0 {
			continue
		}
		size := classes[k].MaxNodes
		j.Run *= float64(nodes) / float64(size)
		j.Processors, j.RequestedProcessors, j.Pieces = size, size, nil
		all.Add(&j)
	}
	return all
}

// shuffled returns copies of the jobs in random order, with the times between submissions in another random order. So
// jobs are independent of each other and of their submissions, as the chain assumes. The given jobs must be in the
// order of their submission. The first and the last time of submission stay. The same draw always gives the same order.
// The given list stays as it is.
//
// The jobs are copied when they are read, because another list of a long log would take most of the memory of the step.
// The order takes 12 bytes a job.
func shuffled(jobs *joblog.List, draw uint64) joblog.Jobs {
	random := rand.New(rand.NewPCG(seed, draw))
	gaps, order := make([]float64, jobs.Len()), make([]int32, jobs.Len())
	first, last := 0.0, 0.0
	for i := range gaps {
		order[i] = int32(i)
		submit := jobs.At(i).Submit
		if i == 0 {
			first, last = submit, submit
		}
		gaps[i], last = submit-last, submit
	}
	random.Shuffle(max(0, len(gaps)-1), func(i, j int) { gaps[1+i], gaps[1+j] = gaps[1+j], gaps[1+i] })
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return func(yield func(*joblog.Job, error) bool) {
		at := first
		for i, from := range order {
			at += gaps[i]
			j := jobs.At(int(from))
			if j.Submit = at; !yield(&j, nil) {
				return
			}
		}
	}
}

// replayInOrder replays jobs on the machine of w.oneMachine, first come first served, and returns their mean response
// time in seconds. The jobs must stand in the order of their submission; otherwise they are sorted. The error comes
// from [replay.Choose], such as for no jobs, or from [replay.Study.Run], such as the error of ctx.
func (w *work) replayInOrder(ctx context.Context, jobs joblog.Jobs) (float64, error) {
	log, err := replay.Choose(jobs, replay.Choice{Nodes: w.oneMachine.Nodes, Unit: w.oneMachine.Unit})
	if err != nil {
		return 0, err
	}
	s := replay.Study{Log: log, Unit: 1, Table: w.Table, Policies: []policy.Policy{policy.FCFS{}}, Assumptions: w.Assumptions,
		Seed: seed, Present: w.mostPresent(), Brief: true, Unpaired: true}
	runs, err := s.Run(ctx, 1)
	if err != nil {
		return 0, err
	}
	return meanResponse(runs[0]), nil
}

// meanResponse returns the mean response time of run r, in seconds, as a step of [RigidChain] has it: without its
// interval.
func meanResponse(r *replay.Run) float64 {
	return r.Measures[measure.MeanResponseTime]
}
