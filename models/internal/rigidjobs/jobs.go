// Package rigidjobs holds jobs that keep the nodes for which they ask, in the units and groups in which their chain counts them.
// The package predicts how many states the chain has.
package rigidjobs

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/phasetype"
)

// Class is a class of jobs.
type Class struct {
	Name    string
	Share   float64        // share of the arrivals
	Nodes   int            // for which each job asks
	Service phasetype.Dist // run time on these nodes
	Size    int            // index of its size; set by [New]
}

// Size is a group of jobs that ask for the same number of nodes. The class of a waiting job matters only when the job starts. So the
// run time of the group is the mixture of the run times of its classes.
type Size struct {
	Nodes   int            // in units of the common divisor of all sizes
	Share   float64        // share of the arrivals
	Service phasetype.Dist // run time
	From    int            // the first of its phases among the phases of all sizes
}

// Jobs are the rigid jobs of a machine. All numbers of nodes are divided by their common divisor.
type Jobs struct {
	Machine int       // nodes of the machine
	Unit    int       // the common divisor of all sizes
	Nodes   int       // of the machine, in units; a rest that is smaller than a unit is of no use
	Sizes   []Size    // from the smallest to the largest
	Classes []Class   // the classes that arrive, in their given order
	AtLeast []float64 // by size, and for none: share of the arrivals that ask for this size or a larger one
	Phases  int       // of all sizes
	SizeOf  []int     // by phase
	Exit    []float64 // by phase: the rate at which a job ends
}

// New returns the jobs of classes on a machine with so many nodes. Shares of classes are positive and need not sum to 1. The error
// comes from the mixture of the run times of classes of one size.
func New(machine int, classes []Class) (*Jobs, error) {
	r, total := &Jobs{Machine: machine, Classes: slices.Clone(classes)}, 0.0
	for _, c := range classes {
		total += c.Share
		r.Unit = commonDivisor(r.Unit, c.Nodes)
	}
	r.Nodes = machine / r.Unit
	r.findSizes()
	for i := range r.Classes {
		c := &r.Classes[i]
		c.Share /= total
		c.Size = r.sizeAt(c.Nodes / r.Unit)
	}
	return r, r.mix()
}

// commonDivisor returns the greatest common divisor of two numbers that are not negative.
func commonDivisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// findSizes sets the sizes for which classes of jobs ask.
func (r *Jobs) findSizes() {
	var nodes []int
	for _, c := range r.Classes {
		nodes = append(nodes, c.Nodes/r.Unit)
	}
	slices.Sort(nodes)
	for _, n := range slices.Compact(nodes) {
		r.Sizes = append(r.Sizes, Size{Nodes: n})
	}
}

// sizeAt returns the index of the size of so many units.
func (r *Jobs) sizeAt(nodes int) int {
	return slices.IndexFunc(r.Sizes, func(z Size) bool { return z.Nodes == nodes })
}

// mix makes the run times of the sizes from the run times of their classes, and numbers the phases of all sizes.
func (r *Jobs) mix() error {
	for i := range r.Sizes {
		z := &r.Sizes[i]
		var shares []float64
		var times []phasetype.Dist
		for _, c := range r.Classes {
			if c.Size == i {
				shares, times = append(shares, c.Share), append(times, c.Service)
			}
		}
		z.Share = floats.Sum(shares)
		var err error
		if z.Service, err = jobtimes.Mixture(shares, times); err != nil {
			return fmt.Errorf("jobs of %d nodes: %w", z.Nodes*r.Unit, err)
		}
		z.From = r.Phases
		r.Phases += z.Service.Phases()
		r.Exit = append(r.Exit, z.Service.Exit()...)
		for range z.Service.Phases() {
			r.SizeOf = append(r.SizeOf, i)
		}
	}
	r.AtLeast = make([]float64, len(r.Sizes)+1)
	for i, z := range slices.Backward(r.Sizes) {
		r.AtLeast[i] = r.AtLeast[i+1] + z.Share
	}
	return nil
}

// Named returns the classes of jobs, none if all jobs are alike.
func (r *Jobs) Named() []Class {
	if len(r.Classes) == 1 && r.Classes[0].Name == "" {
		return nil
	}
	return r.Classes
}

// Most returns the largest number of jobs that run at a time.
func (r *Jobs) Most() int { return r.Nodes / r.Sizes[0].Nodes }

// Fitting returns the number of sizes that fit beside so many used units. These are the smallest sizes.
func (r *Jobs) Fitting(used int) int {
	n := 0
	for n < len(r.Sizes) && used+r.Sizes[n].Nodes <= r.Nodes {
		n++
	}
	return n
}

// Likely returns the probability that a job which asks for the size least or a larger one asks for a size.
func (r *Jobs) Likely(size, least int) float64 {
	if size < least {
		return 0
	}
	return r.Sizes[size].Share / r.AtLeast[least]
}

// Used returns the units that running jobs hold. Running jobs are counted by phase, as in package counts.
func (r *Jobs) Used(jobs string) int {
	used := 0
	for j := range counts.Phases(jobs) {
		used += counts.At(jobs, j) * r.Sizes[r.SizeOf[j]].Nodes
	}
	return used
}

// Departures returns the rate at which running jobs end. Running jobs are counted by phase.
func (r *Jobs) Departures(jobs string) float64 {
	rate := 0.0
	for j := range r.Phases {
		rate += float64(counts.At(jobs, j)) * r.Exit[j]
	}
	return rate
}

// Work returns Σ p_k·n_k·E[S_k], the mean node-time of a job, in nodes of the machine.
func (r *Jobs) Work() float64 {
	work := 0.0
	for _, z := range r.Sizes {
		work += z.Share * float64(z.Nodes*r.Unit) * z.Service.Mean()
	}
	return work
}
