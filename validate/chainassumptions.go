package validate

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models"
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
func (a *LogAssumption) jobs(c *LogComparison, key des.Key, buffer *logBuffer) *drawnLog {
	drawn := &drawnLog{logged: c.Jobs, submits: buffer.submits}
	readSubmits(drawn.submits, c.Jobs)
	if a.Name == noDailyCycle {
		removeCycle(drawn.submits, c.Hour)
		return drawn
	}
	ofWork := key
	if a.gaps != logged {
		ofWork = key.At(1)
	}
	setGaps(drawn.submits)
	switch gaps := drawn.submits[1:]; a.gaps {
	case mixed:
		shuffle(gaps, key)
	case fitted:
		c.drawGaps(gaps, key)
	}
	floats.CumSum(drawn.submits, drawn.submits)
	switch a.work {
	case mixed:
		drawn.order = buffer.order
		shuffleNumbers(drawn.order, ofWork)
	case fitted:
		drawn.model = newModelWork(c.System, ofWork)
	}
	return drawn
}

// logBuffer is memory for the jobs of a drawn log. A comparison draws dozens of logs, which are as long as the log that it
// explains. Logs that are drawn one after the other share a buffer.
type logBuffer struct {
	submits []float64
	order   []int32
}

// newLogBuffer returns a buffer for n jobs.
func newLogBuffer(n int) *logBuffer { return &logBuffer{make([]float64, n), make([]int32, n)} }

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
	Jobs   LoggedJobs     // malleable, at least two, in the order of their submission
	Hour   float64        // one hour in the time unit of both
	Costs  machine.Costs  // of resizing, in place of the overheads of the system, unless nil

	Draws   int // logs that are drawn for each random assumption, at least 1
	Seed    uint64
	Workers int
	// Progress, if not nil, is told how many jobs of all that are to be replayed have been, by several workers at once.
	Progress func(done, of int)
}

// setGaps replaces all submissions but the first by the times since the submission before.
func setGaps(submits []float64) {
	for i := len(submits) - 1; i > 0; i-- {
		submits[i] -= submits[i-1]
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

// shuffle puts the values of a list in random order. All orders are equally likely, and the same key gives the same order.
func shuffle[T any](list []T, key des.Key) {
	stream := key.Stream()
	for i := len(list) - 1; i > 0; i-- {
		k := int(stream.Float64() * float64(i+1))
		list[i], list[k] = list[k], list[i]
	}
}

// shuffleNumbers overwrites order by the numbers 0 to len(order)−1 in random order, as [shuffle] does.
func shuffleNumbers(order []int32, key des.Key) {
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(order, key)
}
