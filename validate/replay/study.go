package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Confidence is that of all intervals.
const Confidence = 0.90

// Study is a log with the policies that run its jobs, and with what is assumed of them. Policies that resize jobs run with
// all costs and shares, all policies at all loads.
type Study struct {
	Log      *Log
	Unit     int // in nodes, of partitions; 0: 1
	Policies []policy.Policy
	Table    policy.Table // with an entry for each of the policies; nil: that of [policy.Standard]
	Loads    []float64    // none: as logged
	Shares   []float64    // of malleable jobs; none: policies resize all jobs
	Costs    []Cost       // of a resize; none: that of the assumptions
	Assumptions

	Estimates      func() workload.Estimator // of run times, that policies plan with; nil: those of the log
	KillAtEstimate bool
	Replications   int     // with other random estimates; 0: 1
	Deadline       float64 // of response times, in seconds; 0: none
	Seed           uint64  // of random estimates, and of which jobs are malleable
	Present        int     // the most jobs that may be in the system at a time; 0: any number

	// Done, if not nil, is told of each job that ends in the first replication of a run, and Ended of each job that ends at
	// all. Several runs may call them at a time. The runs are those that [Study.Run] returns.
	Done  func(*Run, *machine.Record)
	Ended func()
	// Foreseen, if not nil, is told during [Study.Breakevens] how many seconds its replays took, and about how many seconds of
	// replays are left. It is called after each replay, one call at a time.
	Foreseen func(done, left float64)
}

// Run is one policy at one load, with one share of malleable jobs and one cost, and what came of it. Without malleable
// jobs Share is 0, and resizing is free.
type Run struct {
	Setting
	Load     float64       // that was asked for; 0: as logged
	Baseline *Run          // EASY on the same jobs; nil of EASY itself
	Jobs     int           // that ran
	Measures metric.Values // the means over the replications
	Months   []metric.Month
	Log      *metric.Log // of the last replication
	MostJobs int         // in the system at a time, likewise
	Seconds  float64     // that the simulation took
	SameP95  SameP95     // if [Study.FewestNodes] was asked
	// Waits compares the waits of the jobs with those that the log recorded; nil of policies that do not run rigid jobs, of several
	// replications, at another load than logged, and of a log that does not tell its waits.
	Waits *logstats.Replayed

	replications int
	deadline     float64 // in seconds; 0: that of the study
	months       int     // of 30 days that the log lasts

	foretold otherLoads // by [Study.Foretell]
}

// single reports whether the run is one replication, whose jobs are those of other runs.
func (r *Run) single() bool { return r.replications <= 1 }

// Ratio returns the mean response time of EASY over the mean response time of the run, for the same jobs. It has an
// interval if there are jobs enough, and one replication.
func (r *Run) Ratio() metric.Interval {
	if r.Baseline == nil {
		return metric.Interval{Mean: 1, Low: 1, High: 1}
	}
	e, err := r.Log.RatioOf(r.Baseline.Log, Confidence)
	if err != nil || !r.single() {
		e.HalfWidth = math.Inf(1)
	}
	e.Mean = r.Baseline.Measures[measure.MeanResponseTime] / r.Measures[measure.MeanResponseTime]
	return e
}

// Intervals returns the mean response time, waiting time and bounded slowdown of Measures with their intervals, by the jackknife
// over parts of the log. The half widths are infinite where there are too few jobs, or several replications.
func (r *Run) Intervals() (response, wait, slowdown metric.Interval) {
	if !r.single() {
		unknown := func(mean string) metric.Interval {
			return metric.Interval{Mean: r.Measures[mean], Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)}
		}
		return unknown(measure.MeanResponseTime), unknown(measure.MeanWaitingTime), unknown(measure.MeanBoundedSlowdown)
	}
	wait, slowdown = r.Log.Intervals(Confidence)
	return r.Log.MeanResponse(Confidence), wait, slowdown
}

// Runs returns what the study runs, without results. The runs of EASY, at each load one, are among them, last where EASY
// was not asked for.
func (s *Study) Runs() []*Run {
	loads := s.Loads
	if len(loads) == 0 {
		loads = []float64{0}
	}
	var baselines, runs []*Run
	for _, load := range loads {
		easy := s.newRun(policy.EASY{}, load)
		baselines = append(baselines, easy)
		for _, p := range s.Policies {
			one := s.newRun(p, load)
			one.Baseline = easy
			switch {
			case p == easy.Policy:
				runs = append(runs, easy)
			case !one.Resizes():
				runs = append(runs, one)
			default:
				runs = append(runs, s.resizing(*one)...)
			}
		}
	}
	for _, easy := range baselines {
		if !slices.Contains(runs, easy) {
			runs = append(runs, easy)
		}
	}
	return runs
}

func (s *Study) newRun(p policy.Policy, load float64) *Run {
	r := &Run{Load: load, replications: s.Replications,
		Setting: Setting{Policy: p, Table: s.Table, Nodes: s.Log.Nodes, Unit: s.Unit, Seed: s.Seed, Assumptions: s.Assumptions}}
	r.Cost = free()
	return r
}

// costs returns the costs of a resize.
func (s *Study) costs() []Cost {
	if len(s.Costs) > 0 {
		return s.Costs
	}
	return []Cost{s.Cost}
}

// resizing returns the runs of a policy that resizes jobs.
func (s *Study) resizing(one Run) []*Run {
	shares := s.Shares
	if one.Mixed = len(shares) > 0; !one.Mixed {
		shares = []float64{1}
	}
	var runs []*Run
	for _, cost := range s.costs() {
		for _, share := range shares {
			run := one
			run.Share, run.Cost = share, cost
			runs = append(runs, &run)
		}
	}
	return runs
}

// Check returns what is wrong with the study: a *[SettingError] where settings do not fit each other, a *[policy.ParameterError]
// where the table of policies is wrong.
func (s *Study) Check() error {
	if s == nil {
		return errors.New("replay: there is no study")
	}
	if err := s.Log.check(); err != nil {
		return err
	}
	mix := workload.Mix{Least: s.Least, Most: s.Most}
	switch {
	case s.Log.Nodes > machine.MostNodes:
		return &SettingError{"nodes", fmt.Sprintf("%s: %d nodes are more than %d, the most that are simulated", s.Log.Name,
			s.Log.Nodes, machine.MostNodes)}
	case s.Unit > 0 && s.Log.Nodes%s.Unit != 0:
		return &SettingError{"min_nodes", fmt.Sprintf("%d nodes are not a multiple of %d", s.Log.Nodes, s.Unit)}
	case s.Stops != "" && s.Stops != models.AllStop && s.Stops != models.ResizedStop:
		return &SettingError{"stops", fmt.Sprintf("%q is unknown; use all or resized", s.Stops)}
	case slices.ContainsFunc(s.Loads, measure.TooLoaded):
		return &SettingError{"load", "no machine keeps up with a load above 5"}
	case min(s.Unit, s.Replications, s.Present) < 0 || !(s.Deadline >= 0):
		return &SettingError{"study", "Unit, Replications, Present and Deadline must not be negative"}
	}
	for _, mix.Share = range append([]float64{0}, s.Shares...) {
		if err := mix.Check(); err != nil {
			return &SettingError{"factors", err.Error()}
		}
	}
	for _, cost := range s.costs() {
		if err := cost.check(); err != nil {
			return err
		}
	}
	for _, p := range s.Policies {
		if err := listed(s.Table, p); err != nil {
			return err
		}
		if e, _ := known(s.Table).Named(p.Name()); len(s.Shares) > 0 && e.Jobs != workload.Rigid && !e.Mixed {
			return &SettingError{"malleable", fmt.Sprintf("policy %s cannot run rigid jobs beside malleable ones", p)}
		}
	}
	return s.checkQuanta()
}

// checkQuanta refuses policies that share time in quanta during all of which jobs stand still for being resized: no job
// would ever end.
func (s *Study) checkQuanta() error {
	for _, p := range s.Policies {
		e, shares := p.(policy.Epochs)
		for _, cost := range s.costs() {
			if quantum := cmp.Or(e.Quantum, policy.DefaultQuantum); shares && cost.Flat() && cost.Seconds >= quantum {
				return &SettingError{"resize_cost", fmt.Sprintf("a resize takes %s and a quantum of %s %g s: no job would make "+
					"progress; use longer quanta, or a lower cost", cost.Name, p, quantum)}
			}
		}
	}
	return nil
}

// Run runs the study, several runs at a time: so many workers, 0 for one each processor. The results do not depend on
// their number. It returns a *[RunError] if a policy cannot run the jobs.
func (s *Study) Run(ctx context.Context, workers int) ([]*Run, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	runs := s.Runs()
	return runs, s.each(ctx, runs, workers)
}

// each replays the runs, several at a time.
func (s *Study) each(ctx context.Context, runs []*Run, workers int) error {
	return parallel.Each(ctx, len(runs), workers, func(i int) error { return s.replay(ctx, runs[i]) })
}

// Asked returns the runs that a selection of policies wants to see: the best static policy at each load where it asks for
// that, and EASY only if it names it.
func Asked(runs []*Run, s *policy.Selection) []*Run {
	if s == nil {
		return nil
	}
	var best []*Run
	if s.Best {
		best = Best(slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool {
			_, static := run.Policy.(policy.Static)
			return !static
		}), measure.MeanResponseTime, func(run *Run) float64 { return run.Load })
	}
	return slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool {
		return !slices.Contains(best, run) && !slices.Contains(s.Named, run.Policy)
	})
}

// Best returns of each kind of runs the run with the least value of a measure, in the order in which the kinds appear.
func Best[K comparable](runs []*Run, measure string, kind func(*Run) K) []*Run {
	at := map[K]int{}
	var best []*Run
	for _, run := range runs {
		switch i, found := at[kind(run)]; {
		case !found:
			at[kind(run)] = len(best)
			best = append(best, run)
		case run.Measures[measure] < best[i].Measures[measure]:
			best[i] = run
		}
	}
	return best
}

// RunError says why a policy cannot run the jobs.
type RunError struct {
	Policy policy.Policy
	Err    error // a *[des.TooManyError] if the jobs do not fit into memory
	cause  error // of the machine, which names the policy, too
}

func (e *RunError) Error() string { return fmt.Sprintf("replay: policy %s: %v", e.Policy, e.Err) }

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.cause }

// runError puts the errors of a machine down to its policy where they are the policy's.
func runError(p policy.Policy, err error) error {
	var own *machine.PolicyError
	var many *des.TooManyError
	var parameter *workload.ParameterError
	switch {
	case errors.As(err, &own):
		return &RunError{p, own.Err, own}
	case errors.As(err, &many), errors.As(err, &parameter):
		return &RunError{p, err, err}
	}
	return err
}

// replay runs one policy, once for each replication.
func (s *Study) replay(ctx context.Context, r *Run) error {
	offered, err := s.Log.At(r.Load)
	if err != nil {
		return err
	}
	compared := r.compareWith(offered)
	for i := range max(1, s.Replications) {
		log := metric.NewLog(metric.Machine{Nodes: r.Nodes}, offered.Date())
		log.Deadline = cmp.Or(r.deadline, s.Deadline)
		done := func(record *machine.Record) {
			log.Add(record)
			compared.add(record)
			if s.Done != nil && i == 0 {
				s.Done(r, record)
			}
			if s.Ended != nil {
				s.Ended()
			}
		}
		if err := s.once(ctx, uint64(i), r, offered, done); err != nil {
			return err
		}
		r.add(i+1, log)
	}
	r.Waits = compared.result()
	r.months = int((s.Log.Offer.Last - s.Log.Offer.First) / month)
	if _, broken := r.Log.Promises(); broken > 0 {
		return fmt.Errorf("internal error: policy %s broke promises", r.Policy)
	}
	return nil
}

// add makes the measures the mean of n replications, the n-th being log. The estimates differ between replications, the
// jobs do not: nor do the months.
func (r *Run) add(n int, log *metric.Log) {
	r.Log = log
	months := log.Months()
	if n == 1 {
		r.Jobs, r.Measures, r.Months = log.Jobs(), log.Measures(), months
		return
	}
	r.Measures.Merge(log.Measures(), n)
	for i := range r.Months {
		r.Months[i].Values.Merge(months[i].Values, n)
	}
}

// once runs the jobs through the machine, calls done for each job that ends, and sets MostJobs and Seconds of the run.
func (s *Study) once(ctx context.Context, replication uint64, r *Run, offered Offered, done func(*machine.Record)) error {
	c, err := r.Machine()
	if err != nil {
		return err
	}
	jobs, end := r.jobs(offered.Jobs())
	defer end()
	key := des.Seed(s.Seed)
	c.Jobs, c.KillAtEstimate, c.Done, c.Most = machine.Once(jobs), s.KillAtEstimate, done, s.Present
	if s.Estimates != nil {
		c.Estimates.New = s.Estimates
	}
	c.Estimates.Key = key.At(replication)
	c.Load = s.told(r, offered)
	begin := time.Now()
	outcome, err := machine.Run(ctx, c, key.At(0).At(replication)) // as simulate keys its first replication
	r.MostJobs = outcome.MostJobs
	r.Seconds += time.Since(begin).Seconds()
	return runError(r.Policy, err)
}

// told returns the load that a policy is told of the jobs, on the machine of the run; 0 if nobody can tell it.
func (s *Study) told(r *Run, offered Offered) float64 {
	load := cmp.Or(r.Load, offered.Load())
	if math.IsNaN(load) || math.IsInf(load, 0) {
		return 0
	}
	if r.Nodes == s.Log.Nodes {
		return load
	}
	return load * float64(s.Log.Nodes) / float64(r.Nodes)
}

// jobs returns the jobs of a log one by one, shaped as a run assumes, and what ends the reading of the log. The machine may have
// fewer nodes than that of the log.
func (r *Run) jobs(log joblog.Jobs) (jobs workload.Source, end func()) {
	next, end := iter.Pull2(log)
	shape, i := r.Shape(), 0
	return workload.SourceFunc(func(j *workload.Job) error {
		from, err, more := next()
		if !more {
			return io.EOF
		}
		if err != nil {
			return err
		}
		if *j, err = shape.Job(i, from); err == nil {
			j.Within(r.Nodes)
		}
		i++
		return err
	}), end
}

// ForecastShares returns the shares of malleable jobs for which a study replays a log, in ascending order.
func ForecastShares() []float64 { return []float64{0.2, 0.5, 1} }
