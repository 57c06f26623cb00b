// Package machinetest holds systems and policies that the tests of several simulators share, and a benchmark of simulators.
package machinetest

import (
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Exponential returns the exponential distribution of the given mean.
func Exponential(mean float64) phasetype.Dist { return phasetype.Must(phasetype.Exponential(1 / mean)) }

// Hyperexponential is a run time of mean 1 whose two phases differ by a factor of ten, times 1/speed.
func Hyperexponential(speed float64) phasetype.Dist {
	p := 0.8
	t := mat.NewDense(2, 2, []float64{-speed * (p + (1-p)*10), 0, 0, -speed * (p + (1-p)*10) / 10})
	return phasetype.Must(phasetype.New([]float64{p, 1 - p}, t))
}

// Poisson returns the Poisson process of the given rate.
func Poisson(rate float64) phasetype.MAP {
	m, err := phasetype.Renewal(Exponential(1 / rate))
	if err != nil {
		panic(err)
	}
	return m
}

// EightChain is equi-partitioning on 8 nodes at load .7: hyperexponential demands of mean 1, Amdahl's speedup with 2 %
// serial, and repartitions of 1 % of a demand.
func EightChain() chain.Config { return onNodes(8) }

// onNodes is [EightChain] with other nodes.
func onNodes(nodes int) chain.Config {
	c := chain.Config{Arrivals: Poisson(0.7 * float64(nodes))}
	for i := 1; i <= nodes; i++ {
		c.Service = append(c.Service, Hyperexponential(workload.Amdahl{Serial: 0.02}.At(float64(nodes)/float64(i))))
		c.Shrink = append(c.Shrink, Exponential(0.01))
		c.Expand = append(c.Expand, Exponential(0.01))
	}
	c.Expand = c.Expand[:nodes-1]
	return c
}

// Eight is [EightChain] on whole nodes, with the given serial fraction.
func Eight(serial float64) machine.Config { return Nodes(8, serial) }

// Nodes is [Eight] with other nodes, at the same load.
func Nodes(nodes int, serial float64) machine.Config {
	c := onNodes(nodes)
	jobs := &machine.Random{Arrivals: c.Arrivals, Demand: Hyperexponential(1), Speedup: workload.Amdahl{Serial: serial}}
	return machine.Config{Nodes: nodes, Policy: policy.Dynamic{}, Jobs: jobs,
		Costs: machine.NewOverheads(c.Shrink, c.Expand, machine.ResizedJobs)}
}

// Own is the policy of a scheduler that is not in the table; New makes the scheduler of a run.
type Own struct {
	policy.Folding // stands for what a policy of malleable jobs is besides
	New            func() sched.Policy
}

// Scheduler returns the scheduler of a run.
func (o Own) Scheduler() (sched.Policy, error) { return o.New(), nil }
