package validate

import (
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// LogAssumption is an assumption of the chain that can be made true in a log: it says where the times between
// submissions and the work of jobs come from.
type LogAssumption struct {
	Name string // in results
	Doc  string // what is replayed
	// Base is the name of the assumption that differs from this one in one respect only; "" stands for the log as it
	// is.
	Base       string
	gaps, work source
}

// source says where the times between submissions, or the work of the jobs, come from.
type source int

const (
	logged source = iota
	mixed         // the log, in random order
	fitted        // the distribution or the arrival process of the model
)

// random reports whether the jobs are drawn at random, so that several logs of the assumption are replayed.
func (a *LogAssumption) random() bool { return a.gaps != logged || a.work != logged }

// jobs returns jobs for which the assumption holds, in the order of their submission. Random numbers come from streams
// below key.
func (a *LogAssumption) jobs(c *LogComparison, key des.Key) []workload.Job {
	if a.Name == noDailyCycle {
		return withoutCycle(c.Jobs, c.Hour)
	}
	gaps, ofWork := c.gaps(nil), key
	switch a.gaps {
	case mixed:
		gaps, ofWork = c.gaps(&key), key.At(1)
	case fitted:
		gaps, ofWork = c.modelGaps(key), key.At(1)
	}
	switch a.work {
	case mixed:
		return c.arrange(gaps, shuffled(len(c.Jobs), ofWork))
	case fitted:
		return c.withModelWork(c.arrange(gaps, nil), ofWork)
	}
	return c.arrange(gaps, nil)
}

// The names of the assumptions.
const (
	independentWork = "work_independent"
	independentGaps = "gaps_independent"
	bothIndependent = "both_independent"
	fittedWork      = "work_fitted"
	fittedArrivals  = "arrivals_fitted"
	noDailyCycle    = "no_daily_cycle"
	stationaryChain = "stationary_chain"
)

// logAssumptions lists the assumptions of a chain, in the order in which they are reported.
var logAssumptions = []LogAssumption{
	{independentWork, "logged work in random order", "", logged, mixed},
	{independentGaps, "logged gaps in random order", "", mixed, logged},
	{bothIndependent, "logged gaps and work in random order", "", mixed, mixed},
	{fittedWork, "the model's work, logged gaps in random order", bothIndependent, mixed, fitted},
	{fittedArrivals, "the model's arrivals, logged work in random order", bothIndependent, fitted, mixed},
	{noDailyCycle, "the log without its daily and weekly cycle", "", logged, logged},
	{stationaryChain, "the model's arrivals and work on whole nodes, as long as the log", ChainBase, fitted, fitted},
}

// ChainBase is the base of an assumption under which replays are compared with the solution of the chain.
const ChainBase = "chain"

// LogComparison is a system and the jobs of a log for it. [LogComparison.Explain] says why the chain of the system and
// the log differ. It replays the log several times, each time with one of the assumptions of the chain made true.
//
//	system, log → assumption → jobs → Simulate → mean response times → effect of the assumption → LogReport
type LogComparison struct {
	System *models.System // with a demand and a speedup, or classes
	Jobs   []workload.Job // malleable, in the order of their submission
	Hour   float64        // one hour in the time unit of both
	Costs  machine.Costs  // of resizing, in place of the overheads of the system, unless nil

	Draws   int // logs that are drawn for each random assumption, at least 1
	Seed    uint64
	Workers int
	// Progress, if not nil, is told how many jobs of all that are to be replayed have been, by several workers at once.
	Progress func(done, of int)
}

// gaps returns the times between the submissions of the log; with a key, in an order drawn at random.
func (c *LogComparison) gaps(key *des.Key) []float64 {
	gaps := make([]float64, len(c.Jobs)-1)
	for i := range gaps {
		gaps[i] = c.Jobs[i+1].Submit - c.Jobs[i].Submit
	}
	if key == nil {
		return gaps
	}
	mixed := make([]float64, len(gaps))
	for i, k := range shuffled(len(gaps), *key) {
		mixed[i] = gaps[k]
	}
	return mixed
}

// modelGaps draws times between submissions from the arrival process of the model.
func (c *LogComparison) modelGaps(key des.Key) []float64 {
	arrivals := des.NewArrivals(c.System.Arrivals)
	arrivals.Begin(key)
	gaps := make([]float64, len(c.Jobs)-1)
	for i := range gaps {
		gaps[i] = arrivals.Gap()
	}
	return gaps
}

// arrange returns the jobs of the log, in the given order, submitted with the given gaps.
func (c *LogComparison) arrange(gaps []float64, order []int) []workload.Job {
	jobs := make([]workload.Job, len(c.Jobs))
	at := c.Jobs[0].Submit
	for i := range jobs {
		from := i
		if order != nil {
			from = order[i]
		}
		if i > 0 {
			at += gaps[i-1]
		}
		jobs[i] = c.Jobs[from]
		jobs[i].ID, jobs[i].Submit = i+1, at
	}
	return jobs
}

// withModelWork replaces the demands of jobs by demands drawn from the model, and the nodes that jobs can use by those
// of the model. It changes the jobs in the given list and returns the list.
func (c *LogComparison) withModelWork(jobs []workload.Job, key des.Key) []workload.Job {
	classes := c.System.Classes
	if len(classes) == 0 {
		classes = []models.Class{{Share: 1, Demand: c.System.Demand, Speedup: c.System.Speedup}}
	}
	demands, shares := make([]*des.Times, len(classes)), make([]float64, len(classes))
	for k, class := range classes {
		demands[k], shares[k] = des.NewTimes(class.Demand), class.Share
	}
	floats.CumSum(shares, shares)
	stream := key.Stream()
	for i := range jobs {
		k := 0
		if len(classes) > 1 {
			k = sort.SearchFloat64s(shares, stream.Float64()*shares[len(shares)-1])
		}
		jobs[i] = workload.Job{ID: jobs[i].ID, User: -1, Application: -1, Submit: jobs[i].Submit, Kind: workload.Malleable,
			Max: classes[k].MaxNodes, Work: demands[k].Draw(&stream), Speedup: classes[k].Speedup}
	}
	return jobs
}

// shuffled returns the numbers 0 to n−1 in random order.
func shuffled(n int, key des.Key) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	stream := key.Stream()
	for i := n - 1; i > 0; i-- {
		k := int(stream.Float64() * float64(i+1))
		order[i], order[k] = order[k], order[i]
	}
	return order
}
