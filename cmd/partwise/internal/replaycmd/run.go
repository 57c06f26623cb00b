package replaycmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// replayResult is what came out of one policy at one load, with one share of malleable jobs and one cost.
type replayResult struct {
	policy   policy.Policy
	entry    policy.Entry
	load     float64 // that was asked for; 0: as logged
	share    float64 // of malleable jobs
	cost     *joblog.ResizeCost
	nodes    int
	easy     *replayResult // EASY on the same jobs; nil of that itself
	jobs     int
	measures metric.Values
	months   []metric.Month
	log      *metric.Log // of the last replication
	mostJobs int         // in the system at a time, likewise
	seconds  float64     // without reading the log
	deadline float64     // in seconds; 0: that of all runs
	sameP95  sameP95     // if it was searched for
	needed   int         // nodes without which some job cannot run, if they were
}

// resizes reports whether the policy resizes jobs.
func (out *replayResult) resizes() bool { return out.entry.Jobs == workload.Malleable }

// settings returns the runs of all policies at all loads: those of policies that resize jobs with all shares and costs,
// and of those that do not, once. The runs of EASY are the first, at each load one, whether it was asked for or not.
func (r *logReplay) settings(inv *cli.Invocation) []*replayResult {
	loads := r.loads
	if len(loads) == 0 {
		loads = []float64{0}
	}
	var baselines, runs []*replayResult
	free := &joblog.ResizeCost{Text: "0s"}
	for _, load := range loads {
		easy := &replayResult{policy: policy.EASY{}, load: load, cost: free, nodes: r.log.Nodes}
		easy.entry, _ = policy.Standard().Named(easy.policy.Name())
		baselines = append(baselines, easy)
		for _, p := range r.asked.Run {
			entry, _ := inv.Table.Named(p.Name())
			one := replayResult{policy: p, entry: entry, load: load, cost: free, nodes: r.log.Nodes, easy: easy}
			switch {
			case p == easy.policy:
				runs = append(runs, easy)
			case !one.resizes():
				runs = append(runs, &one)
			default:
				runs = append(runs, r.resized(one)...)
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

// resized returns the runs of a policy that resizes jobs.
func (r *logReplay) resized(one replayResult) []*replayResult {
	shares := r.shares
	if shares == nil {
		shares = []float64{1}
	}
	var runs []*replayResult
	for i := range r.costs {
		for _, share := range shares {
			run := one
			run.share, run.cost = share, &r.costs[i]
			runs = append(runs, &run)
		}
	}
	return runs
}

// replayAll runs all policies at all loads, several at a time unless jobs are to be written. EASY is among the runs
// whether it was asked for or not.
func replayAll(inv *cli.Invocation, r *logReplay) ([]*replayResult, error) {
	runs := r.settings(inv)
	offer, err := r.log.ReadOffer(inv) // what is skipped, and whether the log can be read at all
	if err != nil {
		return nil, err
	}
	defer r.countJobs(inv, offer.Jobs*len(runs)*r.replications)()
	if r.jobsOutput != "" {
		return runs, output.WriteFile(r.jobsOutput, func(w io.Writer) error { return writeJobs(inv, r, runs, w) })
	}
	return runs, parallel.Each(inv.Context, len(runs), inv.Workers, func(i int) error { return r.run(inv, runs[i], nil) })
}

// countJobs has the progress follow the jobs that have ended, of so many in all runs, and returns what ends that.
func (r *logReplay) countJobs(inv *cli.Invocation, all int) (end func()) {
	const several = 1 << 10
	step, clear := inv.Progress(all, "replaying jobs")
	var ended atomic.Int64
	r.ended = func() {
		if n := ended.Add(1); n%several == 0 {
			step(int(n))
		}
	}
	return func() {
		r.ended = func() {}
		clear()
	}
}

// run runs one policy, once for each replication, and tells each, if it is not nil, of the jobs of the first.
func (r *logReplay) run(inv *cli.Invocation, out *replayResult, each func(*machine.Record)) error {
	for i := range r.replications {
		log := metric.NewLog(metric.Machine{Nodes: out.nodes}, r.log.Date(out.load))
		log.Deadline = cmp.Or(out.deadline, r.deadline)
		done := func(record *machine.Record) {
			log.Add(record)
			if each != nil && i == 0 {
				each(record)
			}
			r.ended()
		}
		if err := r.runOnce(inv, uint64(i), out, done); err != nil {
			return err
		}
		if log.Jobs() == 0 {
			return &workload.DataError{File: r.log.Path, Problem: "holds no jobs that can be run"}
		}
		out.add(i+1, log)
	}
	return nil
}

// add makes the measures the mean of n replications, the n-th being log. The estimates differ between them, the jobs do
// not: nor do the months.
func (out *replayResult) add(n int, log *metric.Log) {
	out.log = log
	months := log.Months()
	if n == 1 {
		out.jobs, out.measures, out.months = log.Jobs(), log.Measures(), months
		return
	}
	out.measures.Merge(log.Measures(), n)
	for i := range out.months {
		out.months[i].Values.Merge(months[i].Values, n)
	}
}

// bytesPresent is what a job takes that waits or runs, with garbage.
const bytesPresent = 2000

// runOnce runs the log through the machine.
func (r *logReplay) runOnce(inv *cli.Invocation, replication uint64, out *replayResult,
	done func(*machine.Record)) error {
	log, closeLog, err := r.log.Jobs(inv, out.load)
	if err != nil {
		return err
	}
	defer closeLog()
	reading := &timedSource{in: within(workload.FromLog(log, r.shape(out)), out.nodes)}
	key := des.Seed(r.seed)
	c := machine.Config{Nodes: out.nodes, Unit: 1, Policy: out.policy, Load: r.offered(out),
		Jobs:      machine.Once{Source: reading},
		Estimates: &machine.Estimates{New: r.estimates.New, Key: key.At(replication)}, KillAtEstimate: r.kill, Done: done,
		Most: inv.MostKept(bytesPresent)}
	if r.divides(out) {
		c.Unit = r.unit
	}
	if out.resizes() {
		c.Points = r.points.In(quantity.Second)
		if c.Costs, err = out.cost.On(policy.Machine{Nodes: c.Nodes, Unit: c.Unit}, quantity.Second); err != nil {
			return err
		}
	}
	begin := time.Now()
	outcome, err := machine.Run(inv.Context, c, key.At(0).At(replication)) // as simulate keys its first replication
	out.mostJobs = outcome.MostJobs
	out.seconds += (time.Since(begin) - reading.took).Seconds()
	return replayError(out.policy, err)
}

// mixStream is below the seed, beside the estimates of replications: it says which jobs are malleable.
const mixStream = 1 << 63

// shape returns what is assumed of the jobs under a policy: they are rigid where it gives jobs what they ask for, have
// Downey's speedup where it needs to know their parallelism, and otherwise the speedup of the flag; of those that are
// rigid it tells how much of the node-time that they hold is useful.
func (r *logReplay) shape(out *replayResult) workload.Shape {
	if molds(out.policy) {
		return workload.WithParallelism(workload.Moldable, func(int) float64 { return r.sigma })
	}
	shape := workload.WithSpeedup(out.entry.Jobs, r.speedup.Speedup)
	if r.mixes(out) {
		key := des.Seed(r.seed).At(mixStream)
		shape.Mix = &workload.Mix{Share: out.share, Least: r.least, Most: r.most, Draw: func(i int) float64 {
			stream := key.At(uint64(i)).Stream()
			return stream.Float64()
		}}
	}
	return shape
}

// mixes reports whether jobs are malleable or rigid as the flags say, and malleable ones within bounds.
func (r *logReplay) mixes(out *replayResult) bool {
	return out.resizes() && (r.shares != nil || out.policy == policy.Policy(policy.EASYMalleable{}))
}

// divides reports whether a policy divides the machine into partitions, whatever jobs ask for.
func (r *logReplay) divides(out *replayResult) bool {
	return out.entry.Jobs != workload.Rigid && !molds(out.policy)
}

// molds reports whether a policy chooses the sizes of jobs by their parallelism.
func molds(p policy.Policy) bool {
	_, ok := sched.SizingOf(p)
	return ok
}

// replayError is the error of a replay: jobs that a policy cannot run are a matter of the flags.
func replayError(p policy.Policy, err error) error {
	var own *machine.PolicyError
	var many *machine.TooManyError
	var parameter *workload.ParameterError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &many):
		return &cli.Error{Code: cli.ExitTooLarge, Err: fmt.Errorf("policy %s: %s", p, cli.Plain(err)),
			Hint: "stretch the times between submissions with --load, take more --nodes, or raise --memory"}
	case errors.As(err, &own):
		err = own.Err
		fallthrough
	case errors.As(err, &parameter):
		return cli.Usagef("choose --nodes, --min-nodes and --speedup that fit each other", "policy %s: %s", p, cli.Plain(err))
	}
	return err
}

// offered returns the load that a policy is told; 0 if that cannot be told.
func (r *logReplay) offered(out *replayResult) float64 {
	load := out.load
	if load == 0 {
		load = r.log.Offer.Load(r.log.Nodes) / r.log.Stretch
	}
	if !output.Finite(load) {
		return 0
	}
	if out.nodes == r.log.Nodes {
		return load
	}
	return load * float64(r.log.Nodes) / float64(out.nodes)
}

// shown returns the runs that were asked for: of static policies that were only run to find the best one, that one, and
// EASY only if it was named.
func (r *logReplay) shown(runs []*replayResult) []*replayResult {
	best := map[float64]*replayResult{} // by load
	for _, run := range runs {
		if _, static := run.policy.(policy.Static); !static || !r.asked.Best {
			continue
		}
		if b := best[run.load]; b == nil || run.measures[measure.MeanResponseTime] < b.measures[measure.MeanResponseTime] {
			best[run.load] = run
		}
	}
	return slices.DeleteFunc(runs, func(run *replayResult) bool {
		return run != best[run.load] && !slices.Contains(r.asked.Named, run.policy)
	})
}

// timedSource gives jobs on, read some hundreds at a time, and adds up how long the reading took.
type timedSource struct {
	in    workload.Source
	ahead [512]workload.Job
	from  int
	to    int
	err   error
	took  time.Duration
}

// Next returns the next job.
func (t *timedSource) Next(j *workload.Job) error {
	if t.from == t.to {
		if t.err != nil {
			return t.err
		}
		begin := time.Now()
		for t.from, t.to = 0, 0; t.to < len(t.ahead) && t.err == nil; {
			if t.err = t.in.Next(&t.ahead[t.to]); t.err == nil {
				t.to++
			}
		}
		t.took += time.Since(begin)
		if t.to == 0 {
			return t.err
		}
	}
	*j = t.ahead[t.from]
	t.from++
	return nil
}

// writeJobs runs the policies one after the other and writes a row for each job, in the order in which they ended.
func writeJobs(inv *cli.Invocation, r *logReplay, runs []*replayResult, w io.Writer) error {
	rows := newJobRows(w, metric.Machine{Nodes: r.log.Nodes})
	for _, run := range runs {
		each := func(record *machine.Record) { rows.write(run.policy.String(), record) }
		if !slices.Contains(r.asked.Named, run.policy) {
			each = nil // EASY, to compare with
		}
		if err := r.run(inv, run, each); err != nil {
			return err
		}
	}
	return rows.flush()
}

// broken returns an error if a policy broke a promise, which would be a mistake of the program.
func broken(runs []*replayResult) error {
	for _, out := range runs {
		if _, n := out.log.Promises(); n > 0 {
			return fmt.Errorf("internal error: policy %s broke promises", out.policy)
		}
	}
	return nil
}
