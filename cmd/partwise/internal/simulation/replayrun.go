package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// replayResult is what came out of one policy at one load.
type replayResult struct {
	policy   policy.Policy
	load     float64 // that was asked for; 0: as logged
	jobs     int
	measures metric.Values
	months   []metric.Month
	log      *metric.Log // of the last replication
	mostJobs int         // in the system at a time, likewise
	seconds  float64     // without reading the log
}

// replayAll runs all policies at all loads, several at a time unless jobs are to be written.
func replayAll(inv *cli.Invocation, r *logReplay) ([]*replayResult, error) {
	loads := r.loads
	if len(loads) == 0 {
		loads = []float64{0}
	}
	var runs []*replayResult
	for _, load := range loads {
		for _, p := range r.asked.Run {
			runs = append(runs, &replayResult{policy: p, load: load})
		}
	}
	if _, err := r.log.ReadOffer(inv); err != nil { // what is skipped, and whether the log can be read at all
		return nil, err
	}
	if r.jobsOutput != "" {
		return runs, output.WriteFile(r.jobsOutput, func(w io.Writer) error { return writeJobs(inv, r, runs, w) })
	}
	step, clear := inv.Progress(len(runs), "replaying")
	defer clear()
	var done atomic.Int64
	return runs, parallel.Each(inv.Context, len(runs), inv.Workers, func(i int) error {
		err := r.run(inv, runs[i], nil)
		step(int(done.Add(1)))
		return err
	})
}

// run runs one policy, once for each replication, and tells each, if it is not nil, of the jobs of the first.
func (r *logReplay) run(inv *cli.Invocation, out *replayResult, each func(*machine.Record)) error {
	for i := range r.replications {
		log := metric.NewLog(metric.Machine{Nodes: r.log.Nodes}, r.log.Date(out.load))
		done := log.Add
		if each != nil && i == 0 {
			done = func(record *machine.Record) {
				log.Add(record)
				each(record)
			}
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

// runOnce runs the log through the machine.
func (r *logReplay) runOnce(inv *cli.Invocation, replication uint64, out *replayResult,
	done func(*machine.Record)) error {
	log, closeLog, err := r.log.Jobs(inv, out.load)
	if err != nil {
		return err
	}
	defer closeLog()
	entry, _ := inv.Table.Named(out.policy.Name())
	reading := &timedSource{in: workload.FromLog(log, r.shape(&entry, out.policy))}
	key := des.Seed(r.seed).At(replication)
	unit := 1
	if dividesMachine(&entry, out.policy) {
		unit = r.unit
	}
	c := machine.Config{Nodes: r.log.Nodes, Unit: unit, Policy: out.policy, Load: r.offered(out.load),
		Jobs: machine.Once{Source: reading}, Estimates: &machine.Estimates{New: r.estimates.New, Key: key},
		KillAtEstimate: r.kill, Done: done}
	begin := time.Now()
	outcome, err := machine.Run(inv.Context, c, key)
	out.mostJobs = outcome.MostJobs
	out.seconds += (time.Since(begin) - reading.took).Seconds()
	return replayError(out.policy, err)
}

// shape returns what is assumed of the jobs under a policy: they are rigid where it gives jobs what they ask for, have
// Downey's speedup where it needs to know their parallelism, and the speedup of the flag where it gives them other
// nodes.
func (r *logReplay) shape(e *policy.Entry, p policy.Policy) workload.Shape {
	switch {
	case dividesMachine(e, p):
		return workload.WithSpeedup(e.Jobs, r.speedup.Speedup)
	case molds(p):
		return workload.WithParallelism(workload.Moldable, func(int) float64 { return r.sigma })
	}
	return workload.Shape{}
}

// dividesMachine reports whether a policy divides the machine into partitions, whatever jobs ask for.
func dividesMachine(e *policy.Entry, p policy.Policy) bool {
	return e.Jobs != workload.Rigid && !molds(p)
}

// molds reports whether a policy chooses the sizes of jobs by their parallelism.
func molds(p policy.Policy) bool {
	switch p.(type) {
	case policy.Molding, policy.Fraction:
		return true
	}
	return false
}

// replayError is the error of a replay: jobs that a policy cannot run are a matter of the flags.
func replayError(p policy.Policy, err error) error {
	var own *machine.PolicyError
	var parameter *workload.ParameterError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &own):
		err = own.Err
		fallthrough
	case errors.As(err, &parameter):
		return cli.Usagef("choose --nodes, --min-nodes and --speedup that fit each other", "policy %s: %s", p, cli.Plain(err))
	}
	return err
}

// offered returns the load that a policy is told; 0 if that cannot be told.
func (r *logReplay) offered(load float64) float64 {
	if load > 0 {
		return load
	}
	if now := r.log.Offer.Load(r.log.Nodes) / r.log.Stretch; output.Finite(now) {
		return now
	}
	return 0
}

// shown returns the runs that were asked for: of static policies that were only run to find the best one, that one.
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
		if err := r.run(inv, run, func(record *machine.Record) { rows.write(run.policy.String(), record) }); err != nil {
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
