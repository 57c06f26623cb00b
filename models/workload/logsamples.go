package workload

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Take returns the quantity q of the jobs, and how many jobs were left out, by reason. A log does not tell the speedup s, which
// a model assumes for all jobs. A nil speedup is linear: demands are then the node-time that the jobs held. The jobs are read
// one by one, so that only the values take memory. The error comes from reading the jobs, or says that the speedup is not
// defined for a number of processors.
func (q Quantity) Take(jobs joblog.Jobs, s Speedup) (values []float64, skipped map[string]int, err error) {
	if q != Interarrival && q != RunTime && q != Work {
		return nil, nil, fmt.Errorf("workload: a log gives %s, %s or %s, not %q", Interarrival, RunTime, Work, string(q))
	}
	skipped = map[string]int{}
	shape := WithSpeedup(Malleable, s)
	number := -1
	for from, err := range jobs {
		if err != nil {
			return nil, nil, err
		}
		number++
		problem, x := "", 0.0
		switch {
		case q == Interarrival && from.Submit < 0:
			problem = logtext.NoSubmitTime
		case q == Interarrival:
			x = from.Submit
		case from.Run < 0:
			problem = logtext.NoRunTime
		case q == RunTime:
			x = from.Run
		case from.Nodes() <= 0:
			problem = logtext.NoProcessors
		default:
			j, err := shape.Job(number, from)
			if err != nil {
				return nil, nil, err
			}
			x = j.Work
		}
		if problem != "" {
			skipped[problem]++
			continue
		}
		values = append(values, x)
	}
	if q == Interarrival {
		values = gaps(values)
	}
	return values, skipped, nil
}

// gaps returns the differences of times in ascending order, one less than there are times.
func gaps(times []float64) (all []float64) {
	slices.Sort(times)
	for i := 1; i < len(times); i++ {
		all = append(all, times[i]-times[i-1])
	}
	return all
}
