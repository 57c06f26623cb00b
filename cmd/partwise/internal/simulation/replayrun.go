package simulation

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/des"
)

// replayResult is what came out of one policy at one load.
type replayResult struct {
	policy   string
	load     float64 // that was asked for; 0: as logged
	measures batch.Measures
	offered  float64 // load
	months   []batch.Month
	metrics  *batch.Metrics // of the last replication
	tally    batch.Tally    // likewise
	seconds  float64        // without reading the log
}

// replayAll runs all policies at all loads, several at a time unless jobs are to be written.
func replayAll(inv *cli.Invocation, r *replayOptions) ([]*replayResult, error) {
	loads := r.loads
	if loads == nil {
		loads = []float64{0}
	}
	var tasks []*replayResult
	for _, load := range loads {
		for _, c := range r.policies {
			tasks = append(tasks, &replayResult{policy: c.name, load: load})
		}
	}
	if _, err := r.log.ReadOffer(inv); err != nil { // what is skipped, and whether the log can be read at all
		return nil, err
	}
	if file := inv.Flags.String("jobs-output"); file != "" {
		return tasks, output.WriteFile(file, func(w io.Writer) error { return writeJobs(inv, r, tasks, w) })
	}
	step, clear := inv.Progress(len(tasks), "replaying")
	defer clear()
	return tasks, inGroups(inv.Workers, len(tasks), func(i int) error {
		return replayPolicyRuns(inv, r, r.policies[i%len(r.policies)], tasks[i], nil)
	}, step)
}

// inGroups does n things, several at a time, and returns the error of the first in order that failed.
func inGroups(workers, n int, do func(i int) error, step func(done int)) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, n)
	var group sync.WaitGroup
	var mutex sync.Mutex
	next, done := 0, 0
	for range min(workers, n) {
		group.Go(func() {
			for {
				mutex.Lock()
				i := next
				next++
				mutex.Unlock()
				if i >= n {
					return
				}
				errs[i] = do(i)
				mutex.Lock()
				done++
				step(done)
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// replayPolicyRuns runs one policy, once for each replication, and tells each, if it is not nil, of the jobs of the
// first.
func replayPolicyRuns(inv *cli.Invocation, r *replayOptions, c replayPolicy, out *replayResult,
	each func(*batch.Record)) error {
	for i := range r.replications {
		m := batch.NewMetrics(r.log.Nodes, r.log.Date(out.load))
		done := m.Add
		if each != nil && i == 0 {
			done = func(record *batch.Record) {
				m.Add(record)
				each(record)
			}
		}
		if err := replayOnce(inv, r, c, uint64(i), out, done); err != nil {
			return err
		}
		if out.metrics = m; m.Measures().Jobs == 0 {
			return &workload.DataError{File: r.log.Path, Problem: "holds no jobs that can be run"}
		}
		out.add(i+1, m)
	}
	return nil
}

// add makes the measures the mean of n replications, the n-th being m. The estimates differ between them, the jobs do
// not: nor do the months.
func (out *replayResult) add(n int, m *batch.Metrics) {
	months := m.Months()
	if n == 1 {
		out.measures, out.months, out.offered = m.Measures(), months, m.Load()
		return
	}
	out.measures.Merge(m.Measures(), n)
	for i := range out.months {
		out.months[i].Merge(months[i].Measures, n)
	}
}

func replayOnce(inv *cli.Invocation,
	r *replayOptions, c replayPolicy, replication uint64, out *replayResult, done func(*batch.Record),
) error {
	jobs, close, err := r.log.Jobs(inv, out.load)
	if err != nil {
		return err
	}
	defer close()
	if c.resizes != nil {
		return replayResizing(inv, r, c, jobs, out, done)
	}
	config := batch.Config{Nodes: r.log.Nodes, Policy: c.keeps(), KillAtEstimate: r.kill, Done: done}
	source := batch.Log(jobs)
	if c.molds() {
		config.Load = r.offered(out.load)
		source = molded(source, r.sigma)
	}
	config = batch.Estimating(config, r.estimates(), des.Seed(r.seed).At(replication))
	reading := &timed{in: source}
	begin := time.Now()
	out.tally, err = batch.Run(inv.Context, config, reading)
	out.seconds += (time.Since(begin) - reading.took).Seconds()
	return err
}

// offered returns the load that a policy is told; 0 if that cannot be told.
func (r *replayOptions) offered(load float64) float64 {
	if load > 0 {
		return load
	}
	if now := r.log.Offer.Load(r.log.Nodes) / r.log.Stretch; output.Finite(now) {
		return now
	}
	return 0
}

// replayResizing runs a policy that resizes jobs, all of which it has in memory. Killed jobs are shorter; estimates
// play no part.
func replayResizing(inv *cli.Invocation,
	r *replayOptions, c replayPolicy, in swf.Source, out *replayResult, done func(*batch.Record),
) error {
	jobs, err := batch.All(batch.Log(in))
	if err != nil {
		return err
	}
	for i := range jobs {
		if q := &jobs[i]; r.kill && q.Requested > 0 {
			q.Run = min(q.Run, q.Requested)
		}
	}
	m := validate.Malleable{Nodes: r.log.Nodes, Unit: r.unit, Policy: c.resizes, Speedup: r.speedup}
	begin := time.Now()
	err = m.Run(inv.Context, jobs, done)
	out.seconds += time.Since(begin).Seconds()
	if err != nil && inv.Context.Err() == nil {
		return cli.Usagef("choose --nodes, --min-nodes and --speedup that fit each other", "policy %s: %s", c.name,
			cli.Plain(err))
	}
	return err
}

// molded makes the jobs of a source moldable: with Downey's speedup, whose average parallelism is the nodes that they
// ask for, and a lifetime such that on these they run as long as logged.
func molded(in batch.Source, sigma float64) batch.Source {
	return batch.SourceFunc(func(q *batch.Request) error {
		if err := in.Next(q); err != nil {
			return err
		}
		q.Speedup = workload.Downey{A: float64(q.Nodes), Sigma: sigma}
		q.Lifetime = q.Run * q.Speedup.At(float64(q.Nodes))
		return nil
	})
}

// timed gives jobs on, read some hundreds at a time, and adds up how long the reading took.
type timed struct {
	in    batch.Source
	ahead [512]batch.Request
	from  int
	to    int
	err   error
	took  time.Duration
}

func (t *timed) Next(q *batch.Request) error {
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
	*q = t.ahead[t.from]
	t.from++
	return nil
}

// writeJobs runs the policies one after the other and writes a row for each job, in the order in which they ended.
func writeJobs(inv *cli.Invocation, r *replayOptions, tasks []*replayResult, w io.Writer) error {
	if len(r.loads) > 1 {
		return cli.Usagef("leave one of them out", "--jobs-output with --loads")
	}
	rows := newJobRows(w)
	for i, task := range tasks {
		c := r.policies[i]
		if err := replayPolicyRuns(inv, r, c, task, func(record *batch.Record) { rows.write(c.name, record) }); err != nil {
			return err
		}
	}
	return rows.flush()
}

// broken returns an error if a policy broke a promise, which would be a mistake of the program.
func broken(runs []*replayResult) error {
	for _, out := range runs {
		if _, n := out.metrics.Promises(); n > 0 {
			return errors.New("internal error: policy " + out.policy + " broke promises")
		}
	}
	return nil
}
