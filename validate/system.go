package validate

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/machine"
	"gonum.org/v1/gonum/mat"
)

// UnstableError says that a policy cannot keep up with the arrivals, so that there is nothing to simulate.
type UnstableError struct {
	Policy           models.Policy
	TrafficIntensity float64
	MaxArrivalRate   float64 // at which the traffic intensity would be 1
}

func (e *UnstableError) Error() string {
	return fmt.Sprintf("validate: %s is unstable: traffic intensity %.6g; the largest stable arrival rate is %.6g",
		e.Policy, e.TrafficIntensity, e.MaxArrivalRate)
}

// Unwrap returns [models.ErrUnstable].
func (e *UnstableError) Unwrap() error { return models.ErrUnstable }

// scheduler is what a models.Policy names, ready to be run.
type scheduler struct {
	policy models.Policy
	entry  machine.Entry
	make   func() machine.Policy
	k      int // jobs that run when many are in the system
}

// newScheduler finds the policy p in the table of policies.
func newScheduler(sys *models.System, p models.Policy) (scheduler, error) {
	name, parameter, _ := strings.Cut(p.String(), ":")
	e, ok := machine.Named(name)
	if !ok {
		return scheduler{}, fmt.Errorf("validate: unknown policy %q", p.String())
	}
	s := scheduler{policy: p, entry: e, k: sys.Partitions()}
	switch n := p.Partitions; {
	case name == models.Static && (n < 1 || s.k%n != 0):
		return scheduler{}, fmt.Errorf("validate: policy %s: the machine can be split into K = %v partitions",
			p, sys.Divisors())
	case name == models.Capped && (n < 1 || n > s.k):
		return scheduler{}, fmt.Errorf("validate: policy %s: at most K jobs run, K = 1..%d", p, s.k)
	case n > 0:
		s.k = n
	}
	var err error
	if s.make, err = e.New(parameter); err != nil {
		return scheduler{}, fmt.Errorf("validate: policy %s: %w", p, err)
	}
	return s, nil
}

// HasModel reports whether policy p can be simulated at model fidelity; others, which divide unevenly, need whole nodes.
func HasModel(p models.Policy) bool {
	switch p.Kind {
	case models.Dynamic, models.Static, models.Capped, models.Smoothing:
		return true
	}
	return false
}

// holding returns the mean time that a job holds one of k partitions when all are taken.
func (s scheduler) holding(sys *models.System, o Options) float64 {
	mean := sys.Service[s.k-1].Mean()
	if work, given := o.meanDemand(); given {
		speed := speeds(sys)
		mean = work / speed[s.smallest(sys)]
	}
	if s.policy.Kind == models.Static {
		mean += sys.Setup[s.k].Mean()
	}
	return mean
}

// smallest returns the nodes of a job when many are in the system, the smaller number if they are not divided evenly.
func (s scheduler) smallest(sys *models.System) int { return sys.Partitions() / s.k * sys.MinNodes }

// meanDemand returns the mean of the demands that are not those of the system; given is false if they are.
func (o Options) meanDemand() (mean float64, given bool) {
	for _, x := range o.Sample {
		mean += x / float64(len(o.Sample))
	}
	for _, q := range o.Replay {
		mean += q.Demand / float64(len(o.Replay))
	}
	return mean, o.Sample != nil || o.Replay != nil
}

// Offered returns the relative load of the jobs that o gives a system: their rate times the mean time that one holds
// the smallest partition, divided by the number of partitions. It is +Inf if the jobs of a replay come all at once.
func Offered(sys *models.System, o Options) float64 {
	s := scheduler{policy: models.Policy{Kind: models.Dynamic}, k: sys.Partitions()}
	return arrivalRate(sys, o) * s.holding(sys, o) / float64(s.k)
}

func arrivalRate(sys *models.System, o Options) float64 {
	if n := len(o.Replay); n > 0 {
		return float64(n) / o.Replay[n-1].Arrival
	}
	return sys.Arrivals.Rate()
}

// intensity returns the traffic intensity, and an *[UnstableError] if the offered work is all the partitions can do, or
// more, for ever.
func (s scheduler) intensity(sys *models.System, o Options) (float64, error) {
	mean := s.holding(sys, o)
	rho := arrivalRate(sys, o) * mean / float64(s.k)
	if rho >= 1-1e-12 && o.Replay == nil {
		return rho, &UnstableError{s.policy, rho, float64(s.k) / mean}
	}
	return rho, nil
}

// simulator returns the machine to simulate; observe may be nil.
func (s scheduler) simulator(
	sys *models.System, o Options, observe func(machine.View, machine.Event),
) (machine.Simulator, error) {
	switch {
	case o.Fidelity == MachineFidelity:
		return s.wholeNodes(sys, o, observe)
	case !HasModel(s.policy):
		return nil, fmt.Errorf("validate: policy %s needs %s fidelity", s.policy, MachineFidelity)
	case s.policy.Kind == models.Static:
		return machine.NewChain(staticChain(sys, s.k))
	case s.policy.Kind == models.Smoothing:
		least, err := machine.LeastTime(s.policy.Parameter)
		if err != nil {
			return nil, fmt.Errorf("validate: %w", err)
		}
		return machine.NewCalmChain(dynamicChain(sys, s.k), least)
	}
	return machine.NewChain(dynamicChain(sys, s.k))
}

func dynamicChain(sys *models.System, k int) machine.ChainConfig {
	c := machine.ChainConfig{Arrivals: sys.Arrivals, Service: sys.Service[:k], Shrink: first(sys.Shrink, k),
		Expand: first(sys.Expand, k-1)}
	if len(sys.PhaseMap) > 0 {
		c.Remap = func(from, to int) *mat.Dense { return sys.PhaseMap[models.Change{From: from, To: to}] }
	}
	return c
}

func first(list []phasetype.Dist, n int) []phasetype.Dist { return list[:min(n, len(list))] }

func staticChain(sys *models.System, k int) machine.ChainConfig {
	c := machine.ChainConfig{Arrivals: sys.Arrivals, Setup: sys.Setup[k], Separate: true}
	c.Service = make([]phasetype.Dist, k)
	for i := range c.Service {
		c.Service[i] = sys.Service[k-1]
	}
	return c
}

// wholeNodes returns the machine at machine fidelity.
func (s scheduler) wholeNodes(
	sys *models.System, o Options, observe func(machine.View, machine.Event),
) (*machine.Machine, error) {
	c := machine.Config{Nodes: sys.Nodes, Unit: sys.MinNodes, Arrivals: sys.Arrivals, Policy: s.make,
		Sample: o.Sample, Replay: o.Replay, Observe: observe, Speed: speeds(sys)}
	_, given := o.meanDemand()
	switch {
	case s.policy.Kind == models.Static && !given:
		c.Demand = sys.Service[s.k-1] // as it is, also if the shape of what was measured changes with the partition
		c.Speed = make([]float64, sys.Nodes+1)
		c.Speed[sys.Nodes/s.k] = 1
	case sys.Speedup != nil:
		c.Demand = sys.Demand
	default:
		c.Demand = sys.Service[sys.Partitions()-1]
	}
	if s.policy.Kind == models.Static {
		c.Setup = sys.Setup[s.k]
	} else {
		c.Shrink, c.Expand = sys.Shrink, sys.Expand
	}
	return machine.New(c)
}

// speeds returns the speed of a job on each number of nodes, relative to one node, or to the smallest partition if run
// times were measured.
func speeds(sys *models.System) []float64 {
	if sys.Speedup == nil {
		return measuredSpeed(sys)
	}
	speed := make([]float64, sys.Nodes+1)
	for n := sys.MinNodes; n <= sys.Nodes; n += sys.MinNodes {
		speed[n] = sys.Speedup.At(float64(n))
	}
	return speed
}

// measuredSpeed returns the speed on n nodes of a job whose run times were measured, relative to that on the smallest
// partition: 1/E[B_i] at n = P/i nodes, linear in between. A demand is then a draw of B_N. Partitions are at least as
// large as P/N.
func measuredSpeed(sys *models.System) []float64 {
	speed := make([]float64, sys.Nodes+1)
	last := sys.Service[sys.Partitions()-1].Mean()
	at := func(i int) (nodes, v float64) {
		return float64(sys.Nodes) / float64(i), last / sys.Service[i-1].Mean()
	}
	i := sys.Partitions()
	for n := sys.MinNodes; n <= sys.Nodes; n++ {
		for i > 2 && float64((i-1)*n) > float64(sys.Nodes) {
			i--
		}
		if i == 1 {
			speed[n] = 1
			continue
		}
		x0, v0 := at(i)
		x1, v1 := at(i - 1)
		speed[n] = v0 + (v1-v0)*(float64(n)-x0)/(x1-x0)
	}
	return speed
}
