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

// random reports whether the gaps or the work of the jobs are drawn at random, so that several logs of the assumption
// are replayed.
func (a *LogAssumption) random() bool { return a.gaps != logged || a.work != logged }

// jobs returns jobs for which the assumption holds, in the order of their submission. Random numbers come from streams
// below key. The jobs are valid until the buffer is used again.
func (a *LogAssumption) jobs(c *LogComparison, key des.Key, buffer *logBuffer) []workload.Job {
	if a.Name == noDailyCycle {
		return withoutCycle(c.Jobs, c.Hour)
	}
	ofWork := key
	if a.gaps != logged {
		ofWork = key.At(1)
	}
	switch a.gaps {
	case logged:
		c.setGaps(buffer.gaps, nil)
	case mixed:
		shuffle(buffer.order[:len(buffer.gaps)], key)
		c.setGaps(buffer.gaps, buffer.order)
	case fitted:
		c.drawGaps(buffer.gaps, key)
	}
	switch a.work {
	case mixed:
		shuffle(buffer.order, ofWork)
		c.arrange(buffer.jobs, buffer.gaps, buffer.order)
	case fitted:
		c.arrange(buffer.jobs, buffer.gaps, nil)
		c.setModelWork(buffer.jobs, ofWork)
	case logged:
		c.arrange(buffer.jobs, buffer.gaps, nil)
	}
	return buffer.jobs
}

// logBuffer is memory for the jobs of a drawn log. A comparison draws dozens of logs, which are as long as the log that it
// explains. Logs that are drawn one after the other share a buffer.
type logBuffer struct {
	jobs  []workload.Job
	gaps  []float64 // between the submissions of the jobs
	order []int32   // of jobs or gaps
}

// newLogBuffer returns a buffer for n jobs.
func newLogBuffer(n int) *logBuffer {
	return &logBuffer{make([]workload.Job, n), make([]float64, n-1), make([]int32, n)}
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

// setGaps sets gaps to the times between the submissions of the log, in the given order. A nil order is the order of the log.
func (c *LogComparison) setGaps(gaps []float64, order []int32) {
	for i := range gaps {
		from := i
		if order != nil {
			from = int(order[i])
		}
		gaps[i] = c.Jobs[from+1].Submit - c.Jobs[from].Submit
	}
}

// drawGaps fills gaps with times between submissions that are drawn from the arrival process of the model, in its unit
// of time. The same key gives the same gaps.
func (c *LogComparison) drawGaps(gaps []float64, key des.Key) {
	arrivals := des.NewArrivals(c.System.Arrivals)
	arrivals.Begin(key)
	for i := range gaps {
		gaps[i] = arrivals.Gap()
	}
}

// arrange sets jobs to the jobs of the log in the given order, submitted with the given gaps. A nil order is the order of the
// log.
func (c *LogComparison) arrange(jobs []workload.Job, gaps []float64, order []int32) {
	at := c.Jobs[0].Submit
	for i := range jobs {
		from := i
		if order != nil {
			from = int(order[i])
		}
		if i > 0 {
			at += gaps[i-1]
		}
		jobs[i] = c.Jobs[from]
		jobs[i].ID, jobs[i].Submit = i+1, at
	}
}

// setModelWork makes jobs of the model of the given jobs. ID and Submit stay. The demand, the speedup and the most
// nodes are drawn from the model: first the class, by its share, then the demand. The same key gives the same jobs.
func (c *LogComparison) setModelWork(jobs []workload.Job, key des.Key) {
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
}

// shuffle overwrites order by the numbers 0 to len(order)−1 in random order. All orders are equally likely, and the
// same key gives the same order.
func shuffle(order []int32, key des.Key) {
	for i := range order {
		order[i] = int32(i)
	}
	stream := key.Stream()
	for i := len(order) - 1; i > 0; i-- {
		k := int(stream.Float64() * float64(i+1))
		order[i], order[k] = order[k], order[i]
	}
}
