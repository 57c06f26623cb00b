package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
)

// subject is a policy on a system, checked and ready to be simulated.
type subject struct {
	policy  policy.Policy
	k       int  // jobs that run when many are in the system
	resizes bool // the policy changes the nodes of running jobs
	// useful says that the speeds of jobs are relative to one node, so that useful work is known.
	useful bool
	// idle says that nodes which no job is given count as idle. In the chain all nodes are in use while any job runs.
	idle  bool
	nodes int
	rate  float64 // of the arrivals
	// warmUp is the number of jobs that arrive until a run has forgotten its start, as far as the system tells. It is 0 of a replay.
	warmUp int
	// classes are the classes of the system with arrivals. The list is nil if a sample or a replay gives the jobs,
	// because such jobs have no classes.
	classes []models.Class
	// asking are the classes with arrivals, or all jobs as one class, if the policy runs rigid jobs of the system.
	asking []models.Class
	// replayed are the jobs that replace the jobs of the system; nil: no jobs are replayed.
	replayed *replacement
}

// newSubject returns the subject of a policy on a system, whose jobs others may replace. The error says why the system or
// the policy is wrong, or why they do not fit the options.
func newSubject(sys *models.System, p policy.Policy, replayed *replacement, o Options) (subject, error) {
	if p == nil {
		return subject{}, fmt.Errorf("validate: no policy")
	}
	err := sys.Check()
	if err == nil {
		err = p.Check(sys.Machine())
	}
	if err != nil {
		return subject{}, err
	}
	s := subject{policy: p, k: sys.Partitions(), nodes: sys.Nodes, rate: sys.Arrivals.Rate(), replayed: replayed}
	if replayed != nil {
		s.rate = float64(replayed.offer.Jobs) / (replayed.offer.Last - replayed.offer.First)
	}
	s.useful = o.Fidelity == MachineFidelity && (sys.Speedup != nil || len(sys.Classes) > 0)
	switch {
	case o.Sample == nil && replayed == nil:
		s.classes = arriving(sys)
	case o.Sample != nil && len(sys.Classes) > 0:
		return subject{}, errors.New("validate: the demands of a sample cannot replace the demands of classes; leave one of them out")
	}
	s.idle = o.Fidelity == DividedFidelity &&
		slices.ContainsFunc(s.classes, func(c models.Class) bool { return mostNodes(&c, s.nodes) < s.nodes })
	e, known := o.Table.Named(p.Name())
	s.resizes = !known || e.Jobs == workload.Malleable
	if known && e.Jobs == workload.Rigid && replayed == nil {
		if s.asking, err = sys.AskingClasses(); err != nil {
			return subject{}, fmt.Errorf("validate: policy %s: %w", p, err)
		}
		least := slices.MinFunc(s.asking, func(a, b models.Class) int { return cmp.Compare(a.Nodes, b.Nodes) })
		s.k, s.idle = s.nodes/least.Nodes, false
	}
	switch p := p.(type) {
	case policy.Splitting:
		s.k, s.idle = p.Split(), false
		s.useful = s.useful && (o.Sample != nil || replayed != nil)
	case policy.Dividing:
		s.k = p.MostJobs(s.k)
	case policy.Ruled:
		rule := p.Rule()
		s.k = rule.Shares(s.k, s.k)
	}
	return s, nil
}

// prepare returns the subject of a policy on a system, whose jobs others may replace, the options with defaults, and
// the traffic intensity. The error is an *[models.UnstableError] if the system cannot keep up. The intensity is NaN if
// the largest stable arrival rate is not known.
func prepare(ctx context.Context, sys *models.System, p policy.Policy, replayed *replacement, o Options) (
	s subject, with Options, rho float64, err error) {
	if with, err = o.withDefaults(); err == nil {
		s, err = newSubject(sys, p, replayed, with)
	}
	if err == nil {
		rho, err = s.intensity(ctx, sys, with)
	}
	if err == nil && replayed == nil {
		s.warmUp = int(min(s.warmUpJobs(sys, with, rho), float64(with.MaxJobs)))
	}
	return s, with, rho, err
}

// HasModel reports whether a policy can be simulated at model fidelity. Other policies divide the machine unevenly and
// need whole nodes.
func HasModel(p policy.Policy) bool {
	switch p.(type) {
	case policy.Splitting, policy.Dividing, policy.Spacing:
		return true
	}
	return false
}

// holding returns the mean time for which a job holds one of s.k partitions while all are taken, in the time unit of
// the system. The time includes the set-up of a static partition.
func (s subject) holding(sys *models.System, o Options) float64 {
	mean := sys.Service[s.k-1].Mean()
	if work, given := s.meanDemand(o); given {
		mean = work / speedup(sys).At(float64(s.smallest(sys)))
	}
	if _, splits := s.policy.(policy.Splitting); splits {
		mean += sys.Setup[s.k].Mean()
	}
	return mean
}

// smallest returns the number of nodes of a job when many jobs are in the system; if they are not divided evenly, the
// smaller number.
func (s subject) smallest(sys *models.System) int { return sys.Partitions() / s.k * sys.MinNodes }

// meanDemand returns the mean of the demands of the sample or of the replayed jobs. given is false if the system gives
// the demands; the mean is then 0.
func (s subject) meanDemand(o Options) (mean float64, given bool) {
	for _, x := range o.Sample {
		mean += x / float64(len(o.Sample))
	}
	if s.replayed != nil {
		mean = s.replayed.meanWork
	}
	return mean, o.Sample != nil || s.replayed != nil
}

// offered returns the load that drawn jobs offer to a system: the arrival rate over the capacity, as in the model. The
// capacity is the rate at which jobs depart while every smallest partition runs one.
func offered(sys *models.System, o Options) float64 {
	s := subject{policy: policy.Dynamic{}, k: sys.Partitions()}
	return sys.Arrivals.Rate() * s.holding(sys, o) / float64(s.k)
}

// intensity returns the traffic intensity: the arrival rate times the mean time for which a job holds a partition, over
// the number of partitions. For rigid jobs it is [subject.rigidIntensity]. The error is an *[models.UnstableError] if
// the offered work is at least what the partitions can do, unless jobs are replayed.
func (s subject) intensity(ctx context.Context, sys *models.System, o Options) (float64, error) {
	if s.asking != nil {
		return s.rigidIntensity(ctx, sys, o)
	}
	mean := s.holding(sys, o)
	rho := s.rate * mean / float64(s.k)
	if s.replayed != nil { // a log ends, so that its jobs are done sometime
		return rho, nil
	}
	return rho, models.CheckStable(s.policy, s.rate, float64(s.k)/mean)
}

// rigidIntensity returns the traffic intensity of rigid jobs: the arrival rate over the largest stable arrival rate, at which the
// saturated machine of the chain completes jobs. It is NaN if the policy has no such chain, the saturated machine cannot be
// solved, or a sample gives the demands. Then the simulation finds out whether the number of jobs grows. The error is an
// *[models.UnstableError] or the error of ctx, or says why the policy has no chain on this system.
func (s subject) rigidIntensity(ctx context.Context, sys *models.System, o Options) (float64, error) {
	chain, err := sys.Chain(s.policy)
	saturated, is := chain.(interface {
		MaxArrivalRate(ctx context.Context) (float64, error)
	})
	switch {
	case errors.Is(err, models.ErrNoChain) || err == nil && !is || o.Sample != nil:
		return math.NaN(), nil
	case err != nil:
		return 0, err
	}
	most, err := saturated.MaxArrivalRate(ctx)
	if err != nil {
		return math.NaN(), ctx.Err()
	}
	return s.rate / most, models.CheckStable(s.policy, s.rate, most)
}

// simulator returns the machine to simulate at the fidelity of the options. The error comes from [subject.wholeNodes]
// or [subject.chain], or says which value of the machine is wrong.
func (s subject) simulator(sys *models.System, o Options) (simulation.Simulator, error) {
	if o.Fidelity != ModelFidelity {
		c, err := s.wholeNodes(sys, o)
		if err != nil {
			return nil, err
		}
		return machine.New(c)
	}
	c, err := s.chain(sys)
	if err != nil {
		return nil, err
	}
	return chain.New(c)
}

// chain returns the configuration of the machine at model fidelity. The error wraps [ErrMachineFidelity] if the policy
// or the system needs whole nodes; the configuration beside it must not be used.
func (s subject) chain(sys *models.System) (c chain.Config, err error) {
	resized := sys.Stops == models.ResizedStop
	switch p := s.policy.(type) {
	case policy.Splitting:
		return s.staticChain(sys), nil
	case policy.Dividing:
		if c, err = s.dynamicChain(sys); err == nil && resized {
			c.Resizing = resizing(sys, s.k)
		}
		if c.Nodes > 0 && resized {
			err = fmt.Errorf("validate: a machine with several classes of jobs of which only the resized stop %w", ErrMachineFidelity)
		}
		return c, err
	case policy.Spacing:
		if c, err = s.dynamicChain(sys); err == nil {
			c.Minimum, err = p.MinimumTime()
		}
		if err == nil && resized {
			err = fmt.Errorf("validate: policy %s with only the resized jobs stopped %w", p, ErrMachineFidelity)
		}
		return c, err
	}
	return c, fmt.Errorf("validate: policy %s %w", s.policy, ErrMachineFidelity)
}

// dynamicChain returns the configuration of a machine whose nodes up to k jobs share. Jobs of several classes share
// them by water-filling. A class keeps its place in the list s.classes. The error comes from [demandOf].
func (s subject) dynamicChain(sys *models.System) (chain.Config, error) {
	c := chain.Config{Arrivals: sys.Arrivals, Service: sys.Service[:s.k], Shrink: first(sys.Shrink, s.k),
		Expand: first(sys.Expand, s.k-1), Classes: kinds(s.classes, s.nodes)}
	if len(sys.PhaseMap) > 0 {
		c.Remap = func(from, to int) *mat.Dense { return sys.PhaseMap[models.Change{From: from, To: to}] }
	}
	if len(s.classes) > 1 {
		demand, err := demandOf(s.classes)
		if err != nil {
			return c, err
		}
		c.Nodes, c.Service = float64(s.nodes), slices.Repeat([]phasetype.Dist{demand}, s.k)
	}
	return c, nil
}

// first returns the first n entries of a list, or all if there are fewer.
func first(list []phasetype.Dist, n int) []phasetype.Dist { return list[:min(n, len(list))] }

// staticChain returns the configuration of a machine with k fixed partitions of equal size.
func (s subject) staticChain(sys *models.System) chain.Config {
	c := chain.Config{Arrivals: sys.Arrivals, Setup: sys.Setup[s.k], Separate: true, Classes: kinds(s.classes, s.nodes)}
	c.Service = slices.Repeat([]phasetype.Dist{sys.Service[s.k-1]}, s.k)
	return c
}

// WholeNodes returns the machine that [Simulate] runs a policy on at machine fidelity, with its jobs and the costs of
// resizing. A system that cannot keep up is refused with an *[models.UnstableError]. Any other error says why the
// options or the policy do not fit the system.
func WholeNodes(sys *models.System, p policy.Policy, o Options) (machine.Config, error) {
	o.Fidelity = MachineFidelity
	s, o, _, err := prepare(context.Background(), sys, p, nil, o)
	if err != nil {
		return machine.Config{}, err
	}
	return s.wholeNodes(sys, o)
}

// wholeNodes returns the machine at machine or divided fidelity, with its jobs and the costs of resizing. The error
// comes from [demandOf] or [subject.divide]; the machine beside it must not be used.
func (s subject) wholeNodes(sys *models.System, o Options) (machine.Config, error) {
	c := machine.Config{Nodes: sys.Nodes, Unit: sys.MinNodes, Policy: s.policy, Load: offered(sys, o)}
	jobs := &machine.Random{Arrivals: sys.Arrivals, Sample: o.Sample, Speedup: speedup(sys)}
	switch {
	case s.asking != nil:
		return c, s.rigidJobs(&c, jobs)
	case len(s.classes) > 0:
		var err error
		if jobs.Demand, err = demandOf(s.classes); err != nil {
			return c, err
		}
		jobs.Classes = kinds(s.classes, s.nodes)
		for k := range jobs.Classes {
			jobs.Classes[k].Speedup = tabulate(jobs.Classes[k].Speedup.At, jobs.Classes[k].MaxNodes)
		}
	case sys.Speedup != nil:
		jobs.Demand = sys.Demand
	default:
		jobs.Demand = sys.Service[sys.Partitions()-1]
	}
	c.Jobs = jobs
	if _, splits := s.policy.(policy.Splitting); splits {
		c.Setup = sys.Setup[s.k]
		if o.Sample == nil { // as it is, also if the shape of what was measured changes with the partition
			jobs.Demand, jobs.Speedup = sys.Service[s.k-1], tabulate(one, s.nodes)
			for k := range jobs.Classes {
				jobs.Classes[k].MaxNodes, jobs.Classes[k].Speedup = s.nodes, jobs.Speedup
			}
		}
	} else if s.resizes {
		stops := machine.AllJobs
		if sys.Stops == models.ResizedStop {
			stops = machine.ResizedJobs
		}
		c.Costs, c.Points = machine.NewOverheads(sys.Shrink, sys.Expand, stops), o.Points
		if o.Costs != nil {
			c.Costs = o.Costs
		}
	}
	if s.replayed != nil {
		c.Jobs, c.Load = s.replayed, s.replayed.offer.Load(sys.Nodes)
	}
	if o.Fidelity == DividedFidelity {
		return c, s.divide(&c, jobs, sys)
	}
	return c, nil
}

// rigidJobs completes c, a machine of whole nodes, and jobs, its workload, for jobs that keep the nodes that they ask
// for. It sets the demand and the classes of jobs, and c.Jobs. Costs of resizing stay unset, because the jobs are never
// resized. The error comes from [demandOf].
func (s subject) rigidJobs(c *machine.Config, jobs *machine.Random) (err error) {
	jobs.Demand, err = demandOf(s.asking)
	jobs.Classes, jobs.Rigid = kinds(s.asking, s.nodes), true
	for k := range jobs.Classes {
		of := &jobs.Classes[k]
		of.Speedup = tabulate(of.Speedup.At, of.Nodes)
	}
	c.Jobs = jobs
	return err
}

// speedup returns the speedup of a job on whole numbers of nodes, as a table, because simulations look it up at every
// change.
func speedup(sys *models.System) tabulated { return tabulate(speedupOf(sys), sys.Nodes) }

// speedupOf returns the speedup of a job on a real number of nodes. It is relative to one node, or to the smallest
// partition if run times were measured. If there are classes, it is the speedup of the first class, which uses at most
// its largest number of nodes. This serves systems with one class, and the jobs of a log.
func speedupOf(sys *models.System) func(nodes float64) float64 {
	switch {
	case len(sys.Classes) > 0:
		c := &sys.Classes[0]
		most := float64(mostNodes(c, sys.Nodes))
		return func(nodes float64) float64 { return c.Speedup.At(min(nodes, most)) }
	case sys.Speedup != nil:
		return sys.Speedup.At
	}
	return func(nodes float64) float64 { return measured(sys, nodes) }
}

// measured returns the speedup of a job with measured run times, relative to the smallest partition. It is proportional
// to 1/E[B_i] at n = P/i nodes and linear in between, for P nodes. A demand is then a draw of B_N. Partitions have at
// least P/N nodes.
func measured(sys *models.System, nodes float64) float64 {
	most := sys.Partitions()
	if most == 1 {
		return 1
	}
	last := sys.Service[most-1].Mean()
	at := func(i int) (nodes, v float64) {
		return float64(sys.Nodes) / float64(i), last / sys.Service[i-1].Mean()
	}
	i := max(2, min(most, int(float64(sys.Nodes)/nodes)+1))
	x0, v0 := at(i)
	x1, v1 := at(i - 1)
	return v0 + (v1-v0)*(nodes-x0)/(x1-x0)
}

// one is the speedup of a job whose run time was measured on its own partition: 1 on any number of nodes.
func one(float64) float64 { return 1 }

// tabulate returns the table of a speedup on up to the given number of nodes.
func tabulate(speedup func(nodes float64) float64, nodes int) tabulated {
	speed := make(tabulated, nodes+1)
	for n := 1; n <= nodes; n++ {
		speed[n] = speedup(float64(n))
	}
	return speed
}

// tabulated is a table of a speedup: entry n is the speedup on n nodes.
type tabulated []float64

// At returns the speedup on n nodes, n rounded down. Beyond the table it returns the last entry.
func (t tabulated) At(n float64) float64 { return t[min(int(n), len(t)-1)] }
