package families

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
)

// Workload is a machine and its jobs, in the order of their submission. Each job asks for a number of nodes, on which
// families for rigid jobs run it. It can be molded and resized between Min and Max nodes, and runs at its speedup.
type Workload struct {
	Nodes int
	Unit  int // jobs are resized to multiples of so many nodes
	Jobs  []workload.Job

	log    []joblog.Job // the jobs, if they come from a log
	assume replay.Assumptions
}

// MeanRun returns the mean run time of the jobs on the nodes that they ask for.
func (w *Workload) MeanRun() float64 {
	if w == nil {
		return 0
	}
	sum := 0.0
	for i := range w.Jobs {
		sum += w.run(i)
	}
	return sum / float64(len(w.Jobs))
}

// run returns the run time of a job on the nodes that it asks for.
func (w *Workload) run(i int) float64 {
	j := &w.Jobs[i]
	return j.RunOn(j.Asked(w.Nodes))
}

// Family is a way to share the machine, with a policy that stands for it.
type Family struct {
	Name    string
	Policy  policy.Policy
	Costs   machine.Costs // of resizing jobs; nil: none
	Assumes string        // of the jobs
}

// Label returns the name of the policy, and that its resizes cost something if they do.
func (f Family) Label() string {
	if f.Costs != nil {
		return f.Policy.String() + "+costs"
	}
	return f.Policy.String()
}

// sharesNodes reports whether jobs share nodes in time under the policy: gang scheduling or coscheduling.
func (f Family) sharesNodes() bool {
	switch f.Policy.(type) {
	case policy.Gang, policy.Coscheduling:
		return true
	}
	return false
}

// skip returns how many jobs at the beginning do not count: of a system a tenth, which find the machine empty.
func (w *Workload) skip() int {
	if w.log != nil {
		return 0
	}
	return len(w.Jobs) / 10
}

// Quanta is how many quanta of epochs there are in the mean run time of a job.
const Quanta = 10

// rounded returns a number rounded to two significant digits.
func rounded(v float64) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64) // a formatted number can be parsed
	return x
}

//go:embed families.yaml
var familiesFile []byte

// Standard returns all families for a workload. costs are the costs of resizing a job; nil: resizes take no time.
func Standard(w *Workload, costs machine.Costs) (all []Family) {
	var table []struct {
		Name, Policy, Assumes string
		Costs                 bool
	}
	if err := yaml.Unmarshal(familiesFile, &table); err != nil {
		panic(err)
	}
	for _, entry := range table {
		p, err := policy.Standard().Parse(entry.Policy)
		if err != nil {
			panic(err)
		}
		if e, is := p.(policy.Epochs); is {
			e.Quantum = rounded(w.MeanRun() / Quanta)
			p = e
		}
		f := Family{Name: entry.Name, Policy: p, Assumes: entry.Assumes}
		if entry.Costs {
			f.Costs = costs
		}
		if !entry.Costs || costs != nil {
			all = append(all, f)
		}
	}
	return all
}

// Options say how to run the families.
type Options struct {
	Seed    uint64
	Workers int            // 0: one for each processor; results do not depend on it
	Types   []cluster.Type // the kinds of work of time-shared jobs, each with the same probability
	Cluster cluster.Config // of time-shared jobs, but for its nodes, policy and key, which are set
	// Dedicated is the mean run time, in seconds, to which time-shared jobs are scaled, arrivals likewise; results are scaled
	// back.
	Dedicated float64
	// Progress, if not nil, is called, perhaps from several goroutines at a time, when so many families have run.
	Progress func(done int)
}

// leastJobs are enough for intervals: some for each of the batches.
const leastJobs = 4 * batches

// check returns an error if the jobs are too few for intervals, if a job does not fit the machine, or if it has no run time.
func (w *Workload) check() error {
	if w == nil {
		return errors.New("families: there is no workload")
	}
	if len(w.Jobs) < leastJobs {
		return fmt.Errorf("families: at least %d jobs are needed to compare families on, not %d", leastJobs, len(w.Jobs))
	}
	for i := range w.Jobs {
		if a := w.Jobs[i].Asked(w.Nodes); a < 1 || a > w.Nodes || !(w.run(i) > 0) {
			return fmt.Errorf("families: job %d asks for %d of %d nodes and runs for %v", i, a, w.Nodes, w.run(i))
		}
	}
	return nil
}

// Run runs the jobs under every family, several families at a time, and returns an outcome for each family in their order. The
// error comes from the jobs or from ctx, or names the policy that failed.
func Run(ctx context.Context, w *Workload, families []Family, o Options) ([]Outcome, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(families, Family.sharesNodes) {
		if err := w.checkTime(o.Dedicated); err != nil {
			return nil, fmt.Errorf("families: %w", err)
		}
	}
	outcomes, err := parallel.Grid(ctx, 1, len(families), o.Workers, o.Progress, func(_, i int) (Outcome, error) {
		f := families[i]
		run := w.onMachine
		if f.sharesNodes() {
			run = w.onCluster
		}
		out := newOutcome(f, len(w.Jobs), w.skip())
		err := run(ctx, out, o)
		switch {
		case ctx.Err() != nil:
			return *out, ctx.Err()
		case err != nil:
			return *out, fmt.Errorf("families: %s: %w", f.Policy, err)
		}
		out.estimate()
		return *out, nil
	})
	return outcomes[0], err
}

// onMachine runs the jobs on the machine of whole nodes, where each job holds nodes of its own. It adds the jobs and the
// utilization to the outcome.
func (w *Workload) onMachine(ctx context.Context, out *Outcome, o Options) error {
	jobs, c, err := w.under(out.Family)
	if err != nil {
		return err
	}
	working, last := 0.0, 0.0
	c.Jobs, c.Load = machine.List(jobs), workload.OfferOf(w.Jobs).Load(w.Nodes)
	c.Done = func(r *machine.Record) {
		out.add(r.Number, r.Start, r.Response(), w.run(r.Number))
		working += r.Busy
		last = max(last, r.End)
	}
	_, err = machine.Run(ctx, c, des.Seed(o.Seed))
	out.Utilization = working / (float64(w.Nodes) * (last - w.Jobs[0].Submit))
	var own *machine.PolicyError
	if errors.As(err, &own) {
		err = own.Err
	}
	return err
}

// The streams below the seed: of the jobs of a system, of the machine that is shared in time, and of the types of its jobs.
const (
	jobStream = 1<<62 + iota
	clusterStream
	typeStream
)

// onCluster runs a program for each job on nodes that jobs share in time, and adds the jobs and the utilization to the
// outcome. Times are scaled so that the mean run time is o.Dedicated seconds, and results are scaled back.
func (w *Workload) onCluster(ctx context.Context, out *Outcome, o Options) error {
	key := des.Seed(o.Seed)
	c := o.Cluster
	c.Nodes, c.Policy, c.Key = w.Nodes, out.Policy, key.At(clusterStream)
	scale := o.Dedicated / w.MeanRun()
	jobs := make([]cluster.Job, len(w.Jobs))
	for i := range jobs {
		stream := key.At(typeStream).At(uint64(i)).Stream()
		jobs[i] = cluster.Job{Arrival: scale * (w.Jobs[i].Submit - w.Jobs[0].Submit), Nodes: w.Jobs[i].Asked(w.Nodes),
			Dedicated: scale * w.run(i), Type: o.Types[int(stream.Float64()*float64(len(o.Types)))]}
	}
	result, err := cluster.Run(ctx, c, jobs)
	if err != nil {
		return err
	}
	for i := range result.Records {
		r := &result.Records[i]
		out.add(i, w.Jobs[0].Submit+r.Start/scale, r.Response()/scale, r.Nominal/scale)
	}
	out.Utilization = result.Profile.Running()
	return nil
}
