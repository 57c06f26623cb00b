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

// Confidence is the confidence level of all intervals of the package.
const Confidence = 0.90

// Study is a log with the policies that run its jobs, and with the assumptions about the jobs. All policies run at all
// loads. Policies that resize jobs also run with all costs and all shares of malleable jobs.
type Study struct {
	Log      *Log
	Unit     int // partitions are multiples of so many nodes; 0: 1
	Policies []policy.Policy
	Table    policy.Table // with an entry for each of the policies; nil: that of [policy.Standard]
	Loads    []float64    // none: as logged
	Shares   []float64    // shares of malleable jobs; none: policies resize all jobs
	Costs    []Cost       // costs of a resize; none: that of the assumptions
	Assumptions

	Estimates      func() workload.Estimator // makes the estimates of run times with which policies plan; nil: those of the log
	KillAtEstimate bool
	Replications   int     // number of replications, which differ in random estimates; 0: 1
	Deadline       float64 // of response times, in seconds; 0: none
	Seed           uint64  // of random estimates, and of which jobs are malleable
	Present        int     // largest number of jobs in the system at a time; 0: any number

	// Done, if not nil, is called for each job that ends in the first replication of a run. Ended, if not nil, is
	// called for each job that ends in any replication. Several runs may call them at a time. The runs are those that
	// [Study.Run] returns.
	Done  func(*Run, *machine.Record)
	Ended func()
	// Foreseen, if not nil, is called after each replay of [Study.Breakevens], one call at a time. done is the number
	// of seconds that the replays took, left about the number of seconds that are left.
	Foreseen func(done, left float64)
}

// Run is one policy at one load, with one share of malleable jobs and one cost of a resize, and the results of its
// replay. Without malleable jobs Share is 0 and resizing is free.
type Run struct {
	Setting
	Load     float64       // requested load; 0: as logged
	Baseline *Run          // EASY on the same jobs; nil for EASY itself
	Jobs     int           // number of jobs that ran
	Measures metric.Values // the means over the replications
	Months   []metric.Month
	Log      *metric.Log // of the last replication
	MostJobs int         // largest number of jobs in the system at a time, in the last replication
	Seconds  float64     // of computing
	SameP95  SameP95     // set by [Study.FewestNodes]
	// Waits compares the waits of the jobs with the logged waits. It is nil if there is no comparison: the policy does
	// not run rigid jobs, the run has several replications or another load than logged, or the log has no waits.
	Waits *logstats.Replayed

	replications int
	deadline     float64 // in seconds; 0: that of the study
	months       int     // length of the log in months of 30 days

	foretold otherLoads // set by [Study.Foretell]
}

// single reports whether the run is one replication. Only then its jobs can be compared with those of other runs, job
// by job.
func (r *Run) single() bool { return r.replications <= 1 }

// Ratio returns the mean response time of EASY over the mean response time of the run, for the same jobs. The half
// width of its interval is infinite if there are too few jobs or several replications.
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

// Intervals returns the mean response time and waiting time in seconds and the mean bounded slowdown. Their intervals
// are by the jackknife over parts of the log. The half widths are infinite if there are too few jobs or several
// replications.
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

// Runs returns the runs of the study without results: each policy at each load and, if it resizes jobs, with each share
// and cost. Runs of EASY at each load are among them, at the end unless EASY is one of the policies.
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

// newRun returns the run of a policy at a load, without results, with the machine and the assumptions of the study.
func (s *Study) newRun(p policy.Policy, load float64) *Run {
	r := &Run{Load: load, replications: s.Replications,
		Setting: Setting{Policy: p, Table: s.Table, Nodes: s.Log.Nodes, Unit: s.Unit, Seed: s.Seed, Assumptions: s.Assumptions}}
	r.Cost = free()
	return r
}

// costs returns the costs of a resize with which policies run: those of the study, or else the cost of the assumptions.
func (s *Study) costs() []Cost {
	if len(s.Costs) > 0 {
		return s.Costs
	}
	return []Cost{s.Cost}
}

// resizing returns copies of the run of a policy that resizes jobs: one for each share of malleable jobs and each cost.
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

// Check returns an error if the study cannot be run: a *[SettingError] if settings do not fit each other, a
// *[policy.ParameterError] if the table of policies is wrong.
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

// checkQuanta returns an error if a policy shares time in quanta that are no longer than the cost of a resize. Jobs
// would then stand still all the time and never end.
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

// Run replays all runs of [Study.Runs] and returns them with their results. So many workers replay concurrently, one
// for each processor if workers is 0. The results do not depend on the number of workers. The error is that of
// [Study.Check], a *[RunError] if a policy cannot run the jobs, or the error of ctx.
func (s *Study) Run(ctx context.Context, workers int) ([]*Run, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	runs := s.Runs()
	return runs, s.each(ctx, runs, workers)
}

// each replays the runs concurrently with so many workers. The results are set in the runs.
func (s *Study) each(ctx context.Context, runs []*Run, workers int) error {
	return parallel.Each(ctx, len(runs), workers, func(i int) error { return s.replay(ctx, runs[i]) })
}

// Asked returns the runs that a selection of policies asks for. If it asks for the best static policy, these include
// the best one at each load. They include EASY only if the selection names EASY. The list runs stays as it is.
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

// Best returns, for each kind of runs, the run with the least value of a measure. Kinds are in the order in which they
// first appear. kind returns the kind of a run, such as its load.
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

// RunError tells why a policy cannot run the jobs.
type RunError struct {
	Policy policy.Policy
	Err    error // a *[des.TooManyError] if the jobs do not fit into memory, a *[des.TooOftenError] if the run would hardly end
	cause  error // of the machine, which names the policy, too
}

func (e *RunError) Error() string { return fmt.Sprintf("replay: policy %s: %v", e.Policy, e.Err) }

// Unwrap returns the cause, so that errors.As finds a *[des.TooManyError].
func (e *RunError) Unwrap() error { return e.cause }

// runError returns the error of a machine as a *[RunError] if the policy caused it or the jobs do not fit into memory.
// It returns any other error as it is.
func runError(p policy.Policy, err error) error {
	var own *machine.PolicyError
	switch {
	case errors.As(err, &own):
		return &RunError{p, own.Err, own}
	case errors.As(err, new(*des.TooManyError)), errors.As(err, new(*des.TooOftenError)), errors.As(err, new(*workload.ParameterError)):
		return &RunError{p, err, err}
	}
	return err
}

// replay simulates one run, once for each replication, and sets the results of the run: its measures, months, log and
// waits.
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

// add makes the measures of the run the mean over n replications, given the log of the n-th one. Months are those of
// the last replication, because only the estimates differ between replications, not the jobs.
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

// once simulates one replication of a run. It calls done for each job that ends, sets r.MostJobs, and adds the seconds
// of computing to r.Seconds. The error is a *[RunError] if the policy cannot run the jobs.
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

// told returns the offered load that the policy of a run is told, relative to the nodes of the run. It is 0 if the load
// is unknown, because all jobs are submitted at once.
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

// jobs returns the jobs of a log one by one, with the kind, speedup and bounds that the run assumes. Jobs that need
// more nodes than the run's machine has are cut to its nodes. The caller must call end when no more jobs are wanted;
// end stops the reading of the log.
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
