package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/replay"
)

// Draft is a model of the jobs of a log: a system whose arrivals and demands are fitted to the jobs, with what each
// distribution was fitted to. Times are in seconds. What no log tells is taken from the assumptions.
type Draft struct {
	// System has classes of jobs by the nodes that they asked for; none if all jobs are alike, and can use all nodes.
	// With several classes all jobs stop in a repartition, whatever the assumptions say: the chain of classes has no
	// other repartitions.
	System   *models.System
	Arrivals Fit
	Demands  []Fit // of each class, in the order of the classes; one if all jobs are alike

	machine     policy.Machine
	assumptions replay.Assumptions
	classes     []jobClass
	jobs        *joblog.List
	dynamic     *decide.Solved // dynamic partitioning by the chain of System, as the classes were chosen by it; nil: not solved
}

// LoggedLoad returns the load that the jobs of the log offer to the machine on the nodes that they had. The load of the system
// takes their run times on the smallest partition; see [models.System.Load].
func (d *Draft) LoggedLoad() float64 {
	offer, _ := workload.OfferOfLog(d.jobs.All()) // a list in memory can be read
	return offer.Load(d.machine.Nodes)
}

// Fit is a distribution with what it was fitted to: a quantity of the jobs of some sizes.
type Fit struct {
	fit.Candidate
	Quantity   workload.Quantity
	Sizes      joblog.Sizes   // of the jobs; the zero value: all
	Resolution float64        // of the clock of the log, in seconds
	Left       map[string]int // jobs without a value of the quantity, by reason
	sample     fit.Sample     // the values, to fit them again
}

const (
	// sameAnswer is the share of the mean response time below which a class more makes no difference.
	sameAnswer = 0.01
	// memoryOfDraft is the memory of the chains that classes are chosen by. Chains within it take a second or two.
	memoryOfDraft = 256 << 20
	// resolution is the resolution of the clocks of logs, in seconds.
	resolution = 1
)

// The most phases of the distributions of a draft, where there are jobs enough for them.
const (
	phasesOfArrivals = 4
	phasesOfAll      = 3 // demands of jobs that are all alike
	phasesOfClass    = 2 // demands of a class
)

// phasesFor returns the number of phases of a distribution that is fitted to the given number of jobs. It is 1 below
// 100 jobs, 2 below 1000, otherwise most; for fewer than 1000 jobs it ignores most. Few jobs do not determine the
// parameters of more phases.
func phasesFor(jobs, most int) int {
	switch {
	case jobs < 100:
		return 1
	case jobs < 1000:
		return 2
	}
	return most
}

// NewDraft fits a model to the jobs of a log, and returns it. Times between arrivals and demands become phase-type
// distributions, fitted by maximum likelihood. Jobs are put into classes by the nodes that they asked for. The number
// of classes is the least from which on further classes change the mean response time under dynamic partitioning by
// less than 1 %. If the classes cannot be compared, as for an unstable chain, all jobs are alike and can use all nodes.
//
// m is the machine of the model. A unit of 0 becomes the unit of [DivisionOf]. A nil Speedup of a becomes linear.
// The draft keeps the list of jobs to draw from it again; it must not be changed.
//
// The chains that are solved to choose the classes take at most 256 MiB, or less if limit is lower; nil is no further
// limit. The fits and the model that is returned do not count.
//
// The error comes from ctx or DivisionOf, or is a *[replay.SettingError] if the machine is not several times its
// unit. It may also say why a distribution cannot be fitted, or which value of the model is not valid. The draft is nil
// beside an error.
func NewDraft(ctx context.Context, jobs *joblog.List, m policy.Machine, a replay.Assumptions, limit *markov.Memory) (*Draft, error) {
	if m.Unit == 0 {
		division, err := DivisionOf(jobs.All(), m.Nodes, a.Speedup)
		if err != nil {
			return nil, err
		}
		m.Unit = division.Unit
	}
	if m.Nodes < 1 || m.Unit < 1 || m.Nodes%m.Unit != 0 || m.Nodes == m.Unit {
		return nil, &replay.SettingError{Setting: "min_nodes", Problem: fmt.Sprintf("%d nodes are not several times %d", m.Nodes, m.Unit)}
	}
	if a.Speedup == nil {
		a.Speedup = workload.Linear{}
	}
	d := &drafting{machine: m, assumptions: a, jobs: jobs, fitted: map[source]Fit{}, solved: map[int]models.Measures{}}
	memory := markov.NewMemory(int64(min(memoryOfDraft, limit.Limit())))
	classes, err := chooseClasses(jobs, m, a, sameAnswer,
		func(all []jobClass) (float64, error) { return d.meanResponseWith(ctx, all, memory) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // the chain of the draft has the same problem, and reports it
		classes = nil
	}
	draft, err := d.draft(ctx, classes)
	if err != nil {
		return nil, err
	}
	if v, known := d.solved[len(classes)]; known && draft.System.Stops != models.ResizedStop {
		draft.dynamic = &decide.Solved{Policy: policy.Dynamic{}, Measures: v}
	}
	return draft, nil
}

// solve solves the chain of the draft under policies as [decide.Solve] does, but it does not solve dynamic partitioning again if the
// classes were chosen by the same chain.
func (d *Draft) solve(ctx context.Context, policies []policy.Policy, set markov.Settings, workers int) (decide.Decision, error) {
	at := slices.Index(policies, policy.Policy(policy.Dynamic{}))
	if d.dynamic == nil || at < 0 {
		return decide.Solve(ctx, d.System, policies, set, workers)
	}
	others, err := decide.Solve(ctx, d.System, slices.Delete(slices.Clone(policies), at, at+1), set, workers)
	if err != nil {
		return decide.Decision{}, err
	}
	return decide.NewDecision(slices.Insert(others.Results, at, *d.dynamic)), nil
}

// drafting makes drafts of the same jobs with other classes. It remembers the fits that they share, and their solutions. It is not
// safe for concurrent use.
type drafting struct {
	machine     policy.Machine
	assumptions replay.Assumptions
	jobs        *joblog.List
	fitted      map[source]Fit          // fits so far
	solved      map[int]models.Measures // under dynamic partitioning, by the number of classes; see [drafting.meanResponseWith]
}

// source is what a fit of the jobs of a log depends on: the quantity, the sizes of the jobs, and the number of phases.
type source struct {
	quantity workload.Quantity
	sizes    joblog.Sizes
	phases   int
}

// draft returns the draft with the given classes: it fits the times between arrivals of all jobs, and the demands of
// each class. Without classes, or with one class that can use all nodes, all jobs are alike, and one distribution of
// demands is fitted. The error comes from [drafting.fit], or says which value of the system is not valid; the draft is
// then nil.
func (d *drafting) draft(ctx context.Context, classes []jobClass) (*Draft, error) {
	if len(classes) == 1 && classes[0].MaxNodes == d.machine.Nodes {
		classes = nil
	}
	arrivals, err := d.fit(ctx, source{quantity: workload.Interarrival, phases: phasesFor(d.jobs.Len(), phasesOfArrivals)})
	if err != nil {
		return nil, err
	}
	sources := []source{{quantity: workload.Work, phases: phasesFor(d.jobs.Len(), phasesOfAll)}}
	if len(classes) > 0 {
		sources = nil
		for _, c := range classes {
			sources = append(sources, source{workload.Work, c.Sizes, phasesFor(c.Jobs, phasesOfClass)})
		}
	}
	var demands []Fit
	for _, s := range sources {
		demand, err := d.fit(ctx, s)
		if err != nil {
			return nil, err
		}
		demands = append(demands, demand)
	}
	draft := &Draft{Arrivals: arrivals, Demands: demands, machine: d.machine, assumptions: d.assumptions, classes: classes, jobs: d.jobs}
	if draft.System, err = draft.systemWith(arrivals.Dist, distsOf(demands)); err != nil {
		return nil, err
	}
	return draft, nil
}

// distsOf returns the fitted distributions alone, in the order of the fits.
func distsOf(fits []Fit) (all []phasetype.Dist) {
	for i := range fits {
		all = append(all, fits[i].Dist)
	}
	return all
}

// fit returns the phase-type distribution with s.phases phases of a quantity of the jobs, fitted by maximum likelihood.
// The result is kept in d.fitted and taken from there the next time, because drafts with other classes share fits.
//
// The error comes from [drafting.sample] or [fit.PhaseType], or is the error of ctx. It is also an error if the
// distribution is zero with a positive probability: chains have no arrivals or demands of no length. The Fit beside an
// error is incomplete.
func (d *drafting) fit(ctx context.Context, s source) (Fit, error) {
	if known, found := d.fitted[s]; found {
		return known, nil
	}
	f := Fit{Quantity: s.quantity, Sizes: s.sizes, Resolution: resolution}
	var err error
	f.sample, f.Left, err = d.sample(s)
	if err != nil {
		return f, err
	}
	found, err := fit.PhaseType(ctx, f.sample, fit.Options{MinPhases: s.phases, MaxPhases: s.phases})
	if err != nil {
		return f, fmt.Errorf("study: %s of the jobs cannot be fitted: %w", s.quantity, err)
	}
	if f.Candidate = found[0]; f.Dist.Atom() > 0 {
		return f, &workload.DataError{Problem: fmt.Sprintf("study: %s of the jobs is zero with probability %.12g", s.quantity,
			f.Dist.Atom())}
	}
	d.fitted[s] = f
	return f, nil
}

// sample returns the values to which a distribution is fitted: the values of s.quantity for the jobs with sizes in
// s.sizes. s.phases is not used. The map says how many jobs are left out, by reason. The error is that no job has a
// value, or that the speedup has no value for the nodes of a job.
func (d *drafting) sample(s source) (fit.Sample, map[string]int, error) {
	values, left, err := s.quantity.Take(s.sizes.Of(d.jobs.All()), d.assumptions.Speedup)
	if err == nil && len(values) == 0 {
		err = &workload.DataError{Problem: fmt.Sprintf("study: no jobs to take %s values from", s.quantity)}
	}
	return fit.Sample{Values: values, Resolution: resolution}, left, err
}

// systemWith returns the system of the draft with other distributions, in seconds. gaps is the distribution of the
// times between arrivals. demands are the distributions of the run times on one node: one for each class, or a single
// one if all jobs are alike. Machine, speedup and the cost of a resize come from the draft. Bootstrap replicates are
// systems that differ in the distributions alone. The error says which value is not valid.
func (d *Draft) systemWith(gaps phasetype.Dist, demands []phasetype.Dist) (*models.System, error) {
	s := &models.System{Nodes: d.machine.Nodes, MinNodes: d.machine.Unit}
	var err error
	if s.Arrivals, err = phasetype.Renewal(gaps); err != nil {
		return nil, err
	}
	if len(d.classes) == 0 {
		s.Demand, s.Speedup = demands[0], d.assumptions.Speedup
	}
	for k, c := range d.classes {
		s.Classes = append(s.Classes, models.Class{Name: c.name(), Share: float64(c.Jobs), MaxNodes: c.MaxNodes, Demand: demands[k],
			Speedup: d.assumptions.Speedup})
	}
	if s.Service, err = s.ServiceTimes(); err != nil {
		return nil, err
	}
	if cost := d.assumptions.Cost.Seconds; cost > 0 {
		if err := d.setResizeCosts(s, cost); err != nil {
			return nil, err
		}
	}
	return s, s.Check()
}

// setResizeCosts sets Shrink, Expand and Stops of system s, whose machine must be set. Each repartition takes an
// exponential time with the given mean in seconds. Shrink[i−1] is the time after an arrival that brings the number of
// jobs to i; Shrink[0] is zero, because the first job resizes no other. Expand[i−1] is the time after a departure that
// leaves i jobs.
//
// The stops are the stops of the assumptions; with several classes all jobs stop. The error is that mean is not
// positive and finite; s is then unchanged.
func (d *Draft) setResizeCosts(s *models.System, mean float64) error {
	cost, err := phasetype.TwoMoments(mean, 1)
	if err != nil {
		return err
	}
	n := s.Partitions()
	s.Shrink, s.Expand = slices.Repeat([]phasetype.Dist{cost}, n), slices.Repeat([]phasetype.Dist{cost}, n-1)
	s.Shrink[0] = phasetype.Dist{} // the first job shrinks no other
	if s.Stops = d.assumptions.Stops; len(d.classes) > 1 {
		s.Stops = models.AllStop
	}
	return nil
}

// meanResponseWith returns the mean response time, in seconds, under dynamic partitioning by the chain of a draft with
// the given classes. [NewDraft] chooses the classes by it, and d.solved keeps all measures. All jobs stop in a repartition,
// because chains of several classes have no other repartitions.
//
// The error comes from [drafting.draft] or from the solution. It wraps [markov.ErrTooLarge] if the chain does not fit
// into memory, and says so if the chain is unstable. The number beside an error has no meaning.
func (d *drafting) meanResponseWith(ctx context.Context, classes []jobClass, memory *markov.Memory) (float64, error) {
	draft, err := d.draft(ctx, classes)
	if err != nil {
		return 0, err
	}
	stopped := *draft.System
	stopped.Stops = models.AllStop
	chain, err := stopped.Chain(policy.Dynamic{})
	if err != nil {
		return 0, err
	}
	v, err := chain.Solve(ctx, markov.Settings{Method: markov.Auto, Memory: memory})
	if err == nil && !v.Stable {
		err = v.Unstable()
	}
	if err == nil {
		d.solved[len(classes)] = v
	}
	return v.MeanResponseTime, err
}

// resampler returns a function that makes bootstrap replicates of the system of the draft, to tell how sure its results
// are. Result i has the distributions fitted again to a resampled log, with the families and numbers of phases of the
// draft. The resampled log has as many weeks as the log, drawn from it with replacement; see [workload.ResampleWeeks].
// Weeks keep together what depends on the hour or the day. A log of less than two weeks is not resampled, so that all
// results are fitted to the log itself. The classes of the draft stay.
//
// Result i of a seed is always the same. Several goroutines may call the function at a time. Its error says why a
// distribution cannot be fitted, which value of the system is not valid, or that ctx has ended.
//
// Reference: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall (1993), chapters 6 and 8.
func (d *Draft) resampler(ctx context.Context, seed uint64) func(i int) (*models.System, error) {
	return func(i int) (*models.System, error) {
		weeks := joblog.ListOf(workload.ResampleWeeks(d.jobs.Jobs(), rand.New(rand.NewPCG(seed, uint64(i))).IntN))
		again := func(f *Fit) (phasetype.Dist, error) {
			values, _, err := f.Quantity.Take(f.Sizes.Of(weeks.All()), d.assumptions.Speedup)
			if err != nil {
				return phasetype.Dist{}, err
			}
			s := f.sample
			s.Values = values
			return fit.Again(ctx, s, f.Candidate)
		}
		gaps, err := again(&d.Arrivals)
		if err != nil {
			return nil, err
		}
		demands := make([]phasetype.Dist, len(d.Demands))
		for k := range d.Demands {
			if demands[k], err = again(&d.Demands[k]); err != nil {
				return nil, err
			}
		}
		return d.systemWith(gaps, demands)
	}
}
