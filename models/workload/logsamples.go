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

// Works returns run time × processors in node-seconds, and how many jobs were left out, by reason.
func Works(jobs []swf.Job) (works []float64, skipped map[string]int) {
	skipped = map[string]int{}
	for _, j := range jobs {
		switch n := j.Nodes(); {
		case j.Run < 0:
			skipped[swf.NoRunTime]++
		case n <= 0:
			skipped[swf.NoProcessors]++
		default:
			works = append(works, j.Run*float64(n))
		}
	}
	return works, skipped
}

// Take returns the quantity q of the jobs, and how many jobs were left out, by reason.
func (q Quantity) Take(jobs []swf.Job) (values []float64, skipped map[string]int, err error) {
	switch q {
	case Interarrival:
		values, skipped = Interarrivals(jobs)
	case RunTime:
		values, skipped = RunTimes(jobs)
	case Work:
		values, skipped = Works(jobs)
	default:
		return nil, nil, fmt.Errorf("workload: a log gives %s, %s or %s, not %q", Interarrival, RunTime, Work, string(q))
	}
	return values, skipped, nil
}
