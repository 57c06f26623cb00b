package validate

import (
	"fmt"

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

// check returns an *UnstableError if the offered work is all the partitions can do, or more.
func check(sys *models.System, p models.Policy) error {
	var k int
	var mean float64 // time that a job holds its partition
	switch p.Kind {
	case models.Dynamic:
		k = sys.Partitions()
		mean = sys.Service[k-1].Mean()
	case models.Static:
		k = p.Partitions
		if k < 1 || sys.Partitions()%k != 0 {
			return fmt.Errorf("validate: policy %s: the machine can be split into K = %v partitions", p, sys.Divisors())
		}
		mean = sys.Service[k-1].Mean() + sys.Setup[k].Mean()
	default:
		return fmt.Errorf("validate: unknown policy %q", p.Kind)
	}
	lambda := sys.Arrivals.Rate()
	if rho := lambda * mean / float64(k); rho >= 1-1e-12 {
		return &UnstableError{p, rho, float64(k) / mean}
	}
	return nil
}

// simulator returns the machine to simulate.
func simulator(sys *models.System, p models.Policy, f Fidelity) (machine.Simulator, error) {
	if f == MachineFidelity {
		return wholeNodes(sys, p)
	}
	if p.Kind == models.Static {
		return machine.NewChain(staticChain(sys, p.Partitions))
	}
	return machine.NewChain(dynamicChain(sys))
}

func dynamicChain(sys *models.System) machine.ChainConfig {
	c := machine.ChainConfig{Arrivals: sys.Arrivals, Service: sys.Service, Shrink: sys.Shrink, Expand: sys.Expand}
	if len(sys.PhaseMap) > 0 {
		c.Remap = func(from, to int) *mat.Dense { return sys.PhaseMap[models.Change{From: from, To: to}] }
	}
	return c
}

func staticChain(sys *models.System, k int) machine.ChainConfig {
	c := machine.ChainConfig{Arrivals: sys.Arrivals, Setup: sys.Setup[k], Separate: true}
	c.Service = make([]phasetype.Dist, k)
	for i := range c.Service {
		c.Service[i] = sys.Service[k-1]
	}
	return c
}

// wholeNodes returns the machine at machine fidelity.
func wholeNodes(sys *models.System, p models.Policy) (machine.Simulator, error) {
	c := machine.Config{Nodes: sys.Nodes, Unit: sys.MinNodes, Arrivals: sys.Arrivals}
	for _, e := range machine.Policies {
		if e.Name == p.Kind {
			c.Policy = func() machine.Policy { return e.New(p.Partitions) }
		}
	}
	switch {
	case p.Kind == models.Static:
		c.Demand, c.Setup = sys.Service[p.Partitions-1], sys.Setup[p.Partitions]
		c.Speed = make([]float64, sys.Nodes+1)
		c.Speed[sys.Nodes/p.Partitions] = 1
	case sys.Speedup != nil:
		c.Demand, c.Shrink, c.Expand = sys.Demand, sys.Shrink, sys.Expand
		c.Speed = make([]float64, sys.Nodes+1)
		for n := 1; n <= sys.Nodes; n++ {
			c.Speed[n] = sys.Speedup.At(float64(n))
		}
	default:
		c.Demand, c.Shrink, c.Expand = sys.Service[sys.Partitions()-1], sys.Shrink, sys.Expand
		c.Speed = measuredSpeed(sys)
	}
	return machine.New(c)
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
