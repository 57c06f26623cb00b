package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Study is a log with the policies that run its jobs, and with the assumptions about the jobs. All policies run at all
// loads, on all numbers of nodes. Policies that resize jobs also run with all costs and all shares of malleable jobs.
type Study struct {
	Log      *Log
	Unit     int // partitions are multiples of so many nodes; 0: 1
	Policies []policy.Policy
	Table    policy.Table // with an entry for each of the policies; nil: that of [policy.Standard]
	Loads    []float64    // none: as logged; they count on the nodes of the log
	Nodes    []int        // of the machine, each at least that of the log; none: that of the log
	Shares   []float64    // shares of malleable jobs; none: policies resize all jobs
	Costs    []Cost       // costs of a resize; none: that of the assumptions
	Assumptions

	Estimates      func() workload.Estimator // makes the estimates of run times with which policies plan; nil: those of the log
	KillAtEstimate bool
	Replications   int     // number of replications, which differ in random estimates; 0: 1
	Deadline       float64 // of response times, in seconds; 0: none
	Seed           uint64  // of random estimates, and of which jobs are malleable
	Present        int     // largest number of jobs in the system at a time; 0: any number
	Percentiles    bool    // runs keep what intervals of percentiles need, see [Run.Estimates]: up to a megabyte each
	// Sample, if not nil, is weeks of the log, which stand for the whole log in Breakevens, Variations, Foretell and WorthInNodes. It is made by
	// [Study.DrawSample].
	Sample    *Sample
	Groupings []Grouping // of the jobs, by whose groups runs tell results; see [Log.Groupings]
	// Known are runs with results. Runs of the study that differ from a known run in nothing take its results, and are not replayed. Known
	// runs are those of a study with the same log or sample, whose other settings are the same.
	Known []*Run

	// Done, if not nil, is called for each job that ends in the first replication of a run. Ended, if not nil, is
	// called for each job that ends in any replication. Several runs may call them at a time. The runs are those that
	// [Study.Run] returns.
	Done  func(*Run, *machine.Record)
	Ended func()
	// Foreseen, if not nil, is called after each replay of [Study.Breakevens], one call at a time. done is the number
	// of seconds that the replays took, left about the number of seconds that are left.
	Foreseen func(done, left float64)
}

// Runs returns the runs of the study without results. Each policy has a run at each load and number of nodes. A policy
// that resizes jobs has a run there for each share and cost. The Baseline of a run is EASY at the same load and number
// of nodes. OnFirst is EASY at the same load on the first number of nodes, if there are several. Unless EASY is one of
// the policies, its runs stand at the end.
func (s *Study) Runs() []*Run {
	loads := s.Loads
	if len(loads) == 0 {
		loads = []float64{0}
	}
	var baselines, runs []*Run
	for _, load := range loads {
		first := len(baselines)
		for _, nodes := range s.nodeNumbers() {
			easy := s.newRun(policy.EASY{}, load)
			easy.Nodes = nodes
			baselines = append(baselines, easy)
			if len(s.Nodes) > 1 {
				easy.OnFirst = baselines[first]
			}
			runs = append(runs, s.runsBeside(easy)...)
		}
	}
	for _, easy := range baselines {
		if !slices.Contains(runs, easy) {
			runs = append(runs, easy)
		}
	}
	return runs
}

// nodeNumbers returns the numbers of nodes of the machine on which the runs are made: s.Nodes or, if it is empty, the
// nodes of the log alone.
func (s *Study) nodeNumbers() []int {
	if len(s.Nodes) > 0 {
		return s.Nodes
	}
	return []int{s.Log.Nodes}
}

// runsBeside returns the runs of all policies of the study at the load and on the nodes of easy, a run of EASY. easy
// becomes their Baseline. Where EASY is one of the policies, the result holds easy itself. A policy that resizes jobs
// has a run for each cost and share. The runs have no results: they are not replayed yet.
func (s *Study) runsBeside(easy *Run) (runs []*Run) {
	for _, p := range s.Policies {
		one := s.newRun(p, easy.Load)
		one.Nodes, one.Baseline, one.OnFirst = easy.Nodes, easy, easy.OnFirst
		switch {
		case p == easy.Policy:
			runs = append(runs, easy)
		case !one.Resizes():
			runs = append(runs, one)
		default:
			runs = append(runs, s.withCostsAndShares(*one)...)
		}
	}
	return runs
}

// newRun returns a run of policy p that has not been replayed, with the nodes of the log and the assumptions of the
// study. load is the load to which the log is brought; 0 is the load of the log. Resizing is free, whatever the
// assumptions say; [Study.withCostsAndShares] sets the cost. The run has no baseline.
func (s *Study) newRun(p policy.Policy, load float64) *Run {
	r := &Run{Load: load, replications: s.Replications,
		Setting: Setting{Policy: p, Table: s.Table, Nodes: s.Log.Nodes, Unit: s.Unit, Seed: s.Seed, Assumptions: s.Assumptions}}
	r.Cost = freeCost()
	return r
}

// costs returns the costs of a resize with which policies run: s.Costs or, if it is empty, the cost of the assumptions
// alone.
func (s *Study) costs() []Cost {
	if len(s.Costs) > 0 {
		return s.Costs
	}
	return []Cost{s.Cost}
}

// withCostsAndShares returns copies of one, the run of a policy that resizes jobs, which differ in Cost and Share.
// There is one for each cost of a resize and each share of malleable jobs of the study, ordered by cost first. Without
// shares all jobs are malleable: Share is 1, and Mixed is false.
func (s *Study) withCostsAndShares(one Run) []*Run {
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

// Check returns an error if the study cannot be run; [Study.Run] and the searches call it first. It is a
// *[SettingError] that names the setting for one of these reasons:
//
//   - Nodes are more than [machine.MostNodes], fewer than those of the log, or no multiple of the unit; those of a
//     pool, too.
//   - A policy cannot run on one of Nodes, or a log in pools has several numbers of nodes.
//   - A load is above 5. A cost is negative, infinite, or as long as the quantum of a policy that shares time.
//   - Stops, Shares, Least or Most is not valid; Unit, Replications, Present or Deadline is negative.
//   - A policy cannot be replayed, does not keep to the start window, or cannot run rigid jobs beside malleable jobs
//     for Shares.
//   - The sample was not made by [Study.DrawSample], or Loads has another load than that of the log beside it.
//
// It is a *[policy.ParameterError] if the table of policies is wrong. Another error says that there is no study, or no
// log that was made by [Choose].
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
		if err := checkPolicy(s.Table, p); err != nil {
			return err
		}
		if e, _ := orStandard(s.Table).Named(p.Name()); len(s.Shares) > 0 && e.Jobs != workload.Rigid && !e.Mixed {
			return &SettingError{"malleable", fmt.Sprintf("policy %s cannot run rigid jobs beside malleable ones", p)}
		}
		if s.StartWindow != nil && !(&Setting{Policy: p}).keepsWindow() {
			return &SettingError{"start_window", fmt.Sprintf("policy %s does not keep to a start window; easy and easy-malleable do", p)}
		}
	}
	if s.Sample != nil {
		if err := s.checkLoads(nil); err != nil {
			return err
		}
	}
	return cmp.Or(s.Sample.check(), s.checkNodes(), s.checkPools(), s.checkQuanta())
}

// checkNodes returns a *[SettingError] if a number of s.Nodes does not fit. It is below that of the log, above
// [machine.MostNodes], not a multiple of the unit, or one on which a policy cannot run. A log in pools must not have
// several numbers.
func (s *Study) checkNodes() error {
	for _, n := range s.Nodes {
		switch {
		case s.Log.Pools != nil && len(s.Nodes) > 1:
			return &SettingError{"nodes", "partitions that are machines of their own have no number of nodes together"}
		case n < s.Log.Nodes:
			return &SettingError{"nodes", fmt.Sprintf("%d nodes are fewer than the %d with which jobs were chosen", n, s.Log.Nodes)}
		case n > machine.MostNodes:
			return &SettingError{"nodes", fmt.Sprintf("%d nodes are more than %d, the most that are simulated", n, machine.MostNodes)}
		case s.Unit > 0 && n%s.Unit != 0:
			return &SettingError{"min_nodes", fmt.Sprintf("%d nodes are not a multiple of %d", n, s.Unit)}
		}
		for _, p := range s.Policies {
			if err := p.Check(policy.Machine{Nodes: n, Unit: max(1, s.Unit)}); err != nil {
				return &SettingError{"nodes", fmt.Sprintf("policy %s on %d nodes: %v", p, n, err)}
			}
		}
	}
	return nil
}

// checkPools returns a *[SettingError] if the nodes of some pool are not a multiple of the unit of the study.
func (s *Study) checkPools() error {
	if s.Log.Pools == nil || s.Log.Pools.Divisible(s.Unit) {
		return nil
	}
	return &SettingError{"min_nodes", fmt.Sprintf("the nodes of some partition are not a multiple of %d", s.Unit)}
}

// checkQuanta returns a *[SettingError] if a policy shares time in quanta that are no longer than a resize takes. Jobs
// would then stand still all the time and never end. Only costs are checked that are the same for every resize.
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

// Run replays all runs of [Study.Runs] and returns them with their results. workers replays run at a time, one for each
// processor if it is 0. The results do not depend on the number of workers. Functions of the study such as Done and
// Ended are called meanwhile.
//
// The error is that of [Study.Check], of reading the log, of ctx, or a *[RunError] if a policy cannot run the jobs. It
// is a *[SettingError] if a cost or a load does not fit the machine. It is a *[workload.DataError] if the log has no
// load that could be changed. The runs are nil beside an error.
func (s *Study) Run(ctx context.Context, workers int) ([]*Run, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	runs := s.Runs()
	if err := s.replayAll(ctx, runs, workers); err != nil {
		return nil, err
	}
	return runs, nil
}

// replayAll sets the results of the given runs, by [Study.obtain] on up to workers goroutines, one for each processor
// if it is 0. After a failure no further run is begun, and some runs have no results. The error is that of the first
// run in the list that failed, or that of ctx.
func (s *Study) replayAll(ctx context.Context, runs []*Run, workers int) error {
	logged := sync.OnceValue(s.loggedWaits)
	return parallel.Each(ctx, len(runs), workers, func(i int) error { return s.obtain(ctx, runs[i], logged) })
}

// obtain sets the results of run r. They are copied from a known run with the same jobs, policy and assumptions; see
// [Study.knownAs]. Without such a run, r is replayed, and its waits are compared with the waits that logged returns.
// The error is that of [Study.replay].
func (s *Study) obtain(ctx context.Context, r *Run, logged func() *loggedWaits) error {
	if same := s.knownAs(r); same != nil {
		r.takeResults(same)
		return nil
	}
	return s.replay(ctx, r, logged)
}

// Asked returns the runs that a user named, of all runs of a study. They are those whose policy is in s.Named, in the
// order of runs. If s.Best is set, they include the static policy with the least mean response time at each load and
// number of nodes. EASY, which every study runs, is left out unless s names it. The result is nil if s is nil, and has
// no nil entry. The list runs stays as it is.
func Asked(runs []*Run, s *policy.Selection) []*Run {
	if s == nil {
		return nil
	}
	type place struct {
		load  float64
		nodes int
	}
	var best []*Run
	if s.Best {
		best = Best(slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool {
			if run == nil {
				return true
			}
			_, static := run.Policy.(policy.Static)
			return !static
		}), measure.MeanResponseTime, func(run *Run) place { return place{run.Load, run.Nodes} })
	}
	return slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool {
		return run == nil || !slices.Contains(best, run) && !slices.Contains(s.Named, run.Policy)
	})
}

// Best returns, for each kind of runs, the run with the least value of a measure, such as [measure.MeanResponseTime];
// the first among equals. The function kind returns the kind of a run, such as its load. The result is in the order in
// which the kinds first appear in runs. Nil entries of runs are left out.
func Best[K comparable](runs []*Run, measure string, kind func(*Run) K) []*Run {
	at := map[K]int{}
	var best []*Run
	for _, run := range runs {
		if run == nil {
			continue
		}
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
	Err    error // a *[parallel.LimitError] if the jobs do not fit into memory, or if the run would hardly end
	cause  error // of the machine, which names the policy, too
}

// Error returns a message that names the policy and the reason why it cannot run the jobs.
func (e *RunError) Error() string { return fmt.Sprintf("replay: policy %s: %v", e.Policy, e.Err) }

// Unwrap returns the cause: the error of the machine, of a policy or of a job. So errors.As finds a
// *[machine.PolicyError], a *[parallel.LimitError] or a *[workload.ParameterError].
func (e *RunError) Unwrap() error { return e.cause }

// runError returns err, the error of a simulation, as a *[RunError] if it says that policy p cannot run the jobs. This
// is so for a *[machine.PolicyError], jobs that do not fit into memory, a run that would hardly end, and a job with
// wrong values. Any other error, such as that of ctx, is returned as it is; nil for nil.
func runError(p policy.Policy, err error) error {
	var own *machine.PolicyError
	switch {
	case errors.As(err, &own):
		return &RunError{p, own.Err, own}
	case errors.Is(err, parallel.ErrTooLarge), errors.As(err, new(*workload.ParameterError)):
		return &RunError{p, err, err}
	}
	return err
}

// replay simulates run r, once for each replication, and sets its results. They are those of [Run.addReplication] and
// [Run.addPools], the groups, the comparison with the logged waits, and the number of months. The function logged
// returns the logged waits, nil if the log has none; it is called if they are needed. replay calls s.Done for the jobs
// that end in the first replication, and s.Ended for those of all. A step of a search, r.searched, keeps response times
// alone.
//
// The error is a *[RunError] if the policy cannot run the jobs, or a *[SettingError] if the cost does not fit. It may
// also be that of [Log.At], of reading the log, or of ctx. An internal error says that the policy broke the starts that
// it promised. Some results may be set beside an error.
func (s *Study) replay(ctx context.Context, r *Run, logged func() *loggedWaits) error {
	offered, err := s.Log.At(r.Load)
	if err != nil {
		return err
	}
	compared := r.compareWith(offered, logged)
	for i := range max(1, s.Replications) {
		newLog := func(nodes int) *metric.Log {
			if r.searched {
				return metric.NewBriefLog(metric.Machine{Nodes: nodes})
			}
			log := metric.NewLog(metric.Machine{Nodes: nodes}, offered.Date())
			log.Deadline = cmp.Or(r.deadline, s.Deadline)
			return log
		}
		log, pools, groups := newLog(s.capacity(r)), s.poolLogs(newLog), newGroupLogs(s.Groupings)
		done := func(record *machine.Record) {
			log.Add(record)
			groups.add(record)
			if pools != nil {
				pools[s.Log.poolOf(record.Number)].Add(record)
			}
			compared.add(record)
			if s.Done != nil && i == 0 {
				s.Done(r, record)
			}
			if s.Ended != nil {
				s.Ended()
			}
		}
		if err := s.replayOnce(ctx, uint64(i), r, offered, done); err != nil {
			return err
		}
		r.addReplication(i+1, log)
		r.addPools(i+1, s.Log, pools)
		r.Groups = groups.result()
	}
	r.of = s.Log
	r.Waits, r.WaitCurves = compared.result()
	for p := range r.Pools {
		r.Pools[p].Waits = compared.resultOf(func(job int) bool { return s.Log.poolOf(job) == p })
	}
	r.months = int((s.Log.Offer.Last - s.Log.Offer.First) / month)
	if _, broken := r.Log.Promises(); broken > 0 {
		return fmt.Errorf("internal error: policy %s broke promises", r.Policy)
	}
	return nil
}

// addReplication adds the results of replication n, counted from 1, to the run. The log of the replication becomes
// r.Log, in place of that of the replication before. Measures, and the values of the months, become means over n
// replications. Jobs, and the dates and numbers of jobs of the months, stay those of the first. Replications differ in
// estimates of run times alone, and have the same jobs.
func (r *Run) addReplication(n int, log *metric.Log) {
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

// capacity returns the number of nodes that the jobs of run r can use, to which utilization is relative. It is r.Nodes
// or, for a log in pools, the sum of the nodes of all pools.
func (s *Study) capacity(r *Run) int {
	if s.Log.Pools == nil {
		return r.Nodes
	}
	return s.Log.Pools.Nodes()
}

// poolLogs returns an empty log for each pool of the study's log, to which a replication adds the jobs of the pool.
// Each is made by newLog, which gets the number of nodes of the pool. The result is nil without pools.
func (s *Study) poolLogs(newLog func(nodes int) *metric.Log) (logs []*metric.Log) {
	if s.Log.Pools == nil {
		return nil
	}
	for _, p := range s.Log.Pools.List {
		logs = append(logs, newLog(p.Nodes))
	}
	return logs
}

// addPools adds the results of replication n, counted from 1, to r.Pools, given the log of each pool. The first
// replication appends the pools, which are those of the log of. Measures become means over n replications, and Log
// becomes that of the last one. Without logs it does nothing.
func (r *Run) addPools(n int, of *Log, logs []*metric.Log) {
	for p, log := range logs {
		if n == 1 {
			r.Pools = append(r.Pools, PoolRun{Pool: of.Pools.List[p], Measures: log.Measures()})
		} else {
			r.Pools[p].Measures.Merge(log.Measures(), n)
		}
		r.Pools[p].Log = log
	}
}

// replayPart replays the jobs of one part of the log alone, on on.Nodes nodes, and sets Measures and Log of the run.
// [Study.WorthInNodes] calls it with other numbers of nodes; it needs mean response times alone, so the log is brief.
// s.Done and s.Ended are not called. The error is that of [Study.replay].
func (s *Study) replayPart(ctx context.Context, r *Run, on part) error {
	offered, err := s.Log.At(r.Load)
	if err != nil {
		return err
	}
	r.Log = metric.NewBriefLog(metric.Machine{Nodes: on.Nodes})
	if _, err := s.runPart(ctx, 0, r, on, offered, r.Log.Add); err != nil {
		return err
	}
	r.Measures = r.Log.Measures()
	return nil
}

// replayOnce makes one replication of run r: it simulates the jobs of the machine, or of each pool on its own machine.
// replication counts from 0, and selects the random estimates. done is called for each job that ends. It sets
// r.MostJobs, the sum over the pools, and r.course, which a log in pools lacks. It adds the time of computing to
// r.Seconds, also if it fails. The error is that of [Study.runPart].
func (s *Study) replayOnce(ctx context.Context, replication uint64, r *Run, offered Offered, done func(*machine.Record)) error {
	begin := time.Now()
	defer func() { r.Seconds += time.Since(begin).Seconds() }()
	if s.Log.Pools == nil {
		course, err := s.runPart(ctx, replication, r, s.wholeMachine(r), offered, done)
		if err == nil {
			r.course, r.MostJobs = course, course.MostJobs
		}
		return err
	}
	r.MostJobs = 0
	for p := range s.Log.Pools.List {
		course, err := s.runPart(ctx, replication, r, s.poolPart(p), offered, done)
		if err != nil {
			return err
		}
		r.MostJobs += course.MostJobs
	}
	return nil
}

// part is a machine that runs jobs of the log: a pool with its number, from 0, or the whole machine with number 0.
type part struct {
	Pool
	number int
}

// wholeMachine returns the whole machine of run r as a part: all jobs of the log on r.Nodes nodes. The log may have
// another number of nodes; see Study.Nodes.
func (s *Study) wholeMachine(r *Run) part {
	return part{Pool: Pool{Nodes: r.Nodes, Jobs: s.Log.Offer.Jobs, NodeTime: s.Log.Offer.NodeTime}}
}

// poolPart returns the pool with the given number, from 0, as a part of the log: the jobs of the pool on its own nodes.
func (s *Study) poolPart(number int) part {
	return part{Pool: s.Log.Pools.List[number], number: number}
}

// runPart simulates the jobs of a part of the log, on on.Nodes nodes under the policy of run r, in one replication.
// done is called with the record of each job that ends; its Number counts among all chosen jobs of the log. The result
// has the course of the simulation, such as the most jobs at a time.
//
// The error is a *[SettingError] if the cost does not fit the machine, or a *[RunError] if the policy cannot run the
// jobs. It may also be that of reading the log, or of ctx.
func (s *Study) runPart(ctx context.Context, replication uint64, r *Run, on part, offered Offered, done func(*machine.Record)) (*validate.Course, error) {
	setting := r.Setting
	setting.Nodes = on.Nodes
	c, err := setting.Machine()
	if err != nil {
		return nil, err
	}
	jobs := s.jobSource(r, on, offered.Jobs())
	defer jobs.end()
	key := des.Seed(s.Seed)
	c.Jobs, c.KillAtEstimate, c.Most = machine.Once(jobs), s.KillAtEstimate, s.Present
	c.Done = func(record *machine.Record) {
		record.Number = jobs.numberInLog(record.Number)
		done(record)
	}
	if s.Estimates != nil {
		c.Estimates.New = s.Estimates
	}
	c.Estimates.Key = key.At(replication)
	c.Load = s.loadToldOf(r, on, offered)
	keep := validate.Distributions{Responses: s.Percentiles && !r.searched, Waits: s.Percentiles && !r.searched}
	course, err := validate.RunJobs(ctx, c, on.Jobs, keep, key.At(0).At(replication), nil) // the key of the first replication of [validate.Replay]
	return course, runError(r.Policy, err)
}

// loadToldOf returns the offered load of the part on of the log, which some policies need to choose sizes of jobs. It
// is the load of run r or, if the run has none, of the offered jobs. It is scaled to the nodes and the node-time of the
// part. It is 0, which means unknown, if all jobs are submitted at once.
func (s *Study) loadToldOf(r *Run, on part, offered Offered) float64 {
	load := cmp.Or(r.Load, offered.Load())
	if math.IsNaN(load) || math.IsInf(load, 0) {
		return 0
	}
	all := s.Log.capacity() // to which the load is relative
	if on.Nodes == all && on.Jobs == s.Log.Offer.Jobs {
		return load
	}
	return load * float64(all) / float64(on.Nodes) * on.NodeTime / s.Log.Offer.NodeTime
}

// jobSource returns a source that gives the machine the jobs of a part of the log, in the shape that run r assumes.
// Whether a job is malleable depends on its number among all jobs of the log. So a job is the same in a pool and on the
// whole machine. The caller must call end of the result, to end the reading of the log.
func (s *Study) jobSource(r *Run, on part, log joblog.Jobs) *poolJobs {
	jobs := &poolJobs{shape: r.Shape(), on: on, log: s.Log}
	jobs.next, jobs.end = iter.Pull2(jobs.blocks(log))
	return jobs
}
