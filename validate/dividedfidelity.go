package validate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/machine"
)

// mostParts bounds the number of parts of a machine at divided fidelity. The least common multiple of 1 to 16 is below
// it.
const mostParts = 1 << 20

// parts returns the number of equal parts into which a machine is divided that up to k jobs share. It is so large that
// every class can use a whole number of parts, and that equal shares of the rest are whole numbers of parts. If this
// takes more than mostParts, exact is false, and shares are rounded by less than k/mostParts of their size.
func (s subject) parts() (parts int, exact bool) {
	size := s.nodes // the most nodes that divide the machine and what a class can use
	for i := range s.classes {
		size = gcd(size, mostNodes(&s.classes[i], s.nodes))
	}
	multiple, most := 1, max(1, mostParts/(s.nodes/size))
	for i := 2; i <= s.k; i++ {
		if multiple *= i / gcd(multiple, i); multiple > most {
			return s.nodes / size * most, false
		}
	}
	return s.nodes / size * multiple, true
}

// gcd returns the greatest common divisor of a and b.
func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Comparable returns the reason why a policy cannot be simulated on a system at [DividedFidelity], nil if it can be. At
// this fidelity, nodes are divided so finely that whole parts come near the chain. The chain of the policy must be the
// limit of such machines.
func Comparable(sys *models.System, p policy.Policy) error {
	o, err := (Options{Fidelity: DividedFidelity}).withDefaults()
	if err != nil {
		return err
	}
	s, err := newSubject(sys, p, nil, o)
	if err != nil {
		return err
	}
	refuse := func(reason string) error { return fmt.Errorf("validate: policy %s: %s", p, reason) }
	const postpones = "between repartitions the first job in the queue gets all free nodes; the chain gives it one share"
	switch p := p.(type) {
	case policy.Splitting, policy.Queued: // partitions and rigid jobs have whole nodes in the chain, too
		return nil
	case policy.Dividing:
	case policy.Spacing:
		return refuse(postpones)
	case policy.Ruled:
		rule := p.Rule()
		switch {
		case rule != (policy.Resize{Cap: rule.Cap, Floor: rule.Floor}):
			return refuse(postpones)
		case rule.Floor > 1 && len(s.classes) > 0:
			return refuse("fewer jobs than floor have a share each; in the chain, jobs of classes use the nodes that other jobs leave " +
				"of their shares")
		}
	default:
		return refuse("it has no chain")
	}
	costly := func(d phasetype.Dist) bool { return !d.IsZero() }
	switch {
	case sys.Stops == models.ResizedStop && (slices.ContainsFunc(sys.Shrink, costly) || slices.ContainsFunc(sys.Expand, costly)):
		return refuse("which jobs a repartition resizes and stops depends on whole nodes")
	case len(sys.Classes) == 0 && (len(sys.PhaseMap) > 0 || !sameShape(sys.Service[:s.k])):
		return refuse("run times have another distribution on other numbers of nodes; a job on whole nodes has one demand")
	}
	if parts, exact := s.parts(); !exact {
		for k, speed := range s.speedups(sys, parts) {
			if !smooth(speed, parts/s.k) {
				return refuse(fmt.Sprintf("speedup %d has steps; shares of more than 16 jobs are rounded", k+1))
			}
		}
	}
	return nil
}

// sameShape reports whether the run times have the same distribution up to a factor.
func sameShape(service []phasetype.Dist) bool {
	const rounding = 1e-9
	first := service[0]
	for _, b := range service[1:] {
		var scaled mat.Dense
		scaled.Scale(b.Mean()/first.Mean(), b.T())
		if !slices.Equal(b.Alpha(), first.Alpha()) || !mat.EqualApprox(&scaled, first.T(), rounding/first.Mean()) {
			return false
		}
	}
	return true
}

// smooth reports whether a speedup changes by a factor of at most 1 ± 2/n from n parts to n + 1, for all n ≥ least. A
// concave speedup grows by a factor of at most 1 + 1/n.
func smooth(speed tabulated, least int) bool {
	for n := max(least, 1); n+1 < len(speed); n++ {
		if !(math.Abs(speed[n+1]/speed[n]-1) <= 2/float64(n)) {
			return false
		}
	}
	return true
}

// speedups returns the speedup of each class, or of all jobs if there are no classes. Entry n is the speedup on n parts
// of the machine, up to the number of parts that jobs can use. No job gets less than the smallest partition.
func (s subject) speedups(sys *models.System, parts int) (all []tabulated) {
	inParts := func(speedup func(nodes float64) float64, most int) tabulated {
		return tabulate(func(n float64) float64 {
			return speedup(max(float64(sys.MinNodes), n*float64(sys.Nodes)/float64(parts)))
		}, most)
	}
	for k := range s.classes {
		c := &s.classes[k]
		all = append(all, inParts(c.Speedup.At, mostNodes(c, s.nodes)*parts/s.nodes))
	}
	if len(s.classes) == 0 {
		all = append(all, inParts(speedupOf(sys), parts))
	}
	return all
}

// divide turns a machine of whole nodes into the machine of the chain. It overwrites the nodes, the policy and the
// costs of c, and the speedups of jobs. Nodes are divided into small parts, of which up to k jobs have equal shares, or
// as many as they can use. A repartition happens whenever the number of running jobs changes. The error comes from
// [Comparable].
func (s subject) divide(c *machine.Config, jobs *machine.Random, sys *models.System) error {
	if err := Comparable(sys, s.policy); err != nil {
		return err
	}
	if _, splits := s.policy.(policy.Splitting); splits { // its partitions are whole
		return nil
	}
	parts, _ := s.parts()
	speeds := s.speedups(sys, parts)
	jobs.Speedup = speeds[0]
	for k := range jobs.Classes {
		jobs.Classes[k].MaxNodes, jobs.Classes[k].Speedup = jobs.Classes[k].MaxNodes*parts/s.nodes, speeds[k]
	}
	c.Nodes, c.Unit, c.Policy = parts, 1, policy.Capped{Jobs: s.k}
	if p, ruled := s.policy.(policy.Ruled); ruled {
		floor := p.Rule().Floor
		c.Policy = policy.Resize{Cap: s.k, Floor: floor}
		if floor > 1 { // a departure need not be a repartition
			return nil
		}
	}
	c.Costs = machine.NewOverheads(sys.Shrink, sys.Expand, machine.AllJobsAlways)
	return nil
}
