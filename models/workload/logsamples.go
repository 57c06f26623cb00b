package workload

import (
	"fmt"
	"sort"

	"github.com/partwise/partwise/models/workload/swf"
)

// Interarrivals returns the differences of the sorted submit times, in seconds, one less than there are jobs, and how
// many jobs were left out, by reason.
func Interarrivals(jobs []swf.Job) (times []float64, skipped map[string]int) {
	skipped = map[string]int{}
	var submits []float64
	for _, j := range jobs {
		if j.Submit < 0 {
			skipped[swf.NoSubmitTime]++
			continue
		}
		submits = append(submits, j.Submit)
	}
	sort.Float64s(submits)
	for i := 1; i < len(submits); i++ {
		times = append(times, submits[i]-submits[i-1])
	}
	return times, skipped
}

// RunTimes returns the run times in seconds, and how many jobs were left out, by reason.
func RunTimes(jobs []swf.Job) (times []float64, skipped map[string]int) {
	skipped = map[string]int{}
	for _, j := range jobs {
		if j.Run < 0 {
			skipped[swf.NoRunTime]++
			continue
		}
		times = append(times, j.Run)
	}
	return times, skipped
}

// Works returns the demands of the jobs, run time × S(processors), in seconds on one node, and how many jobs were left
// out, by reason. The speedup s of all jobs is one that a model assumes, which no log tells; nil is linear, and the
// demands are then the node-time that the jobs held. The error is that the speedup says nothing of a number of
// processors.
func Works(jobs []swf.Job, s Speedup) (works []float64, skipped map[string]int, err error) {
	skipped = map[string]int{}
	shape := WithSpeedup(Malleable, s)
	for i := range jobs {
		switch from := &jobs[i]; {
		case from.Run < 0:
			skipped[swf.NoRunTime]++
		case from.Nodes() <= 0:
			skipped[swf.NoProcessors]++
		default:
			j, err := shape.Job(i, from)
			if err != nil {
				return nil, nil, err
			}
			works = append(works, j.Work)
		}
	}
	return works, skipped, nil
}

// Take returns the quantity q of the jobs, whose speedup is s, and how many jobs were left out, by reason.
func (q Quantity) Take(jobs []swf.Job, s Speedup) (values []float64, skipped map[string]int, err error) {
	switch q {
	case Interarrival:
		values, skipped = Interarrivals(jobs)
	case RunTime:
		values, skipped = RunTimes(jobs)
	case Work:
		return Works(jobs, s)
	default:
		return nil, nil, fmt.Errorf("workload: a log gives %s, %s or %s, not %q", Interarrival, RunTime, Work, string(q))
	}
	return values, skipped, nil
}
