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
		return nil, fmt.Errorf("validate: no machine fidelity")
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
