package validate

import (
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// arriving returns the classes of a system whose share of the arrivals is positive.
func arriving(sys *models.System) (classes []models.Class) {
	for _, c := range sys.Classes {
		if c.Share > 0 {
			classes = append(classes, c)
		}
	}
	return classes
}

// kinds returns the classes as the simulators need them, on a machine with the given number of nodes. MaxNodes of a
// class without a limit is this number.
func kinds(classes []models.Class, nodes int) (all []simulation.Class) {
	for _, c := range classes {
		all = append(all, simulation.Class{Phases: c.Demand.Phases(), MaxNodes: mostNodes(&c, nodes), Nodes: c.Nodes, Speedup: c.Speedup})
	}
	return all
}

// mostNodes returns the largest number of nodes that a job of a class can use.
func mostNodes(c *models.Class, nodes int) int {
	if c.MaxNodes == 0 {
		return nodes
	}
	return c.MaxNodes
}

// askedNodes returns the number of nodes that the slowdown of a job is relative to: for which jobs of the class ask or, if they ask
// for no number, the most that they can use.
func askedNodes(c *models.Class, nodes int) int {
	if c.Nodes > 0 {
		return c.Nodes
	}
	return mostNodes(c, nodes)
}

// demandOf returns the distribution of the demand of a job of any class, the run time on one node: the mixture of the
// demands of the classes, weighted by their shares. The phases of the classes lie side by side, so the phase in which a
// job starts tells its class.
func demandOf(classes []models.Class) (phasetype.Dist, error) {
	if len(classes) == 1 {
		return classes[0].Demand, nil
	}
	var shares []float64
	var demands []phasetype.Dist
	for _, c := range classes {
		shares, demands = append(shares, c.Share), append(demands, c.Demand)
	}
	return phasetype.Mixture(shares, demands)
}

// ClassEstimates holds the simulated measures of the jobs of a class, as [models.ClassMeasures] holds the analytic
// ones.
type ClassEstimates struct {
	Name                                              string
	Share                                             float64 // of the arrivals, of 1
	MeanResponseTime, MeanSlowdown, MeanJobsInService Estimate
	// MeanWaitingTime and ProbabilityWait are estimated for rigid jobs. Under other policies waiting does not depend on the class,
	// and both have no name.
	MeanWaitingTime, ProbabilityWait Estimate
	// Percentiles are the percentiles of the response time that the jobs of the class suffice for.
	Percentiles []Estimate
}

// Estimates returns the measures of the class.
func (c *ClassEstimates) Estimates() []Estimate {
	all := []Estimate{c.MeanResponseTime, c.MeanSlowdown, c.MeanJobsInService}
	if c.MeanWaitingTime.Name != "" {
		all = append(all, c.MeanWaitingTime, c.ProbabilityWait)
	}
	return append(all, c.Percentiles...)
}

// compared returns the estimates that are compared with a solution: response time and jobs in service and, for rigid jobs,
// waiting time and probability of waiting.
func (c *ClassEstimates) compared() []Estimate {
	all := []Estimate{c.MeanResponseTime, c.MeanJobsInService}
	if c.MeanWaitingTime.Name != "" {
		all = append(all, c.MeanWaitingTime, c.ProbabilityWait)
	}
	return all
}

// meanJobsInService is the name of the mean number of running jobs of a class, including jobs that stand still.
const meanJobsInService = "mean_jobs_in_service"

// width returns the number of sums that describe a period of a simulation: the tally, and the sums of each class.
func (s subject) width() int { return simulation.Sums + len(s.classes)*simulation.ClassSums }

// classes returns the estimates of each class from the sums of the replications, in the order of the system's classes
// with arrivals. A slowdown is the mean response time over the mean run time on the nodes that jobs of the class ask for.
func (x *experiment) classes(sums [][]float64) (all []ClassEstimates) {
	total := 0.0
	for _, c := range x.subject.classes {
		total += c.Share
	}
	for k, c := range x.subject.classes {
		first := simulation.Sums + k*simulation.ClassSums
		departed := first + simulation.ClassDeparted
		mean := ratio(first+simulation.ClassResponse, departed)
		alone := c.Demand.Mean() / c.Speedup.At(float64(askedNodes(&c, x.subject.nodes)))
		estimate := func(name string, of func([]float64) float64) Estimate {
			return formula{name: name, of: of, count: departed, base: simulation.Sums}.estimate(sums, x.o.Confidence)
		}
		of := ClassEstimates{Name: c.Name, Share: c.Share / total,
			MeanResponseTime:  estimate(measure.MeanResponseTime, mean),
			MeanSlowdown:      estimate(measure.MeanSlowdown, func(t []float64) float64 { return mean(t) / alone }),
			MeanJobsInService: estimate(meanJobsInService, share(first+simulation.ClassTime)),
			Percentiles:       x.percentiles(1 + k)}
		if x.subject.asking != nil {
			queued, arrived := first+simulation.ClassQueued, first+simulation.ClassArrived
			of.MeanWaitingTime = formula{name: measure.MeanWaitingTime, of: ratio(first+simulation.ClassWait, first+simulation.ClassStarted),
				count: queued, base: simulation.Sums}.estimate(sums, x.o.Confidence)
			of.ProbabilityWait = formula{name: measure.ProbabilityWait, of: ratio(queued, arrived), count: queued,
				base: arrived}.estimate(sums, x.o.Confidence)
			of.MeanWaitingTime.frequency, of.MeanWaitingTime.exposure = measure.ProbabilityWait, of.ProbabilityWait.exposure
		}
		all = append(all, of)
	}
	return all
}

// compareClasses returns the compared rows of the classes that both the analytic model and the simulation have.
func compareClasses(analytic []models.ClassMeasures, simulated []ClassEstimates) (rows []Row) {
	for _, e := range simulated {
		for _, a := range analytic {
			if a.Name != e.Name {
				continue
			}
			solved := []float64{a.MeanResponseTime, a.MeanJobsInService, a.MeanWaitingTime, a.ProbabilityWait}
			for i, simulated := range e.compared() {
				frequency := math.NaN()
				if simulated.frequency != "" {
					frequency = a.ProbabilityWait
				}
				row := compare(solved[i], frequency, simulated)
				row.Class = e.Name
				rows = append(rows, row)
			}
		}
	}
	return rows
}
